//! Scripts that run from right to left.
//!
//! A file may hold their letters in the order of speech or in the order of the page; only the positions show which. So each
//! row is sorted by place as read, which leaves files of both kinds in the order of speech.

use crate::glyph::{Affine, Glyph, Layer};
use crate::measure::{extent, grouped};
use std::collections::BTreeMap;

/// Two characters stand on one row when their baselines differ by no more than this share of their size.
const ROW: f32 = 0.25;
/// What stands further apart, in sizes, does not belong to one number or word.
const APART: f32 = 1.0;

/// Puts every row that holds letters of such a script into the order of speech, from left to right.
pub(super) fn to_logical(layer: &mut Layer) {
    let count = |class| layer.glyphs.iter().filter(|g| class_of(g.ch) == class).count();
    let (right, left) = (count(Class::Right), count(Class::Left));
    if right == 0 {
        return;
    }
    let shapes = share_boxes(&mut layer.glyphs);
    let mirrored = right > left;
    if mirrored {
        for g in &mut layer.glyphs {
            (g.x0, g.x1) = (layer.width - g.x1, layer.width - g.x0);
        }
        layer.to_page = Affine([-1.0, 0.0, 0.0, 1.0, layer.width, 0.0]).then(layer.to_page);
    }
    let (towards, against) = if mirrored { (Class::Right, Class::Left) } else { (Class::Left, Class::Right) };
    let mut out = Vec::with_capacity(layer.glyphs.len());
    for row in rows(&layer.glyphs) {
        let all = row.iter().map(|i| layer.glyphs[*i]);
        if !all.clone().any(|g| class_of(g.ch) == Class::Right) && !mirrored {
            out.extend(all);
            continue;
        }
        let mut row = sorted(&layer.glyphs, &shapes, mirrored, row);
        let is_against = |c| c == against || mirrored && c == Class::Digit;
        reverse_embedded_runs(&mut row, is_against, towards);
        if !mirrored {
            reverse_embedded_runs(&mut row, |c| c == Class::Digit, Class::Left);
        }
        out.extend(row.into_iter().map(|p| p.glyph));
    }
    layer.glyphs = out;
}

/// Whether a character is a letter that runs from right to left.
pub(super) fn is_right(c: char) -> bool {
    class_of(c) == Class::Right
}

/// Which way a character runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Left,
    Right,
    /// Digits run from left to right in every script.
    Digit,
    /// A mark over or under a letter.
    Mark,
    Neutral,
}

fn class_of(c: char) -> Class {
    match c {
        '0'..='9' | '\u{660}'..='\u{669}' | '\u{6F0}'..='\u{6F9}' => Class::Digit,
        '\u{300}'..='\u{36F}'
        | '\u{591}'..='\u{5C7}'
        | '\u{610}'..='\u{61A}'
        | '\u{64B}'..='\u{65F}'
        | '\u{670}'
        | '\u{6D6}'..='\u{6ED}' => Class::Mark,
        '\u{60C}' | '\u{61B}' | '\u{61F}' => Class::Neutral,
        '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' => Class::Right,
        c if c.is_alphabetic() => Class::Left,
        _ => Class::Neutral,
    }
}

/// The letters of a ligature all come with one box, of which the first takes all and the others nothing: here they
/// share it, the first one at the right.
///
/// Returns for each character the number of the first one of its shape: its own where it stands alone.
fn share_boxes(glyphs: &mut [Glyph]) -> Vec<usize> {
    let mut shapes: Vec<usize> = (0..glyphs.len()).collect();
    let mut start = 0;
    while start < glyphs.len() {
        let first = glyphs[start];
        let with_first = |g: &Glyph| {
            (g.x1 - g.x0).abs() < 0.01 && (g.x1 - first.x1).abs() < 0.01 && (g.y - first.y).abs() < 0.01
        };
        let more = glyphs[start + 1..].iter().take_while(|g| with_first(g)).count();
        let range = start..start + more + 1;
        let cluster = &mut glyphs[range.clone()];
        if more > 0 && cluster.iter().any(|g| class_of(g.ch) == Class::Right) {
            if is_reversed(cluster) {
                let backwards: Vec<char> = cluster.iter().rev().map(|g| g.ch).collect();
                cluster.iter_mut().zip(backwards).for_each(|(g, ch)| g.ch = ch);
            }
            share(cluster, first.x0, first.x1);
            shapes[range].fill(start);
        }
        start += more + 1;
    }
    shapes
}

/// PDFium turns round the letters that a file names for one shape, unless it knows the shape itself: those are
/// ligatures of two or three letters.
fn is_reversed(cluster: &[Glyph]) -> bool {
    let alef = |c: char| matches!(c, '\u{622}' | '\u{623}' | '\u{625}' | '\u{627}' | '\u{671}');
    match cluster {
        // Alef never joins the letter behind it: lam and alef do, in this order.
        [a, b] if alef(a.ch) && b.ch == '\u{644}' => true,
        [a, ..] if class_of(a.ch) == Class::Mark => true,
        _ => cluster.len() > 3,
    }
}

/// Divides the room from `left` to `right` among letters, the first one at the right; marks stand over theirs.
fn share(cluster: &mut [Glyph], left: f32, right: f32) {
    let letters = cluster.iter().filter(|g| class_of(g.ch) != Class::Mark).count();
    let width = (right - left) / letters.max(1) as f32;
    let mut end = right;
    for g in cluster {
        if class_of(g.ch) == Class::Mark {
            // Left of the middle of its letter: behind it, as it is read.
            let at = (end + width / 4.0).min(right);
            (g.x0, g.x1) = (at, at);
        } else {
            (g.x0, g.x1) = (end - width, end);
            end -= width;
        }
    }
}

/// Rows of characters on one baseline, each in the order of the content, the rows in that of their first
/// characters.
fn rows(glyphs: &[Glyph]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..glyphs.len()).collect();
    order.sort_by(|a, b| glyphs[*a].y.total_cmp(&glyphs[*b].y).then(a.cmp(b)));
    let mut rows = grouped(order, |first, i| glyphs[*i].y - glyphs[*first].y <= ROW * glyphs[*i].size);
    for row in &mut rows {
        row.sort_unstable();
    }
    rows.sort_unstable_by_key(|row| row.first().copied());
    rows
}

/// A character and its place in the content.
#[derive(Debug, Clone, Copy)]
struct PlacedGlyph {
    glyph: Glyph,
    at: usize,
}

/// A row by place, letters of one shape together, marks behind the letters that they stand over, spaces where the
/// content has them.
fn sorted(glyphs: &[Glyph], shapes: &[usize], mirrored: bool, mut row: Vec<usize>) -> Vec<PlacedGlyph> {
    let middle = |i: &usize| f32::midpoint(glyphs[*i].x0, glyphs[*i].x1);
    let shared = |i: usize| shapes[i] != i || shapes.get(i + 1) == Some(&i);
    let free = |i: &usize| class_of(glyphs[*i].ch) == Class::Mark && !shared(*i);
    let marks: Vec<usize> = row.iter().copied().filter(free).collect();
    row.retain(|i| !free(i));
    // A shape counts by the middle of all its letters.
    let mut boxes: BTreeMap<usize, (f32, f32)> = BTreeMap::new();
    for i in &row {
        let (low, high) = boxes.entry(shapes[*i]).or_insert((f32::MAX, f32::MIN));
        (*low, *high) = (low.min(glyphs[*i].x0), high.max(glyphs[*i].x1));
    }
    let place = |i: &usize| boxes.get(&shapes[*i]).map_or(0.0, |(l, h)| f32::midpoint(*l, *h));
    row.sort_by(|a, b| {
        let own = || middle(a).total_cmp(&middle(b)).then(a.cmp(b));
        place(a).total_cmp(&place(b)).then(shapes[*a].cmp(&shapes[*b])).then_with(own)
    });
    let mut out: Vec<PlacedGlyph> = row.iter().map(|i| PlacedGlyph { glyph: glyphs[*i], at: *i }).collect();
    restore_spaces(&mut out, glyphs);
    // Each mark goes to the letter whose middle is nearest; of two marks the later one first, so that the order of
    // the content is kept when each is put directly behind its letter.
    let mut hosts: Vec<(usize, usize)> = marks
        .iter()
        .map(|m| {
            let after = row.partition_point(|i| middle(i) < middle(m));
            let near = [after.checked_sub(1), Some(after).filter(|a| *a < row.len())];
            let host = near.into_iter().flatten().min_by(|a, b| {
                let distance = |at: &usize| (middle(&row[*at]) - middle(m)).abs();
                distance(a).total_cmp(&distance(b)).then(a.cmp(b))
            });
            // Where the row is still to be turned round there, the mark has to stand before its letter.
            let behind = |h: usize| mirrored || class_of(glyphs[row[h]].ch) != Class::Right;
            (host.map_or(0, |h| h + usize::from(behind(h))), *m)
        })
        .collect();
    hosts.sort_unstable();
    for (at, mark) in hosts.into_iter().rev() {
        let end = at.checked_sub(1).and_then(|h| out.get(h)).map(|p| p.glyph.x1);
        let mut glyph = glyphs[mark];
        if let Some(end) = end {
            // It takes no room of its own.
            (glyph.x0, glyph.x1, glyph.spaced) = (end, end, false);
        }
        out.insert(at.min(out.len()), PlacedGlyph { glyph, at: mark });
    }
    out
}

/// Sets the spaces between neighbours again: one stands between two characters when the content has it there,
/// whichever of them comes first.
fn restore_spaces(row: &mut [PlacedGlyph], glyphs: &[Glyph]) {
    for i in 0..row.len() {
        let at = row[i].at;
        row[i].glyph.spaced = match i.checked_sub(1).map(|b| row[b].at) {
            Some(before) if before + 1 == at => glyphs[at].spaced,
            Some(before) if at + 1 == before => glyphs[before].spaced,
            // Elsewhere the gap decides.
            _ => false,
        };
    }
}

/// Reverses, each in its place, the stretches that run in the other direction: from one character that `is_against` to
/// the last before one that runs `towards`, as long as nothing stands far apart.
fn reverse_embedded_runs(row: &mut [PlacedGlyph], is_against: impl Fn(Class) -> bool, towards: Class) {
    let mut start = 0;
    while start < row.len() {
        if !is_against(class_of(row[start].glyph.ch)) {
            start += 1;
            continue;
        }
        let mut end = start + 1;
        for i in start + 1..row.len() {
            let (before, g) = (row[i - 1].glyph, row[i].glyph);
            let class = class_of(g.ch);
            if class == towards || g.x0 - before.x1 > APART * g.size.max(before.size) {
                break;
            }
            if is_against(class) || class == Class::Mark {
                end = i + 1;
            }
        }
        let stretch = &mut row[start..end];
        let (low, high) = extent(stretch.iter().map(|p| (p.glyph.x0, p.glyph.x1)));
        // A space before a character stands behind it once the stretch is turned.
        let mut spaced: Vec<bool> = stretch.iter().map(|p| p.glyph.spaced).collect();
        spaced[1..].reverse();
        stretch.reverse();
        for (placed, spaced) in stretch.iter_mut().zip(spaced) {
            let g = &mut placed.glyph;
            (g.x0, g.x1, g.spaced) = (low + high - g.x1, low + high - g.x0, spaced);
        }
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{layer, read};
    use super::*;
    use proptest::prelude::*;

    /// Sets characters from left to right as they are printed, and gives them in the order `content` of the file.
    fn printed(text: &str, backwards: bool) -> Layer {
        let place = |(i, c): (usize, char)| (c, 50.0 + 5.0 * i as f32, 100.0);
        let mut chars: Vec<(char, f32, f32)> = text.chars().enumerate().map(place).collect();
        if backwards {
            chars.reverse();
        }
        let mut layer = layer(&chars);
        // Spaces are no characters of a page; they mark the one behind them in the content.
        let mut spaced = false;
        layer.glyphs.retain_mut(|g| {
            let blank = g.ch == ' ';
            g.spaced = !blank && std::mem::take(&mut spaced);
            spaced |= blank;
            !blank
        });
        layer
    }

    #[test]
    fn rows_are_read_in_the_order_of_speech() {
        let check = |shown: &str, want: &str| {
            for backwards in [false, true] {
                let mut page = printed(shown, backwards);
                to_logical(&mut page);
                assert_eq!(read(&page), want, "{shown:?}, content backwards: {backwards}");
            }
        };
        // As printed, from the left edge of the page to the right one.
        check("ةيبرعلا طوطخلا", "الخطوط العربية");
        check("םולש", "שלום");
        // Numbers and Latin words keep their own direction.
        check("2024 ماع", "عام 2024");
        check("ماع 2024", "2024 عام");
        check("ةيبرعلا ةغللا PDF file ةيبرعلا", "العربية PDF file اللغة العربية");
        check("the word ةيبرع is one", "the word عربية is one");
        check("taken from ةيبرع ةغل on", "taken from لغة عربية on");
    }

    #[test]
    fn marks_follow_their_letters() {
        // ha, fatha over it, ba, ya, ba, ya.
        let chars = [
            ('ي', 50.0, 100.0),
            ('ب', 55.0, 100.0),
            ('ي', 60.0, 100.0),
            ('ب', 65.0, 100.0),
            ('\u{64E}', 70.5, 100.0),
            ('ح', 70.0, 100.0),
        ];
        let mut page = layer(&chars);
        to_logical(&mut page);
        assert_eq!(read(&page), "ح\u{64E}بيبي");
        let mut backwards = chars;
        backwards.reverse();
        let mut page = layer(&backwards);
        to_logical(&mut page);
        assert_eq!(read(&page), "ح\u{64E}بيبي");
        // In a line of Latin letters.
        let latin = "habibi".chars().enumerate().map(|(i, c)| (c, 10.0 + 5.0 * i as f32, 100.0));
        let mut page = layer(&latin.chain(chars).collect::<Vec<_>>());
        to_logical(&mut page);
        assert_eq!(read(&page), "habibi ح\u{64E}بيبي");
    }

    #[test]
    fn letters_of_a_ligature_share_its_box() {
        let check = |content: &str, want: &str| {
            let mut page = layer(&content.chars().map(|c| (c, 50.0, 100.0)).collect::<Vec<_>>());
            for g in page.glyphs.iter_mut().skip(1) {
                g.x0 = g.x1;
            }
            to_logical(&mut page);
            assert_eq!(read(&page), want, "{content}");
            assert!(page.glyphs.iter().all(|g| g.x1 - g.x0 < 4.0), "{page:?}");
        };
        check("لخ", "لخ");
        check("لا", "لا");
        check("ال", "لا");
        check("يبيب\u{64E}ح", "ح\u{64E}بيبي");
        let mut mixed = layer(&[
            ('a', 10.0, 100.0),
            ('b', 15.0, 100.0),
            ('c', 20.0, 100.0),
            ('ا', 30.0, 100.0),
            ('ل', 35.0, 100.0),
        ]);
        mixed.glyphs[3].x1 = 35.0;
        mixed.glyphs[4].x1 = 35.0;
        to_logical(&mut mixed);
        assert_eq!(read(&mixed), "abc لا");
    }

    #[test]
    fn pages_without_such_letters_stay_as_they_are() {
        let mut page = printed("Results 12 (a)", true);
        let before = page.clone();
        to_logical(&mut page);
        assert_eq!(page, before);
    }

    proptest! {
        #[test]
        fn no_character_is_lost(chars in proptest::collection::vec(
            (proptest::sample::select("ابج٣5aZ.\u{64E}(é".chars().collect::<Vec<_>>()), -50f32..250.0, 0f32..40.0), 0..60)) {
            let mut page = layer(&chars);
            to_logical(&mut page);
            let mut got: Vec<char> = page.glyphs.iter().map(|g| g.ch).collect();
            let mut want: Vec<char> = chars.iter().map(|c| c.0).collect();
            got.sort_unstable();
            want.sort_unstable();
            prop_assert_eq!(got, want);
            prop_assert!(page.glyphs.iter().all(|g| g.x0.is_finite() && g.x1 >= g.x0 - 0.01));
        }
    }
}
