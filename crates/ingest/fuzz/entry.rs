//! The entry points for a fuzzer: the layers of the parser without PDFium.
//!
//! Built only under `cfg(fuzzing)`, which `cargo fuzz` sets, and for tests. Each function takes any bytes, and
//! panics where something that must hold of every document does not.

use crate::chunk::{ChunkSettings, chunk};
use crate::frames::{Report, Request, read_frame};
use crate::glyph::{Font, Glyph, Layer};
use crate::inputs::{self, Format};
use crate::layout::Pages;
use crate::pdfium::{Opened, PageSink};
use crate::{Limits, format, ocr, quality, repair, script, structure};
use types::{Document, SourceId};

/// Words that decide what a line is taken for.
const PHRASES: &str = "Introduction¦2.1. Participants¦References¦[12] Smith J. A title. J Phys. 2020;1:2-3.¦Table 1. Means¦\
    Figure 2 | Growth¦ABSTRACT¦a1 | 2.0 | 3.5¦and so the experi-¦\
    ment went on. It ended, as all things do, with a report of some length¦x = y + 1 (3)¦12¦Page 3 of 9¦\
    Jane A. Doe1,2* and John Roe3¦doi:10.1000/xyz123¦© 2021 The Authors. Published by Nobody.¦• an item¦\
    1) another item¦العربية لغة 2024¦わたくしといふ現象は假定された有機交流電燈¦e\u{301}\u{AD}\u{200B}ﬁ¦\
    Received: 3 May 2019; Accepted 4 June 2020¦Appendix A¦* Corresponding author: a@b.example";

/// Bytes as a list of numbers that never ends: zeros follow.
struct Source<'a>(&'a [u8]);

impl Source<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().map_or((0, &[][..]), |(f, r)| (*f, r));
        self.0 = rest;
        first
    }

    fn word(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    /// A place on the page, near it, or, seldom, anywhere.
    fn place(&mut self) -> f32 {
        let word = self.word();
        if word < 65_000 {
            return f32::from(word) / 70.0 - 50.0;
        }
        let any = f32::from_bits(u32::from(self.word()) << 16);
        if any.is_finite() { any } else { 0.0 }
    }

    fn char(&mut self) -> char {
        let byte = self.byte();
        if byte.is_ascii_graphic() {
            return char::from(byte);
        }
        let value = u32::from(self.word()) << (self.byte() % 5);
        let printed = |c: &char| !c.is_control() && !c.is_whitespace();
        char::from_u32(value).filter(printed).unwrap_or('x')
    }
}

/// Pages of characters in any place go through layout, structure and chunking.
///
/// # Panics
/// When the document or its chunks are unsound.
pub fn pages(data: &[u8]) {
    let mut source = Source(data);
    let fonts: Vec<Font> = ["Times-Roman", "Times-Bold", "Times-Italic", "Symbol"]
        .map(|name| Font::from_name(name, false, false))
        .to_vec();
    let mut sink = Pages::default();
    let mut number = 0;
    while !source.0.is_empty() && number < 12 {
        number += 1;
        let mut layers = page(&mut source);
        script::unify(&mut layers);
        let seen = usize::from(source.word());
        quality::repair_and_judge(&mut layers, &[], seen);
        sink.page(number, layers, &fonts);
    }
    let opened = Opened { pages: number, fonts, ..Opened::default() };
    check(&structure::build(sink, &opened, SourceId::from("fuzz")));
}

/// The layers of one page, at most two: the page's text and text across it.
fn page(source: &mut Source<'_>) -> Vec<Layer> {
    let head = source.byte();
    let layer = |turn: u8| Layer { turn, width: 612.0, height: 792.0, ..Layer::default() };
    let mut layers = vec![layer(head & 3), layer((head >> 2) & 3)];
    // As from PDFium, characters are bounded in number; time must be near-linear in it.
    for _ in 0..512 {
        if source.0.is_empty() {
            break;
        }
        let op = source.byte();
        let at = usize::from(op & 0x80 != 0);
        match op & 0x7F {
            0 => break,
            1..=60 => {
                let phrases: Vec<&str> = PHRASES.split('¦').collect();
                let phrase = phrases[usize::from(source.byte()) % phrases.len()];
                line(source, &mut layers[at], &phrase.chars().collect::<Vec<_>>());
            }
            61..=90 => {
                let count = source.byte() % 40;
                let chars: Vec<char> = (0..count).map(|_| source.char()).collect();
                line(source, &mut layers[at], &chars);
            }
            _ => {
                let glyph = glyph(source);
                layers[at].glyphs.push(glyph);
            }
        }
    }
    layers.retain(|l| !l.glyphs.is_empty());
    layers
}

fn line(source: &mut Source<'_>, layer: &mut Layer, chars: &[char]) {
    let mut glyph = glyph(source);
    let step = glyph.x1 - glyph.x0;
    for ch in chars {
        if *ch == ' ' {
            glyph.spaced = true;
        } else {
            layer.glyphs.push(Glyph { ch: *ch, ..glyph });
            glyph.spaced = false;
        }
        glyph.x0 = glyph.x1;
        glyph.x1 = Some(glyph.x1 + step).filter(|x| x.is_finite()).unwrap_or(glyph.x1);
    }
}

fn glyph(source: &mut Source<'_>) -> Glyph {
    let (x0, y) = (source.place(), source.place());
    let size = 0.6 + f32::from(source.byte()) / 6.0;
    let width = f32::from(source.byte()) / 255.0 * 1.2 * size;
    let style = source.byte();
    Glyph {
        ch: source.char(),
        x0,
        x1: Some(x0 + width).filter(|x| x.is_finite()).unwrap_or(x0),
        y,
        size,
        font: u16::from(style & 7),
        spaced: style & 8 != 0,
    }
}

/// What must hold of any document.
fn check(document: &Document) {
    let text = &document.text;
    let mut end = 0;
    for section in &document.sections {
        assert!(section.span.start >= end, "sections overlap");
        assert!(section.span.slice(text).is_some(), "a section lies outside the text");
        assert!(section.page_start <= section.page_end, "a section ends before it starts");
        end = section.span.end;
        let mut last = section.span.start;
        for block in &section.blocks {
            assert!(
                block.span.start >= last && block.span.end <= section.span.end,
                "a block lies outside its section"
            );
            assert!(block.span.slice(text).is_some(), "a block cuts a character");
            assert!(
                block.page_breaks.iter().all(|(at, _)| text.is_char_boundary(*at)),
                "a page begins inside a character"
            );
            last = block.span.end;
        }
    }
    let settings = ChunkSettings::default();
    let chunked = chunk(document, &settings);
    for chunk in &chunked.chunks {
        assert_eq!(chunk.span.slice(text), Some(chunk.text.as_str()), "a chunk is no slice of its document");
        assert!(chunk.tokens as usize <= settings.max_tokens, "a chunk is too large");
    }
}

/// Any bytes are read as frames, as files of several formats, and as the answer of the OCR program.
///
/// # Panics
/// When a repaired file does not begin like one.
pub fn bytes(data: &[u8]) {
    let _ = read_frame::<Request>(&mut &data[..]);
    let _ = read_frame::<Report>(&mut &data[..]);
    // Behind a length that is right, the fuzzer reaches what stands in the frame.
    let mut framed = u32::try_from(data.len()).unwrap_or(0).to_le_bytes().to_vec();
    framed.extend_from_slice(data);
    let _ = read_frame::<Request>(&mut framed.as_slice());
    let _ = read_frame::<Report>(&mut framed.as_slice());
    let _ = (format::pdf_header(data), format::looks_like(data));
    if let Some((file, pages)) = repair::repaired(data) {
        assert!(pages > 0 && format::pdf_header(&file) == Some(0), "a repaired file is a file");
    }
    for format in [Format::Html, Format::Docx] {
        if let Ok(document) = inputs::parse(data, format, &Limits::default()) {
            check(&document);
        }
    }
    let glyphs = ocr::glyphs_of(&String::from_utf8_lossy(data));
    let mut layers = [Layer { glyphs, width: 612.0, height: 792.0, ..Layer::default() }];
    script::unify(&mut layers);
    let mut sink = Pages::default();
    sink.page(1, layers.to_vec(), &[Font::default()]);
    check(&structure::build(sink, &Opened::default(), SourceId::from("fuzz")));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_characters_give_a_sound_document(data in proptest::collection::vec(any::<u8>(), 0..2_000)) {
            super::pages(&data);
        }

        #[test]
        fn any_bytes_are_taken(data in proptest::collection::vec(any::<u8>(), 0..2_000)) {
            super::bytes(&data);
        }
    }
}
