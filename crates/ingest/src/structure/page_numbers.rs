//! The numbers printed in the heads and feet of pages. One number proves nothing: a series that counts up with the pages
//! does.

use crate::layout::line::Line;
use std::collections::{BTreeMap, BTreeSet};
use text::Pattern;
use types::PageNumbers;

/// Pages that must show a series.
const LEAST: usize = 3;
/// Pages in a row that may lack their number: full pages of figures.
const LACKING: u32 = 3;

/// A number where pages bear theirs: at either end of a text, behind "Page", before "of 12".
static PLACE: Pattern = Pattern::new(
    r"(?ix) ^\W*([a-z]?)(\d{1,6})\b | \b(?:pages?|pg|p)\b\.?\s*([a-z]?)(\d{1,6})\b
        | \b()(\d{1,6})\s*(?:of|/|\|)\s*\d+\W*$ | \b([a-z]?)(\d{1,6})\W*$",
);
/// A number that is on no page by chance.
static NUMBER: Pattern = Pattern::new(r"\d{3,6}");

/// The longest series of printed numbers; nothing where fewer than three pages show one.
pub(super) fn read(lines: &[Line], running: &[(u32, String)]) -> Option<PageNumbers> {
    let at_edge = |l: &&Line| l.y < 0.1 * l.page_height || l.y > 0.9 * l.page_height;
    // A longer line at the foot may be a note, and notes are numbered too.
    let edges = lines.iter().filter(at_edge).filter(|l| l.words() <= 3);
    let edges = edges.map(|l| (l.page, l.text.as_str()));
    let mut series: BTreeMap<(String, i64), BTreeSet<u32>> = BTreeMap::new();
    let heads = running.iter().map(|(page, text)| (*page, text.as_str()));
    for (page, text) in heads.clone().chain(edges) {
        for found in PLACE.captures_iter(text) {
            let mut groups = found.iter().skip(1).flatten().map(|group| group.as_str());
            let (Some(prefix), Some(number)) = (groups.next(), groups.next()) else {
                continue;
            };
            let prefix = if prefix.eq_ignore_ascii_case("p") { "" } else { prefix };
            let number: i64 = number.parse().unwrap_or_default();
            let key = (prefix.to_owned(), number - i64::from(page));
            series.entry(key).or_default().insert(page);
        }
    }
    let runs = series.iter().map(|(key, pages)| (longest(pages), key));
    let (run, (prefix, offset)) = runs.max_by_key(|((count, ..), (_, offset))| (*count, *offset))?;
    let (count, mut first, mut last) = run;
    let number_on = |page: u32| u32::try_from(i64::from(page) + offset).ok().filter(|n| *n > 0);
    // The first page may print its number in the line that cites the paper.
    let all = lines.iter().filter(|l| l.words() <= 25);
    let all: Vec<(u32, &str)> = all.map(|l| (l.page, l.text.as_str())).chain(heads).collect();
    let prints = |page: u32| {
        let mut texts = all.iter().filter(|(p, _)| *p == page);
        let wanted = number_on(page).map(|n| n.to_string());
        texts.any(|(_, text)| NUMBER.find_iter(text).any(|n| Some(n.as_str()) == wanted.as_deref()))
    };
    if prints(first - 1) {
        first -= 1;
    }
    if prints(last + 1) {
        last += 1;
    }
    (count >= LEAST).then_some(PageNumbers {
        prefix: prefix.clone(),
        range: (first, last),
        first: number_on(first)?,
    })
}

/// The longest run of pages, as count, first and last page.
fn longest(pages: &BTreeSet<u32>) -> (usize, u32, u32) {
    let (mut best, mut run) = ((0, 1, 1), (0, 1, 1));
    for page in pages {
        run = match run {
            (count, first, last) if count > 0 && page - last <= LACKING + 1 => (count + 1, first, *page),
            _ => (1, *page, *page),
        };
        best = best.max(run);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `heads` are the running heads of the pages from `page` on, `want` the range of pages and its printed numbers.
    fn check(mut page: u32, heads: &str, want: Option<((u32, u32), &str)>) {
        let mut running = Vec::new();
        for head in heads.split(';') {
            running.push((page, head.to_owned()));
            page += 1;
        }
        let found =
            read(&[], &running).map(|pages| (pages.range, format!("{}{}", pages.prefix, pages.first)));
        assert_eq!(found, want.map(|(range, first)| (range, first.to_owned())), "{heads}");
    }

    #[test]
    fn a_series_over_the_pages_gives_their_numbers() {
        check(1, "J Slime (2020) 69:811–816;812 LI;On snails 813;814 LI;;816 LI", Some(((1, 6), "811")));
        check(2, "Page 2 of 14;Page 3 of 14;Page 4 of 14", Some(((2, 4), "2")));
        check(1, "J Slime May 5, 2020 1 / 3;J Slime May 5, 2020 2 / 3;3 / 3", Some(((1, 3), "1")));
        check(2, "S45;S46;S47", Some(((2, 4), "S45")));
        check(1, "vol. 6 | e1 | p. 1;vol. 6 | e1 | p. 2;vol. 6 | e1 | p. 3", Some(((1, 3), "1")));
        // A cover before the first page bears no number.
        check(1, "12 papers;1;2;3", Some(((2, 4), "1")));
    }

    #[test]
    fn numbers_that_do_not_count_up_are_none() {
        check(2, "812;813", None);
        check(1, "J Slime 2020, 14;J Slime 2020, 14;J Slime 2020, 14", None);
        check(2, "812;99;7;;;;;819;;;;;;;;;;;;831", None);
        check(1, "", None);
    }
}
