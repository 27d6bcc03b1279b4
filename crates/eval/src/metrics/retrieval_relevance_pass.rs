//! Is any passage about the question?

use super::{Metric, Need, Spec, View};
use crate::Score;

/// The metric.
pub(super) struct RetrievalRelevancePass;

const SPEC: Spec = Spec {
    key: "retrieval_relevance_pass",
    title: "Relevant passage retrieved",
    definition: "Whether at least one passage is relevant, as retrieval_relevance counts them. Its mean is \
         retrieval_relevance_pass_rate.",
    edge_cases: "As retrieval_relevance.",
    source: "LitPath, retrieval relevance: some facts may be unrelated, as long as some are relevant",
    needs: &[Need::Question, Need::Context],
    ..Spec::PASS
};

impl Metric for RetrievalRelevancePass {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let (relevant, _) = super::retrieval_relevance::relevant(sample)?;
        Ok(f64::from(u8::from(relevant > 0)))
    }

    fn explanation(&self, sample: &View<'_>) -> Option<String> {
        let (relevant, all) = super::retrieval_relevance::relevant(sample).ok()?;
        Some(format!(
            "{relevant} of {all} passages have a sentence with at least half of the question's content terms"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn one_relevant_passage_is_enough() {
        let question = "How does walking affect blood pressure?";
        let (good, bad) = (
            "In the trial, brisk walking lowered blood pressure.",
            "Mice slept for most of the day.",
        );
        check(
            &RetrievalRelevancePass,
            &row(question, "x", &[("a", bad), ("b", good)]),
            1.0,
        );
        check(&RetrievalRelevancePass, &row(question, "x", &[("a", bad)]), 0.0);
        check_n_a(&RetrievalRelevancePass, &row(question, "x", &[]), "no passage");
    }
}
