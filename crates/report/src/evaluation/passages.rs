//! The chunks that contexts held, each once, with quotes marked in them.

use crate::page::{Line, Page};
use eval::report::Evaluation;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use text::quote::find_quote;

/// The anchor of a chunk.
pub(super) fn anchor(at: usize) -> String {
    format!("c{at}")
}

/// Every chunk that a context held, with the gold quotes of any question marked.
pub(super) fn page(evaluation: &Evaluation) -> Page {
    let mut page = Page::new();
    let Some(details) = evaluation.details.as_ref().filter(|details| !details.passages.is_empty()) else {
        return page;
    };
    let mut gold: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for path in evaluation.rows.iter().flat_map(|row| &row.gold) {
        gold.entry(path.source_id.as_str()).or_default().insert(&path.quote);
    }
    page.line(
        Line::from("Gold quotes of any question are marked ").passage("like this", false, true).text("."),
    );
    page.tally(details.without_text, "text", "left out, because they are too many for one page");
    for (at, passage) in details.passages.iter().enumerate() {
        let mut body = Page::new();
        match &passage.text {
            Some(text) => {
                let quotes = gold.get(passage.source_id.as_str()).into_iter().flatten();
                body.line(marked(text, &[], &places(text, quotes.copied()), 0..text.len()));
            }
            None => body.line("The text was left out."),
        }
        let summary = format!("{}: {}", passage.chunk_id, passage.place);
        page.folded_on_page(summary, Some(anchor(at)), body);
    }
    page
}

/// Where these quotes stand in a text.
pub(super) fn places<'a>(text: &str, quotes: impl Iterator<Item = &'a str>) -> Vec<Range<usize>> {
    quotes.filter_map(|quote| find_quote(text, quote)).flat_map(|found| found.parts).collect()
}

/// A part of a text, with the places of the answer's quotes and those of gold quotes marked; both where both are.
pub(super) fn marked(
    text: &str,
    quoted: &[Range<usize>],
    gold: &[Range<usize>],
    window: Range<usize>,
) -> Line {
    let mut cuts: Vec<usize> = quoted.iter().chain(gold).flat_map(|place| [place.start, place.end]).collect();
    cuts.extend([window.start, window.end]);
    cuts.retain(|cut| window.start <= *cut && *cut <= window.end);
    cuts.sort_unstable();
    cuts.dedup();
    let covers = |places: &[Range<usize>], part: &Range<usize>| {
        places.iter().any(|place| place.start <= part.start && part.end <= place.end)
    };
    let mut line = Line::new();
    if window.start > 0 {
        line = line.text("… ");
    }
    for pair in cuts.windows(2) {
        let part = pair[0]..pair[1];
        if let Some(words) = text.get(part.clone()) {
            line = line.passage(words, covers(quoted, &part), covers(gold, &part));
        }
    }
    if window.end < text.len() { line.text(" …") } else { line }
}

/// The places with some of the text around them, cut at spaces.
pub(super) fn around(text: &str, places: &[Range<usize>], margin: usize) -> Range<usize> {
    let start = places.iter().map(|place| place.start).min().unwrap_or(0);
    let end = places.iter().map(|place| place.end).max().unwrap_or(text.len());
    let mut from = text.floor_char_boundary(start.saturating_sub(margin));
    if from > 0 {
        from += text[from..start].find(char::is_whitespace).map_or(0, |space| space + 1);
    }
    from = text.ceil_char_boundary(from);
    let mut to = text.floor_char_boundary((end + margin).min(text.len())).max(end);
    if to < text.len() {
        to = text[end..to].rfind(char::is_whitespace).map_or(to, |space| end + space);
    }
    from..to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_overlap_and_text_stays_text() {
        let check = |text: &str, quoted: &[&str], gold: &[&str], want: &str| {
            let quoted = places(text, quoted.iter().copied());
            let gold = places(text, gold.iter().copied());
            let mut page = Page::new();
            page.line(marked(text, &quoted, &gold, 0..text.len()));
            let html = page.html("t");
            assert!(html.contains(&format!("<p>{want}</p>")), "{html}");
        };
        check("It rose. It fell.", &[], &[], "It rose. It fell.");
        check(
            "It <b>rose</b> by 5 mg today.",
            &["rose</b> by 5 mg"],
            &["by 5 mg today"],
            "It &lt;b&gt;<mark class=\"quote\">rose&lt;/b&gt; </mark><mark class=\"quote gold\">by 5 mg</mark>\
             <mark class=\"gold\"> today</mark>.",
        );
        check("It rose.", &["not there"], &[], "It rose.");
    }

    #[test]
    fn a_window_is_cut_at_spaces() {
        let text = "alpha bravo charlie Größe echo foxtrot golf";
        let places = places(text, std::iter::once("Größe"));
        for margin in 0..60 {
            let window = around(text, &places, margin);
            assert!(window.start <= places[0].start && window.end >= places[0].end, "{margin}");
            let cut = &text[window];
            assert!(text.split(' ').any(|word| cut.starts_with(word)), "{margin}: {cut:?}");
            assert!(text.split(' ').any(|word| cut.ends_with(word)), "{margin}: {cut:?}");
        }
        assert_eq!(around("short", &[], 9), 0..5);
    }
}
