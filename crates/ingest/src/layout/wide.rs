//! Tables over several columns: rows that must not be cut at a gutter that runs through them.

use super::piece::Piece;

/// Rows like those of a table that must follow each other.
const MIN_ROWS: usize = 3;
/// Rows inside a table that hold less: wrapped cells, headings of groups.
const MAX_OTHER: usize = 3;
/// Characters that the cells of a row hold on average, at most; broken lines of prose hold more.
const MAX_CHARS: usize = 20;
/// A cell takes at most this share of the text's width on its side of the gutter.
const NARROW: f32 = 0.65;
/// Rows stand at most so many times their size apart.
const MAX_GAP: f32 = 3.5;

/// What a row of pieces may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowKind {
    /// Cells on both sides of the gutter.
    Cells,
    /// Short pieces that may belong to a table.
    Short,
    /// Text.
    Other,
}

/// For each piece (sorted from top to bottom) whether it is part of a table that goes over the gutter, whose right
/// column starts at `gutter`.
pub(crate) fn spanning(pieces: &[Piece], gutter: f32) -> Vec<bool> {
    let mut wide = vec![false; pieces.len()];
    let (left, right) = crate::measure::extent(pieces.iter().map(|p| (p.x0, p.x1)));
    let widths = (gutter - left, right - gutter);
    let rows = rows(pieces);
    let looks: Vec<RowKind> = rows.iter().map(|r| look(&pieces[r.clone()], gutter, widths)).collect();
    let mut i = 0;
    while i < rows.len() {
        if looks[i] != RowKind::Cells {
            i += 1;
            continue;
        }
        let (mut last, mut celled, mut j) = (i, 1, i + 1);
        while j < rows.len() && looks[j] != RowKind::Other && j - last <= MAX_OTHER {
            let (above, here) = (&pieces[rows[j - 1].start], &pieces[rows[j].start]);
            if here.y - above.y > MAX_GAP * above.size.max(here.size) {
                break;
            }
            if looks[j] == RowKind::Cells {
                (last, celled) = (j, celled + 1);
            }
            j += 1;
        }
        let table = &rows[i..=last];
        if celled >= MIN_ROWS && !starts_another_table(pieces, table, gutter) {
            // Wrapped cells of the last row stand below it.
            let tail = (last + 1..j)
                .take_while(|k| {
                    let (above, here) = (&pieces[rows[k - 1].start], &pieces[rows[*k].start]);
                    here.y - above.y < 1.4 * above.size
                })
                .last()
                .unwrap_or(last);
            wide[rows[i].start..rows[tail].end].fill(true);
            last = tail;
        }
        i = last + 1;
    }
    wide
}

/// Pieces that share a baseline, as ranges.
fn rows(pieces: &[Piece]) -> Vec<std::ops::Range<usize>> {
    let mut out: Vec<std::ops::Range<usize>> = Vec::new();
    for (i, p) in pieces.iter().enumerate() {
        match out.last_mut() {
            Some(row) if p.y - pieces[row.start].y <= 0.3 * p.size.max(pieces[row.start].size) => {
                row.end = i + 1;
            }
            _ => out.push(i..i + 1),
        }
    }
    out
}

fn look(row: &[Piece], gutter: f32, widths: (f32, f32)) -> RowKind {
    let side = |p: &Piece| if p.x0 < gutter { widths.0 } else { widths.1 };
    if row.iter().any(|p| p.width() > NARROW * side(p)) {
        return RowKind::Other;
    }
    let chars: usize = row.iter().map(|p| p.chars).sum();
    let both = row.iter().any(|p| p.x0 < gutter) && row.iter().any(|p| p.x1 > gutter);
    if both && row.len() >= 3 && chars <= MAX_CHARS * row.len() { RowKind::Cells } else { RowKind::Short }
}

/// Whether another table begins at the right column's edge: most rows have words there, as a first column has.
fn starts_another_table(pieces: &[Piece], rows: &[std::ops::Range<usize>], gutter: f32) -> bool {
    let words = |p: &Piece| p.text.chars().filter(|c| c.is_alphabetic()).count() * 2 > p.chars;
    let fresh = rows
        .iter()
        .filter(|r| pieces[(*r).clone()].iter().any(|p| (p.x0 - gutter).abs() <= 3.0 && words(p)))
        .count();
    fresh * 2 > rows.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: &[&[(&str, f32)]]) -> Vec<bool> {
        let line = "a line of prose that fills its column well";
        let mut pieces = vec![Piece::plain(line, 50.0, 0.0, 0), Piece::plain(line, 300.0, 0.0, 0)];
        for (i, row) in rows.iter().enumerate() {
            pieces.extend(row.iter().map(|(text, x)| Piece::plain(text, *x, 20.0 + 12.0 * i as f32, 0)));
        }
        pieces.push(Piece::plain(line, 50.0, 200.0, 0));
        pieces.push(Piece::plain(line, 300.0, 200.0, 0));
        spanning(&pieces, 300.0)
    }

    #[test]
    fn two_tables_side_by_side_are_two() {
        let row: &[(&str, f32)] =
            &[("Fat mass", 50.0), ("32.0", 200.0), ("Lean mass", 300.0), ("4.0", 450.0)];
        assert!(page(&[row, row, row]).iter().all(|w| !w));
    }
}
