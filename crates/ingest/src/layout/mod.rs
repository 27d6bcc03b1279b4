//! From the characters of a page to lines in the order of reading.

pub(crate) mod columns;
pub(crate) mod copies;
pub(crate) mod furniture;
pub(crate) mod line;
pub(crate) mod piece;
mod spell;
pub(crate) mod wide;

use crate::glyph::{Font, Layer};
use crate::pdfium::PageSink;
use line::Line;
use piece::Piece;

/// A layer set at an angle to the page's main text counts as text, not as a stamp in the margin, from so many
/// characters on.
const TURNED_TEXT: usize = 400;

/// Pieces of the document, page after page, until all pages are known.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    layers: Vec<PageLayer>,
    /// Pages that hold text.
    pub(crate) with_text: Vec<u32>,
}

/// The pieces of one layer of a page.
#[derive(Debug)]
pub(crate) struct PageLayer {
    pub(crate) page: u32,
    /// Width and height.
    pub(crate) size: (f32, f32),
    pub(crate) pieces: Vec<Piece>,
}

impl PageSink for Pages {
    fn page(&mut self, number: u32, layers: Vec<Layer>, fonts: &[Font]) {
        if !layers.is_empty() {
            self.with_text.push(number);
        }
        for (i, layer) in layers.iter().enumerate() {
            if i > 0 && layer.glyphs.len() < TURNED_TEXT {
                continue; // a stamp, an axis label
            }
            let size = (layer.width, layer.height);
            let pieces = copies::without_copies(piece::pieces(layer, fonts), size);
            let pieces = furniture::without_line_numbers(pieces);
            self.layers.push(PageLayer {
                page: number,
                size,
                pieces,
            });
        }
    }
}

impl Pages {
    /// The lines of the document in the order of reading, and what was taken out as running heads, with its page.
    pub(crate) fn into_lines(mut self) -> (Vec<Line>, Vec<(u32, String)>) {
        furniture::drop_ornaments(&mut self.layers);
        let running = furniture::take_running(&mut self.layers);
        let usual = columns::usual_gutters(self.layers.iter().map(|l| l.pieces.as_slice()));
        let mut lines = Vec::new();
        let mut number = 0;
        for layer in self.layers {
            for region in columns::regions(layer.pieces, &usual) {
                number += 1;
                lines.extend(line::lines(region, number, layer.page, layer.size));
            }
        }
        (lines, running)
    }
}
