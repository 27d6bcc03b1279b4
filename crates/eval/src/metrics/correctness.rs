//! Word overlap with a reference answer, after the SQuAD evaluation.

use super::{Direction, Kind, Metric, Need, Range, Sample, Spec};
use crate::{Query, Score};
use std::collections::BTreeMap;
use types::ResponseRecord;

/// The metric.
pub(super) struct Correctness;

const SPEC: Spec = Spec {
    key: "correctness",
    title: "Correctness (token F1)",
    definition: "F1 of the words of the answer (citation marks removed) and of the reference answer, as \
         bags, after folding, without punctuation and articles. 0 on a refusal; n/a without a \
         reference or where a refusal is expected.",
    source: "Rajpurkar et al. 2016 (SQuAD), token F1",
    kind: Kind::Mean,
    range: Range::UNIT,
    direction: Direction::Higher,
    needs: &[Need::Answer, Need::ExpectedRefusal, Need::ReferenceAnswer],
    staged: true,
    by_construction: false,
};

impl Metric for Correctness {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        correctness(sample.response, sample.query)
    }
}

fn correctness(response: &ResponseRecord, query: Option<&Query>) -> Score {
    let Some(query) = query else {
        return Score::n_a("no query set gives a reference answer");
    };
    if query.expected_no_evidence {
        return Score::n_a("a refusal is expected: no_evidence_accuracy scores it");
    }
    let Some(reference) = &query.reference_answer else {
        return Score::n_a("the query has no reference answer");
    };
    if response.no_evidence {
        // Words that a refusal shares with the reference are accidental.
        return Score::value(0.0);
    }
    match token_f1(&support::strip_marks(&response.answer), reference) {
        Some(f1) => Score::value(f1),
        None => Score::n_a("the reference answer holds no word"),
    }
}

/// F1 of two bags of words; `None` when the reference has none.
///
/// Words are folded and lower case, whole (no stems: "increased" against "decreased" must not profit);
/// anything but letters and digits separates, except a point between digits; a comma between digits is
/// dropped; a, an and the are left out.
pub fn token_f1(answer: &str, reference: &str) -> Option<f64> {
    let (answer, reference) = (tokens(answer), tokens(reference));
    if reference.is_empty() {
        return None;
    }
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for token in &reference {
        *left.entry(token).or_default() += 1;
    }
    let mut common = 0usize;
    for token in &answer {
        if let Some(count) = left.get_mut(token.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    // 2PR / (P + R), with both 0 when nothing is common.
    Some(2.0 * common as f64 / (answer.len() + reference.len()) as f64)
}

fn tokens(text: &str) -> Vec<String> {
    let folded = text::fold::fold(text);
    let mut out = Vec::new();
    let mut token = String::new();
    let mut chars = folded.text().chars().peekable();
    while let Some(c) = chars.next() {
        let between_digits =
            token.ends_with(|c: char| c.is_ascii_digit()) && chars.peek().is_some_and(char::is_ascii_digit);
        match c {
            c if c.is_alphanumeric() => token.extend(c.to_lowercase()),
            '.' if between_digits => token.push('.'),
            ',' if between_digits => {}
            _ => out.push(std::mem::take(&mut token)),
        }
    }
    out.push(token);
    out.retain(|t| !matches!(t.as_str(), "" | "a" | "an" | "the"));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{close, refusal, response};
    use crate::queries::QuerySet;
    use proptest::prelude::*;

    #[test]
    fn f1_by_hand() {
        let check = |answer: &str, reference: &str, expect: Option<f64>| {
            let got = token_f1(answer, reference);
            match (got, expect) {
                (Some(got), Some(expect)) => assert!((got - expect).abs() < 1e-12, "{answer:?}: {got}"),
                _ => assert_eq!(got, expect, "{answer:?}"),
            }
        };
        check("The cat sat.", "a cat sat", Some(1.0));
        // 2 common of 3 and 4 words: 2 × 2 / 7.
        check("cats sat down", "the cat sat down there", Some(4.0 / 7.0));
        check("walk walk walk", "walk", Some(0.5));
        check("nothing alike", "walk", Some(0.0));
        check("", "walk", Some(0.0));
        check("walk", "the", None);
        check("1,000 steps; 57.5 min", "1000 steps, 57.5 min.", Some(1.0));
        check("5.7 min", "57 min", Some(0.5));
        check("increased", "decreased", Some(0.0));
    }

    #[test]
    fn who_is_scored() {
        let set = QuerySet::parse(
            "set",
            "{\"id\":\"A\",\"type\":\"direct\",\"query\":\"q\",\"expected_no_evidence\":false,\"reference_answer\":\"Two grams a day.\"}\n\
             {\"id\":\"B\",\"type\":\"edge\",\"query\":\"r\",\"expected_no_evidence\":true,\"reference_answer\":\"Not reported.\"}\n\
             {\"id\":\"C\",\"type\":\"direct\",\"query\":\"s\",\"expected_no_evidence\":false}",
        )
        .expect("loads");
        close(
            &correctness(&response("Two grams a day (a, a__body__000).", &[]), set.get("A")),
            1.0,
            "marks removed",
        );
        close(&correctness(&refusal(), set.get("A")), 0.0, "refusal");
        for id in ["B", "C", "none"] {
            assert!(
                matches!(
                    correctness(&response("Two.", &[]), set.get(id)),
                    Score::NotApplicable(_)
                ),
                "{id}"
            );
        }
    }

    proptest! {
        #[test]
        fn in_range_and_symmetric(a in "\\PC{0,60}", b in "\\PC{0,60}") {
            if let Some(f1) = token_f1(&a, &b) {
                prop_assert!((0.0..=1.0).contains(&f1));
                if let Some(back) = token_f1(&b, &a) {
                    prop_assert!((f1 - back).abs() < 1e-12);
                }
            }
        }
    }
}
