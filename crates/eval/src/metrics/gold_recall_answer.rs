//! Did the labelled evidence reach the answer?

use super::{Metric, Need, Spec, View, gold, share};
use crate::Score;

/// The metric.
pub(super) struct GoldRecallAnswer;

const SPEC: Spec = Spec {
    key: "gold_recall_answer",
    title: "Gold recall, answer",
    definition: "Gold quotes found in a cited quote or a sentence of the answer that cites their own document (after folding, or a common \
         run of at least 0.8 of their words, of 40 for longer ones), over all gold quotes.",
    edge_cases: "0 on a refusal; n/a without gold quotes.",
    source: "a convention of this project: recall of labelled passages in what the answer shows",
    needs: &[Need::Answer, Need::GoldEvidence],
    staged: true,
    in_runs: true,
    ..Spec::SHARE
};

impl Metric for GoldRecallAnswer {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        let quotes = gold::quotes(sample)?;
        let shown = gold::shown_by(sample)?;
        Ok(share(quotes.iter().map(|quote| gold::is_shown(&shown, quote))))
    }
}
