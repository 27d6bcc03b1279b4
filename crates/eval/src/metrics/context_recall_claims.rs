//! Do the passages say what the reference says?

use super::claims::{Said, says, statements};
use super::{Metric, Need, Spec, View};
use crate::Score;

/// The metric.
pub(super) struct ContextRecallClaims;

const SPEC: Spec = Spec {
    key: "context_recall_claims",
    title: "Context recall, claims",
    definition: "Share of the reference's claims that a single passage says, with a probability of at least eval.tau.",
    edge_cases: "N/a without a reference, and where reference and passages are in different languages; 0 without a passage.",
    source: "Ragas, context recall: claims of the reference that the contexts support",
    needs: &[Need::ReferenceAnswer, Need::Context],
    ..Spec::SHARE
};

impl Metric for ContextRecallClaims {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let claims = statements(sample.reference()?);
        let passages = sample.passages()?;
        let mut said = 0;
        for claim in &claims {
            let mut incomparable = None;
            let mut heard = passages.is_empty();
            for passage in passages {
                match says(claim, &passage.text, sample.tools) {
                    Ok(Said::Yes) => {
                        (said, heard) = (said + 1, true);
                        break;
                    }
                    Ok(_) => heard = true,
                    Err(Score::NotApplicable(why)) => incomparable = Some(why),
                    Err(error) => return Err(error),
                }
            }
            if let (false, Some(why)) = (heard, incomparable) {
                return Err(Score::n_a(why));
            }
        }
        Ok(f64::from(said) / claims.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn claims_of_the_reference() {
        let mut row = row(
            "q",
            "x",
            &[
                ("a", "In the trial, walking lowered blood pressure by 6 mmHg."),
                ("b", "Mice ran."),
            ],
        );
        check_n_a(&ContextRecallClaims, &row, "`reference`");
        row.reference =
            Some("Walking lowered blood pressure by 6 mmHg. Zebrafish swam for nine hours.".to_owned());
        check(&ContextRecallClaims, &row, 0.5);
        row.passages = Some(Vec::new());
        check(&ContextRecallClaims, &row, 0.0);
    }
}
