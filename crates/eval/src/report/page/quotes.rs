//! Quotes marked in the text that they are from.

use maud::{Markup, html};
use std::ops::Range;
use text::quote::find_quote;

/// Where these quotes stand in a text.
pub(super) fn places<'a>(text: &str, quotes: impl Iterator<Item = &'a str>) -> Vec<Range<usize>> {
    quotes
        .filter_map(|quote| find_quote(text, quote))
        .flat_map(|found| found.parts)
        .collect()
}

/// A part of a text, with the places of the answer's quotes and those of gold quotes marked; both where both are.
pub(super) fn highlighted(
    text: &str,
    quoted: &[Range<usize>],
    gold: &[Range<usize>],
    window: Range<usize>,
) -> Markup {
    let mut cuts: Vec<usize> = quoted
        .iter()
        .chain(gold)
        .flat_map(|place| [place.start, place.end])
        .collect();
    cuts.extend([window.start, window.end]);
    cuts.retain(|cut| window.start <= *cut && *cut <= window.end);
    cuts.sort_unstable();
    cuts.dedup();
    let covers = |places: &[Range<usize>], part: &Range<usize>| {
        places
            .iter()
            .any(|place| place.start <= part.start && part.end <= place.end)
    };
    let class = |part: &Range<usize>| match (covers(quoted, part), covers(gold, part)) {
        (true, true) => Some("quote gold"),
        (true, false) => Some("quote"),
        (false, true) => Some("gold"),
        (false, false) => None,
    };
    html! {
        @if window.start > 0 { "… " }
        @for pair in cuts.windows(2) {
            @let part = pair[0]..pair[1];
            @if let Some(words) = text.get(part.clone()) {
                @match class(&part) {
                    Some(class) => mark class=(class) { (words) },
                    None => (words),
                }
            }
        }
        @if window.end < text.len() { " …" }
    }
}

/// The places with some of the text around them, cut at spaces.
pub(super) fn around(text: &str, places: &[Range<usize>], margin: usize) -> Range<usize> {
    let start = places.iter().map(|place| place.start).min().unwrap_or(0);
    let end = places.iter().map(|place| place.end).max().unwrap_or(text.len());
    let mut from = start.saturating_sub(margin);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    if from > 0 {
        from += text[from..start]
            .find(char::is_whitespace)
            .map_or(0, |space| space + 1);
    }
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut to = (end + margin).min(text.len());
    while !text.is_char_boundary(to) {
        to += 1;
    }
    if to < text.len() {
        to = text[end..to]
            .rfind(char::is_whitespace)
            .map_or(to, |space| end + space);
    }
    from..to
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, quoted: &[&str], gold: &[&str], want: &str) {
        let quoted = places(text, quoted.iter().copied());
        let gold = places(text, gold.iter().copied());
        let found = highlighted(text, &quoted, &gold, 0..text.len());
        assert_eq!(found.into_string(), want);
    }

    #[test]
    fn quotes_overlap_and_text_stays_text() {
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
            assert!(
                window.start <= places[0].start && window.end >= places[0].end,
                "{margin}"
            );
            let cut = &text[window.clone()];
            assert!(
                text.split(' ').any(|word| cut.starts_with(word)),
                "{margin}: {cut:?}"
            );
            assert!(
                text.split(' ').any(|word| cut.ends_with(word)),
                "{margin}: {cut:?}"
            );
        }
        assert_eq!(around("short", &[], 9), 0..5);
    }
}
