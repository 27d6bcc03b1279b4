//! Pieces: stretches of text on one baseline without a wide gap, and the runs of glyphs that they are made from.
//!
//! A piece is never wider than a column (gutters are wide gaps) and never joins two cells of a table, so it
//! is the unit in which columns and tables are looked for.

use crate::glyph::{Font, Glyph, UNREADABLE, combining};

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
pub(crate) struct Run {
    pub(crate) glyphs: Vec<Glyph>,
    pub(crate) x0: f32,
    pub(crate) x1: f32,
    pub(crate) y: f32,
    pub(crate) size: f32,
    pub(crate) order: usize,
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

/// A gap of so many ems is a space between words, even where the file has none.
const WORD_GAP: f32 = 0.22;

/// The text of a run, with what is known of its type; nothing when it prints nothing.
pub(super) fn piece_of(run: &Run, fonts: &[Font]) -> Option<Piece> {
    let mut text = String::with_capacity(run.glyphs.len() + 8);
    let (mut chars, mut letters, mut bold, mut italic) = (0, 0, 0, 0);
    let mut lead_bold = StyledStart::default();
    let mut lead_italic = StyledStart::default();
    let mut sizes: Vec<(f32, usize)> = Vec::new();
    let mut faces: Vec<(u16, usize)> = Vec::new();
    let mut last: Option<&Glyph> = None;
    let mut last_accent = None;
    let mut raised: Vec<(usize, usize)> = Vec::new();
    let least = least_space(&run.glyphs);
    for (i, g) in run.glyphs.iter().enumerate() {
        if let Some(prev) = last {
            let gap = g.x0 - prev.x1;
            let em = prev.size.max(g.size);
            let title = prev.ch.is_lowercase() && g.ch.is_uppercase() && gap > 0.12 * em;
            // An italic "f" reaches over the space behind it.
            let slanted = |g: &Glyph| fonts.get(usize::from(g.font)).is_some_and(|f| f.italic);
            let reach = if prev.ch == 'f' && slanted(prev) { 0.2 } else { 0.0 };
            let space = (g.spaced && gap > (least - reach) * em) || gap > WORD_GAP * em || title;
            if space && !text.ends_with(' ') {
                text.push(' ');
            }
        }
        let before = last;
        last = Some(g);
        let font = fonts.get(usize::from(g.font));
        let is_bold = font.is_some_and(|f| f.bold);
        let is_italic = font.is_some_and(|f| f.italic);
        if g.ch.is_alphanumeric() {
            letters += 1;
            bold += usize::from(is_bold);
            italic += usize::from(is_italic);
        }
        let from = text.len();
        let composed = match last_accent.take() {
            Some(accent) => compose(g.ch, accent),
            None => None,
        };
        if let Some(c) = composed {
            text.push(c);
        } else if combining(g.ch).is_some()
            && run.glyphs.get(i + 1).is_some_and(|next| overlaps(g, next) && compose(next.ch, g.ch).is_some())
        {
            last_accent = Some(g.ch);
        } else if let Some(c) =
            before.filter(|p| combining(g.ch).is_some() && overlaps(g, p)).and_then(|p| compose(p.ch, g.ch))
        {
            text.pop();
            text.push(c);
        } else if g.ch == '\u{AD}' && text.ends_with(['-', '\u{2010}']) {
            // Some producers print a hyphen and mark it as one: one is enough.
        } else {
            text.push(g.ch);
        }
        if is_raised(g, run.size, run.y) && from < text.len() {
            match raised.last_mut().filter(|(_, end)| *end == from) {
                Some((_, end)) => *end = text.len(),
                None => raised.push((from, text.len())),
            }
        }
        chars += 1;
        lead_bold.add(is_bold, g.ch, text.len());
        lead_italic.add(is_italic, g.ch, text.len());
        count(&mut sizes, g.size, |a, b| (a - b).abs() < 0.05);
        count(&mut faces, g.font, |a, b| a == b);
    }
    let end = text.trim_end_matches(' ').len();
    text.truncate(end);
    // An unreadable sign with a blank and a word behind it is the bullet of an item.
    let behind = text.strip_prefix(UNREADABLE).and_then(|text| text.strip_prefix(' '));
    if behind.is_some_and(|text| text.starts_with(char::is_alphabetic)) {
        text.replace_range(..UNREADABLE.len_utf8(), "•");
    }
    if text.is_empty() {
        return None;
    }
    let size = most(&sizes).unwrap_or(run.size);
    Some(Piece {
        lead_bold: lead_bold.bytes(&text),
        lead_italic: lead_italic.bytes(&text),
        text,
        x0: run.x0,
        x1: run.x1,
        y: run.y,
        size,
        font: most(&faces).unwrap_or(0),
        chars,
        bold,
        italic,
        letters,
        raised,
        order: run.order,
    })
}

fn is_raised(g: &Glyph, size: f32, y: f32) -> bool {
    g.size < size * 0.85 && g.y < y - 0.12 * size
}

/// The least gap, in ems, of a space that the file has between these characters. Some files put a space over the
/// next letter where a word goes on; where most spaces take room, those are none. Where the widths of the font are
/// wrong, no gap says anything.
fn least_space(glyphs: &[Glyph]) -> f32 {
    let mut gaps: Vec<f32> = glyphs
        .windows(2)
        .filter(|w| w[1].spaced)
        .map(|w| (w[1].x0 - w[0].x1) / w[0].size.max(w[1].size).max(0.1))
        .collect();
    gaps.sort_by(f32::total_cmp);
    if gaps.len() >= 3 && gaps[gaps.len() / 2] <= 0.05 { -0.3 } else { 0.05 }
}

fn overlaps(a: &Glyph, b: &Glyph) -> bool {
    a.x1.min(b.x1) - a.x0.max(b.x0) > 0.4 * (a.x1 - a.x0).min(b.x1 - b.x0).max(0.01)
        && (a.y - b.y).abs() < 0.5 * a.size
}

/// The letter with its accent, where there is such a character.
fn compose(letter: char, accent: char) -> Option<char> {
    let letter = if letter == 'ı' { 'i' } else { letter };
    unicode_normalization::char::compose(letter, combining(accent)?)
}

/// Finds how far a style reaches from the start.
#[derive(Default)]
struct StyledStart {
    end: usize,
    over: bool,
    letters_after: usize,
}

impl StyledStart {
    fn add(&mut self, styled: bool, ch: char, end: usize) {
        if self.over {
            self.letters_after += usize::from(ch.is_alphanumeric());
        } else if styled {
            self.end = end;
        } else if ch.is_alphanumeric() {
            self.over = true;
            self.letters_after = 1;
        }
    }
    fn bytes(&self, text: &str) -> usize {
        if self.over && self.letters_after > 1 && self.end < text.len() { self.end } else { 0 }
    }
}

fn count<T: Copy>(tally: &mut Vec<(T, usize)>, value: T, same: impl Fn(T, T) -> bool) {
    if let Some((_, n)) = tally.iter_mut().find(|(v, _)| same(*v, value)) {
        *n += 1;
    } else if tally.len() < 64 {
        tally.push((value, 1));
    }
}

fn most<T: Copy>(tally: &[(T, usize)]) -> Option<T> {
    let mut best: Option<(T, usize)> = None;
    for &(value, n) in tally {
        if best.is_none_or(|(_, m)| n > m) {
            best = Some((value, n));
        }
    }
    best.map(|(value, _)| value)
}
