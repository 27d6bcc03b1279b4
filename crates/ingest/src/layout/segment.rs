//! Builds pieces from the characters of a layer: splits at wide gaps, joins what the content stream separates.

use super::gutter::{self, Gutter};
use super::line_numbers::{self, Numbering};
use super::piece::{Piece, Run, piece_of};
use crate::glyph::{Font, Glyph, Layer};
use crate::measure::grouped;

/// A gap of this many ems ends a piece: wider than the spaces of a justified line, narrower than a gutter.
const WIDE_GAP: f32 = 0.95;
/// The widest gap, in ems, after the number or the bullet of a list item.
const LABEL_GAP: f32 = 2.6;

/// Share of the size of the text beside it that a script has at least: what is smaller stands beside an initial over several lines.
const SCRIPT: f32 = 0.45;

/// Builds the pieces of a layer, from top to bottom, then from left to right.
/// The second value counts characters printed again over themselves, which are read once, the third those of the
/// numbers of lines.
pub(crate) fn pieces(
    layer: &Layer,
    fonts: &[Font],
    numberings: &mut Vec<Numbering>,
) -> (Vec<Piece>, usize, usize) {
    let (runs, numbers) = runs(layer, numberings);
    let again =
        layer.glyphs.len().saturating_sub(numbers).saturating_sub(runs.iter().map(|r| r.glyphs.len()).sum());
    let mut pieces: Vec<Piece> = runs.iter().filter_map(|run| piece_of(run, fonts)).collect();
    pieces.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x0.total_cmp(&b.x0)).then(a.order.cmp(&b.order)));
    (pieces, again, numbers)
}

/// The runs that become pieces, and how many characters the numbers of lines have that were taken out.
pub(super) fn runs(layer: &Layer, numberings: &mut Vec<Numbering>) -> (Vec<Run>, usize) {
    let mut runs = runs_in_order(&layer.glyphs);
    let numbers = line_numbers::take(&mut runs, numberings);
    (attach_scripts(join_rows(runs)), numbers)
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
            let alike = g.size.min(run.size) > SCRIPT * em;
            let near = alike && gap > -0.45 * em && gap < if script { 0.35 } else { WIDE_GAP } * em;
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
        runs.push(Run { glyphs: vec![*g], x0: g.x0, x1: g.x1, y: g.y, size: g.size, order });
    }
    runs
}

/// Joins neighbours on one baseline that the content holds apart.
fn join_rows(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.order.cmp(&b.order)));
    let mut rows = grouped(runs, |first, run| run.y - first.y <= 0.15 * first.size.max(run.size));
    for row in &mut rows {
        row.sort_by(|a, b| a.x0.total_cmp(&b.x0).then(a.order.cmp(&b.order)));
    }
    let gutters = gutter::narrow_gutters(&rows);
    let mut joined: Vec<Run> = Vec::with_capacity(rows.len());
    for row in rows {
        close_row(row, &gutters, &mut joined);
    }
    joined
}

fn close_row(mut row: Vec<Run>, gutters: &[Gutter], joined: &mut Vec<Run>) {
    let first = joined.len();
    for run in row.drain(..) {
        if let Some(last) = joined.get_mut(first..).and_then(<[Run]>::last_mut) {
            // The smaller type counts: beside a large title a note in the margin is far away.
            let em = last.size.min(run.size);
            let gap = run.x0 - last.x1;
            // The number of an equation may be right before the next column.
            let limit = match (is_label(last), last.glyphs[0].ch) {
                (true, '(') => 1.4,
                (true, _) => LABEL_GAP,
                (false, _) => WIDE_GAP,
            };
            let parted = gutters.iter().any(|g| g.separates(last, &run));
            let alike = em > SCRIPT * last.size.max(run.size);
            if alike && gap > -0.45 * em && gap < limit * em && !parted && !doubled(last, &run) {
                merge(last, run);
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
        return "•◦▪■●–—\u{FFFD}".contains(end.ch);
    }
    let (open, digits) = match run.glyphs[0].ch {
        '[' | '(' => (true, &run.glyphs[1..run.glyphs.len() - 1]),
        _ => (false, &run.glyphs[..run.glyphs.len() - 1]),
    };
    let closed = if open { matches!(end.ch, ']' | ')') } else { matches!(end.ch, '.' | ')') };
    closed && (1..=3).contains(&digits.len()) && digits.iter().all(|g| g.ch.is_ascii_digit())
}

/// Whether `b` prints the same text over `a`.
fn doubled(a: &Run, b: &Run) -> bool {
    a.glyphs.len() == b.glyphs.len()
        && (a.x0 - b.x0).abs() < 0.15 * a.size
        && (a.x1 - b.x1).abs() < 0.15 * a.size
        && a.glyphs.iter().zip(&b.glyphs).all(|(x, y)| x.ch == y.ch)
}

fn merge(into: &mut Run, mut run: Run) {
    if run.size > into.size * 1.15 || run.glyphs.len() > into.glyphs.len() && run.size >= into.size * 0.87 {
        (into.y, into.size) = (run.y, run.size);
    }
    into.x0 = into.x0.min(run.x0);
    into.x1 = into.x1.max(run.x1);
    into.order = into.order.min(run.order);
    into.glyphs.append(&mut run.glyphs);
}

/// Attaches raised and lowered small runs to the run beside them.
fn attach_scripts(mut runs: Vec<Run>) -> Vec<Run> {
    // How many rows around a run are searched; only hostile pages have more that close.
    const REACH: usize = 48;
    runs.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x0.total_cmp(&b.x0)).then(a.order.cmp(&b.order)));
    let mut taken: Vec<Option<Run>> = runs.into_iter().map(Some).collect();
    for i in 0..taken.len() {
        let Some(small) = taken[i].clone() else { continue };
        if small.glyphs.len() > 24 {
            continue;
        }
        let mut best: Option<(f32, usize)> = None;
        let around = i.saturating_sub(REACH)..(i + REACH + 1).min(taken.len());
        for j in around {
            let is_script = |h: &&Run| small.size < h.size * 0.85 && small.size > h.size * SCRIPT;
            let Some(host) = taken[j].as_ref().filter(|h| j != i && is_script(h)) else {
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
            merge(&mut host, small);
            taken[j] = Some(host);
        }
    }
    // A script may now bridge two runs of one row.
    join_rows(taken.into_iter().flatten().collect())
}
