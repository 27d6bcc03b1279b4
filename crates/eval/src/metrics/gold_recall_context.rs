//! Was the labelled evidence put before the generator?

use super::{Metric, Need, Spec, View, gold, share};
use crate::Score;

/// The metric.
pub(super) struct GoldRecallContext;

const SPEC: Spec = Spec {
    key: "gold_recall_context",
    title: "Gold recall, context",
    definition: "Gold quotes that stand in a passage of their own document (after folding, or a run of at least 0.8 of their words), over \
         all gold quotes. Where quote or passage names no document, any passage counts.",
    edge_cases: "N/a without gold quotes; 0 without a passage.",
    source: "Thakur et al. 2021 (BEIR), recall, of labelled passages in the context instead of documents in a ranking",
    needs: &[Need::Context, Need::GoldEvidence],
    in_runs: true,
    ..Spec::SHARE
};

impl Metric for GoldRecallContext {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let quotes = gold::quotes(sample)?;
        let passages = sample.passages()?;
        Ok(share(
            quotes
                .iter()
                .map(|quote| gold::stands_in_passages(passages, quote)),
        ))
    }
}
