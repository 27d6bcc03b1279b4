//! Did the labelled evidence reach the answer?

use super::gold::{passages, recall, shown};
use super::{Direction, Kind, Metric, Need, Range, Sample, Spec};
use crate::{Query, Score};
use types::ResponseRecord;

/// The metric.
pub(super) struct GoldRecallAnswer;

const SPEC: Spec = Spec {
    key: "gold_recall_answer",
    title: "Gold recall, answer",
    definition: "Gold quotes found in a cited quote or an answer sentence of their own source (after \
         folding, or a common run of at least 0.8 of their words, of 40 for longer ones), over all \
         gold quotes. 0 on a refusal; n/a without gold quotes.",
    source: "a convention of this project: recall of labelled passages in what the answer shows",
    kind: Kind::Mean,
    range: Range::UNIT,
    direction: Direction::Higher,
    needs: &[Need::Answer, Need::Citations, Need::GoldEvidence],
    staged: true,
    by_construction: false,
};

impl Metric for GoldRecallAnswer {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        recall_of(sample.response, sample.query)
    }
}

fn recall_of(response: &ResponseRecord, query: Option<&Query>) -> Score {
    let passages = passages(response);
    recall(query, |gold| Some(shown(&passages, gold)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{cite, close, query_with_gold, refusal, response};

    const GOLD: &str = "Walking raised VO2max by 12 % in forty older adults over one year.";

    #[test]
    fn answer_by_hand() {
        let query = query_with_gold(&[("a", GOLD), ("b", "Mice lived longer.")]);
        let check = |response: &ResponseRecord, expect: f64| {
            close(&recall_of(response, Some(&query)), expect, &response.answer);
        };
        check(
            &response("Short (a, a__body__000).", &[cite("a__body__000", GOLD)]),
            0.5,
        );
        check(
            &response(&format!("{} (a, a__body__000).", GOLD.trim_end_matches('.')), &[]),
            0.5,
        );
        check(
            &response(
                "In short, mice lived longer (b, b__body__004).",
                &[cite("a__body__000", GOLD)],
            ),
            1.0,
        );
        check(&response("Mice lived longer.", &[]), 0.0);
        check(&response("Mice lived longer (a, a__body__000).", &[]), 0.0);
        check(&refusal(), 0.0);
    }

    #[test]
    fn a_gold_quote_longer_than_a_quote_may_be() {
        let long: Vec<String> = (0..60).map(|n| format!("word{n}")).collect();
        let query = query_with_gold(&[("a", &long.join(" "))]);
        let score = |words: usize| {
            recall_of(
                &response("x", &[cite("a__body__000", &long[..words].join(" "))]),
                Some(&query),
            )
        };
        close(&score(32), 1.0, "0.8 of 40");
        close(&score(31), 0.0, "less");
    }
}
