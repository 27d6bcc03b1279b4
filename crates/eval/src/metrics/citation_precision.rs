//! Do citations point at what the generator saw?

use super::{Metric, Need, Spec, View, citations::names_context, view::lacks};
use crate::Score;

/// The metric.
pub(super) struct CitationPrecision;

const SPEC: Spec = Spec {
    key: "citation_precision",
    title: "Citation precision",
    definition: "Citations that name a passage which the answer was written from, under that passage's own document, over all \
         citations; marks in the text without an entry in the list count too.",
    edge_cases: "N/a on a refusal, and if the row does not tell what is cited or what was retrieved; 0 for an answer without a citation. A log \
         without a context is judged by what retrieval returned.",
    source: "Gao et al. 2023 (ALCE), citation precision, counted by passage instead of judged by entailment",
    needs: &[Need::Answer, Need::Citations],
    needs_one_of: &[Need::Context, Need::Retrieved],
    staged: true,
    by_construction: true,
    in_runs: true,
    ..Spec::SHARE
};

impl Metric for CitationPrecision {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let reading = sample.cited()?;
        if reading.references.is_empty() {
            return Ok(0.0);
        }
        let named = reading
            .references
            .iter()
            .map(|cited| names_context(cited, sample.sample));
        let named: Option<Vec<bool>> = named.collect();
        let named = named.ok_or_else(|| lacks(Need::Context))?;
        Ok(named.iter().filter(|named| **named).count() as f64 / named.len() as f64)
    }
}
