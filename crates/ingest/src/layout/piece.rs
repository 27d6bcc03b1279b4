//! Pieces: stretches of text on one baseline without a wide gap, and the runs of glyphs that they are made from.
//!
//! A piece is never wider than a column (gutters are wide gaps) and never joins two cells of a table, so it
//! is the unit in which columns and tables are looked for.

use crate::glyph::Glyph;

/// A stretch of text on one baseline.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) x0: f32,
    pub(crate) x1: f32,
    /// Baseline.
    pub(crate) y: f32,
    /// Size of most of its characters.
    pub(crate) size: f32,
    /// Font of most of its characters.
    pub(crate) font: u16,
    /// Characters in it, spaces left out.
    pub(crate) chars: usize,
    /// Letters set in bold.
    pub(crate) bold: usize,
    /// Letters set in italics.
    pub(crate) italic: usize,
    /// Letters and digits.
    pub(crate) letters: usize,
    /// Bytes at the start that are set in bold while what follows is not; 0 when nothing stands out.
    pub(crate) lead_bold: usize,
    /// The same for italics.
    pub(crate) lead_italic: usize,
    /// Stretches of bytes that are set small and raised: marks of notes and affiliations, exponents.
    pub(crate) raised: Vec<(usize, usize)>,
    /// Number of its first character in the order of the page's content.
    pub(crate) order: usize,
}

impl Piece {
    pub(crate) fn is_bold(&self) -> bool {
        self.letters > 0 && self.bold * 10 >= self.letters * 8
    }
    pub(crate) fn is_italic(&self) -> bool {
        self.letters > 0 && self.italic * 10 >= self.letters * 8
    }
    pub(crate) fn width(&self) -> f32 {
        self.x1 - self.x0
    }
}

/// A stretch of glyphs that belong together, before they become text.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) glyphs: Vec<Glyph>,
    pub(super) x0: f32,
    pub(super) x1: f32,
    pub(super) y: f32,
    pub(super) size: f32,
    pub(super) order: usize,
}

#[cfg(test)]
impl Piece {
    /// Plain text in 10 point type, each character 5 points wide.
    pub(crate) fn plain(text: &str, x0: f32, y: f32, order: usize) -> Self {
        let chars = text.chars().filter(|c| !c.is_whitespace()).count();
        Self {
            text: text.to_owned(),
            x0,
            x1: x0 + 5.0 * text.chars().count() as f32,
            y,
            size: 10.0,
            font: 0,
            chars,
            bold: 0,
            italic: 0,
            letters: chars,
            lead_bold: 0,
            lead_italic: 0,
            raised: Vec::new(),
            order,
        }
    }
}
