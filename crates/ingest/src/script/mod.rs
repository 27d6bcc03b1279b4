//! Writing that does not run from left to right, brought into that shape, so that one layout serves all.
//!
//! A page of Arabic or Hebrew is mirrored: then its lines run from left to right, its first
//! column stands at the left, and characters follow each other in the order in which they are spoken. Numbers and
//! Latin words inside such lines, and the reverse, are turned back in their place. A page of columns that run
//! downwards is laid on its side.

mod bidi;
mod vertical;

use crate::glyph::Layer;

/// Makes lines of every script run from left to right in logical order.
pub(crate) fn unify(layers: &mut [Layer]) {
    for layer in layers {
        vertical::turn_columns_into_lines(layer);
        bidi::to_logical(layer);
    }
}

/// Whether a letter belongs to a script that runs from right to left.
pub(crate) fn runs_leftwards(c: char) -> bool {
    bidi::is_right(c)
}

#[cfg(test)]
pub(crate) mod testing {
    use crate::glyph::{Glyph, Layer};

    /// A layer of characters at `(character, left edge, baseline)`, 10 points high and 5 wide.
    pub(crate) fn layer(chars: &[(char, f32, f32)]) -> Layer {
        let glyph = |(ch, x, y): &(char, f32, f32)| Glyph {
            ch: *ch,
            x0: *x,
            x1: x + 5.0,
            y: *y,
            size: 10.0,
            font: 0,
            spaced: false,
        };
        Layer {
            glyphs: chars.iter().map(glyph).collect(),
            width: 200.0,
            height: 300.0,
            turn: 0,
        }
    }

    /// The characters from left to right, a space where a gap or a mark says so.
    pub(crate) fn read(layer: &Layer) -> String {
        let mut out = String::new();
        let mut end = f32::MAX;
        for g in &layer.glyphs {
            if g.spaced || g.x0 - end > 2.0 {
                out.push(' ');
            }
            out.push(g.ch);
            end = g.x1;
        }
        out
    }
}
