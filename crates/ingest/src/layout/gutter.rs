//! Gutters between columns that are hardly wider than a space between words.
//!
//! The lines of two columns may stand so close that they read as one line. They are told apart by this: the right column
//! begins at one height of x, row after row, and the page's content goes on there in another place than behind the
//! line to its left; or, where it does not, the lines to its left all end at one x as well.

use super::piece::Run;
use crate::measure::median;

/// The least width of such a gutter in ems: a narrower gap is a space between words.
const LEAST: f32 = 0.3;
/// A wider gap ends a piece anyway.
const MOST: f32 = 1.4;
/// Edges that differ by less, in points, are one edge.
const EDGE: f32 = 1.2;
/// Rows that must agree where the content goes on elsewhere.
const ROWS: usize = 4;
/// Rows that must agree where only the edges tell.
const ALIGNED_ROWS: usize = 7;

/// The left edge of a column, and the stretch of the page in which it holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gutter {
    x: f32,
    top: f32,
    bottom: f32,
}

impl Gutter {
    /// Whether the gutter runs between two neighbours of a row.
    pub(super) fn separates(&self, left: &Run, right: &Run) -> bool {
        let em = left.size.min(right.size);
        (right.x0 - self.x).abs() <= EDGE
            && right.y >= self.top - 0.1
            && right.y <= self.bottom + 0.1
            && right.x0 - left.x1 > LEAST * em
    }
}

/// A gap between neighbours of a row.
#[derive(Debug, Clone, Copy)]
struct Gap {
    left: f32,
    right: f32,
    y: f32,
    size: f32,
    /// Whether the content goes on elsewhere.
    apart: bool,
}

/// The narrow gutters of a page. Each row is sorted from left to right.
pub(super) fn narrow_gutters(rows: &[Vec<Run>]) -> Vec<Gutter> {
    let mut gaps: Vec<Gap> = Vec::new();
    for pair in rows.iter().flat_map(|row| row.windows(2)) {
        let (a, b) = (&pair[0], &pair[1]);
        let em = a.size.min(b.size);
        let gap = b.x0 - a.x1;
        // The number of an item stands in a column of its own, before its text.
        if gap > LEAST * em && gap < MOST * em && a.glyphs.len() > 4 && b.glyphs.len() > 1 {
            gaps.push(Gap {
                left: a.x1,
                right: b.x0,
                y: b.y,
                size: em,
                apart: a.order + a.glyphs.len() != b.order,
            });
        }
    }
    gaps.sort_by(|a, b| a.right.total_cmp(&b.right).then(a.y.total_cmp(&b.y)));
    let mut out = Vec::new();
    let mut rest = gaps.as_slice();
    while let Some(first) = rest.first() {
        let end = rest.partition_point(|g| g.right - first.right <= EDGE);
        let mut group: Vec<Gap> = rest[..end].to_vec();
        group.sort_by(|a, b| a.y.total_cmp(&b.y));
        // Stretches of rows that follow each other.
        for stretch in group.chunk_by(|a, b| b.y - a.y < 4.0 * a.size.max(b.size)) {
            let apart = stretch.iter().filter(|g| g.apart).count();
            if apart >= ROWS && apart * 2 > stretch.len() || stretch.len() >= ALIGNED_ROWS && aligned(stretch)
            {
                let gutter = Gutter {
                    x: first.right + EDGE / 2.0,
                    top: stretch[0].y,
                    bottom: stretch[stretch.len() - 1].y,
                };
                if crossing(rows, gutter) * 4 <= stretch.len() {
                    out.push(gutter);
                }
            }
        }
        rest = &rest[end..];
    }
    out
}

/// Whether most lines to the left end at one x.
fn aligned(gaps: &[Gap]) -> bool {
    let ends = || gaps.iter().map(|g| g.left);
    let middle = median(ends()).unwrap_or_default();
    ends().filter(|end| (end - middle).abs() <= EDGE).count() * 10 >= gaps.len() * 7
}

/// Runs that go over the gutter.
fn crossing(rows: &[Vec<Run>], gutter: Gutter) -> usize {
    rows.iter()
        .flatten()
        .filter(|r| r.y > gutter.top && r.y < gutter.bottom && r.x0 < gutter.x - 4.0 && r.x1 > gutter.x + 2.0)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glyph::Glyph;

    fn run(x0: f32, chars: usize, y: f32, order: usize) -> Run {
        let glyph = |i: usize| Glyph {
            ch: 'n',
            x0: x0 + 5.0 * i as f32,
            x1: x0 + 5.0 * (i + 1) as f32,
            y,
            size: 10.0,
            font: 0,
            spaced: false,
        };
        Run { glyphs: (0..chars).map(glyph).collect(), x0, x1: x0 + 5.0 * chars as f32, y, size: 10.0, order }
    }

    /// Rows of two runs: how long the left one is, where the right one begins, and whether the content is read by
    /// columns.
    fn check(rows: &[(usize, f32)], by_columns: bool, want: usize) {
        let rows: Vec<Vec<Run>> = rows
            .iter()
            .enumerate()
            .map(|(i, (chars, x))| {
                let y = 12.0 * i as f32;
                let (left, right) =
                    if by_columns { (40 * i, 1000 + 40 * i) } else { (80 * i, 80 * i + chars) };
                vec![run(50.0, *chars, y, left), run(*x, 20, y, right)]
            })
            .collect();
        assert_eq!(narrow_gutters(&rows).len(), want, "{rows:?}");
    }

    #[test]
    fn columns_that_stand_close_are_told_apart() {
        check(&[(20, 156.0); 5], true, 1);
        check(&[(20, 156.0); 8], false, 1);
        check(&[(20, 156.0); 3], true, 0);
        check(&[(20, 156.0); 5], false, 0);
    }

    #[test]
    fn spaces_between_words_are_no_gutter() {
        check(&[(20, 156.0), (19, 151.0), (21, 161.0), (18, 146.0), (20, 155.0)], true, 0);
        check(&[(20, 152.0); 8], true, 0);
    }
}
