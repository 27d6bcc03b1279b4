//! Pages that are images, recognised by an installed `tesseract`.
//!
//! PDFium draws the page, the program recognises words with their places and how sure it is of them, and those
//! become the characters that [`crate::layout`] takes from any page: columns, headings and paragraphs are found
//! in the same way. The program runs as a child of the worker, inside the worker's limits: see [`tesseract`].
//!
//! A page may lie on its side or stand on its head. The program reads such a page, too, into nonsense of which it
//! is not sure: unless the first reading is convincing, the page is turned, and the surest reading counts.

mod hocr;
mod image;
mod place;
pub(crate) mod tesseract;

pub(crate) use image::Image;
pub use tesseract::Tesseract;

use crate::glyph::{Affine, Layer};
use hocr::Line;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// How pages without text are recognised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OcrSettings {
    /// The program, as [`Tesseract::find`] found it.
    pub tesseract: Tesseract,
    /// Languages as the program names them, joined by `+`: "eng", "eng+deu".
    pub languages: String,
    /// Dots per inch at which a page is drawn; large pages are drawn at fewer.
    pub dpi: u32,
    /// Seconds for one page, all attempts together.
    pub seconds_per_page: u64,
}

impl OcrSettings {
    /// What the text of a recognised page depends on, beside the file: the time, too, as a page may run out of it.
    pub fn key(&self) -> String {
        format!(
            "{} {} at {} dpi in {} s",
            self.tesseract.version, self.languages, self.dpi, self.seconds_per_page
        )
    }
}

/// What was recognised on a page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reading {
    /// Its characters; none where no word was found.
    pub(crate) layer: Layer,
    /// Mean confidence of its words weighted by their length, 0 to 1.
    pub(crate) confidence: f32,
}

/// Words surer than this count as read.
const SURE: f32 = 0.6;
/// A reading of so many letters in sure words, and so sure on the whole, is not questioned.
const CONVINCING: (usize, f32) = (16, 0.75);

/// Recognises the words of a page. `size` is its width and height in points as it was drawn, `font` the number of
/// the font that the characters get.
///
/// # Errors
/// Why there is no reading, in words for people.
pub(crate) fn read(
    image: &Image,
    size: (f32, f32),
    font: u16,
    settings: &OcrSettings,
) -> Result<Reading, String> {
    let deadline = Instant::now() + Duration::from_secs(settings.seconds_per_page);
    let mut best: Option<(Legibility, u8, Vec<Line>)> = None;
    if image.has_contrast() {
        let mut turns = vec![3, 1, 2, 0];
        while let Some(turn) = turns.pop() {
            let turned = image.turned(turn);
            let mut lines = match tesseract::recognise(&turned, settings, deadline) {
                Ok(output) => hocr::lines(&output),
                // A reading at hand is worth more than none at all.
                Err(_) if best.as_ref().is_some_and(|(worth, ..)| worth.letters > 0) => break,
                Err(error) => return Err(error),
            };
            // The program reads lines that run upwards or downwards as well, with boxes to match: on a page that
            // lies on its side these are its text, on any other the labels of an axis.
            let all = Legibility::of(&lines).letters;
            lines.retain(|line| line.upright);
            let worth = Legibility::of(&lines);
            if turn == 0 && worth.letters * 2 < all {
                turns = vec![2, 3, 1];
            }
            if best.as_ref().is_none_or(|(b, ..)| worth.letters > b.letters) {
                best = Some((worth, turn, lines));
            }
            if worth.is_convincing() {
                break;
            }
        }
    }
    let (worth, turn, lines) = best.unwrap_or_default();
    let (pixels, (width, height)) =
        if turn.is_multiple_of(2) { (image.width, size) } else { (image.height, (size.1, size.0)) };
    let scale = width / pixels.max(1) as f32;
    Ok(Reading {
        layer: Layer {
            turn,
            glyphs: place::glyphs(&lines, scale, font),
            width,
            height,
            to_page: Affine::turned_back(turn, size.0, size.1),
        },
        confidence: worth.confidence,
    })
}

/// The characters of an answer of the program, for the fuzzer.
#[cfg(any(test, fuzzing))]
pub(crate) fn glyphs_of(html: &str) -> Vec<crate::glyph::Glyph> {
    place::glyphs(&hocr::lines(html), 0.24, 0)
}

/// How good a reading is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Legibility {
    /// Letters and digits in words of which the program is sure.
    letters: usize,
    /// Mean confidence weighted by letters.
    confidence: f32,
}

impl Legibility {
    fn of(lines: &[Line]) -> Self {
        let (mut letters, mut all, mut weighted) = (0, 0, 0.0);
        for word in lines.iter().flat_map(|l| &l.words) {
            let n = word.text.chars().filter(|c| c.is_alphanumeric()).count();
            all += n;
            weighted += n as f32 * word.confidence;
            // Bits of drawings are read as single letters, and surely so.
            if word.confidence >= SURE && n > 1 {
                letters += n;
            }
        }
        Self { letters, confidence: weighted / all.max(1) as f32 }
    }

    /// Whether no other rotation needs to be tried.
    fn is_convincing(self) -> bool {
        self.letters >= CONVINCING.0 && self.confidence >= CONVINCING.1
    }
}
