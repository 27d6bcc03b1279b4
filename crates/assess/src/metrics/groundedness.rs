//! Is the whole answer supported?

use super::{Field, Metric, Sample, Spec};
use eval::Score;
use types::words::first_of;

/// So many claims are named in an explanation.
const NAMED: usize = 3;

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

    fn explanation(&self, sample: &Sample<'_>) -> Option<String> {
        let judged = sample.judged().ok()?;
        let missing: Vec<&str> = judged
            .iter()
            .filter(|claim| !claim.supported)
            .map(|claim| claim.claim.as_str())
            .collect();
        let (all, supported) = (judged.len(), judged.len() - missing.len());
        let said = format!("a single passage supports the claim, for {supported} of {all} claims");
        let named = first_of(missing.iter().map(|claim| format!("{claim:?}")), NAMED);
        Some(match missing.len() {
            0 => said,
            _ => format!("{said}; not for {named}"),
        })
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

    #[test]
    fn what_is_not_supported_is_named() {
        let passages = [("a", "In both arms, walking lowered blood pressure by 6 mmHg.")];
        let half = "Walking lowered blood pressure. The glycaemic index was 67.03 %.";
        let (support, limits) = (support::LexicalSupport::new(), crate::Limits::default());
        let tools = crate::metrics::Tools {
            support: &support,
            limits: &limits,
        };
        let scored = crate::metrics::scored(&row("q", half, &passages), &tools);
        assert_eq!(
            scored.explanations.get("groundedness").map(String::as_str),
            Some(
                "a single passage supports the claim, for 1 of 2 claims; not for \"The glycaemic index was 67.03 %.\""
            )
        );
        // Only where there is a value, and only for metrics that pass or fail.
        assert_eq!(scored.explanations.get("correct"), None);
        assert_eq!(scored.explanations.get("faithfulness"), None);
    }
}
