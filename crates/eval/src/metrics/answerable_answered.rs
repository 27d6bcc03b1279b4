//! Are answerable questions answered?

use super::no_evidence_accuracy::decided;
use super::{Direction, Kind, Metric, Need, Range, Sample, Spec};
use crate::Score;

/// The metric.
pub(super) struct AnswerableAnswered;

const SPEC: Spec = Spec {
    key: "answerable_answered",
    title: "Answer rate",
    definition: "Share of the answerable questions that were answered, rightly or not. N/a where a refusal \
         is expected.",
    source: "Rajpurkar et al. 2018 (SQuAD 2.0), the share of answerable questions that are answered",
    kind: Kind::Rate,
    range: Range::UNIT,
    direction: Direction::Higher,
    needs: &[Need::Answer, Need::ExpectedRefusal],
    staged: false,
    by_construction: false,
};

impl Metric for AnswerableAnswered {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        match sample.query {
            Some(query) if query.expected_no_evidence => Score::n_a("a refusal is expected"),
            query => decided(sample.response, query),
        }
    }
}
