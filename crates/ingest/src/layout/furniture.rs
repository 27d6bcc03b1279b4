//! What a page prints beside its text: running heads and feet, page numbers, ornaments, text outside the page, and text
//! printed twice in one place (bold type, shadows). What stands twice in two places is text, as in questionnaires.

use super::PageLayer;
use super::piece::Piece;
use crate::measure::{median, tally};
use crate::structure::names;
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

/// Joins an initial that is set over several lines with the first of the lines beside it, and moves these to its left edge.
pub(crate) fn join_initials(pieces: &mut Vec<Piece>) {
    let Some(usual) = median(pieces.iter().map(|p| p.size)) else {
        return;
    };
    let is_initial =
        |p: &Piece| p.chars == 1 && p.size > 1.7 * usual && p.text.trim().starts_with(char::is_uppercase);
    let mut at = 0;
    while at < pieces.len() {
        if !is_initial(&pieces[at]) {
            at += 1;
            continue;
        }
        let initial = pieces[at].clone();
        let beside: Vec<usize> =
            (0..pieces.len()).filter(|&i| i != at && stands_beside(&initial, &pieces[i])).collect();
        let top = beside.iter().copied().min_by(|a, b| pieces[*a].y.total_cmp(&pieces[*b].y));
        let goes_on = |i: &usize| pieces[*i].text.starts_with(char::is_alphabetic);
        let Some(first) = top.filter(|first| beside.len() > 1 && goes_on(first)) else {
            at += 1;
            continue;
        };
        let mut letter = initial.text.trim().to_owned();
        if is_word_alone(&letter, &pieces[first].text, pieces) {
            letter.push(' ');
        }
        for i in beside {
            pieces[i].x0 = initial.x0;
        }
        let line = &mut pieces[first];
        line.text.insert_str(0, &letter);
        line.raised
            .iter_mut()
            .for_each(|(from, to)| (*from, *to) = (*from + letter.len(), *to + letter.len()));
        for lead in [&mut line.lead_bold, &mut line.lead_italic] {
            *lead += if *lead > 0 { letter.len() } else { 0 };
        }
        (line.chars, line.letters, line.order) =
            (line.chars + 1, line.letters + 1, line.order.min(initial.order));
        pieces.remove(at);
    }
}

/// Whether a piece is on one of the lines that an initial covers, right behind it.
fn stands_beside(initial: &Piece, piece: &Piece) -> bool {
    let covered = piece.y > initial.y - 0.85 * initial.size && piece.y < initial.y + 0.3 * piece.size;
    let behind = piece.x0 > initial.x1 - 0.2 * initial.size && piece.x0 < initial.x1 + 0.7 * initial.size;
    piece.size < 0.75 * initial.size && covered && behind
}

/// Whether an initial is a word of its own ("A trial"), by the other words of the page.
fn is_word_alone(letter: &str, rest: &str, pieces: &[Piece]) -> bool {
    let rest = rest.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    let whole = format!("{letter}{rest}").to_lowercase();
    let occurs = |word: &str| {
        let words =
            |p: &Piece| p.text.to_lowercase().split(|c: char| !c.is_alphabetic()).skip(1).any(|w| w == word);
        pieces.iter().any(words)
    };
    matches!(letter, "A" | "I")
        && !text::is_stop_word(&whole)
        && !occurs(&whole)
        && (text::is_stop_word(&rest) || occurs(&rest))
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
            let outermost =
                if top { piece.y - first < 2.5 * piece.size } else { last - piece.y < 2.5 * piece.size };
            // A number at the end of the text may be the last cell of a table: a page number stands alone there.
            let edge = piece.y < 0.08 * layer.size.1 || piece.y > 0.92 * layer.size.1;
            let alone = |l: &PageLayer| {
                l.pieces.iter().filter(|p| (p.y - piece.y).abs() < 0.5 * piece.size).count() == 1
            };
            if outermost && is_page_number(&piece.text) && (edge || alone(layer)) {
                marks[at][i] = true;
                continue;
            }
            let place = RunningPlace { page: layer.page, y: piece.y, layer: at, piece: i };
            places.entry((fold(&piece.text), top)).or_default().push(place);
        }
    }
    let needed = if pages <= 3 { 2 } else { 3.min(pages / 2) };
    let mut repeated = marks.clone();
    for ((text, _), seen) in &places {
        let on: BTreeSet<u32> = seen.iter().map(|s| s.page).collect();
        for place in seen.iter().filter(|_| !text.is_empty() && on.len() >= needed) {
            repeated[place.layer][place.piece] = true;
        }
    }
    for ((text, _), seen) in &places {
        let mut on: Vec<u32> = seen.iter().map(|s| s.page).collect();
        on.dedup();
        if text.is_empty() || on.len() < needed {
            continue;
        }
        // The same words at the same height: a heading that repeats moves about.
        let mut heights: Vec<f32> = seen.iter().map(|s| s.y).collect();
        heights.sort_by(f32::total_cmp);
        let rare = on.len() * 2 < pages;
        for place in seen {
            // In a file of several papers, lines of their text may stand at one place.
            if rare && is_text(&layers[place.layer], place.piece, &repeated[place.layer]) {
                continue;
            }
            let near = heights.partition_point(|h| *h < place.y + 4.0)
                - heights.partition_point(|h| *h < place.y - 4.0);
            if near >= 2 {
                marks[place.layer][place.piece] = true;
            }
        }
    }
    // Of a document of little but repeated lines these are the text.
    let chars = |taken: bool| -> usize {
        let pieces = layers.iter().zip(&marks).flat_map(|(l, m)| l.pieces.iter().zip(m));
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

/// Whether a piece is a part of the text: another line of its size follows it as lines do, or it is the heading of a section.
/// `repeated` are page numbers and what stands on several pages.
fn is_text(layer: &PageLayer, at: usize, repeated: &[bool]) -> bool {
    let piece = &layer.pieces[at];
    let goes_on = |(i, other): (usize, &Piece)| {
        let (apart, same) = ((other.y - piece.y).abs(), (other.size - piece.size).abs() < 0.05 * piece.size);
        !repeated[i]
            && same
            && apart > 0.5 * piece.size
            && apart < 1.45 * piece.size
            && other.x0 < piece.x1
            && piece.x0 < other.x1
    };
    names::is_main(&piece.text) || layer.pieces.iter().enumerate().any(goes_on)
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
    let out: String = text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
    if out.chars().count() < 2 { String::new() } else { out }
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

    #[test]
    fn initials_begin_the_first_line_beside_them() {
        let joined = |letter: &str, first: &str| {
            let mut initial = Piece::plain(letter, 50.0, 124.0, 0);
            (initial.size, initial.x1) = (36.0, 74.0);
            let mut pieces = vec![initial];
            for (at, (text, x)) in [
                (first, 76.0),
                ("on how soon they eat.", 76.0),
                ("A trial of pups", 76.0),
                ("ends here.", 50.0),
            ]
            .into_iter()
            .enumerate()
            {
                pieces.push(Piece::plain(text, x, 100.0 + 12.0 * at as f32, at + 1));
            }
            join_initials(&mut pieces);
            assert!(pieces.iter().all(|piece| piece.x0 < 51.0), "{pieces:?}");
            (pieces.len(), pieces[0].text.clone())
        };
        assert_eq!(joined("T", "he recovery depends"), (4, "The recovery depends".to_owned()));
        assert_eq!(joined("A", "ll pups depend"), (4, "All pups depend".to_owned()));
        assert_eq!(joined("A", "trial of food"), (4, "A trial of food".to_owned()));
    }

    #[test]
    fn lines_of_text_at_one_place_are_no_running_feet() {
        let page = |number: u32| {
            let last = match number {
                2 | 4 => "site. The weather was mild.".to_owned(),
                other => format!(
                    "and {} more of them.",
                    ["no", "two", "ten", "few", "many", "most"][other as usize]
                ),
            };
            let text = |at: usize| {
                format!("Group {} counted {} brooks.", "a".repeat(number as usize), "b".repeat(at + 1))
            };
            let mut pieces: Vec<Piece> =
                (0..30).map(|at| Piece::plain(&text(at), 50.0, 188.0 + 12.0 * at as f32, at)).collect();
            pieces.push(Piece::plain(&last, 50.0, 548.0, 30));
            pieces.push(Piece::plain("Journal of Brooks", 50.0, 575.0, 31));
            PageLayer { page: number, size: (400.0, 600.0), pieces }
        };
        let mut layers: Vec<PageLayer> = (1..=5).map(page).collect();
        let taken = extract_running_heads(&mut layers);
        let taken: BTreeSet<&str> = taken.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(taken, BTreeSet::from(["Journal of Brooks"]));
    }
}
