//! PDFium: opening files, reading characters and drawing pages. Nothing outside this module calls it.

mod highlights;
mod open;
mod page;
mod pictures;
mod portfolio;

pub(crate) use highlights::Marked;
pub(crate) use pictures::Drawn;

use crate::glyph::{Affine, Font, Layer};
use crate::quality::{Quality, repair_and_judge};
use crate::reading::{Progress, Reading};
use crate::{ParseError, content, script, zipped};
use page::{NoText, PageText, page_text};
use pdfium_render::prelude::*;
use regex::bytes::Regex;
use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;
use types::digest::sha256;

/// Characters of a cover or of a notice: a page with more is text of its own.
const FEW: u64 = 1_500;

/// The PDFium library, loaded once per process: a second load is refused by the binding.
pub(crate) struct Library {
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
    /// SHA-256 of the file.
    pub(crate) content: String,
    pub(crate) pages: u32,
    pub(crate) info: Info,
    pub(crate) fonts: Vec<Font>,
    /// Pages without text that hold images.
    pub(crate) image_only: Vec<u32>,
    /// Pages whose characters have no meaning.
    pub(crate) garbled: Vec<u32>,
    /// How many characters each page shows by PDFium's account: page and number, blanks left out. Recognised and
    /// garbled pages are not among them.
    pub(crate) printed: Vec<(u32, usize)>,
    /// Pages that could not be loaded.
    pub(crate) broken: Vec<u32>,
    pub(crate) repaired: Option<Repaired>,
    /// Whether pages without text were to be recognised.
    pub(crate) ocr_tried: bool,
    /// Pages that were recognised.
    pub(crate) recognised: Vec<Recognised>,
    /// Pages that could not be, and why.
    pub(crate) unrecognised: Vec<(u32, String)>,
    /// PDF files inside the file, by their names: those of a portfolio.
    pub(crate) attached: Vec<String>,
    /// Whether it has layers that are switched off: PDFium reads their text, too.
    pub(crate) hidden_layers: bool,
}

/// One page of a file.
pub(crate) struct OnePage {
    /// Pages of the file.
    pub(crate) pages: u32,
    /// Width and height in points, as the page is shown.
    pub(crate) size: (f32, f32),
    /// From the page of the file to the page as it is shown.
    pub(crate) to_view: Affine,
    pub(crate) layers: Vec<Layer>,
    pub(crate) fonts: Vec<Font>,
    pub(crate) drawn: Option<Drawn>,
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
    pub(crate) fn load(path: &Path) -> Result<Self, ParseError> {
        let bindings = Pdfium::bind_to_library(path).map_err(|e| ParseError::Worker {
            detail: format!(
                "cannot load PDFium from {}: {}; set up the native libraries again",
                path.display(),
                explain(&e)
            ),
        })?;
        Ok(Self { pdfium: Pdfium::new(bindings) })
    }

    /// Reads every page of a file and hands it on.
    pub(crate) fn read(
        &self,
        path: &Path,
        reading: &Reading<'_>,
        progress: &mut dyn FnMut(Progress),
        sink: &mut dyn PageSink,
    ) -> Result<Opened, ParseError> {
        let bytes = self.bytes(path, reading)?;
        let (file, pages) = self.open(&bytes, reading)?;
        let mut opened = Opened {
            content: sha256(&bytes),
            pages,
            info: info(&file.pdf),
            attached: attached(&file.pdf),
            hidden_layers: has_hidden_layers(&bytes),
            repaired: file.repaired,
            ocr_tried: reading.ocr.is_some(),
            ..Opened::default()
        };
        let mut fonts = Fonts::default();
        let mut chars = 0u64;
        for number in 1..=pages {
            progress(Progress::Page(number, pages));
            let Ok(page) = file.pdf.pages().get(index(number)) else {
                opened.broken.push(number);
                continue;
            };
            let Some(layers) = layers_of(&page, number, reading, &mut opened, &mut fonts, progress)? else {
                opened.broken.push(number);
                continue;
            };
            chars += layers.iter().map(|l| l.glyphs.len() as u64).sum::<u64>();
            let limit = reading.limits.max_chars;
            if chars > limit {
                return Err(ParseError::TooMuchText { page: number, limit });
            }
            sink.page(number, layers, &fonts.list);
        }
        if opened.broken.len() == pages as usize {
            return Err(ParseError::Damaged { detail: format!("none of its {pages} pages can be loaded") });
        }
        opened.fonts = fonts.list;
        // Its mark may be compressed; a paper has text, and most often one supplement.
        let marked = || bytes.windows(11).any(|part| part == b"/Collection");
        let is_cover = pages == 1 && chars < FEW && opened.attached.len() > 1;
        if is_cover || !opened.attached.is_empty() && marked() {
            return Err(ParseError::Portfolio { members: portfolio::members(&file.pdf, reading.limits) });
        }
        if chars < FEW && file.pdf.form().is_some_and(|form| form.form_type() == PdfFormType::XfaFull) {
            return Err(ParseError::Form);
        }
        Ok(opened)
    }

    /// The bytes of a file, or of one in an archive or a portfolio.
    fn bytes(&self, path: &Path, reading: &Reading<'_>) -> Result<Vec<u8>, ParseError> {
        let bytes = match zipped::member_of(path) {
            Some((around, name)) if zipped::format_of(around).is_err() => {
                let around = content::read(around, reading.limits)?;
                let (file, _) = self.open(&around, reading)?;
                portfolio::member(&file.pdf, name, reading.limits)?
            }
            _ => content::read(path, reading.limits)?,
        };
        if reading.content.is_some_and(|content| content != sha256(&bytes)) {
            return Err(ParseError::Damaged { detail: "it has changed since it was ingested".to_owned() });
        }
        Ok(bytes)
    }

    /// One page: its layers, and as drawn at `dpi` dots per inch.
    ///
    /// # Errors
    /// When the file or the page cannot be read or drawn.
    pub(crate) fn page(
        &self,
        path: &Path,
        reading: &Reading<'_>,
        number: u32,
        dpi: Option<u32>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<OnePage, ParseError> {
        /// Pixels of a picture that people look at, at most: a page of A2 at 110 dots per inch has 5 million.
        const MAX_PIXELS: f32 = 6e6;
        let bytes = self.bytes(path, reading)?;
        let (file, pages) = self.open(&bytes, reading)?;
        if !(1..=pages).contains(&number) {
            return Err(ParseError::NoSuchPage { page: number, pages });
        }
        progress(Progress::Page(number, pages));
        let broken = |why: String| ParseError::Damaged { detail: format!("page {number}: {why}") };
        let page = file.pdf.pages().get(index(number));
        let page = page.map_err(|error| broken(explain(&error)))?;
        let (mut opened, mut fonts) = (Opened::default(), Fonts::default());
        let layers = layers_of(&page, number, reading, &mut opened, &mut fonts, progress)?;
        let turned = match page.rotation() {
            // What is recognised is seen upright.
            _ if !opened.recognised.is_empty() => 0,
            Ok(PdfPageRenderRotation::Degrees90) => 3,
            Ok(PdfPageRenderRotation::Degrees180) => 2,
            Ok(PdfPageRenderRotation::Degrees270) => 1,
            _ => 0,
        };
        let size = (page.width().value, page.height().value);
        let draw = |dpi| pictures::draw(&page, dpi, MAX_PIXELS, false).map_err(broken);
        Ok(OnePage {
            pages,
            size,
            to_view: Affine::turned_back(turned, size.0, size.1),
            layers: layers.unwrap_or_default(),
            fonts: fonts.list,
            drawn: dpi.map(draw).transpose()?,
        })
    }

    /// A copy of a file with a highlight for each group of rectangles that `find` returns for a page, under its note. They are those of
    /// the page before it is turned.
    ///
    /// # Errors
    /// When the file or one of the pages cannot be read, or the copy cannot be written.
    pub(crate) fn annotated<'n>(
        &self,
        path: &Path,
        reading: &Reading<'_>,
        pages: &[u32],
        progress: &mut dyn FnMut(Progress),
        mut find: impl FnMut(u32, &[Layer], &[Font]) -> Vec<Marked<'n>>,
    ) -> Result<Vec<u8>, ParseError> {
        let bytes = self.bytes(path, reading)?;
        let (file, last) = self.open(&bytes, reading)?;
        for number in pages.iter().copied().filter(|number| (1..=last).contains(number)) {
            progress(Progress::Page(number, last));
            let broken = |error: PdfiumError| ParseError::Damaged {
                detail: format!("page {number}: {}", explain(&error)),
            };
            let mut page = file.pdf.pages().get(index(number)).map_err(broken)?;
            let (mut opened, mut fonts) = (Opened::default(), Fonts::default());
            let layers = layers_of(&page, number, reading, &mut opened, &mut fonts, progress)?;
            // What is recognised is seen upright.
            if !opened.recognised.is_empty()
                && page.rotation().is_ok_and(|turn| turn != PdfPageRenderRotation::None)
            {
                continue;
            }
            let groups = find(number, &layers.unwrap_or_default(), &fonts.list);
            highlights::add(&mut page, &groups).map_err(broken)?;
        }
        let written = file.pdf.save_to_bytes();
        written.map_err(|error| ParseError::Worker {
            detail: format!("the copy cannot be written: {}", explain(&error)),
        })
    }

    /// The document of these bytes, and how many pages it has.
    fn open<'a>(
        &'a self,
        bytes: &'a [u8],
        reading: &Reading<'_>,
    ) -> Result<(open::Document<'a>, u32), ParseError> {
        let file = open::open(&self.pdfium, bytes, reading.passwords, reading.limits)?;
        let pages = u32::try_from(file.pdf.pages().len()).unwrap_or(0);
        let limit = reading.limits.max_pages;
        if pages > limit {
            return Err(ParseError::TooManyPages { pages, limit });
        }
        Ok((file, pages))
    }
}

/// The layers of a page, recognised where its characters have no meaning or are a picture; `None` when it cannot be read.
fn layers_of(
    page: &PdfPage<'_>,
    number: u32,
    reading: &Reading<'_>,
    opened: &mut Opened,
    fonts: &mut Fonts,
    progress: &mut dyn FnMut(Progress),
) -> Result<Option<Vec<Layer>>, ParseError> {
    let limit = reading.limits.max_chars_per_page;
    let PageText { mut layers, seen, printed } = match page_text(page, fonts, limit) {
        Ok(text) => text,
        Err(NoText::TooMuch) => return Err(ParseError::TooMuchText { page: number, limit }),
        Err(NoText::Unreadable) => return Ok(None),
    };
    script::unify(&mut layers);
    let garbled = repair_and_judge(&mut layers, &fonts.list, seen) == Quality::Garbled;
    if garbled || layers.is_empty() && pictures::are_on(page) {
        let read = reading.ocr.is_some_and(|ocr| {
            progress(Progress::Recognising(number));
            pictures::recognise(page, number, ocr, fonts, opened, &mut layers)
        });
        match read {
            true => {}
            false if garbled => opened.garbled.push(number),
            false => opened.image_only.push(number),
        }
    } else {
        opened.printed.push((number, printed));
    }
    Ok(Some(layers))
}

/// Whether a file lists layers that are off by default. A list inside a compressed object is not seen.
fn has_hidden_layers(bytes: &[u8]) -> bool {
    static OFF: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?s-u)/OCProperties.{0,4000}?/OFF\s*\[\s*[0-9]+\s+[0-9]+\s+R")
            .expect("the pattern is valid")
    });
    OFF.is_match(bytes)
}

/// The names of the first PDF files that are attached.
fn attached(document: &PdfDocument<'_>) -> Vec<String> {
    const MOST: usize = 50;
    let names =
        document.attachments().iter().take(MOST).map(|attachment| crate::draft::clean(&attachment.name()));
    names.filter(|name| name.to_lowercase().ends_with(".pdf")).collect()
}

/// The index of a page, which PDFium counts from 0.
fn index(page: u32) -> i32 {
    i32::try_from(page - 1).unwrap_or(i32::MAX)
}

fn info(document: &PdfDocument<'_>) -> Info {
    let tag =
        |which| document.metadata().get(which).map(|t| t.value().trim().to_owned()).filter(|v| !v.is_empty());
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

#[cfg(test)]
mod tests {
    use super::has_hidden_layers;

    #[test]
    fn layers_that_are_off_are_seen() {
        assert!(has_hidden_layers(b"<</OCProperties<</OCGs[5 0 R 6 0 R]/D<</ON[5 0 R]/OFF [ 6 0 R]>>>>>>"));
        assert!(!has_hidden_layers(b"<</OCProperties<</OCGs[5 0 R]/D<</OFF[]>>>>>>\xff"));
        assert!(!has_hidden_layers(b"/OFF[6 0 R]"));
    }
}
