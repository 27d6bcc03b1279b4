//! What a page prints beside its text: running heads and feet, page numbers, ornaments, text outside the page, and text
//! printed twice in one place (bold type, shadows). What stands twice in two places is text, as in questionnaires.

use super::PageLayer;
use super::piece::Piece;
use crate::measure::{median, tally};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Running heads stand in this part of the page's height, at the top and at the bottom.
const ZONE: f32 = 0.13;

/// Drops single capitals that stand alone on the first page in a font that is hardly used elsewhere: letters inside
/// emblems. A drop capital is much larger than the text, and touches it.
pub(crate) fn drop_ornaments(layers: &mut [PageLayer]) {
    let pieces = || layers.iter().flat_map(|l| &l.pieces);
    let fonts = tally(pieces().map(|p| (p.font, p.chars)));
    let all: usize = fonts.values().sum();
    let first = layers.iter().map(|l| l.page).min();
    let Some(usual) = median(pieces().map(|p| p.size)).filter(|_| pieces().count() >= 20) else {
        return;
    };
    for layer in layers.iter_mut().filter(|l| Some(l.page) == first) {
        let pieces = &layer.pieces;
        let alone = |p: &Piece| {
            pieces.iter().all(|q| {
                let apart = q.x0 - p.x1 > 1.5 * p.size || p.x0 - q.x1 > 1.5 * p.size;
                std::ptr::eq(p, q) || (q.y - p.y).abs() > p.size || apart
            })
        };
        let drop: Vec<bool> = pieces
            .iter()
            .map(|p| {
                let letter = p.chars == 1 && p.text.starts_with(char::is_uppercase);
                let rare = fonts.get(&p.font).is_some_and(|n| n * 50 < all);
                letter && rare && p.size < 1.6 * usual && alone(p)
            })
            .collect();
        let mut drop = drop.into_iter();
        layer.pieces.retain(|_| !drop.next().unwrap_or(false));
    }
}

/// Takes the running heads, running feet and page numbers out of the pages. What was taken is returned as page and
/// text: journals print their year and DOI there.
pub(crate) fn extract_running_heads(layers: &mut [PageLayer]) -> Vec<(u32, String)> {
    let pages = layers.iter().map(|l| l.page).collect::<BTreeSet<_>>().len();
    let mut places: BTreeMap<(String, bool), Vec<RunningPlace>> = BTreeMap::new();
    let mut marks: Vec<Vec<bool>> = layers.iter().map(|l| vec![false; l.pieces.len()]).collect();
    for (at, layer) in layers.iter().enumerate() {
        let first = layer.pieces.first().map_or(0.0, |p| p.y);
        let last = layer.pieces.iter().map(|p| p.y).fold(f32::MIN, f32::max);
        for (i, piece) in layer.pieces.iter().enumerate() {
            let Some(top) = in_head_or_foot(piece, layer.size.1, first, last) else {
                continue;
            };
            let outermost = if top {
                piece.y - first < 2.5 * piece.size
            } else {
                last - piece.y < 2.5 * piece.size
            };
            // A number at the end of the text may be the last cell of a table: a page number stands alone there.
            let edge = piece.y < 0.08 * layer.size.1 || piece.y > 0.92 * layer.size.1;
            let alone = |l: &PageLayer| {
                l.pieces
                    .iter()
                    .filter(|p| (p.y - piece.y).abs() < 0.5 * piece.size)
                    .count()
                    == 1
            };
            if outermost && is_page_number(&piece.text) && (edge || alone(layer)) {
                marks[at][i] = true;
                continue;
            }
            let place = RunningPlace {
                page: layer.page,
                y: piece.y,
                layer: at,
                piece: i,
            };
            places.entry((fold(&piece.text), top)).or_default().push(place);
        }
    }
    let needed = if pages <= 3 { 2 } else { 3.min(pages / 2) };
    for ((text, _), seen) in &places {
        let mut on: Vec<u32> = seen.iter().map(|s| s.page).collect();
        on.dedup();
        if text.is_empty() || on.len() < needed {
            continue;
        }
        // The same words at the same height: a heading that repeats moves about.
        let mut heights: Vec<f32> = seen.iter().map(|s| s.y).collect();
        heights.sort_by(f32::total_cmp);
        for place in seen {
            let near = heights.partition_point(|h| *h < place.y + 4.0)
                - heights.partition_point(|h| *h < place.y - 4.0);
            if near >= 2 {
                marks[place.layer][place.piece] = true;
            }
        }
    }
    // Of a document of little but repeated lines these are the text.
    let chars = |taken: bool| -> usize {
        let pieces = layers
            .iter()
            .zip(&marks)
            .flat_map(|(l, m)| l.pieces.iter().zip(m));
        pieces.filter(|(_, m)| **m == taken).map(|(p, _)| p.chars).sum()
    };
    if chars(true) >= 4 * chars(false) {
        return Vec::new();
    }
    let mut taken = Vec::new();
    for (layer, marks) in layers.iter_mut().zip(marks) {
        let mut marks = marks.into_iter();
        layer.pieces.retain(|p| {
            let out = marks.next().unwrap_or(false);
            if out {
                taken.push((layer.page, p.text.clone()));
            }
            !out
        });
    }
    taken
}

struct RunningPlace {
    page: u32,
    y: f32,
    layer: usize,
    piece: usize,
}

/// Whether a piece stands in the zone of heads (`true`) or feet (`false`); `first` and `last` are the baselines at
/// the ends of the page's text.
fn in_head_or_foot(piece: &Piece, height: f32, first: f32, last: f32) -> Option<bool> {
    if piece.y < height * ZONE || piece.y - first < 1.5 * piece.size {
        Some(true)
    } else if piece.y > height * (1.0 - ZONE) || last - piece.y < 1.5 * piece.size {
        Some(false)
    } else {
        None
    }
}

/// Letters only, so that the page number inside a running head does not tell heads apart; empty for texts that
/// hold too few letters to be known again.
fn fold(text: &str) -> String {
    let out: String = text
        .chars()
        .filter(|c| c.is_alphabetic())
        .flat_map(char::to_lowercase)
        .collect();
    if out.chars().count() < 2 {
        String::new()
    } else {
        out
    }
}

/// "7", "- 7 -", "Page 7 of 12", "e1002", "xii".
fn is_page_number(text: &str) -> bool {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        let n = "[0-9]{1,7}";
        let forms =
            format!(r"[es]?{n}|(?:page|p\.)\s+{n}|(?:page\s+)?{n}\s+of\s+{n}|{n}\s+[/|]\s+{n}|[ivx]{{1,5}}");
        Regex::new(&format!("^(?:{forms})$")).expect("the pattern is valid")
    });
    let lower = text.to_lowercase();
    NUMBER.is_match(lower.trim_matches(|c: char| !c.is_alphanumeric()))
}

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
