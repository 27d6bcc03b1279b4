//! Is the answer relevant and grounded?

use super::{Metric, Need, Spec, View};
use crate::Score;

/// The metric.
pub(super) struct OverallPass;

const SPEC: Spec = Spec {
    key: "overall_pass",
    title: "Overall pass",
    definition: "relevance and faithful both pass. Its mean is overall_pass_rate.",
    edge_cases: "0 if either fails, also where the other is n/a; else n/a if either is.",
    source: "LitPath: overall pass = relevance pass and groundedness pass",
    needs: &[Need::Question, Need::Answer, Need::Context],
    ..Spec::PASS
};

impl Metric for OverallPass {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let relevant = sample.value_of("relevance");
        let grounded = sample.value_of("faithful");
        match (relevant, grounded) {
            (Err(error @ Score::Error(_)), _) | (_, Err(error @ Score::Error(_))) => Err(error),
            (Ok(value), _) | (_, Ok(value)) if value < 0.5 => Ok(0.0),
            (Err(missing), _) | (_, Err(missing)) => Err(missing),
            _ => Ok(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn both_must_pass() {
        let question = "How does walking affect blood pressure?";
        let passages = [(
            "a",
            "In the trial, walking lowered blood pressure by 6 mmHg. Mice slept for nine hours.",
        )];
        check(
            &OverallPass,
            &row(question, "Walking lowered blood pressure.", &passages),
            1.0,
        );
        check(
            &OverallPass,
            &row(question, "Mice slept for nine hours.", &passages),
            0.0,
        );
        check(
            &OverallPass,
            &row(question, "Walking raised blood pressure.", &passages),
            0.0,
        );
        check(&OverallPass, &row(question, "", &passages), 0.0);
        check_n_a(
            &OverallPass,
            &row("", "Walking lowered blood pressure.", &passages),
            "`question`",
        );
    }
}
