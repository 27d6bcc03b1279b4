//! Are unanswerable questions refused?

use super::{Metric, Need, Spec, View, flag};
use crate::Score;

/// The metric.
pub(super) struct UnanswerableRefused;

const SPEC: Spec = Spec {
    key: "unanswerable_refused",
    title: "Refusal rate",
    definition: "Share of the unanswerable questions that were refused. A question tagged `leading` or `false_premise` without the label \
         counts as unanswerable.",
    edge_cases: "N/a where an answer is expected, and without the label; an empty answer is no refusal.",
    source: "Rajpurkar et al. 2018 (SQuAD 2.0), the share of unanswerable questions that are left unanswered; ADR-013, out-of-scope handling",
    needs: &[Need::Answer, Need::ExpectedRefusal],
    in_runs: true,
    ..Spec::PASS
};

impl Metric for UnanswerableRefused {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        if !sample.expects_refusal()? {
            return Err(Score::n_a("an answer is expected"));
        }
        Ok(flag(sample.refused()?))
    }
}
