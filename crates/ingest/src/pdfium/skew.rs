//! The direction in which characters are written: quarter turns, and skewed pages.

use std::collections::BTreeMap;

/// The largest skew in degrees that is corrected: above it, the boxes of characters do not give their widths.
const MOST: f32 = 30.0;

/// The skewed characters of a page, by degrees.
#[derive(Debug, Default)]
pub(super) struct SkewedPage {
    by_degrees: BTreeMap<i32, SkewEstimate>,
    all: usize,
}

#[derive(Debug, Default, Clone, Copy)]
struct SkewEstimate {
    chars: usize,
    degrees: f32,
}

impl SkewedPage {
    /// Counts a character whose direction of writing is `(a, b)`.
    pub(super) fn add(&mut self, a: f32, b: f32) {
        self.all += 1;
        let angle = b.atan2(a).to_degrees();
        let lean = angle - 90.0 * (angle / 90.0).round();
        if lean.is_finite() && lean.abs() <= MOST {
            let of = self.by_degrees.entry(lean.round() as i32).or_default();
            of.chars += 1;
            of.degrees += lean;
        }
    }

    /// How many there are.
    pub(super) fn all(&self) -> usize {
        self.all
    }

    /// The angle at which most of them stand, in degrees anticlockwise, and how many do.
    pub(super) fn most(&self) -> Option<(f32, usize)> {
        const ENOUGH: usize = 40;
        let most = self.by_degrees.values().max_by_key(|l| l.chars)?;
        (most.chars >= ENOUGH).then(|| (most.degrees / most.chars as f32, most.chars))
    }
}

/// A direction on a page that is skewed by so many degrees, as it would be on an upright page.
pub(super) fn deskew(x: f32, y: f32, degrees: f32) -> (f32, f32) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    (x * cos + y * sin, y * cos - x * sin)
}

/// The width of a character along its line, from the upright box that holds it on a leaning page.
pub(super) fn advance(width: f32, height: f32, turn: u8, degrees: f32) -> f32 {
    let (sin, cos) = degrees.to_radians().abs().sin_cos();
    let (along, across) = if turn.is_multiple_of(2) {
        (width, height)
    } else {
        (height, width)
    };
    ((along * cos - across * sin) / (cos * cos - sin * sin)).max(0.0)
}

/// The direction of writing in quarter turns anticlockwise; `None` for text set askew, such as watermarks.
pub(super) fn quarter_turn(a: f32, b: f32) -> Option<u8> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_quarter_turns() {
        let check = |a: f32, b: f32, want: Option<u8>| assert_eq!(quarter_turn(a, b), want, "{a} {b}");
        check(1.0, 0.0, Some(0));
        check(0.0, 1.0, Some(1));
        check(-1.0, 0.02, Some(2));
        check(0.0, -1.0, Some(3));
        check(1.0, 1.0, None);
    }

    #[test]
    fn a_page_that_leans_is_set_upright() {
        let mut askew = SkewedPage::default();
        for i in 0..60_u8 {
            let (sin, cos) = (7.0 + 0.1 * f32::from(i % 3)).to_radians().sin_cos();
            askew.add(cos, sin);
            askew.add(0.7, 0.7); // a watermark
        }
        let (lean, chars) = askew.most().unwrap_or_default();
        assert_eq!(chars, 60);
        assert!((lean - 7.1).abs() < 0.01, "{lean}");
        let (sin, cos) = lean.to_radians().sin_cos();
        let (x, y) = deskew(10.0 * cos, 10.0 * sin, lean);
        assert!((x - 10.0).abs() < 0.001 && y.abs() < 0.001, "{x} {y}");
        // A box of 5 by 8 that leans is held by a larger one.
        let (width, height) = (5.0 * cos + 8.0 * sin, 5.0 * sin + 8.0 * cos);
        assert!((advance(width, height, 0, lean) - 5.0).abs() < 0.001);
        assert!((advance(height, width, 1, -lean) - 5.0).abs() < 0.001);
    }
}
