//! The fonts of a document.

use crate::glyph::Font;
use pdfium_render::prelude::{PdfFontWeight, PdfPageTextChar};
use std::collections::HashMap;

/// The document's fonts, each name once.
#[derive(Default)]
pub(super) struct Fonts {
    pub(super) list: Vec<Font>,
    by_name: HashMap<String, u16>,
}

impl Fonts {
    /// The font of recognised characters, of which nothing is known.
    pub(super) fn of_recognised(&mut self) -> u16 {
        const NAME: &str = "recognised";
        let named = self.by_name.get(NAME).copied();
        named.unwrap_or_else(|| self.add(NAME.to_owned(), Font::default()))
    }

    pub(super) fn of(&mut self, ch: &PdfPageTextChar<'_>) -> u16 {
        let name = ch.font_name();
        if let Some(known) = self.by_name.get(&name) {
            return *known;
        }
        let heavy = match ch.font_weight() {
            Some(PdfFontWeight::Custom(w)) => (600..=1000).contains(&w),
            Some(w) => matches!(
                w,
                PdfFontWeight::Weight600
                    | PdfFontWeight::Weight700Bold
                    | PdfFontWeight::Weight800
                    | PdfFontWeight::Weight900
            ),
            None => false,
        };
        let font = Font::from_name(&name, heavy || ch.font_is_bold_reenforced(), ch.font_is_italic());
        // Subsets of one font are one font to a reader.
        let same = self.list.iter().position(|f| *f == font);
        match same.and_then(|id| u16::try_from(id).ok()) {
            Some(id) => {
                self.by_name.insert(name, id);
                id
            }
            None => self.add(name, font),
        }
    }

    fn add(&mut self, name: String, font: Font) -> u16 {
        // A file with more fonts than fit is hostile; the surplus shares the last one.
        let id = u16::try_from(self.list.len()).unwrap_or(u16::MAX);
        if id < u16::MAX {
            self.list.push(font);
            self.by_name.insert(name, id);
        }
        id.min(u16::MAX - 1)
    }
}
