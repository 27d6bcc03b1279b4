//! How many of the retrieved documents does the answer cite?

use super::citations::resolve;
use super::documents;
use super::{Direction, Metric, Need, Spec, View};
use crate::Score;
use std::collections::BTreeSet;

/// The metric.
pub(super) struct SourceDiversity;

const SPEC: Spec = Spec {
    key: "source_diversity",
    title: "Source diversity",
    definition: "Distinct documents that the answer cites, of those retrieved, over the distinct retrieved documents.",
    edge_cases: "N/a on a refusal, without a retrieved document, and if nothing tells what is cited. A question about one \
         document is answered best from one: it describes, and a low value is no fault.",
    source: "own definition",
    direction: Direction::Neither,
    needs: &[Need::Answer, Need::Citations, Need::Retrieved],
    ..Spec::SHARE
};

impl Metric for SourceDiversity {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let reading = sample.cited()?;
        let retrieved: BTreeSet<String> = sample.retrieved()?.into_iter().map(documents::key).collect();
        if retrieved.is_empty() {
            return Err(Score::n_a("no document was retrieved"));
        }
        let passages = sample.sample.passages.as_deref().unwrap_or_default();
        let of = |cited: &crate::Cited| {
            let named = resolve(cited, passages)
                .first()
                .and_then(|at| passages[*at].document.clone());
            named
                .or_else(|| cited.document.clone())
                .map(|id| documents::key(&id))
        };
        let cited: BTreeSet<String> = reading.references.iter().filter_map(of).collect();
        Ok(cited.intersection(&retrieved).count() as f64 / retrieved.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn cited_documents_over_retrieved_ones() {
        let passages = [("a.pdf", "x"), ("b.pdf", "y"), ("a.pdf", "z")];
        check(
            &SourceDiversity,
            &row("q", "Mice ran [a.pdf; b.pdf].", &passages),
            1.0,
        );
        check(
            &SourceDiversity,
            &row("q", "Mice ran [a.pdf]. Rats [3] too [c.pdf].", &passages),
            0.5,
        );
        check_n_a(&SourceDiversity, &row("q", "Mice ran.", &passages), "`citations`");
        check_n_a(
            &SourceDiversity,
            &row("q", "Mice ran [a.pdf].", &[]),
            "no document",
        );
    }
}
