//! Does the answer refuse exactly where a refusal is expected?

use super::{Metric, Need, Spec, View, flag};
use crate::Score;

/// The metric.
pub(super) struct NoEvidenceAccuracy;

const SPEC: Spec = Spec {
    key: "no_evidence_accuracy",
    title: "No-evidence accuracy",
    definition: "1 if the answer refuses exactly where a refusal is expected, else 0.",
    edge_cases: "N/a without the label.",
    source: "Rajpurkar et al. 2018 (SQuAD 2.0), accuracy of deciding whether a question has an answer",
    needs: &[Need::Answer, Need::ExpectedRefusal],
    staged: true,
    in_runs: true,
    ..Spec::PASS
};

impl Metric for NoEvidenceAccuracy {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        Ok(flag(sample.refused()? == sample.expects_refusal()?))
    }
}
