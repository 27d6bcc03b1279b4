//! What holds of every public function for any text.
//!
//! Half of the generated text is arbitrary Unicode, half is built from what papers and PDF readers trip over:
//! digits beside units, degree and prime signs, dashes, raised digits, combining marks, zero-width characters,
//! direction marks, brackets and full stops.
use proptest::prelude::*;
use std::ops::Range;
use text::{
    entities::{Ground, entities, grounded},
    fold::fold,
    language, looks_english,
    numbers::quantities,
    quote::{WindowTerms, best_window, find_quote},
    sentences, stem, terms, word_count, words,
};

/// Text that is likely to break rules about numbers, units, words and sentences.
fn awkward() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[0-9]{1,4}",
        3 => prop::sample::select(vec![
            "kg", "mg/mL", "m", "mm Hg", "°C", "℃", "K", "min", "µg", "μL", "per", "day", "%", "‰", "beats/min",
            "degrees C", "x 10", "e-5", "h", "IL-6", "5-HT", "p53", "two", "forty",
        ]).prop_map(str::to_owned),
        4 => "[°′″'\"’º˚^×*·±/.,;:%~=<>]{1,2}",
        4 => "[-‐‑‒–—―−⁻⁺²³¹⁰⁴-⁹₂]{1,2}",
        2 => "[\u{301}\u{308}\u{327}\u{20d7}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}\u{feff}\u{ad}\u{fffe}\u{fe0f}\u{e0001}]{1,3}",
        2 => "[\u{5d0}-\u{5ea}\u{627}-\u{64a}\u{660}-\u{669}]{1,4}",
        2 => "[ \t\n\r\u{a0}\u{2009}\u{202f}\u{c}\u{2028}]{1,2}",
        2 => "[()\\[\\]{}«»“”•#|@_…。]{1,2}",
        2 => "[a-zA-ZäßÉΑ-ωﬁﬃ½①한中の]{1,6}",
        1 => prop::sample::select(vec![
            "et al.", "Fig.", "e.g.", "10.1000/x", "https://a.b/c", "[1,2]", "to", "and", "n't", "a@b.c",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|v| v.concat())
}

/// Numbers, units and what joins them, without anything between.
fn measured() -> impl Strategy<Value = String> {
    let units =
        vec!["°", "℃", "°C", "kg", " kg", " mL", "%", "‰", "m", " mm Hg", "/min", " per day", "′", "″", ""];
    let joints = vec![
        "-", "–", "−", "^", "^-", "⁻", "²", "·", "/", " ", "′", " to ", "±", "x 10", ".", ",", "(", ")", "",
    ];
    let part = ("[0-9]{1,3}", prop::sample::select(units), prop::sample::select(joints));
    prop::collection::vec(part.prop_map(|(n, unit, joint)| format!("{n}{unit}{joint}")), 1..8)
        .prop_map(|parts| parts.concat())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        awkward(),
        awkward(),
        measured(),
        (awkward(), any::<String>()).prop_map(|(a, b)| a + &b)
    ]
}

/// Whether the spans are slices of the text, in order and apart.
fn apart(text: &str, spans: impl IntoIterator<Item = Range<usize>>) -> bool {
    let mut last = 0;
    spans.into_iter().all(|span| {
        let fine = span.start >= last && span.start <= span.end && text.get(span.clone()).is_some();
        last = span.end;
        fine
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn quantities_stand_apart(text in any_text()) {
        let all = quantities(&text);
        prop_assert!(apart(&text, all.iter().map(|q| q.span.clone())), "{all:?}");
        for q in &all {
            prop_assert!(q.value.is_finite() && q.agrees(q));
            prop_assert!(q.number.start == q.span.start && q.number.end <= q.span.end);
            prop_assert!(text.get(q.number.clone()).is_some_and(|n| !n.is_empty()));
        }
    }

    #[test]
    fn sentences_cover_all_but_white_space(text in any_text()) {
        let all = sentences(&text);
        prop_assert!(apart(&text, all.clone()));
        let ink = |s: &str| s.chars().filter(|c| !c.is_whitespace()).count();
        prop_assert_eq!(all.iter().map(|s| ink(&text[s.clone()])).sum::<usize>(), ink(&text));
        for s in all {
            prop_assert!(!s.is_empty() && text[s.clone()].trim() == &text[s]);
        }
    }

    #[test]
    fn words_and_terms_are_slices(text in any_text()) {
        prop_assert!(apart(&text, words(&text)));
        let all = terms(&text);
        prop_assert!(apart(&text, all.iter().map(|t| t.span.clone())));
        prop_assert!(all.iter().all(|t| !t.stem.is_empty() && !t.stem.contains(char::is_whitespace)));
        prop_assert!(word_count(&text) <= text.chars().count());
        let _ = (stem(&text), text::is_stop_word(&text), text::is_negation(&text));
    }

    #[test]
    fn folding_is_idempotent_and_leads_back(text in any_text()) {
        let folded = fold(&text);
        let twice = fold(folded.text());
        prop_assert_eq!(folded.text(), twice.text());
        let mut last = 0;
        for at in 0..folded.text().len() {
            let original = folded.original(at..at + 1);
            prop_assert!(original.start >= last && text.get(original.clone()).is_some());
            last = original.start;
        }
    }

    #[test]
    fn entities_are_slices(text in any_text(), other in any_text()) {
        let all = entities(&text);
        prop_assert!(apart(&text, all.iter().map(|e| e.span.clone())));
        let ground = Ground::new(&other);
        for e in &all {
            prop_assert!(!e.text.is_empty());
            prop_assert_eq!(ground.holds(e), grounded(e, &other));
        }
    }

    #[test]
    fn quotes_are_found_as_slices_in_order(text in any_text(), quote in any_text()) {
        for quote in [&quote, &text] {
            if let Some(found) = find_quote(&text, quote) {
                prop_assert!(!found.parts.is_empty() && apart(&text, found.parts.clone()), "{found:?}");
            }
        }
        for sentence in sentences(&text) {
            if let Some(found) = find_quote(&text, &text[sentence]) {
                prop_assert!(apart(&text, found.parts.clone()), "{found:?}");
            }
        }
    }

    #[test]
    fn windows_are_short_slices(text in any_text(), most in 0_usize..8) {
        let mut wanted = WindowTerms::stems(terms(&text).into_iter().map(|t| t.stem).step_by(2));
        wanted.numbers = most % 2 == 0;
        let window = text.get(best_window(&text, &wanted, most));
        prop_assert!(window.is_some_and(|w| word_count(w) <= most && w.trim() == w));
    }

    #[test]
    fn any_text_has_one_language(text in any_text()) {
        prop_assert_eq!(looks_english(&text), language(&text) == Some("en"));
    }
}
