//! Is the whole answer supported?

use super::{Field, Metric, Sample, Spec};
use eval::Score;

/// The metric.
pub(super) struct Groundedness;

const SPEC: Spec = Spec {
    key: "groundedness",
    definition: "Whether every claim of the answer is supported by a single passage. Its mean over the rows is \
         groundedness_pass_rate.",
    edge_cases: "As faithfulness.",
    source: "LitPath, groundedness: pass or fail",
    needs: &[Field::Answer, Field::Passages],
    ..Spec::PASS
};

impl Metric for Groundedness {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &Sample<'_>) -> Result<f64, Score> {
        let judged = sample.judged()?;
        Ok(f64::from(u8::from(judged.iter().all(|claim| claim.supported))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn one_unsupported_claim_fails() {
        let passages = [("a", "In both arms, walking lowered blood pressure by 6 mmHg.")];
        check(
            &Groundedness,
            &row("q", "Walking lowered blood pressure.", &passages),
            1.0,
        );
        let half = "Walking lowered blood pressure. The glycaemic index was 67.03 %.";
        check(&Groundedness, &row("q", half, &passages), 0.0);
        check_n_a(&Groundedness, &row("q", "", &passages), "claims nothing");
    }
}
