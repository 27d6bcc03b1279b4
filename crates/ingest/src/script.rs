//! Writing that does not run from left to right, brought into that shape, so that one layout serves all.
//!
//! A page of Arabic or Hebrew is mirrored: then its lines run from left to right, its first
//! column stands at the left, and characters follow each other in the order in which they are spoken. Numbers and
//! Latin words inside such lines, and the reverse, are turned back in their place. A page of columns that run
//! downwards is laid on its side.

use crate::glyph::{Affine, Layer};

mod bidi;

/// Makes lines of every script run from left to right in logical order.
pub(crate) fn unify(layers: &mut [Layer]) {
    for layer in layers {
        turn_columns_into_lines(layer);
        bidi::to_logical(layer);
    }
}

/// Whether a letter belongs to a script that runs from right to left.
pub(crate) fn runs_leftwards(c: char) -> bool {
    bidi::is_right(c)
}

/// Fewer steps from one character to the next than these say nothing.
const ENOUGH: usize = 20;

/// Turns the columns of such a page into lines that run from left to right, the rightmost column first. Other pages are
/// not changed.
fn turn_columns_into_lines(layer: &mut Layer) {
    if !is_vertical(layer) {
        return;
    }
    let width = layer.width;
    for g in &mut layer.glyphs {
        let middle = f32::midpoint(g.x0, g.x1);
        // The box of a character reaches about so far above and below its baseline.
        g.x0 = g.y - 0.88 * g.size;
        g.x1 = g.x0 + g.size;
        g.y = width - middle + 0.38 * g.size;
    }
    layer.to_page = Affine([0.0, 1.0, -1.0, 0.0, width, 0.0]).then(layer.to_page);
    std::mem::swap(&mut layer.width, &mut layer.height);
}

/// Whether most steps go down by about the height of the type, in characters that are as wide as they are high.
fn is_vertical(layer: &Layer) -> bool {
    let (mut down, mut all) = (0, 0);
    for pair in layer.glyphs.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        if !is_full_width(a.ch) || !is_full_width(b.ch) {
            continue;
        }
        all += 1;
        let below = (0.5..1.8).contains(&((b.y - a.y) / a.size.max(0.1)));
        down += usize::from(below && (a.x0 - b.x0).abs() < 0.5 * a.size);
    }
    all >= ENOUGH && down * 3 > all * 2
}

fn is_full_width(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FE30}'..='\u{FE4F}' | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}')
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
        Layer { glyphs: chars.iter().map(glyph).collect(), width: 200.0, height: 300.0, ..Layer::default() }
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

#[cfg(test)]
mod tests {
    use super::testing::layer;
    use super::*;

    #[test]
    fn columns_become_lines() {
        let text: Vec<char> =
            "わたくしといふ現象は假定された有機交流電燈のひとつの青い照明です".chars().collect();
        // Columns of eight from the right.
        let down = |(i, c): (usize, &char)| (*c, 150.0 - 20.0 * (i / 8) as f32, 20.0 + 10.0 * (i % 8) as f32);
        let mut page = layer(&text.iter().enumerate().map(down).collect::<Vec<_>>());
        turn_columns_into_lines(&mut page);
        assert_eq!((page.width, page.height), (300.0, 200.0));
        let mut order: Vec<usize> = (0..text.len()).collect();
        order.sort_by(|a, b| {
            let (a, b) = (page.glyphs[*a], page.glyphs[*b]);
            a.y.total_cmp(&b.y).then(a.x0.total_cmp(&b.x0))
        });
        assert_eq!(order, (0..text.len()).collect::<Vec<_>>());
    }

    #[test]
    fn lines_stay_lines() {
        let text: Vec<char> =
            "わたくしといふ現象は假定された有機交流電燈のひとつの青い照明です".chars().collect();
        let along = |(i, c): (usize, &char)| (*c, 10.0 * (i % 16) as f32, 20.0 + 15.0 * (i / 16) as f32);
        let mut page = layer(&text.iter().enumerate().map(along).collect::<Vec<_>>());
        let before = page.clone();
        turn_columns_into_lines(&mut page);
        assert_eq!(page, before);
        let mut latin = layer(&vec![('a', 10.0, 10.0); 50]);
        let before = latin.clone();
        turn_columns_into_lines(&mut latin);
        assert_eq!(latin, before);
    }
}
