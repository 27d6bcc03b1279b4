//! Does the answer refuse exactly where a refusal is expected?

use super::{Direction, Kind, Metric, Need, Range, Sample, Spec};
use crate::{Query, Score};
use types::ResponseRecord;

/// The metric.
pub(super) struct NoEvidenceAccuracy;

const SPEC: Spec = Spec {
    key: "no_evidence_accuracy",
    title: "No-evidence accuracy",
    definition: "1 when the answer refuses exactly where the query set expects a refusal, else 0.",
    source: "Rajpurkar et al. 2018 (SQuAD 2.0), accuracy of deciding whether a question has an answer",
    kind: Kind::Rate,
    range: Range::UNIT,
    direction: Direction::Higher,
    needs: &[Need::Answer, Need::ExpectedRefusal],
    staged: true,
    by_construction: false,
};

impl Metric for NoEvidenceAccuracy {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn score(&self, sample: &Sample<'_>) -> Score {
        decided(sample.response, sample.query)
    }
}

/// 1 when the response refuses exactly where a refusal is expected.
pub(super) fn decided(response: &ResponseRecord, query: Option<&Query>) -> Score {
    match query {
        Some(query) => Score::flag(response.no_evidence == query.expected_no_evidence),
        None => Score::n_a("no query set says whether a refusal is expected"),
    }
}
