//! The marks `(source_id, chunk_id)` that say in an answer what each sentence rests on.

use std::fmt::Write as _;
use types::{ChunkId, Citation, SourceId};

/// A chunk as an answer names it.
pub(super) type Place<'a> = (&'a SourceId, &'a ChunkId);

/// The text with a mark for each place at the end of each sentence. A place that a sentence names already is not repeated.
pub(super) fn marked(text: &str, places: &[Place<'_>]) -> String {
    let text = text.trim();
    let mut out = String::new();
    for range in text::sentences(text) {
        let sentence = text[range].trim();
        let end = sentence.trim_end_matches(['.', '!', '?', '…']);
        if end.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(end.trim_end());
        for (source, chunk) in places {
            if !names(sentence, chunk) {
                // Writing to a string cannot fail.
                let _ = write!(out, " ({source}, {chunk})");
            }
        }
        let stop = &sentence[end.len()..];
        out.push_str(if stop.is_empty() { "." } else { stop });
    }
    out
}

/// Whether a text names a chunk: its whole id, not the end or the beginning of a longer one.
pub(super) fn names(text: &str, chunk: &ChunkId) -> bool {
    let of_an_id = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let id = chunk.as_str();
    !id.is_empty()
        && text
            .match_indices(id)
            .any(|(at, _)| !text[..at].ends_with(of_an_id) && !text[at + id.len()..].starts_with(of_an_id))
}

/// The text without the marks of its citations.
pub(super) fn unmarked(text: &str, citations: &[Citation]) -> String {
    let marks = citations.iter().map(|c| format!(" ({}, {})", c.source_id, c.chunk_id));
    marks.fold(text.to_owned(), |text, mark| text.replace(&mark, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited(ids: &[(&str, &str)]) -> Vec<Citation> {
        let citation = |(source, chunk): &(&str, &str)| Citation {
            source_id: (*source).into(),
            chunk_id: (*chunk).into(),
            ..Citation::default()
        };
        ids.iter().map(citation).collect()
    }

    #[test]
    fn each_sentence_is_marked_once() {
        let check = |text: &str, ids: &[(&str, &str)], want: &str| {
            let cited = cited(ids);
            let places: Vec<Place<'_>> = cited.iter().map(|c| (&c.source_id, &c.chunk_id)).collect();
            let got = marked(text, &places);
            assert_eq!(got, want, "{text:?}");
            // Marking what is marked changes nothing.
            assert_eq!(marked(&got, &places), want, "{text:?}");
        };
        let one = [("a", "a__results__000")];
        let two = [("a", "a__results__000"), ("b", "b__body__001")];
        check("It rose.", &one, "It rose (a, a__results__000).");
        check(" It rose ", &one, "It rose (a, a__results__000).");
        check("It rose. It fell!", &one, "It rose (a, a__results__000). It fell (a, a__results__000)!");
        check("It rose.", &two, "It rose (a, a__results__000) (b, b__body__001).");
        check("It rose (a, a__results__000).", &two, "It rose (a, a__results__000) (b, b__body__001).");
        check("It rose.", &[], "It rose.");
        check(" … ", &one, "");
        check("", &one, "");
    }

    #[test]
    fn an_id_is_named_as_a_whole() {
        let names = |text: &str| names(text, &"smith__body__000".into());
        assert!(names("(smith, smith__body__000)") && names("smith__body__000"));
        assert!(!names("(van_smith, van_smith__body__000)"));
        assert!(!names("(smith, smith__body__0001)"));
        assert!(names("(van_smith, van_smith__body__000) (smith, smith__body__000)"));
        assert!(!super::names("x", &"".into()));
    }

    #[test]
    fn marks_can_be_taken_away() {
        let cited = cited(&[("a", "a__results__000"), ("b", "b__body__001")]);
        let text = "It rose (a, a__results__000) (b, b__body__001). It fell (a, a__results__000).";
        assert_eq!(unmarked(text, &cited), "It rose. It fell.");
        assert_eq!(unmarked("It rose (c, c__body__000).", &cited), "It rose (c, c__body__000).");
    }
}
