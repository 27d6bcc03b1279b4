//! PDFium: opening files, reading characters and drawing pages. Nothing outside this module calls it.

mod open;
mod pictures;

use crate::glyph::{Font, Glyph, Layer, printed};
use crate::quality::{Quality, mend_and_judge};
use crate::{ParseError, Progress, Reading, script};
use pdfium_render::prelude::{
    PdfDocument, PdfDocumentMetadataTagType, PdfFontWeight, PdfPage, PdfPageTextChar, Pdfium, PdfiumError,
    PdfiumInternalError,
};
use std::collections::HashMap;
use std::path::Path;
use unicode_normalization::UnicodeNormalization;

/// The PDFium library, loaded once per process: a second load is refused by the binding.
pub struct Library {
    pdfium: Pdfium,
}

/// What a file's information dictionary says; often empty, often nonsense.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Info {
    pub(crate) title: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) subject: Option<String>,
}

/// What the caller of [`Library::read`] makes of each page while its characters are at hand. Characters are not
/// kept: a long document holds millions.
pub(crate) trait PageSink {
    /// Takes the page's layers, the one with most text first; none for a page without text.
    fn page(&mut self, number: u32, layers: Vec<Layer>, fonts: &[Font]);
}

/// What is known of the file besides its pages.
#[derive(Debug, Default)]
pub(crate) struct Opened {
    pub(crate) pages: u32,
    pub(crate) info: Info,
    pub(crate) fonts: Vec<Font>,
    /// Pages without text that hold images.
    pub(crate) image_only: Vec<u32>,
    /// Pages whose characters have no meaning.
    pub(crate) garbled: Vec<u32>,
    /// Pages that could not be loaded.
    pub(crate) broken: Vec<u32>,
    pub(crate) repaired: Option<Repaired>,
    /// Whether pages without text were to be recognised.
    pub(crate) ocr_tried: bool,
    /// Pages that were recognised.
    pub(crate) recognised: Vec<Recognised>,
    /// Pages that could not be, and why.
    pub(crate) unrecognised: Vec<(u32, String)>,
}

/// That pages were found only by searching the bytes of a damaged file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repaired {
    /// How many.
    pub(crate) pages: usize,
    /// Why it could not be opened as it is.
    pub(crate) error: ParseError,
}

/// A page that was read by OCR.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Recognised {
    pub(crate) page: u32,
    /// Mean confidence of its words, 0 to 1.
    pub(crate) confidence: f32,
}

impl Library {
    /// Loads the library file.
    ///
    /// # Errors
    /// When the file is missing, is not PDFium, or another copy was loaded before.
    pub fn load(path: &Path) -> Result<Self, ParseError> {
        let bindings = Pdfium::bind_to_library(path).map_err(|e| ParseError::Worker {
            detail: format!(
                "cannot load PDFium from {}: {}; set up the native libraries again",
                path.display(),
                explain(&e)
            ),
        })?;
        Ok(Self {
            pdfium: Pdfium::new(bindings),
        })
    }

    /// Reads every page of a file and hands it on.
    pub(crate) fn read(
        &self,
        path: &Path,
        reading: &Reading<'_>,
        progress: &mut dyn FnMut(Progress),
        sink: &mut dyn PageSink,
    ) -> Result<Opened, ParseError> {
        let limits = reading.limits;
        let bytes = open::read_file(path, limits)?;
        let file = open::open(&self.pdfium, &bytes, reading.passwords, limits)?;
        let pages = u32::try_from(file.pdf.pages().len()).unwrap_or(0);
        if pages > limits.max_pages {
            return Err(ParseError::TooManyPages {
                pages,
                limit: limits.max_pages,
            });
        }
        let mut opened = Opened {
            pages,
            info: info(&file.pdf),
            repaired: file.repaired,
            ocr_tried: reading.ocr.is_some(),
            ..Opened::default()
        };
        let mut fonts = Fonts::default();
        let mut chars = 0u64;
        for number in 1..=pages {
            progress(Progress::Page {
                page: number,
                of: pages,
            });
            let index = i32::try_from(number - 1).unwrap_or(i32::MAX);
            let Ok(page) = file.pdf.pages().get(index) else {
                opened.broken.push(number);
                continue;
            };
            let (mut layers, seen) = match layers_of(&page, &mut fonts, limits.max_chars_per_page) {
                Ok(found) => found,
                Err(PageError::TooMuchText) => {
                    return Err(ParseError::TooMuchText {
                        page: number,
                        limit: limits.max_chars_per_page,
                    });
                }
                Err(PageError::NoText) => {
                    opened.broken.push(number);
                    continue;
                }
            };
            chars += layers.iter().map(|l| l.glyphs.len() as u64).sum::<u64>();
            if chars > limits.max_chars {
                return Err(ParseError::TooMuchText {
                    page: number,
                    limit: limits.max_chars,
                });
            }
            script::unify(&mut layers);
            let garbled = mend_and_judge(&mut layers, seen) == Quality::Garbled;
            if garbled || layers.is_empty() && pictures::are_on(&page) {
                let read = reading.ocr.is_some_and(|ocr| {
                    progress(Progress::Recognising {
                        page: number,
                        of: pages,
                    });
                    pictures::recognise(&page, number, ocr, &mut fonts, &mut opened, &mut layers)
                });
                match read {
                    true => {}
                    false if garbled => opened.garbled.push(number),
                    false => opened.image_only.push(number),
                }
            }
            sink.page(number, layers, &fonts.list);
        }
        if opened.broken.len() == pages as usize {
            return Err(ParseError::Damaged {
                detail: format!("none of its {pages} pages can be loaded"),
            });
        }
        opened.fonts = fonts.list;
        Ok(opened)
    }
}

fn info(document: &PdfDocument<'_>) -> Info {
    let tag = |which| {
        document
            .metadata()
            .get(which)
            .map(|t| t.value().trim().to_owned())
            .filter(|v| !v.is_empty())
    };
    Info {
        title: tag(PdfDocumentMetadataTagType::Title),
        author: tag(PdfDocumentMetadataTagType::Author),
        subject: tag(PdfDocumentMetadataTagType::Subject),
    }
}

fn explain(error: &PdfiumError) -> String {
    match error {
        PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::FormatError) => {
            "its structure cannot be read, or it is cut short".to_owned()
        }
        PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::Unknown) => {
            "it holds no readable page tree".to_owned()
        }
        PdfiumError::PdfiumLibraryInternalError(inner) => format!("PDFium says {inner:?}"),
        PdfiumError::LoadLibraryError(e) => e.to_string(),
        other => format!("{other:?}"),
    }
}

enum PageError {
    TooMuchText,
    NoText,
}

/// The document's fonts, each name once.
#[derive(Default)]
struct Fonts {
    list: Vec<Font>,
    by_name: HashMap<String, u16>,
}

impl Fonts {
    /// The font of recognised characters, of which nothing is known.
    fn of_recognised(&mut self) -> u16 {
        const NAME: &str = "recognised";
        let named = self.by_name.get(NAME).copied();
        named.unwrap_or_else(|| self.add(NAME.to_owned(), Font::default()))
    }

    fn of(&mut self, ch: &PdfPageTextChar<'_>) -> u16 {
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
        self.add(name, font)
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

/// The characters of a page, and how many it holds with those that print nothing.
fn layers_of(
    page: &PdfPage<'_>,
    fonts: &mut Fonts,
    max_chars: u64,
) -> Result<(Vec<Layer>, usize), PageError> {
    let text = page.text().map_err(|_| PageError::NoText)?;
    let chars = text.chars();
    if chars.len() as u64 > max_chars {
        return Err(PageError::TooMuchText);
    }
    let (left, bottom, right, top) = page.boundaries().bounding().map_or_else(
        |_| (0.0, 0.0, page.width().value, page.height().value),
        |b| {
            (
                b.bounds.left().value,
                b.bounds.bottom().value,
                b.bounds.right().value,
                b.bounds.top().value,
            )
        },
    );
    let mut layers: [Layer; 4] = Default::default();
    for (turn, layer) in layers.iter_mut().enumerate() {
        layer.turn = turn as u8;
        (layer.width, layer.height) = if turn % 2 == 0 {
            (right - left, top - bottom)
        } else {
            (top - bottom, right - left)
        };
    }
    let mut spaced = false; // the page has a space here
    let mut guessed = false; // PDFium thinks that a space belongs here
    let mut font = 0;
    let mut last: Option<(f32, f32)> = None; // size and baseline for which `font` was asked
    let mut high = None; // first half of a character outside the basic plane
    let may_hide = crate::clip::may_hide(page);
    let mut hidden = false; // whether the characters since `last` are clipped away
    for ch in chars.iter() {
        let Some(value) = whole(ch.unicode_value(), &mut high) else {
            continue;
        };
        if char::from_u32(value).is_none_or(|c| c.is_whitespace() || c == '\0') {
            if ch.is_generated().unwrap_or(true) {
                guessed = true;
            } else {
                spaced = true;
            }
            last = None;
            continue;
        }
        let Ok(matrix) = ch.matrix() else { continue };
        let scale = matrix.c().hypot(matrix.d());
        let size = (ch.unscaled_font_size().value * scale).abs();
        let Some(turn) = quarter_turn(matrix.a(), matrix.b()) else {
            continue;
        };
        let (Ok(bounds), Ok((ox, oy))) = (ch.loose_bounds(), ch.origin()) else {
            continue;
        };
        if !(size.is_finite() && size > 0.5 && size < 2_000.0) {
            continue;
        }
        // The page's corner becomes the origin and the direction of writing the x axis.
        let upright = |x: f32, y: f32| match turn {
            0 => (x - left, top - y),
            1 => (y - bottom, x - left),
            2 => (right - x, y - bottom),
            _ => (top - y, right - x),
        };
        let (ax, _) = upright(bounds.left().value, bounds.bottom().value);
        let (bx, _) = upright(bounds.right().value, bounds.top().value);
        let (_, y) = upright(ox.value, oy.value);
        let (x0, x1) = (ax.min(bx), ax.max(bx));
        if !(x0.is_finite() && x1.is_finite() && y.is_finite()) {
            continue;
        }
        // Fonts change between words or with size and baseline: asking for each character is half the time.
        if last.is_none_or(|(s, b)| (s - size).abs() > 0.01 || (b - y).abs() > 0.01) {
            font = fonts.of(&ch);
            hidden = may_hide && crate::clip::hides(&ch);
        }
        last = Some((size, y));
        if hidden {
            continue;
        }
        let symbol = fonts
            .list
            .get(usize::from(font))
            .is_some_and(|f| f.name.starts_with("Symbol"));
        let glyphs = &mut layers[usize::from(turn)].glyphs;
        // The letters of a ligature all come with its box: the later ones take no room of their own.
        let (mut x0, x1) = (x0, x1);
        if let Some(before) = glyphs.last()
            && !spaced
            && (before.y - y).abs() < 0.01
            && (before.x1 - x1).abs() < 0.01
            && ((before.x0 - x0).abs() < 0.01 || before.x1 - before.x0 <= 0.0)
        {
            x0 = x1;
            guessed = false;
        }
        // A guess needs some room to be believed: letters set wide are guessed apart, too.
        spaced |= guessed
            && glyphs
                .last()
                .is_none_or(|b| (b.y - y).abs() > 0.3 * size || x0 - b.x1 > -0.04 * size || x0 < b.x0);
        let glyph = |c: char, spaced: bool| Glyph {
            ch: c,
            x0,
            x1,
            y,
            size,
            font,
            spaced,
        };
        match printed(value, symbol) {
            Some(text) => {
                for (i, c) in text.chars().enumerate() {
                    glyphs.push(glyph(c, spaced && i == 0));
                }
            }
            None => match char::from_u32(value) {
                // Letters of formulas become plain letters: "p < 0.05" is searched for in those.
                Some(c @ '\u{1D400}'..='\u{1D7FF}') => {
                    glyphs.push(glyph(c.nfkc().next().unwrap_or(c), spaced));
                }
                Some(c)
                    if !c.is_control() && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{fffd}') =>
                {
                    glyphs.push(glyph(c, spaced));
                }
                _ => {}
            },
        }
        spaced = false;
        guessed = false;
    }
    let mut layers: Vec<Layer> = layers.into_iter().filter(|l| !l.glyphs.is_empty()).collect();
    for layer in &mut layers {
        mend_th(&mut layer.glyphs);
    }
    layers.sort_by_key(|l| (std::cmp::Reverse(l.glyphs.len()), l.turn));
    Ok((layers, chars.len()))
}

/// PDFium gives UTF-16 units. A first half is kept for the unit that follows; a second half without a first one is
/// taken to be a mathematical letter, the only such characters in common use.
fn whole(unit: u32, high: &mut Option<u32>) -> Option<u32> {
    match unit {
        0xD800..=0xDBFF => {
            *high = Some(unit);
            None
        }
        0xDC00..=0xDFFF => {
            let first = high.take().unwrap_or(0xD835);
            Some(0x1_0000 + ((first - 0xD800) << 10) + (unit - 0xDC00))
        }
        _ => {
            *high = None;
            Some(unit)
        }
    }
}

/// Some producers map the ligature "Th" to a sign. No sign is as wide as its type is high, and none stands at the
/// start of a word of small letters.
fn mend_th(glyphs: &mut Vec<Glyph>) {
    let wide = |g: &Glyph| (0.95..1.25).contains(&((g.x1 - g.x0) / g.size.max(0.1)));
    let mut i = 0;
    while i + 1 < glyphs.len() {
        let (g, next) = (glyphs[i], glyphs[i + 1]);
        let touches = !next.spaced && (next.y - g.y).abs() < 0.01 && (next.x0 - g.x1).abs() < 0.12 * g.size;
        if matches!(g.ch, '+' | '*' | '.' | '!' | '#' | '$' | '%')
            && wide(&g)
            && touches
            && next.ch.is_lowercase()
        {
            glyphs[i] = Glyph { ch: 'T', ..g };
            glyphs.insert(
                i + 1,
                Glyph {
                    ch: 'h',
                    x0: g.x1,
                    spaced: false,
                    ..g
                },
            );
        }
        i += 1;
    }
}

/// The direction of writing in quarter turns anticlockwise; `None` for text set askew, such as watermarks.
fn quarter_turn(a: f32, b: f32) -> Option<u8> {
    let (along, up) = (a.abs(), b.abs());
    let small = 0.05;
    if up <= small * along {
        Some(if a >= 0.0 { 0 } else { 2 })
    } else if along <= small * up {
        Some(if b >= 0.0 { 1 } else { 3 })
    } else {
        None
    }
}
