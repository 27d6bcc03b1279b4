//! Did retrieval find what answers?

use super::{Metric, Need, Spec, View};
use crate::Score;

/// The metric.
pub(super) struct ContextRecall;

const SPEC: Spec = Spec {
    key: "context_recall",
    title: "Context recall",
    definition: "The most certain of the three recalls that the row has labels for: gold_recall_context, else \
         context_recall_documents, else context_recall_claims. rag_score and the rules of automatic failure read it.",
    edge_cases: "N/a without any of the labels, never 0 for that.",
    source: "Ragas service, context_recall; ADR-013, context recall",
    needs_one_of: &[Need::GoldEvidence, Need::Expected, Need::ReferenceAnswer],
    ..Spec::SHARE
};

impl Metric for ContextRecall {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let kinds = [
            "gold_recall_context",
            "context_recall_documents",
            "context_recall_claims",
        ];
        for kind in kinds {
            match sample.value_of(kind) {
                Err(Score::NotApplicable(_)) => {}
                other => return other,
            }
        }
        let row = sample.sample;
        if row.gold_quotes.is_none() && row.expected.is_none() && row.reference.is_none() {
            return Err(Score::n_a(
                "the row has no `expected`, no `gold_quotes` and no `reference`",
            ));
        }
        Err(Score::n_a(
            "the row has neither `passages` nor `retrieved` that match its labels",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, ranked, row};

    #[test]
    fn the_most_certain_label_counts() {
        let mut row = row("q", "x", &[("a", "Walking lowered blood pressure by 6 mmHg.")]);
        check_n_a(&ContextRecall, &row, "`expected`");
        row.reference = Some("Walking lowered blood pressure by 6 mmHg.".to_owned());
        check(&ContextRecall, &row, 1.0);
        row.expected = ranked(&[], &["a", "b"]).expected;
        check(&ContextRecall, &row, 0.5);
        row.gold_quotes = Some(vec![crate::GoldQuote {
            document: None,
            quote: "Mice slept.".to_owned(),
        }]);
        check(&ContextRecall, &row, 0.0);
        row.passages = None;
        check_n_a(&ContextRecall, &row, "neither `passages`");
    }
}
