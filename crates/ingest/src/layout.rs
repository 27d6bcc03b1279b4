//! From the characters of a page to lines in the order of reading.

pub(crate) mod columns;
pub(crate) mod furniture;
mod gutter;
pub(crate) mod line;
mod line_numbers;
mod marks;
pub(crate) mod piece;
mod segment;
pub(crate) mod wide;

use crate::glyph::{Font, Layer};
use crate::pdfium::PageSink;
use line::Line;
use piece::Piece;
pub(crate) use piece::Run;
use std::collections::BTreeMap;

/// A layer set at an angle to the page's main text counts as text, not as a stamp in the margin, from so many
/// characters on.
const TURNED_TEXT: usize = 400;

/// Pieces of the document, page after page, until all pages are known.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    layers: Vec<PageLayer>,
    /// Pages that hold text.
    pub(crate) with_text: Vec<u32>,
    /// Characters of each page that are left out deliberately: copies, running heads, numbers of lines.
    pub(crate) removed: BTreeMap<u32, usize>,
    /// How lines are numbered, as far as pages have shown.
    numberings: Vec<line_numbers::Numbering>,
    /// Characters of each page that are printed again in the same place.
    pub(crate) copied: BTreeMap<u32, usize>,
    /// Stamps in the margins of the first pages, with their pages.
    pub(crate) stamps: Vec<(u32, String)>,
}

/// The pieces of one layer of a page.
#[derive(Debug)]
pub(crate) struct PageLayer {
    pub(crate) page: u32,
    /// Width and height.
    pub(crate) size: (f32, f32),
    pub(crate) pieces: Vec<Piece>,
}

/// The lines of a document.
#[derive(Debug, Default)]
pub(crate) struct Read {
    /// In the order of reading.
    pub(crate) lines: Vec<Line>,
    /// What was taken out as running heads, with its page.
    pub(crate) running: Vec<(u32, String)>,
    /// What is stamped on the first pages at an angle to their text, with its page.
    pub(crate) stamps: Vec<(u32, String)>,
    /// Characters of each page that were left out deliberately.
    pub(crate) removed: BTreeMap<u32, usize>,
}

impl PageSink for Pages {
    fn page(&mut self, number: u32, layers: Vec<Layer>, fonts: &[Font]) {
        if !layers.is_empty() {
            self.with_text.push(number);
        }
        for (i, layer) in layers.iter().enumerate() {
            let size = (layer.width, layer.height);
            let (pieces, again, numbers) = segment::pieces(layer, fonts, &mut self.numberings);
            if i > 0 && layer.glyphs.len() < TURNED_TEXT && !is_text(&pieces) {
                // A stamp or the labels of an axis: no text, but a stamp has a date.
                if self.with_text.len() <= 2 {
                    let texts: Vec<&str> = pieces.iter().map(|p| p.text.as_str()).collect();
                    self.stamps.push((number, texts.join(" ")));
                }
                continue;
            }
            let before = chars(&pieces) + again + numbers;
            let pieces = furniture::inside_page(pieces, size);
            let twice = chars(&pieces) + again;
            let mut pieces = furniture::without_copies(pieces);
            furniture::join_initials(&mut pieces);
            if twice > chars(&pieces) {
                *self.copied.entry(number).or_default() += twice - chars(&pieces);
            }
            *self.removed.entry(number).or_default() += before - chars(&pieces);
            self.layers.push(PageLayer { page: number, size, pieces });
        }
    }
}

/// The stretches of lines of one page, in the order of its content, each with its text.
pub(crate) fn runs_of(layer: &Layer, fonts: &[Font]) -> Vec<(Run, Option<String>)> {
    let (mut runs, _) = segment::runs(layer, &mut Vec::new());
    runs.sort_by_key(|run| run.order);
    let text = |run: &Run| piece::piece_of(run, fonts).map(|piece| piece.text);
    runs.into_iter().map(|run| (text(&run), run)).map(|(text, run)| (run, text)).collect()
}

/// Whether the pieces of a turned layer are lines of text or of a table: several that are longer than a label.
fn is_text(pieces: &[Piece]) -> bool {
    const LINE: usize = 25;
    pieces.iter().filter(|p| p.chars >= LINE).count() >= 3
}

fn chars(pieces: &[Piece]) -> usize {
    pieces.iter().map(|p| p.chars).sum()
}

impl Pages {
    /// Puts the pieces into lines.
    pub(crate) fn into_lines(mut self) -> Read {
        furniture::drop_ornaments(&mut self.layers);
        let running = furniture::extract_running_heads(&mut self.layers);
        for (page, text) in &running {
            *self.removed.entry(*page).or_default() += crate::warnings::shown(text);
        }
        let usual = columns::usual_gutters(self.layers.iter().map(|l| l.pieces.as_slice()));
        let cited = marks::are_cited(self.layers.iter().flat_map(|l| &l.pieces));
        let mut lines = Vec::new();
        let mut number = 0;
        for layer in self.layers {
            for mut region in columns::regions(layer.pieces, &usual) {
                number += 1;
                *self.removed.entry(layer.page).or_default() += marks::rewrite(&mut region.pieces, cited);
                lines.extend(line::lines(region, number, layer.page, layer.size.1));
            }
        }
        Read { lines, running, stamps: self.stamps, removed: self.removed }
    }
}
