//! Are answerable questions answered?

use super::{Metric, Need, Spec, View, flag};
use crate::Score;

/// The metric.
pub(super) struct AnswerableAnswered;

const SPEC: Spec = Spec {
    key: "answerable_answered",
    title: "Coverage",
    definition: "Share of the answerable questions that were answered, rightly or not.",
    edge_cases: "N/a where a refusal is expected, and without the label.",
    source: "Rajpurkar et al. 2018 (SQuAD 2.0), the share of answerable questions that are answered",
    needs: &[Need::Answer, Need::ExpectedRefusal],
    in_runs: true,
    ..Spec::PASS
};

impl Metric for AnswerableAnswered {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        if sample.expects_refusal()? {
            return Err(Score::n_a("a refusal is expected"));
        }
        Ok(flag(!sample.refused()?))
    }
}
