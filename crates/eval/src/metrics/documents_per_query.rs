//! How much was retrieved?

use super::view::lacks;
use super::{Direction, Metric, Need, Range, Spec, View};
use crate::Score;

/// A count of what was retrieved.
pub(super) struct Retrieved(&'static Spec);

const COUNT: Spec = Spec {
    range: Range {
        low: 0.0,
        high: f64::INFINITY,
    },
    direction: Direction::Neither,
    needs: &[Need::Retrieved],
    in_runs: true,
    ..Spec::SHARE
};

/// Documents.
pub(super) static DOCUMENTS: Retrieved = Retrieved(&Spec {
    key: "documents_per_query",
    title: "Documents retrieved",
    definition: "Number of distinct retrieved documents.",
    edge_cases: "0 if nothing was retrieved; n/a if the row does not tell the documents.",
    source: "LitPath, documents retrieved per query",
    ..COUNT
});

/// Passages.
pub(super) static PASSAGES: Retrieved = Retrieved(&Spec {
    key: "passages_per_query",
    title: "Passages retrieved",
    definition: "Number of passages that retrieval returned; of those that the answer was written from, where the row lists no \
         others.",
    edge_cases: "0 if nothing was retrieved; n/a if the row has no passages.",
    source: "LitPath, chunks retrieved per query",
    needs: &[Need::Context],
    ..COUNT
});

impl Metric for Retrieved {
    fn spec(&self) -> &'static Spec {
        self.0
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        if self.0.key == PASSAGES.0.key {
            let own = sample.sample;
            let all = own.returned.as_ref().or(own.passages.as_ref());
            return Ok(all.ok_or_else(|| lacks(Need::Context))?.len() as f64);
        }
        Ok(sample.retrieved()?.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn distinct_documents_and_all_passages() {
        let mut row = row("q", "a", &[("a", "x"), ("b", "y"), ("a", "z")]);
        check(&DOCUMENTS, &row, 2.0);
        check(&PASSAGES, &row, 3.0);
        row.passages = None;
        check_n_a(&DOCUMENTS, &row, "`retrieved`");
        check_n_a(&PASSAGES, &row, "`passages`");
        row.retrieved = Some(vec![]);
        check(&DOCUMENTS, &row, 0.0);
    }
}
