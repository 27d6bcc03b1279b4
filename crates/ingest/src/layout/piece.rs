//! From characters to pieces: stretches of text on one baseline without a wide gap.
//!
//! A piece is never wider than a column (gutters are wide gaps) and never joins two cells of a table, so it
//! is the unit in which columns and tables are looked for.

use crate::glyph::{Font, Glyph, Layer};

/// A gap of so many ems ends a piece: wider than the spaces of a justified line, narrower than a gutter.
const WIDE_GAP: f32 = 0.95;
/// A gap of so many ems may stand behind the number or the bullet of a list's item.
const LABEL_GAP: f32 = 2.6;
/// A gap of so many ems is a space between words, even where the file has none.
const WORD_GAP: f32 = 0.22;

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
struct Run {
    glyphs: Vec<Glyph>,
    x0: f32,
    x1: f32,
    y: f32,
    size: f32,
    order: usize,
}

/// Builds the pieces of a layer, from top to bottom, then from left to right.
pub(crate) fn pieces(layer: &Layer, fonts: &[Font]) -> Vec<Piece> {
    let runs = attach_scripts(join_rows(runs_in_order(&layer.glyphs)));
    let mut pieces: Vec<Piece> = runs.iter().filter_map(|run| text_of(run, fonts)).collect();
    pieces.sort_by(|a, b| {
        a.y.total_cmp(&b.y)
            .then(a.x0.total_cmp(&b.x0))
            .then(a.order.cmp(&b.order))
    });
    pieces
}

/// Follows the order of the content, in which the letters of a word stand together in every file.
fn runs_in_order(glyphs: &[Glyph]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (order, g) in glyphs.iter().enumerate() {
        if let Some(run) = runs.last_mut() {
            let em = run.size.max(g.size);
            let gap = g.x0 - run.x1;
            let level = (g.y - run.y).abs();
            let script = g.size < run.size * 0.85 || run.size < g.size * 0.85;
            let near = gap > -0.45 * em && gap < if script { 0.35 } else { WIDE_GAP } * em;
            if near && level <= if script { 0.62 } else { 0.12 } * em {
                if g.size > run.size {
                    (run.y, run.size) = (g.y, g.size);
                }
                run.x0 = run.x0.min(g.x0);
                run.x1 = run.x1.max(g.x1);
                run.glyphs.push(*g);
                continue;
            }
        }
        runs.push(Run {
            glyphs: vec![*g],
            x0: g.x0,
            x1: g.x1,
            y: g.y,
            size: g.size,
            order,
        });
    }
    runs
}

/// Joins neighbours on one baseline that the content holds apart.
fn join_rows(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.order.cmp(&b.order)));
    let mut joined: Vec<Run> = Vec::with_capacity(runs.len());
    let mut row: Vec<Run> = Vec::new();
    for run in runs {
        if row
            .first()
            .is_some_and(|first| run.y - first.y > 0.15 * first.size.max(run.size))
        {
            close_row(&mut row, &mut joined);
        }
        row.push(run);
    }
    close_row(&mut row, &mut joined);
    joined
}

fn close_row(row: &mut Vec<Run>, joined: &mut Vec<Run>) {
    row.sort_by(|a, b| a.x0.total_cmp(&b.x0).then(a.order.cmp(&b.order)));
    let first = joined.len();
    for run in row.drain(..) {
        if let Some(last) = joined.get_mut(first..).and_then(<[Run]>::last_mut) {
            // The smaller type counts: beside a large title a note in the margin is far away.
            let em = last.size.min(run.size);
            let gap = run.x0 - last.x1;
            let limit = if is_label(last) { LABEL_GAP } else { WIDE_GAP };
            if gap > -0.45 * em && gap < limit * em && !doubled(last, &run) {
                absorb(last, run);
                continue;
            }
            if doubled(last, &run) {
                continue; // bold made by printing twice
            }
        }
        joined.push(run);
    }
}

/// Whether a run is the number or bullet of an item: "1.", "[12]", "•".
fn is_label(run: &Run) -> bool {
    let [.., end] = run.glyphs.as_slice() else {
        return false;
    };
    if run.glyphs.len() == 1 {
        return "•◦▪■●–—".contains(end.ch);
    }
    let (open, digits) = match run.glyphs[0].ch {
        '[' | '(' => (true, &run.glyphs[1..run.glyphs.len() - 1]),
        _ => (false, &run.glyphs[..run.glyphs.len() - 1]),
    };
    let closed = if open {
        matches!(end.ch, ']' | ')')
    } else {
        matches!(end.ch, '.' | ')')
    };
    closed && (1..=3).contains(&digits.len()) && digits.iter().all(|g| g.ch.is_ascii_digit())
}

/// Whether `b` prints the same text over `a`.
fn doubled(a: &Run, b: &Run) -> bool {
    a.glyphs.len() == b.glyphs.len()
        && (a.x0 - b.x0).abs() < 0.15 * a.size
        && (a.x1 - b.x1).abs() < 0.15 * a.size
        && a.glyphs.iter().zip(&b.glyphs).all(|(x, y)| x.ch == y.ch)
}

fn absorb(into: &mut Run, mut run: Run) {
    if run.size > into.size * 1.15 || run.glyphs.len() > into.glyphs.len() && run.size >= into.size * 0.87 {
        (into.y, into.size) = (run.y, run.size);
    }
    into.x0 = into.x0.min(run.x0);
    into.x1 = into.x1.max(run.x1);
    into.order = into.order.min(run.order);
    into.glyphs.append(&mut run.glyphs);
}

/// Gives raised and lowered small runs to the run that they stand beside.
fn attach_scripts(mut runs: Vec<Run>) -> Vec<Run> {
    // How many rows around a run are searched; more stand that close only on hostile pages.
    const REACH: usize = 48;
    runs.sort_by(|a, b| {
        a.y.total_cmp(&b.y)
            .then(a.x0.total_cmp(&b.x0))
            .then(a.order.cmp(&b.order))
    });
    let mut taken: Vec<Option<Run>> = runs.into_iter().map(Some).collect();
    for i in 0..taken.len() {
        let Some(small) = taken[i].clone() else { continue };
        if small.glyphs.len() > 24 {
            continue;
        }
        let mut best: Option<(f32, usize)> = None;
        let around = i.saturating_sub(REACH)..(i + REACH + 1).min(taken.len());
        for j in around {
            let Some(host) = taken[j].as_ref().filter(|h| j != i && small.size < h.size * 0.85) else {
                continue;
            };
            let level = (small.y - host.y).abs();
            let gap = small.x0 - host.x1;
            if level <= 0.62 * host.size && gap > -0.2 * host.size && gap < 0.35 * host.size {
                let distance = level + gap.abs();
                if best.is_none_or(|(d, _)| distance < d) {
                    best = Some((distance, j));
                }
            }
        }
        if let Some((_, j)) = best
            && let (Some(small), Some(mut host)) = (taken[i].take(), taken[j].take())
        {
            absorb(&mut host, small);
            taken[j] = Some(host);
        }
    }
    // A script may now bridge two runs of one row.
    join_rows(taken.into_iter().flatten().collect())
}

fn text_of(run: &Run, fonts: &[Font]) -> Option<Piece> {
    let mut text = String::with_capacity(run.glyphs.len() + 8);
    let (mut chars, mut letters, mut bold, mut italic) = (0, 0, 0, 0);
    let mut lead_bold = Lead::default();
    let mut lead_italic = Lead::default();
    let mut sizes: Vec<(f32, usize)> = Vec::new();
    let mut faces: Vec<(u16, usize)> = Vec::new();
    let mut last: Option<&Glyph> = None;
    let mut last_accent = None;
    let least = least_space(&run.glyphs);
    for (i, g) in run.glyphs.iter().enumerate() {
        if let Some(prev) = last {
            let gap = g.x0 - prev.x1;
            let em = prev.size.max(g.size);
            let title = prev.ch.is_lowercase() && g.ch.is_uppercase() && gap > 0.12 * em;
            let space = (g.spaced && gap > least * em)
                || gap > WORD_GAP * em
                || title
                || sets_off(&run.glyphs, i, run.size, run.y);
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
        let composed = match last_accent.take() {
            Some(accent) => compose(g.ch, accent),
            None => None,
        };
        if let Some(c) = composed {
            text.push(c);
        } else if is_accent(g.ch)
            && run
                .glyphs
                .get(i + 1)
                .is_some_and(|next| overlaps(g, next) && compose(next.ch, g.ch).is_some())
        {
            last_accent = Some(g.ch);
        } else if let Some(c) = before
            .filter(|p| is_accent(g.ch) && overlaps(g, p))
            .and_then(|p| compose(p.ch, g.ch))
        {
            text.pop();
            text.push(c);
        } else if g.ch == '\u{AD}' && text.ends_with(['-', '\u{2010}']) {
            // Some producers print a hyphen and mark it as one: one is enough.
        } else {
            // PDFium marks hyphens at its own line ends; inside a piece such a mark is an ordinary hyphen.
            text.push(if g.ch == '\u{AD}' && i + 1 < run.glyphs.len() {
                '-'
            } else {
                g.ch
            });
        }
        chars += 1;
        lead_bold.see(is_bold, g.ch, text.len());
        lead_italic.see(is_italic, g.ch, text.len());
        count(&mut sizes, g.size, |a, b| (a - b).abs() < 0.05);
        count(&mut faces, g.font, |a, b| a == b);
    }
    let end = text.trim_end_matches(' ').len();
    text.truncate(end);
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
        order: run.order,
    })
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
    if gaps.len() >= 3 && gaps[gaps.len() / 2] <= 0.05 {
        -0.3
    } else {
        0.05
    }
}

/// Accents that some producers print as signs of their own, over their letter.
fn is_accent(c: char) -> bool {
    matches!(
        c,
        '´' | '`' | '¨' | 'ˆ' | '˜' | '¸' | '˚' | 'ˇ' | '¯' | '˘' | '˙' | '˝'
    )
}

fn overlaps(a: &Glyph, b: &Glyph) -> bool {
    a.x1.min(b.x1) - a.x0.max(b.x0) > 0.4 * (a.x1 - a.x0).min(b.x1 - b.x0).max(0.01)
        && (a.y - b.y).abs() < 0.5 * a.size
}

/// The letter with its accent, where there is such a character.
fn compose(letter: char, accent: char) -> Option<char> {
    let combining = match accent {
        '´' => '\u{301}',
        '`' => '\u{300}',
        '¨' => '\u{308}',
        'ˆ' => '\u{302}',
        '˜' => '\u{303}',
        '¸' => '\u{327}',
        '˚' => '\u{30A}',
        'ˇ' => '\u{30C}',
        '¯' => '\u{304}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '˝' => '\u{30B}',
        _ => return None,
    };
    let letter = if letter == 'ı' { 'i' } else { letter };
    unicode_normalization::char::compose(letter, combining)
}

/// Whether the small raised characters that start at `i` are a mark on the text before them, such as a
/// citation, which must not be read as the end of the word ("controls12"); exponents and ions stay.
fn sets_off(glyphs: &[Glyph], i: usize, size: f32, y: f32) -> bool {
    let raised = |g: &Glyph| g.size < size * 0.85 && g.y < y - 0.12 * size;
    if i == 0 || !raised(&glyphs[i]) || raised(&glyphs[i - 1]) {
        // Back on the line behind a mark: a letter that follows starts a word of its own.
        return i > 0
            && raised(&glyphs[i - 1])
            && glyphs[i].ch.is_alphabetic()
            && !raised(&glyphs[i])
            && glyphs[i - 1].ch.is_ascii_digit()
            && word_before(glyphs, i, raised) >= 4;
    }
    // Single letters mark affiliations ("Smith a,b"); two together are part of the text ("19th").
    let marks: Vec<char> = glyphs[i..]
        .iter()
        .take_while(|g| raised(g))
        .map(|g| g.ch)
        .collect();
    let sign = |c: &char| c.is_ascii_digit() || ",–-−;*∗⁎†‡§¶#".contains(*c);
    let lone = |at: usize| {
        marks[at].is_ascii_lowercase()
            && !marks.get(at + 1).is_some_and(char::is_ascii_lowercase)
            && (at == 0 || !marks[at - 1].is_ascii_lowercase())
    };
    if !(0..marks.len()).all(|at| sign(&marks[at]) || lone(at)) {
        return false;
    }
    let before = glyphs[i - 1].ch;
    if ".,;:)]’”\"?!".contains(before) {
        return true;
    }
    before.is_alphabetic() && letters_before(glyphs, i) >= 4
}

fn letters_before(glyphs: &[Glyph], i: usize) -> usize {
    let mut count = 0;
    for j in (0..i).rev() {
        if !glyphs[j].ch.is_lowercase() {
            break;
        }
        count += 1;
        if glyphs[j].spaced || j > 0 && glyphs[j].x0 - glyphs[j - 1].x1 > WORD_GAP * glyphs[j].size {
            break;
        }
    }
    count
}

fn word_before(glyphs: &[Glyph], i: usize, raised: impl Fn(&Glyph) -> bool) -> usize {
    let mark = glyphs[..i].iter().rev().take_while(|g| raised(g)).count();
    letters_before(glyphs, i - mark)
}

/// Finds how far a style reaches from the start.
#[derive(Default)]
struct Lead {
    end: usize,
    over: bool,
    letters_after: usize,
}

impl Lead {
    fn see(&mut self, styled: bool, ch: char, end: usize) {
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
        if self.over && self.letters_after > 1 && self.end < text.len() {
            self.end
        } else {
            0
        }
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
