//! Text that a page holds more than once: shadows, and whole pages embedded in the page, smaller or aside, clipped so
//! that no reader sees them.

use super::piece::Piece;
use std::collections::HashMap;

/// Lines of at least so many characters are not printed twice by chance.
const LONG: usize = 25;
/// So many long lines printed twice betray a copy of the page.
const COPY: usize = 4;

/// Drops what stands outside the page, and copies of other text. `pieces` are sorted from top to bottom.
pub(crate) fn without_copies(mut pieces: Vec<Piece>, (width, height): (f32, f32)) -> Vec<Piece> {
    // A little outside is common: boxes of pages are cut tight.
    let slack = 0.02 * height.max(width);
    let inside = |p: &Piece| p.y > -slack && p.y < height + slack && p.x1 > -slack && p.x0 < width + slack;
    if pieces.iter().any(inside) {
        pieces.retain(|p| inside(p));
    }
    let repeated_pieces = repeated_pieces(&pieces);
    let mut keep = repeated_pieces.into_iter().map(|s| !s);
    pieces.retain(|_| keep.next().unwrap_or(true));
    let mut keep = copied_page(&pieces).into_iter().map(|c| !c);
    pieces.retain(|_| keep.next().unwrap_or(true));
    pieces
}

/// For each piece whether it prints the text of a neighbour again, a little aside.
fn repeated_pieces(pieces: &[Piece]) -> Vec<bool> {
    const REACH: usize = 24;
    let mut marks = vec![false; pieces.len()];
    for i in 0..pieces.len() {
        let a = &pieces[i];
        if marks[i] || a.chars < 2 {
            continue;
        }
        for j in i + 1..(i + REACH).min(pieces.len()) {
            let b = &pieces[j];
            if b.y - a.y > 0.7 * a.size {
                break;
            }
            marks[j] |= (b.x0 - a.x0).abs() < 0.7 * a.size && b.text == a.text;
        }
    }
    marks
}

/// Marks the pieces of a copy of the page: they follow each other in the page's content.
fn copied_page(pieces: &[Piece]) -> Vec<bool> {
    // A smaller copy has other spaces: letters alone are compared.
    let keys: Vec<String> = pieces
        .iter()
        .map(|p| {
            p.text
                .chars()
                .filter(|c| p.chars >= LONG && c.is_alphanumeric())
                .collect()
        })
        .collect();
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (p, key) in pieces.iter().zip(&keys).filter(|(_, key)| !key.is_empty()) {
        let order = first.entry(key).or_insert(p.order);
        *order = p.order.min(*order);
    }
    let copied: Vec<bool> = pieces
        .iter()
        .zip(&keys)
        .map(|(p, key)| first.get(key.as_str()).is_some_and(|order| *order < p.order))
        .collect();
    let again = || {
        pieces
            .iter()
            .zip(&copied)
            .filter(|(_, c)| **c)
            .map(|(p, _)| p.order)
    };
    let (Some(start), Some(end)) = (again().min(), again().max()) else {
        return copied;
    };
    // Text of its own between copies: then only the lines themselves are copies.
    let own = pieces
        .iter()
        .zip(&copied)
        .filter(|(p, c)| !**c && p.chars >= LONG && (start..=end).contains(&p.order))
        .count();
    let count = again().count();
    if count < COPY || own * 3 > count {
        return if count < COPY {
            vec![false; pieces.len()]
        } else {
            copied
        };
    }
    pieces
        .iter()
        .zip(&copied)
        .map(|(p, c)| *c || (start..=end).contains(&p.order))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_a_page_go_with_their_short_lines() {
        let line = |i: usize| format!("line number {i} of a page that was left inside the page");
        let mut pieces: Vec<Piece> = Vec::new();
        for i in 0..6 {
            pieces.push(Piece::plain(&line(i), 50.0, 100.0 + 12.0 * i as f32, i));
            pieces.push(Piece::plain(&line(i), 90.0, 95.0 + 10.0 * i as f32, 10 + i));
        }
        pieces.push(Piece::plain("end", 50.0, 200.0, 7));
        pieces.push(Piece::plain("end", 90.0, 160.0, 12));
        pieces.push(Piece::plain("off the page", 50.0, -300.0, 8));
        pieces.sort_by(|a, b| a.y.total_cmp(&b.y));
        let kept = without_copies(pieces, (600.0, 800.0));
        assert_eq!(kept.len(), 7, "{kept:?}");
        assert!(kept.iter().all(|p| p.order < 10));
    }

    #[test]
    fn cells_that_repeat_are_no_copies() {
        let pieces: Vec<Piece> = (0..8)
            .map(|i| Piece::plain("yes", 50.0, 100.0 + 12.0 * i as f32, i))
            .collect();
        assert_eq!(without_copies(pieces, (600.0, 800.0)).len(), 8);
    }
}
