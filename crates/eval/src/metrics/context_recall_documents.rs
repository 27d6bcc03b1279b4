//! Were the documents that answer retrieved?

use super::documents;
use super::{Metric, Need, Spec, View};
use crate::Score;

/// The metric.
pub(super) struct ContextRecallDocuments;

const SPEC: Spec = Spec {
    key: "context_recall_documents",
    title: "Context recall, documents",
    definition: "Share of the expected documents of grade 1 or more that were retrieved, at any rank.",
    edge_cases: "N/a without an expected document of that grade; ids match without folder, file ending and case.",
    source: "ADR-013, context recall by document id",
    needs: &[Need::Expected, Need::Retrieved],
    ..Spec::SHARE
};

impl Metric for ContextRecallDocuments {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let grades = sample.grades()?;
        let retrieved = sample.retrieved()?.into_iter().map(documents::key);
        let found = retrieved.filter(|id| grades.contains_key(id)).count();
        Ok(found as f64 / grades.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, expected, ranked};

    #[test]
    fn found_documents_over_expected_ones() {
        check(
            &ContextRecallDocuments,
            &ranked(&["x", "A.pdf"], &["a", "b"]),
            0.5,
        );
        check(&ContextRecallDocuments, &ranked(&[], &["a"]), 0.0);
        check_n_a(&ContextRecallDocuments, &ranked(&["a"], &[]), "grade 1");
        let mut row = ranked(&["a"], &[]);
        row.expected = Some(vec![expected("a", 1), expected("b", 0)]);
        check(&ContextRecallDocuments, &row, 1.0);
        row.retrieved = None;
        check_n_a(&ContextRecallDocuments, &row, "`retrieved`");
    }
}
