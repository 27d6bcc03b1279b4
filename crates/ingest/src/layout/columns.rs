//! Columns: the order in which the pieces of a page are read.
//!
//! A gutter is a vertical strip that no piece crosses and that has lines of prose on both sides. The page is
//! cut at the best gutter; pieces that cross it (titles, wide figures) divide the page into bands, and each
//! band is read left side first. Each side is searched again, so three columns and a margin beside two
//! columns need no rules of their own.

use super::piece::Piece;
use crate::measure::{extent, median};

/// Left edges that differ by less are one edge.
const EDGE: f32 = 2.5;
/// The least width of a gutter, in points.
const GUTTER: f32 = 2.0;
/// Lines that must stand on each side of a gutter.
const MIN_LINES: usize = 3;
/// Characters that lines beside a gutter hold on average; cells of tables hold fewer.
const MIN_CHARS: usize = 13;
/// How often a part of a page is cut again.
const MAX_DEPTH: usize = 6;
/// How many left edges are tried.
const MAX_EDGES: usize = 40;

/// Pieces that are read one after the other, from top to bottom.
#[derive(Debug, Clone, Default)]
pub(crate) struct Region {
    pub(crate) pieces: Vec<Piece>,
    /// Whether it is a narrow column beside a wider one.
    pub(crate) margin: bool,
}

/// Puts pieces (sorted from top to bottom) into the order of reading. `usual` are the gutters that other pages
/// of the document have: there the text on one side may be other than prose.
pub(crate) fn regions(pieces: Vec<Piece>, usual: &[f32]) -> Vec<Region> {
    let mut out = Vec::new();
    cut(pieces, usual, false, MAX_DEPTH, &mut out);
    out.retain(|r| !r.pieces.is_empty());
    out
}

/// The main gutters of a document, from the pieces of its pages: those that hold for at least a tenth of all lines
/// beside gutters.
pub(crate) fn usual_gutters<'a>(pages: impl Iterator<Item = &'a [Piece]>) -> Vec<f32> {
    let mut found: Vec<(f32, usize)> = Vec::new();
    for (lines, edge) in pages.filter_map(|pieces| best_gutter(pieces, &[])) {
        if let Some((_, n)) = found.iter_mut().find(|(e, _)| (*e - edge).abs() <= EDGE) {
            *n += lines;
        } else if found.len() < 64 {
            found.push((edge, lines));
        }
    }
    let all: usize = found.iter().map(|(_, n)| n).sum();
    found.retain(|(_, n)| *n * 10 >= all && *n >= 20);
    found.into_iter().map(|(e, _)| e).collect()
}

fn cut(pieces: Vec<Piece>, usual: &[f32], margin: bool, depth: usize, out: &mut Vec<Region>) {
    let gutter = best_gutter(&pieces, usual).filter(|_| depth > 0);
    let Some((_, gutter)) = gutter else {
        out.push(Region { pieces, margin });
        return;
    };
    let mut full: Vec<Piece> = Vec::new();
    let mut late: Vec<Region> = Vec::new();
    for band in bands(&pieces, gutter, usual) {
        let part = pieces[band.range.clone()].to_vec();
        if band.apart && !full.is_empty() {
            cut(std::mem::take(&mut full), usual, margin, depth - 1, out);
        }
        if !band.split {
            full.extend(part);
            continue;
        }
        if !full.is_empty() {
            cut(std::mem::take(&mut full), usual, margin, depth - 1, out);
        }
        let (left, right): (Vec<Piece>, Vec<Piece>) = part.into_iter().partition(|p| p.x0 < gutter - EDGE);
        let (wide_left, wide_right) = (column_width(&left, usual), column_width(&right, usual));
        let left_is_margin = wide_left < 0.68 * wide_right && chars(&left) * 3 < chars(&right) * 2;
        let right_is_margin = wide_right < 0.68 * wide_left && chars(&right) * 3 < chars(&left) * 2;
        for (side, is_margin) in [(left, left_is_margin), (right, right_is_margin)] {
            let to = if is_margin { &mut late } else { &mut *out };
            cut(side, usual, margin || is_margin, depth - 1, to);
        }
    }
    if !full.is_empty() {
        cut(full, usual, margin, depth - 1, out);
    }
    out.append(&mut late);
}

/// A stretch of pieces from top to bottom, all of which stand beside the gutter or not.
struct Band {
    range: std::ops::Range<usize>,
    split: bool,
    /// Whether what comes before must not be read together with it.
    apart: bool,
}

fn is_usual(gutter: f32, usual: &[f32]) -> bool {
    usual.iter().any(|u| (u - gutter).abs() <= EDGE)
}

fn crosses(p: &Piece, gutter: f32) -> bool {
    p.x0 < gutter - EDGE && p.x1 > gutter - GUTTER
}

/// Divides the pieces into bands with and without the gutter.
fn bands(pieces: &[Piece], gutter: f32, usual: &[f32]) -> Vec<Band> {
    let mut out: Vec<Band> = Vec::new();
    let mut start = 0;
    let known = is_usual(gutter, usual);
    let close = |start: usize, end: usize, out: &mut Vec<Band>| {
        if start == end {
            return;
        }
        let part = &pieces[start..end];
        let split = has_columns(part, gutter, usual).is_some();
        let mut tail = end;
        if split && !known {
            let below = best_gutter(&pieces[end..], usual).map(|(_, edge)| edge);
            tail = start + start_of_other_columns(part, gutter, usual, below);
            if tail == end {
                tail = start + end_of_narrow_side(part, gutter);
            }
        }
        out.push(Band {
            range: start..tail,
            split: if tail == end {
                split
            } else {
                has_columns(&pieces[start..tail], gutter, usual).is_some()
            },
            apart: false,
        });
        if tail < end {
            out.push(Band { range: tail..end, split: false, apart: true });
        }
    };
    let wide = super::wide::spanning(pieces, gutter);
    for (i, p) in pieces.iter().enumerate() {
        if wide[i] || crosses(p, gutter) {
            close(start, i, &mut out);
            out.push(Band { range: i..i + 1, split: false, apart: false });
            start = i + 1;
        }
    }
    close(start, pieces.len(), &mut out);
    out
}

/// Where, below columns that only this page has (an abstract beside notes), the usual columns of the document or
/// the columns `below` begin; the number of pieces when they do not.
fn start_of_other_columns(pieces: &[Piece], gutter: f32, usual: &[f32], below: Option<f32>) -> usize {
    let all = pieces.len();
    let others = usual.iter().copied().chain(below).filter(|u| (u - gutter).abs() > EDGE);
    let tail = others.filter_map(|u| {
        let last = pieces.iter().rposition(|p| p.x0 < u - EDGE && p.x1 > u - GUTTER)?;
        let set_apart = |k: usize| pieces[k].y - pieces[k - 1].y > 1.5 * pieces[k].size;
        let starts = |k: usize| pieces[k..].iter().any(|p| (p.x0 - u).abs() <= EDGE);
        (last + 1..all).find(|k| set_apart(*k)).filter(|k| starts(*k))
    });
    tail.min().unwrap_or(all)
}

/// Where, below columns one of which is narrow, larger type begins on the narrow side alone: the text goes on there
/// over the whole width. The number of pieces when it does not.
fn end_of_narrow_side(pieces: &[Piece], gutter: f32) -> usize {
    let all = pieces.len();
    let side = |right: bool| pieces.iter().filter(move |p| (p.x0 >= gutter - EDGE) == right);
    let width = |right: bool| width(side(right));
    let narrow = match (width(false), width(true)) {
        (left, right) if left < 0.68 * right => false,
        (left, right) if right < 0.68 * left => true,
        _ => return all,
    };
    let bottom = side(!narrow).map(|p| p.y).fold(f32::MIN, f32::max);
    let usual = median(side(narrow).map(|p| p.size)).unwrap_or(0.0);
    (1..all)
        .find(|k| {
            let (above, here) = (&pieces[k - 1], &pieces[*k]);
            here.y > bottom && here.size > 1.1 * usual && here.y - above.y > 1.4 * here.size
        })
        .unwrap_or(all)
}

/// The lines beside the gutter when the pieces, none of which crosses it, are columns there: prose on both
/// sides, or full lines of prose on one side (a table may stand in the other column).
fn has_columns(pieces: &[Piece], gutter: f32, usual: &[f32]) -> Option<usize> {
    let (left, right) = (Side::of(pieces, gutter, false), Side::of(pieces, gutter, true));
    let known = is_usual(gutter, usual);
    let lines = left.rows.min(right.rows);
    let overlap = left.y.1.min(right.y.1) - left.y.0.max(right.y.0);
    // The last lines of a text, at the head of a column as wide as the other.
    let (wide, narrow) = (left.width().max(right.width()), left.width().min(right.width()));
    let rest = wide - narrow < 0.05 * wide
        && left.is_loose()
        && right.is_loose()
        && (left.is_strong() || right.is_strong());
    let least = if known || rest { 1 } else { MIN_LINES };
    if lines < least || overlap < 0.0 {
        return None;
    }
    let stands_beside =
        |side: &Side<'_>, prose: &Side<'_>| prose.is_strong() && side.may_stand_beside(prose, known);
    let prose =
        left.is_loose() && right.is_loose() || stands_beside(&right, &left) || stands_beside(&left, &right);
    prose.then_some(lines)
}

/// The pieces on one side of a gutter.
struct Side<'a> {
    pieces: Vec<&'a Piece>,
    rows: usize,
    chars: usize,
    /// From the first to the last baseline.
    y: (f32, f32),
    /// From the left to the right edge.
    x: (f32, f32),
}

impl<'a> Side<'a> {
    fn of(pieces: &'a [Piece], gutter: f32, right: bool) -> Self {
        let pieces = pieces.iter().filter(|p| (p.x0 >= gutter - EDGE) == right);
        let pieces: Vec<&Piece> = pieces.collect();
        let mut last = f32::MIN;
        let starts_row = |p: &&&Piece| p.y - std::mem::replace(&mut last, p.y) > 0.3 * p.size;
        Self {
            rows: pieces.iter().filter(starts_row).count(),
            chars: pieces.iter().map(|p| p.chars).sum(),
            y: extent(pieces.iter().map(|p| (p.y, p.y))),
            x: extent(pieces.iter().map(|p| (p.x0, p.x1))),
            pieces,
        }
    }

    fn width(&self) -> f32 {
        self.x.1 - self.x.0
    }

    /// Whether its pieces are longer than cells of tables.
    fn is_loose(&self) -> bool {
        self.chars >= MIN_CHARS * self.pieces.len()
    }

    /// Whether most of its pieces are full lines of prose.
    fn is_strong(&self) -> bool {
        let full = self.pieces.iter().filter(|p| p.width() >= 0.85 * self.width());
        self.chars >= 2 * MIN_CHARS * self.pieces.len()
            && self.rows >= 4
            && full.count() * 10 >= self.rows * 6
    }

    /// Whether this side, which is no prose, may be a column beside the prose of the other: the numbers of a
    /// list of references are none.
    fn may_stand_beside(&self, other: &Self, known: bool) -> bool {
        let words = self.chars >= 6 * self.pieces.len();
        let share = if words { 0.18 } else { 0.25 };
        (known || self.rows >= 2 * MIN_LINES) && self.width() > share * other.width()
    }
}

/// The best gutter, as the lines beside it and the left edge of the column to its right.
fn best_gutter(pieces: &[Piece], usual: &[f32]) -> Option<(usize, f32)> {
    if pieces.len() < 2 * MIN_LINES {
        return None;
    }
    let mut best: Option<(usize, usize, f32)> = None;
    for edge in usual.iter().copied().chain(edges(pieces)) {
        let mut lines = 0;
        let mut start = 0;
        let mut crossing = 0;
        let mut tally = |part: &[Piece]| lines += has_columns(part, edge, usual).unwrap_or(0);
        for (i, p) in pieces.iter().enumerate() {
            if crosses(p, edge) {
                tally(&pieces[start..i]);
                start = i + 1;
                crossing += 1;
            }
        }
        tally(&pieces[start..]);
        // A gutter that fewer pieces cross is worth a few lines.
        let known = is_usual(edge, usual);
        let score = (if known { 5 } else { 4 } * lines).saturating_sub(crossing);
        if lines > 0 && best.is_none_or(|(most, ..)| score > most) {
            best = Some((score, lines, edge));
        }
    }
    best.map(|(_, lines, edge)| (lines, edge))
}

/// Left edges of pieces, those that most pieces share first, the leftmost left out.
fn edges(pieces: &[Piece]) -> Vec<f32> {
    let mut starts: Vec<f32> = pieces.iter().map(|p| p.x0).collect();
    starts.sort_by(f32::total_cmp);
    let mut groups: Vec<(f32, usize)> = Vec::new();
    for x in starts {
        match groups.last_mut() {
            Some((first, n)) if x - *first <= EDGE => *n += 1,
            _ => groups.push((x, 1)),
        }
    }
    let leftmost = groups.first().map_or(0.0, |g| g.0);
    groups.retain(|(x, _)| *x > leftmost + 20.0);
    groups.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.total_cmp(&b.0)));
    groups.truncate(MAX_EDGES);
    groups.into_iter().map(|(x, _)| x).collect()
}

/// The width of the first column of a part of a page.
fn column_width(pieces: &[Piece], usual: &[f32]) -> f32 {
    match best_gutter(pieces, usual) {
        Some((_, gutter)) => gutter - pieces.iter().map(|p| p.x0).fold(f32::MAX, f32::min),
        None => width(pieces.iter()),
    }
}

fn width<'a>(pieces: impl Iterator<Item = &'a Piece>) -> f32 {
    let (left, right) = extent(pieces.map(|p| (p.x0, p.x1)));
    right - left
}

fn chars(pieces: &[Piece]) -> usize {
    pieces.iter().map(|p| p.chars).sum()
}
