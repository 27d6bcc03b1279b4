//! Does the answer have the words of the reference?

use super::{Field, Metric, Sample, Spec};
use eval::Score;

/// The metric.
pub(super) struct TokenF1;

const SPEC: Spec = Spec {
    key: "token_f1",
    definition: "F1 of the words of the answer (without citation marks) and of the reference, as bags, after folding, without \
         punctuation and articles.",
    edge_cases: "0 for a refusal and an empty answer; n/a without a reference and where a refusal is expected.",
    source: "Rajpurkar et al. 2016 (SQuAD), token F1; the metric correctness of `eval`",
    needs: &[Field::Answer, Field::Reference],
    ..Spec::SHARE
};

impl Metric for TokenF1 {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &Sample<'_>) -> Result<f64, Score> {
        let reference = sample.reference()?;
        let answer = sample.owed()?.map_or("", |reading| reading.text.as_str());
        eval::metrics::token_f1(answer, reference).ok_or_else(|| Score::n_a("`reference` holds no word"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn words_by_hand() {
        let mut row = row("q", "The cat sat down [1].", &[("a", "x")]);
        row.reference = Some("a cat sat".to_owned());
        // Cat and sat, of three and two words: 2 × 2 / 5.
        check(&TokenF1, &row, 0.8);
        row.answer = Some(String::new());
        check(&TokenF1, &row, 0.0);
        row.reference = Some("the".to_owned());
        check_n_a(&TokenF1, &row, "no word");
    }
}
