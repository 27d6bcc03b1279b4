//! Columns: the order in which the pieces of a page are read.
//!
//! A gutter is a vertical strip that no piece crosses and that has lines of prose on both sides. The page is
//! cut at the best gutter; pieces that cross it (titles, wide figures) divide the page into bands, and each
//! band is read left side first. Each side is searched again, so three columns and a margin beside two
//! columns need no rules of their own.

use super::piece::Piece;

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
    let gutter = if depth == 0 {
        None
    } else {
        best_gutter(&pieces, usual)
    };
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
        if wide_left < 0.68 * wide_right && chars(&left) * 3 < chars(&right) * 2 {
            cut(right, usual, margin, depth - 1, out);
            cut(left, usual, true, depth - 1, &mut late);
        } else if wide_right < 0.68 * wide_left && chars(&right) * 3 < chars(&left) * 2 {
            cut(left, usual, margin, depth - 1, out);
            cut(right, usual, true, depth - 1, &mut late);
        } else {
            cut(left, usual, margin, depth - 1, out);
            cut(right, usual, margin, depth - 1, out);
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
        let split = has_columns(&pieces[start..end], gutter, usual).is_some();
        let tail = if split && !known {
            let below = best_gutter(&pieces[end..], usual).map(|(_, edge)| edge);
            start + start_of_other_columns(&pieces[start..end], gutter, usual, below)
        } else {
            end
        };
        let tail = if split && !known && tail == end {
            start + end_of_narrow_side(&pieces[start..end], gutter)
        } else {
            tail
        };
        if tail == end {
            out.push(Band {
                range: start..end,
                split,
                apart: false,
            });
            return;
        }
        let split = has_columns(&pieces[start..tail], gutter, usual).is_some();
        out.push(Band {
            range: start..tail,
            split,
            apart: false,
        });
        out.push(Band {
            range: tail..end,
            split: false,
            apart: true,
        });
    };
    let wide = super::wide::spanning(pieces, gutter);
    for (i, p) in pieces.iter().enumerate() {
        if wide[i] || crosses(p, gutter) {
            close(start, i, &mut out);
            out.push(Band {
                range: i..i + 1,
                split: false,
                apart: false,
            });
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
    let others = usual
        .iter()
        .copied()
        .chain(below)
        .filter(|u| (u - gutter).abs() > EDGE);
    let tail = others.filter_map(|u| {
        let last = pieces
            .iter()
            .rposition(|p| p.x0 < u - EDGE && p.x1 > u - GUTTER)?;
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
    let width = |right: bool| {
        let left = side(right).map(|p| p.x0).fold(f32::MAX, f32::min);
        side(right).map(|p| p.x1).fold(f32::MIN, f32::max) - left
    };
    let narrow = match (width(false), width(true)) {
        (left, right) if left < 0.68 * right => false,
        (left, right) if right < 0.68 * left => true,
        _ => return all,
    };
    let bottom = side(!narrow).map(|p| p.y).fold(f32::MIN, f32::max);
    let mut sizes: Vec<f32> = side(narrow).map(|p| p.size).collect();
    sizes.sort_by(f32::total_cmp);
    let usual = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
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
    let side = |right: bool| pieces.iter().filter(move |p| (p.x0 >= gutter - EDGE) == right);
    let (mut left, mut right) = (Side::default(), Side::default());
    side(false).for_each(|p| left.add(p));
    side(true).for_each(|p| right.add(p));
    let known = is_usual(gutter, usual);
    let lines = left.rows.min(right.rows);
    let overlap = left.bottom.min(right.bottom) - left.top.max(right.top);
    let loose = |s: &Side| s.chars >= MIN_CHARS * s.pieces;
    let strong = |s: &Side, right: bool| {
        s.chars >= 2 * MIN_CHARS * s.pieces && s.rows >= 4 && full_lines(side(right), s) * 10 >= s.rows * 6
    };
    // The last lines of a text, at the head of a column as wide as the other.
    let alike = |a: f32, b: f32| (a - b).abs() < 0.05 * a.max(b);
    let rest = alike(left.right - left.left, right.right - right.left)
        && loose(&left)
        && loose(&right)
        && (strong(&left, false) || strong(&right, true));
    let least = if known || rest { 1 } else { MIN_LINES };
    if lines < least || overlap < 0.0 {
        return None;
    }
    let prose = loose(&left) && loose(&right)
        || strong(&left, false)
            && (right.may_stand_beside(&left, known) || off_rows(side(true), side(false)))
        || strong(&right, true)
            && (left.may_stand_beside(&right, known) || off_rows(side(false), side(true)));
    prose.then_some(lines)
}

/// Whether most pieces of one side stand at heights at which the other has no line, as a box beside text does and the
/// cells of a row do not.
fn off_rows<'a>(pieces: impl Iterator<Item = &'a Piece>, other: impl Iterator<Item = &'a Piece>) -> bool {
    let heights: Vec<f32> = other.map(|p| p.y).collect();
    let (mut off, mut all) = (0, 0);
    for p in pieces {
        let next = heights.partition_point(|y| *y < p.y);
        let near = [next.checked_sub(1), Some(next)]
            .into_iter()
            .flatten()
            .filter_map(|i| heights.get(i))
            .any(|y| (y - p.y).abs() <= 0.12 * p.size);
        all += 1;
        off += usize::from(!near);
    }
    off * 3 >= all * 2
}

/// How many pieces reach from the left edge of their side to near its right edge.
fn full_lines<'a>(pieces: impl Iterator<Item = &'a Piece>, side: &Side) -> usize {
    let wide = 0.85 * (side.right - side.left);
    pieces.filter(|p| p.width() >= wide).count()
}

struct Side {
    pieces: usize,
    rows: usize,
    chars: usize,
    top: f32,
    bottom: f32,
    left: f32,
    right: f32,
    last: f32,
}

impl Default for Side {
    fn default() -> Self {
        Self {
            pieces: 0,
            rows: 0,
            chars: 0,
            top: f32::MAX,
            bottom: f32::MIN,
            left: f32::MAX,
            right: f32::MIN,
            last: f32::MIN,
        }
    }
}

impl Side {
    /// Whether this side, which is no prose, may be a column beside the prose of the other: the numbers of a
    /// list of references are none.
    fn may_stand_beside(&self, other: &Side, known: bool) -> bool {
        let words = self.chars >= 6 * self.pieces;
        let share = if words { 0.18 } else { 0.25 };
        (known || self.rows >= 2 * MIN_LINES) && self.right - self.left > share * (other.right - other.left)
    }
    fn add(&mut self, p: &Piece) {
        self.pieces += 1;
        self.chars += p.chars;
        self.rows += usize::from(p.y - self.last > 0.3 * p.size);
        self.last = p.y;
        self.top = self.top.min(p.y);
        self.bottom = self.bottom.max(p.y);
        self.left = self.left.min(p.x0);
        self.right = self.right.max(p.x1);
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
        None => extent(pieces),
    }
}

fn extent(pieces: &[Piece]) -> f32 {
    let left = pieces.iter().map(|p| p.x0).fold(f32::MAX, f32::min);
    let right = pieces.iter().map(|p| p.x1).fold(f32::MIN, f32::max);
    (right - left).max(0.0)
}

fn chars(pieces: &[Piece]) -> usize {
    pieces.iter().map(|p| p.chars).sum()
}
