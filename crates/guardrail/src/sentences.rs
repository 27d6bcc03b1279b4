//! The answer as whole sentences, each with its inline marks.

use evidence::support::{Mark, marks};
use std::ops::Range;

/// Spans of the answer's sentences, in order. Inline marks that stand behind a full stop belong to the
/// sentence before them, a lone list marker to the sentence behind it.
pub(crate) fn sentences(answer: &str) -> Vec<Range<usize>> {
    let marks = marks(answer);
    let blank = blanked(answer, &marks);
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut marker: Option<usize> = None;
    for span in text::sentences(&blank) {
        let body = &blank[span.clone()];
        if body.chars().count() > LIST_MARKER || body.contains(char::is_alphabetic) {
            out.push(marker.take().unwrap_or(span.start)..span.end);
        } else if body.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '*' | '•' | '–')) {
            marker.get_or_insert(span.start);
        } else if let Some(last) = out.last_mut() {
            // A full stop that stood behind the marks.
            last.end = span.end;
        }
    }
    if let Some(start) = marker {
        // Nothing follows it: it is all there is.
        out.push(start..blank.trim_end().len());
    }
    give_marks(&mut out, &marks);
    out
}

/// Characters of a sentence without letters that counts as a list marker: `1.`, `12)`, `-`.
const LIST_MARKER: usize = 4;

/// The answer with spaces in the place of its marks, byte for byte, so that a mark neither joins nor splits
/// sentences.
pub(crate) fn blanked(answer: &str, marks: &[Mark]) -> String {
    let mut out = String::with_capacity(answer.len());
    for mark in marks {
        if let Some(before) = answer.get(out.len()..mark.span.start) {
            out.push_str(before);
            out.extend(std::iter::repeat_n(' ', mark.span.len()));
        }
    }
    out.push_str(&answer[out.len()..]);
    out
}

/// Widens the sentences by the marks between them: each goes to the sentence before it, those before the
/// first sentence to that one.
fn give_marks(sentences: &mut [Range<usize>], marks: &[Mark]) {
    for mark in marks {
        let next = sentences.partition_point(|s| s.start <= mark.span.start);
        if let Some(owner) = sentences.get_mut(next.saturating_sub(1)) {
            owner.start = owner.start.min(mark.span.start);
            owner.end = owner.end.max(mark.span.end);
        }
    }
}

/// The sentences that are kept, joined as they stood: on one line, on new lines, or in new paragraphs. A
/// list marker stays when its first sentence goes and another of the same item is left.
pub(crate) fn rejoin(answer: &str, spans: &[Range<usize>], keep: &[bool]) -> String {
    let mut out = String::new();
    let mut gap = "";
    let mut marker = "";
    let mut end = None;
    for (span, keep) in spans.iter().zip(keep) {
        let here = separator(&answer[end.unwrap_or(span.start)..span.start]);
        if here.len() > gap.len() || (here == "\n" && gap == " ") {
            gap = here;
        }
        let opens_line = end.is_none() || here != " ";
        if opens_line {
            marker = "";
        }
        end = Some(span.end);
        let sentence = &answer[span.clone()];
        if *keep {
            if !out.is_empty() {
                out.push_str(gap);
            }
            out.push_str(marker);
            out.push_str(sentence);
            (gap, marker) = ("", "");
        } else if opens_line {
            marker = list_marker(sentence);
        }
    }
    out
}

/// The white space between two sentences, as far as it means something.
fn separator(gap: &str) -> &'static str {
    match gap.matches('\n').count() {
        0 => " ",
        1 => "\n",
        _ => "\n\n",
    }
}

/// `- `, `* `, `• ` or `1. ` at the start of a list item; empty when there is none.
fn list_marker(sentence: &str) -> &str {
    let digits = sentence.len() - sentence.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = &sentence[digits..];
    let sign = match rest.chars().next() {
        Some(c @ ('-' | '*' | '•' | '–')) if digits == 0 => c.len_utf8(),
        Some('.' | ')') if (1..=2).contains(&digits) => digits + 1,
        _ => return "",
    };
    let space = sentence[sign..].len() - sentence[sign..].trim_start().len();
    if space == 0 { "" } else { &sentence[..sign + space] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_belong_to_the_sentence_before_them() {
        let check = |answer: &str, want: &[&str]| {
            let got: Vec<&str> = sentences(answer).into_iter().map(|s| &answer[s]).collect();
            assert_eq!(got, want, "{answer:?}");
        };
        let m = "(a, a__results__000)";
        check(&format!("One {m}. Two {m}."), &[&format!("One {m}."), &format!("Two {m}.")]);
        check(&format!("One. {m} Two. {m} {m}"), &[&format!("One. {m}"), &format!("Two. {m} {m}")]);
        check(
            &format!("One {m}.\n\n- {m} Two. {m}. Three"),
            &[&format!("One {m}."), &format!("- {m} Two. {m}."), "Three"],
        );
        check(&format!("{m} One. Two."), &[&format!("{m} One."), "Two."]);
        check("", &[]);
        check("Short answer:\n\nIt helps.", &["Short answer:", "It helps."]);
        check("1. It helps. 2. It harms.", &["1. It helps.", "2. It harms."]);
        check("5", &["5"]);
    }

    #[test]
    fn what_is_kept_is_joined_as_it_stood() {
        let check = |answer: &str, keep: &[bool], want: &str| {
            let spans = sentences(answer);
            assert_eq!(spans.len(), keep.len(), "{answer:?} has {spans:?}");
            assert_eq!(rejoin(answer, &spans, keep), want);
        };
        check("One. Two. Three.", &[true, false, true], "One. Three.");
        check("One.\n\nTwo. Three.", &[true, false, true], "One.\n\nThree.");
        check("One.\n\nTwo.", &[false, true], "Two.");
        check("One.\n\nTwo.", &[true, false], "One.");
        check("Both:\n\n- One. Two.\n\n- Three.", &[true, false, true, true], "Both:\n\n- Two.\n\n- Three.");
        check("Both:\n\n- One. Two.\n\n- Three.", &[true, false, false, true], "Both:\n\n- Three.");
        check("One. 2. Two. Three.", &[true, false, true], "One. Three.");
        check("One.", &[false], "");
    }
}
