//! Is the stated probability right?

use super::{Direction, Metric, Need, Spec, View, view::lacks};
use crate::Score;

/// The metric.
pub(super) struct ConfidenceError;

const SPEC: Spec = Spec {
    key: "confidence_error",
    title: "Brier score",
    definition: "(p - outcome)², where p is the stated probability, and the outcome 1 if the answer is right by its content, as `correct` \
         decides, and 0 if it is not or if a refusal is expected.",
    edge_cases: "N/a on a refusal, without a stated probability, and where nothing tells whether the answer is right.",
    source: "Brier 1950, the Brier score of a single forecast",
    direction: Direction::Lower,
    needs: &[Need::Answer, Need::ExpectedRefusal, Need::Probability],
    needs_one_of: &[Need::GoldEvidence, Need::ReferenceAnswer],
    in_runs: true,
    ..Spec::SHARE
};

impl Metric for ConfidenceError {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        sample.given()?;
        let stated = sample
            .sample
            .probability
            .ok_or_else(|| lacks(Need::Probability))?;
        let outcome = if sample.expects_refusal()? {
            0.0
        } else {
            sample.value_of("correct")?
        };
        Ok((stated - outcome).powi(2))
    }
}
