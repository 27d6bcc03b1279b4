//! Is the answer right?

use super::claims::score_of;
use super::{Field, Metric, Sample, Spec};
use eval::Score;

/// The metric.
pub(super) struct Correct;

const SPEC: Spec = Spec {
    key: "correct",
    definition: "Whether the answer says every claim of the reference and neither contradicts the other.",
    edge_cases: "0 for a refusal and an empty answer; n/a without a reference and where a refusal is expected.",
    source: "ADR-013, answer correctness: true or false; LitPath, correctness",
    needs: &[Field::Answer, Field::Reference],
    ..Spec::PASS
};

impl Metric for Correct {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &Sample<'_>) -> Result<f64, Score> {
        let reference = sample.reference()?;
        let Some(reading) = sample.owed()? else {
            return Ok(0.0);
        };
        let (scorer, tau) = (sample.tools.support, sample.tools.limits.support);
        let found = support::disagreement(scorer, tau, &reading.text, reference);
        let found = found.map_err(|error| score_of(&error, sample.tools))?;
        Ok(f64::from(u8::from(found.is_none())))
    }

    fn explanation(&self, sample: &Sample<'_>) -> Option<String> {
        let right = self.value(sample).ok()? > 0.5;
        let said = if right {
            "the answer says every claim of the reference, and neither contradicts the other"
        } else {
            "the answer does not say every claim of the reference, or contradicts it"
        };
        Some(said.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    fn with(answer: &str, reference: &str) -> rows::AnswerRow {
        rows::AnswerRow {
            reference: Some(reference.to_owned()),
            ..row("q", answer, &[])
        }
    }

    #[test]
    fn all_of_the_reference_and_nothing_against_it() {
        let reference = "Walking lowered blood pressure by 6 mmHg.";
        check(
            &Correct,
            &with(
                "In the trial, walking lowered blood pressure by 6 mmHg. Mice ran.",
                reference,
            ),
            1.0,
        );
        check(
            &Correct,
            &with("Walking lowered blood pressure by 5 mmHg.", reference),
            0.0,
        );
        check(&Correct, &with("Mice ran.", reference), 0.0);
        check(
            &Correct,
            &with("New York began its redetermination in April 2023.", "April 2023"),
            1.0,
        );
        check(
            &Correct,
            &with("New York began its redetermination in May 2023.", "April 2023"),
            0.0,
        );
        check_n_a(&Correct, &row("q", "x", &[]), "`reference`");
    }
}
