//! Do the passages support what the answer claims?

use super::{Metric, Need, Spec, View, share};
use crate::Score;

/// The metric.
pub(super) struct Faithfulness;

const SPEC: Spec = Spec {
    key: "faithfulness",
    title: "Faithfulness",
    definition: "Share of the claims of the answer that a single passage supports with a probability of at least \
         eval.tau (0.5).",
    edge_cases: "N/a on a refusal, for an answer without a claim, and where answer and passages are in different languages; 0 \
         without a passage.",
    source: "Ragas, faithfulness: supported claims over claims",
    needs: &[Need::Answer, Need::Context],
    ..Spec::SHARE
};

impl Metric for Faithfulness {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let claims = &sample.judged()?.claims;
        if claims.is_empty() {
            return Err(Score::n_a("the answer claims nothing"));
        }
        Ok(share(claims.iter().map(|claim| claim.grounded)))
    }

    fn explanation(&self, sample: &View<'_>) -> Option<String> {
        let claims = &sample.judged().ok()?.claims;
        let supported = claims.iter().filter(|claim| claim.grounded).count();
        Some(format!(
            "single passages support {supported} of {} claims",
            claims.len()
        ))
    }

    fn findings(&self, sample: &View<'_>) -> Vec<String> {
        let claims = sample
            .judged()
            .map(|judged| judged.claims.as_slice())
            .unwrap_or_default();
        let unsupported = claims.iter().filter(|claim| !claim.grounded);
        unsupported.map(|claim| claim.claim.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn supported_claims_by_hand() {
        let text = "In both arms, walking lowered blood pressure by 6 mmHg. Weight did not change.";
        let passages = [("a", text)];
        check(
            &Faithfulness,
            &row("q", "Walking lowered blood pressure by 6 mmHg.", &passages),
            1.0,
        );
        let half = "Walking lowered blood pressure by 6 mmHg. Walking doubled the life span of zebrafish.";
        check(&Faithfulness, &row("q", half, &passages), 0.5);
        check(
            &Faithfulness,
            &row("q", "Walking lowered blood pressure by 60 mmHg.", &passages),
            0.0,
        );
        check(&Faithfulness, &row("q", half, &[]), 0.0);
    }

    #[test]
    fn nothing_claimed_is_not_applicable() {
        check_n_a(&Faithfulness, &row("q", "", &[("a", "b")]), "claims nothing");
        check_n_a(
            &Faithfulness,
            &row("q", "The papers do not report this.", &[]),
            "refusal",
        );
        let mut row = row("q", "Mice ran.", &[]);
        row.passages = None;
        check_n_a(&Faithfulness, &row, "`passages`");
    }
}
