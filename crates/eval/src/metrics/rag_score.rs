//! The three scores of the Ragas service as one.

use super::{Metric, Need, Spec, View};
use crate::Score;

/// The metric.
pub(super) struct RagScore;

const SPEC: Spec = Spec {
    key: "rag_score",
    title: "RAG score",
    definition: "0.4 × context_recall + 0.4 × faithfulness + 0.2 × answer_relevance.",
    edge_cases: "N/a if any of the three is: a missing recall is no 0. Its mean is over complete rows, and n says how many.",
    source: "Ragas service, rag_score",
    needs: &[Need::Question, Need::Answer, Need::Context],
    needs_one_of: &[Need::GoldEvidence, Need::Expected, Need::ReferenceAnswer],
    ..Spec::SHARE
};

impl Metric for RagScore {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let of = |key: &str| {
            sample.value_of(key).map_err(|score| match score {
                Score::NotApplicable(why) => Score::n_a(format!("{key}: {why}")),
                other => other,
            })
        };
        let recall = of("context_recall")?;
        let faithfulness = of("faithfulness")?;
        let relevance = of("answer_relevance")?;
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
