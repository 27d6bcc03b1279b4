//! How many documents were retrieved?

use super::{Field, Metric, Sample, Spec};
use eval::Score;
use eval::metrics::Range;

/// The metric.
pub(super) struct DocumentsPerQuery;

const SPEC: Spec = Spec {
    key: "documents_per_query",
    definition: "Number of distinct retrieved documents.",
    edge_cases: "0 if nothing was retrieved; n/a if the row does not tell the documents.",
    source: "LitPath, documents retrieved per query",
    range: Range {
        low: 0.0,
        high: f64::INFINITY,
    },
    direction: None,
    needs: &[Field::Retrieved],
    ..Spec::SHARE
};

impl Metric for DocumentsPerQuery {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &Sample<'_>) -> Result<f64, Score> {
        Ok(sample.retrieved()?.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, ranked, row};

    #[test]
    fn distinct_documents() {
        check(
            &DocumentsPerQuery,
            &row("q", "x", &[("a", ""), ("b", ""), ("a.pdf", "")]),
            2.0,
        );
        check(&DocumentsPerQuery, &ranked(&[], &[]), 0.0);
        check_n_a(&DocumentsPerQuery, &rows::AnswerRow::default(), "`retrieved`");
    }
}
