//! The characters of a page, with where they stand and how they are set: turned upright by quarters, and straightened where
//! the whole page stands askew.

use super::{Fonts, pictures};
use crate::glyph::{self, Affine, Glyph, Layer};
use pdfium_render::prelude::{PdfPage, PdfRect};
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;

/// What a page holds.
pub(super) struct PageText {
    pub(super) layers: Vec<Layer>,
    /// Its characters that show, those included that have no value; those that stand askew are left out.
    pub(super) seen: usize,
    /// Its characters that show: neither blank nor clipped away.
    pub(super) printed: usize,
}

/// The characters of a page. A page most of which stands askew, as scans do, is read as if it stood upright.
///
/// # Errors
/// Why there are none: PDFium cannot read them, or there are more than `most`.
pub(super) fn page_text(page: &PdfPage<'_>, fonts: &mut Fonts, most: u64) -> Result<PageText, NoText> {
    let (text, askew) = layers_of(page, fonts, most, 0.0)?;
    match askew.most() {
        Some((lean, chars)) if chars * 2 > text.printed => Ok(layers_of(page, fonts, most, lean)?.0),
        _ => Ok(text),
    }
}

/// Why a page has no text.
pub(super) enum NoText {
    TooMuch,
    Unreadable,
}

/// The edges of a page, and by how many degrees it leans to the left.
struct Sheet {
    left: f32,
    bottom: f32,
    right: f32,
    top: f32,
    lean: f32,
}

impl Sheet {
    fn new(page: &PdfPage<'_>, lean: f32) -> Self {
        let (left, bottom, right, top) = match page.boundaries().bounding().map(|b| b.bounds) {
            Ok(b) => (b.left().value, b.bottom().value, b.right().value, b.top().value),
            Err(_) => (0.0, 0.0, page.width().value, page.height().value),
        };
        Self { left, bottom, right, top, lean }
    }

    /// A layer for what is written in this direction.
    fn layer(&self, turn: u8) -> Layer {
        let (across, up) = (self.right - self.left, self.top - self.bottom);
        let (width, height) = if turn.is_multiple_of(2) { (across, up) } else { (up, across) };
        let to_page = Affine::turned_back(turn, across, up).then(leaning((across, up), self.lean));
        Layer { turn, glyphs: Vec::new(), width, height, to_page }
    }

    /// Where a character begins and ends on its line, and where the line is, in its layer.
    fn place(&self, turn: u8, bounds: &PdfRect, (x, y): (f32, f32)) -> (f32, f32, f32) {
        let Self { left, bottom, right, top, lean } = *self;
        // The page's corner becomes the origin and the direction of writing the x axis.
        let upright = |x: f32, y: f32| match turn {
            0 => (x - left, top - y),
            1 => (y - bottom, x - left),
            2 => (right - x, y - bottom),
            _ => (top - y, right - x),
        };
        if lean == 0.0 {
            let (ax, _) = upright(bounds.left().value, bounds.bottom().value);
            let (bx, _) = upright(bounds.right().value, bounds.top().value);
            return (ax.min(bx), ax.max(bx), upright(x, y).1);
        }
        let (middle, height) = (f32::midpoint(left, right), f32::midpoint(bottom, top));
        let (dx, dy) = deskew(x - middle, y - height, lean);
        let (x, y) = upright(middle + dx, height + dy);
        (x, x + advance(bounds.width().value, bounds.height().value, turn, lean), y)
    }
}

/// The layers of a page while its characters come.
struct Writing {
    layers: [Layer; 4],
    /// The page has a space here.
    spaced: bool,
    /// PDFium thinks that a space belongs here.
    guessed: bool,
    /// Characters of each layer that are seen in a mirror.
    mirrored: [usize; 4],
}

impl Writing {
    /// Adds what a character shows, in the place of `glyph`.
    fn add(&mut self, turn: u8, value: u32, symbol: bool, mut glyph: Glyph) {
        let glyphs = &mut self.layers[usize::from(turn)].glyphs;
        let Glyph { x1, y, size, .. } = glyph;
        // The letters of a ligature all come with its box: the later ones take no room of their own.
        if let Some(before) = glyphs.last()
            && !self.spaced
            && (before.y - y).abs() < 0.01
            && (before.x1 - x1).abs() < 0.01
            && ((before.x0 - glyph.x0).abs() < 0.01 || before.x1 - before.x0 <= 0.0)
        {
            glyph.x0 = x1;
            self.guessed = false;
        }
        let x0 = glyph.x0;
        // A guess needs some room to be believed: letters set wide are guessed apart, too.
        self.spaced |= self.guessed
            && glyphs
                .last()
                .is_none_or(|b| (b.y - y).abs() > 0.3 * size || x0 - b.x1 > -0.04 * size || x0 < b.x0);
        let shown = glyph::printed(value, symbol);
        let plain = char::from_u32(value)
            .filter(|c| shown.is_none() && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}'))
            .filter(|c| !glyph::is_unreadable(*c) || x1 - x0 > 0.05 * size);
        let plain = plain.map(|c| match c {
            // Letters of formulas become plain letters: "p < 0.05" is searched for in those.
            '\u{1D400}'..='\u{1D7FF}' => c.nfkc().next().unwrap_or(c),
            c if glyph::is_unreadable(c) => glyph::UNREADABLE,
            c => c,
        });
        for ch in shown.unwrap_or_default().chars().chain(plain) {
            glyphs.push(Glyph { ch, spaced: std::mem::take(&mut self.spaced), ..glyph });
        }
        (self.spaced, self.guessed) = (false, false);
    }

    /// The layers with characters, those with most first, and none in a mirror.
    fn finish(self) -> Vec<Layer> {
        let all = self.layers.into_iter().zip(self.mirrored);
        let mut layers: Vec<Layer> = all
            .filter(|(layer, _)| !layer.glyphs.is_empty())
            .map(|(mut layer, mirrored)| {
                if mirrored * 2 > layer.glyphs.len() && runs_upwards(&layer.glyphs) {
                    for g in &mut layer.glyphs {
                        g.y = layer.height - g.y;
                    }
                    layer.to_page = Affine([1.0, 0.0, 0.0, -1.0, 0.0, layer.height]).then(layer.to_page);
                }
                restore_th_ligature(&mut layer.glyphs);
                layer
            })
            .collect();
        layers.sort_by_key(|l| (std::cmp::Reverse(l.glyphs.len()), l.turn));
        layers
    }
}

/// The characters of a page that leans to the left by so many degrees, and those that stand askew even so.
fn layers_of(
    page: &PdfPage<'_>,
    fonts: &mut Fonts,
    most: u64,
    lean: f32,
) -> Result<(PageText, SkewedPage), NoText> {
    let text = page.text().map_err(|_| NoText::Unreadable)?;
    let chars = text.chars();
    if chars.len() as u64 > most {
        return Err(NoText::TooMuch);
    }
    let sheet = Sheet::new(page, lean);
    let layers = [0, 1, 2, 3].map(|turn| sheet.layer(turn));
    let mut writing = Writing { layers, spaced: false, guessed: false, mirrored: [0; 4] };
    let mut font = 0;
    let mut last: Option<(f32, f32)> = None; // size and baseline for which `font` was asked
    let mut high = None; // first half of a character outside the basic plane
    let may_hide = pictures::may_hide(page);
    let mut hidden = false; // whether the characters since `last` are clipped away
    let (mut printed, mut nameless) = (0, 0);
    let mut askew = SkewedPage::default();
    for ch in chars.iter() {
        let Some(value) = whole(ch.unicode_value(), &mut high) else {
            continue;
        };
        if char::from_u32(value).is_none_or(|c| c.is_whitespace() || c == '\0') {
            nameless += usize::from(value == 0);
            if ch.is_generated().unwrap_or(true) {
                writing.guessed = true;
            } else {
                writing.spaced = true;
            }
            last = None;
            continue;
        }
        // Marks of PDFium's own and characters without width show nothing.
        let shows = !matches!(value, 0x02 | 0xAD | 0x200B..=0x200F | 0xFEFF | 0xFFFE);
        printed += usize::from(shows);
        let Ok(matrix) = ch.matrix() else { continue };
        let scale = matrix.c().hypot(matrix.d());
        // A size below zero turns the type by half a circle, on top of what the matrix does.
        let half_turn = ch.unscaled_font_size().value.signum();
        let size = (ch.unscaled_font_size().value * scale).abs();
        let (along, up) = deskew(half_turn * matrix.a(), half_turn * matrix.b(), lean);
        let Some(turn) = quarter_turn(along, up) else {
            askew.add(along, up);
            continue;
        };
        let (Ok(bounds), Ok((x, y))) = (ch.loose_bounds(), ch.origin()) else {
            continue;
        };
        if !(size.is_finite() && size > 0.5 && size < 2_000.0) {
            continue;
        }
        let (x0, x1, y) = sheet.place(turn, &bounds, (x.value, y.value));
        if !(x0.is_finite() && x1.is_finite() && y.is_finite()) {
            continue;
        }
        // Fonts change between words or with size and baseline: asking for each character is half the time.
        if last.is_none_or(|(s, b)| (s - size).abs() > 0.01 || (b - y).abs() > 0.01) {
            font = fonts.of(&ch);
            hidden = may_hide && pictures::hides(&ch);
        }
        last = Some((size, y));
        if hidden {
            printed -= usize::from(shows);
            continue;
        }
        let symbol = fonts.list.get(usize::from(font)).is_some_and(|f| f.name.starts_with("Symbol"));
        let is_mirrored = matrix.a() * matrix.d() < matrix.b() * matrix.c();
        writing.mirrored[usize::from(turn)] += usize::from(is_mirrored);
        writing.add(turn, value, symbol, Glyph { ch: ' ', x0, x1, y, size, font, spaced: false });
    }
    let seen = match askew.all() {
        0 => printed + nameless,
        askew => (printed + nameless) * printed.saturating_sub(askew) / printed.max(1),
    };
    Ok((PageText { layers: writing.finish(), seen, printed }, askew))
}

/// Whether the lines of a page follow each other from its foot to its head, as on a page that is seen in a mirror: its
/// direction of writing does not tell where its head is.
fn runs_upwards(glyphs: &[Glyph]) -> bool {
    let steps = glyphs.windows(2).map(|w| (w[1].y - w[0].y) / w[0].size);
    let (up, down): (Vec<f32>, Vec<f32>) = steps.filter(|s| s.abs() > 0.8).partition(|s| *s < 0.0);
    up.len() > down.len()
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

/// Replaces the sign that some producers map the ligature "Th" to. No sign is as wide as its type is high, and none stands at the
/// start of a word of small letters.
fn restore_th_ligature(glyphs: &mut Vec<Glyph>) {
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
            glyphs.insert(i + 1, Glyph { ch: 'h', x0: g.x1, spaced: false, ..g });
        }
        i += 1;
    }
}

/// The largest skew in degrees that is corrected: above it, the boxes of characters do not give their widths.
const MOST_SKEW: f32 = 30.0;

/// The skewed characters of a page, by degrees.
#[derive(Debug, Default)]
struct SkewedPage {
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
    fn add(&mut self, a: f32, b: f32) {
        self.all += 1;
        let angle = b.atan2(a).to_degrees();
        let lean = angle - 90.0 * (angle / 90.0).round();
        if lean.is_finite() && lean.abs() <= MOST_SKEW {
            let of = self.by_degrees.entry(lean.round() as i32).or_default();
            of.chars += 1;
            of.degrees += lean;
        }
    }

    /// How many there are.
    fn all(&self) -> usize {
        self.all
    }

    /// The angle at which most of them stand, in degrees anticlockwise, and how many do.
    fn most(&self) -> Option<(f32, usize)> {
        const ENOUGH: usize = 40;
        let most = self.by_degrees.values().max_by_key(|l| l.chars)?;
        (most.chars >= ENOUGH).then(|| (most.degrees / most.chars as f32, most.chars))
    }
}

/// A direction on a page that is skewed by so many degrees, as it would be on an upright page.
fn deskew(x: f32, y: f32, degrees: f32) -> (f32, f32) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    (x * cos + y * sin, y * cos - x * sin)
}

/// From the upright page of this size to the one that is skewed by so many degrees, with `y` growing downwards.
fn leaning((width, height): (f32, f32), degrees: f32) -> Affine {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (x, y) = (width / 2.0, height / 2.0);
    let (dx, dy) = (x * cos + y * sin, y * cos - x * sin);
    Affine([cos, -sin, sin, cos, x - dx, y - dy])
}

/// The width of a character along its line, from the upright box that holds it on a leaning page.
fn advance(width: f32, height: f32, turn: u8, degrees: f32) -> f32 {
    let (sin, cos) = degrees.to_radians().abs().sin_cos();
    let (along, across) = if turn.is_multiple_of(2) { (width, height) } else { (height, width) };
    ((along * cos - across * sin) / (cos * cos - sin * sin)).max(0.0)
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
