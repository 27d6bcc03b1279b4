//! Are questions refused that must be?

use super::sample::lacks;
use super::{Field, Metric, Sample, Spec};
use eval::Score;

/// The metric.
pub(super) struct PremiseRefusal;

const SPEC: Spec = Spec {
    key: "premise_refusal",
    definition: "Whether the answer refuses, for rows where a refusal is expected: those with expected_refusal, or with a tag \
         `leading` or `false_premise` and no expected_refusal. Whether an answer refuses is the field `refused`, or else \
         its wording: it claims nothing, cites nothing and denies.",
    edge_cases: "N/a for all other rows; an empty answer is no refusal.",
    source: "ADR-013, out-of-scope handling (future work there)",
    needs: &[Field::Answer],
    needs_one_of: &[Field::ExpectedRefusal],
    ..Spec::PASS
};

impl Metric for PremiseRefusal {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &Sample<'_>) -> Result<f64, Score> {
        let leading = sample
            .row
            .tags
            .iter()
            .any(|tag| tag == "leading" || tag == "false_premise");
        match sample.row.expected_refusal {
            Some(true) => {}
            None if leading => {}
            Some(false) => return Err(Score::n_a("no refusal is expected")),
            None => return Err(lacks(Field::ExpectedRefusal)),
        }
        Ok(f64::from(u8::from(sample.refused()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn refusals_of_leading_questions() {
        let mut row = row(
            "Which dose of walking cured gout?",
            "The papers do not report this.",
            &[],
        );
        check_n_a(&PremiseRefusal, &row, "`expected_refusal`");
        row.tags = vec!["leading".to_owned()];
        check(&PremiseRefusal, &row, 1.0);
        row.answer = Some("Walking for 30 min cured gout.".to_owned());
        check(&PremiseRefusal, &row, 0.0);
        row.answer = Some(String::new());
        check(&PremiseRefusal, &row, 0.0);
        row.refused = Some(true);
        check(&PremiseRefusal, &row, 1.0);
        row.expected_refusal = Some(false);
        check_n_a(&PremiseRefusal, &row, "no refusal");
    }
}
