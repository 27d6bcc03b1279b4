//! From characters to pieces: stretches of text on one baseline without a wide gap.
//!
//! A piece is never wider than a column (gutters are wide gaps) and never joins two cells of a table, so it
//! is the unit in which columns and tables are looked for.

use super::{gutter, spell};
use crate::glyph::{Font, Glyph, Layer};

/// A gap of so many ems ends a piece: wider than the spaces of a justified line, narrower than a gutter.
const WIDE_GAP: f32 = 0.95;
/// A gap of so many ems may stand behind the number or the bullet of a list's item.
const LABEL_GAP: f32 = 2.6;

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

/// Builds the pieces of a layer, from top to bottom, then from left to right.
/// The second value counts characters printed again over themselves, which are read once.
pub(crate) fn pieces(layer: &Layer, fonts: &[Font]) -> (Vec<Piece>, usize) {
    let runs = attach_scripts(join_rows(runs_in_order(&layer.glyphs)));
    let again = layer
        .glyphs
        .len()
        .saturating_sub(runs.iter().map(|r| r.glyphs.len()).sum());
    let mut pieces: Vec<Piece> = runs
        .iter()
        .filter_map(|run| spell::piece_of(run, fonts))
        .collect();
    pieces.sort_by(|a, b| {
        a.y.total_cmp(&b.y)
            .then(a.x0.total_cmp(&b.x0))
            .then(a.order.cmp(&b.order))
    });
    (pieces, again)
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
    let mut rows: Vec<Vec<Run>> = Vec::new();
    for run in runs {
        match rows.last_mut() {
            Some(row)
                if row
                    .first()
                    .is_some_and(|first| run.y - first.y <= 0.15 * first.size.max(run.size)) =>
            {
                row.push(run);
            }
            _ => rows.push(vec![run]),
        }
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.x0.total_cmp(&b.x0).then(a.order.cmp(&b.order)));
    }
    let gutters = gutter::narrow(&rows);
    let mut joined: Vec<Run> = Vec::with_capacity(rows.len());
    for row in rows {
        close_row(row, &gutters, &mut joined);
    }
    joined
}

fn close_row(mut row: Vec<Run>, gutters: &[gutter::Gutter], joined: &mut Vec<Run>) {
    let first = joined.len();
    for run in row.drain(..) {
        if let Some(last) = joined.get_mut(first..).and_then(<[Run]>::last_mut) {
            // The smaller type counts: beside a large title a note in the margin is far away.
            let em = last.size.min(run.size);
            let gap = run.x0 - last.x1;
            // The number of an equation may stand right before the next column.
            let limit = match (is_label(last), last.glyphs[0].ch) {
                (true, '(') => 1.4,
                (true, _) => LABEL_GAP,
                (false, _) => WIDE_GAP,
            };
            let parted = gutters.iter().any(|g| g.parts(last, &run));
            if gap > -0.45 * em && gap < limit * em && !parted && !doubled(last, &run) {
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
