//! Text that a page prints twice in one place: bold made by printing twice, shadows. What stands twice in two places
//! is text, as in questionnaires.

use super::piece::Piece;

/// Drops what stands outside the page.
pub(crate) fn inside_page(mut pieces: Vec<Piece>, (width, height): (f32, f32)) -> Vec<Piece> {
    // A little outside is common: boxes of pages are cut tight.
    let slack = 0.02 * height.max(width);
    let inside = |p: &Piece| p.y > -slack && p.y < height + slack && p.x1 > -slack && p.x0 < width + slack;
    if pieces.iter().any(inside) {
        pieces.retain(|p| inside(p));
    }
    pieces
}

/// Drops overprints. `pieces` are sorted from top to bottom.
pub(crate) fn without_copies(mut pieces: Vec<Piece>) -> Vec<Piece> {
    let mut keep = repeated_pieces(&pieces).into_iter().map(|again| !again);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_in_one_place_is_a_copy() {
        let line = |i: usize| format!("how often did cramp number {} wake you", i % 2);
        let y = |i: usize| 100.0 + 12.0 * i as f32;
        let mut pieces: Vec<Piece> = (0..10).map(|i| Piece::plain(&line(i), 50.0, y(i), i)).collect();
        let cells = [50.0, 90.0].map(|x| Piece::plain("yes", x, 300.0, 30));
        pieces.extend(cells);
        assert_eq!(without_copies(pieces.clone()).len(), 12);
        pieces.extend((0..10).map(|i| Piece::plain(&line(i), 51.0, y(i) + 1.0, 40 + i)));
        pieces.push(Piece::plain("off the page", 50.0, -300.0, 80));
        pieces.sort_by(|a, b| a.y.total_cmp(&b.y));
        let kept = without_copies(inside_page(pieces, (600.0, 800.0)));
        assert_eq!(kept.len(), 12, "{kept:?}");
        assert!(kept.iter().all(|p| p.order < 40));
    }
}
