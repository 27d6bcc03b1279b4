//! How far does the answer say what the reference says?

use super::claims::{Said, says, statements};
use super::{Metric, Need, Spec, View};
use crate::Score;

/// The metric.
pub(super) struct Correctness;

const SPEC: Spec = Spec {
    key: "correctness",
    title: "Correctness",
    definition: "F1 of claims. Recall: the share of the reference's claims that the answer says. Precision: the share of the \
         answer's claims that the reference says. A claim is said if it is supported with a probability of at least \
         eval.tau; one of fewer than four content terms and without a full stop (`April 2023`) if its terms, numbers \
         and names are there.",
    edge_cases: "0 for a refusal and an empty answer; n/a without a reference and where a refusal is expected. A right answer \
         that says more than a short reference scores below 1.",
    source: "Ragas, answer correctness, the factual part; correctness of the five-dimension judge",
    needs: &[Need::Answer, Need::ReferenceAnswer],
    ..Spec::SHARE
};

impl Metric for Correctness {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let reference = sample.reference()?;
        let Some(reading) = sample.owed()? else {
            return Ok(0.0);
        };
        let share = |claims: &[String], text: &str| -> Result<f64, Score> {
            let mut said = 0;
            for claim in claims {
                said += usize::from(says(claim, text, sample.tools)? == Said::Yes);
            }
            Ok(said as f64 / claims.len().max(1) as f64)
        };
        let recall = share(&statements(reference), &reading.text)?;
        let precision = share(&statements(&reading.text), reference)?;
        let sum = precision + recall;
        Ok(if sum > 0.0 {
            2.0 * precision * recall / sum
        } else {
            0.0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    fn with(answer: &str, reference: &str) -> crate::Sample {
        crate::Sample {
            reference: Some(reference.to_owned()),
            ..row("q", answer, &[])
        }
    }

    #[test]
    fn claims_by_hand() {
        let reference = "Walking lowered blood pressure by 6 mmHg. Body weight did not change.";
        check(&Correctness, &with(reference, reference), 1.0);
        // Precision 1, recall 1/2.
        check(
            &Correctness,
            &with("Walking lowered blood pressure by 6 mmHg.", reference),
            2.0 / 3.0,
        );
        check(
            &Correctness,
            &with("Walking lowered blood pressure by 60 mmHg.", reference),
            0.0,
        );
        check(&Correctness, &with("", reference), 0.0);
        check_n_a(&Correctness, &row("q", "Mice ran.", &[]), "`reference`");
    }
}
