//! The three scores of the Ragas service as one.

use super::{Field, Metric, Sample, Spec};
use eval::Score;

/// The metric.
pub(super) struct RagScore;

const SPEC: Spec = Spec {
    key: "rag_score",
    definition: "0.4 × context_recall + 0.4 × faithfulness + 0.2 × answer_relevance.",
    edge_cases: "N/a if any of the three is: a missing recall is no 0. Its mean is over complete rows, and n says how many.",
    source: "Ragas service, rag_score",
    needs: &[Field::Question, Field::Answer, Field::Passages],
    needs_one_of: &[Field::GoldQuotes, Field::Expected, Field::Reference],
    ..Spec::SHARE
};

impl Metric for RagScore {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &Sample<'_>) -> Result<f64, Score> {
        let of = |metric: &dyn Metric| {
            metric.value(sample).map_err(|score| match score {
                Score::NotApplicable(why) => Score::n_a(format!("{}: {why}", metric.spec().key)),
                other => other,
            })
        };
        let recall = of(&super::context_recall::ContextRecall)?;
        let faithfulness = of(&super::faithfulness::Faithfulness)?;
        let relevance = of(&super::answer_relevance::AnswerRelevance)?;
        Ok(rag_score(recall, faithfulness, relevance))
    }
}

/// The weighted sum, 0 to 1.
pub(crate) fn rag_score(recall: f64, faithfulness: f64, relevance: f64) -> f64 {
    0.4 * recall + 0.4 * faithfulness + 0.2 * relevance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, ranked, row};

    #[test]
    fn the_example_of_the_service() {
        let close = |got: f64, want: f64| assert!((got - want).abs() < 1e-12, "{got}");
        close(rag_score(0.88, 0.93, 0.89), 0.902);
        close(rag_score(1.0, 0.96, 0.91), 0.966);
    }

    #[test]
    fn all_three_or_none() {
        let question = "How does walking affect blood pressure?";
        let mut row = row(
            question,
            "Walking lowered blood pressure.",
            &[("a", "In the trial, walking lowered blood pressure.")],
        );
        check_n_a(&RagScore, &row, "context_recall: the row has no `expected`");
        row.expected = ranked(&[], &["a", "b"]).expected;
        check(&RagScore, &row, 0.8);
        row.answer = Some(String::new());
        check_n_a(&RagScore, &row, "faithfulness");
    }
}
