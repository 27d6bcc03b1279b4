//! Do citations quote what they cite?

use super::{Metric, Need, QUOTE_WORDS, Spec, View, citations::resolve, share, view::lacks};
use crate::Cited;
use crate::Score;

/// The metric.
pub(super) struct QuoteAccuracy;

const SPEC: Spec = Spec {
    key: "quote_accuracy",
    title: "Quote accuracy",
    definition: "Citations whose quote stands verbatim (after folding) in the passage that they cite and has at most 40 words, over all \
         listed citations.",
    edge_cases: "N/a on a refusal, without texts of passages, and if no citation quotes; 0 for an answer that lists no citation.",
    source: "a convention of this project: a quote is verbatim and short",
    needs: &[Need::Answer, Need::Citations, Need::Context],
    staged: true,
    by_construction: true,
    in_runs: true,
    ..Spec::SHARE
};

impl Metric for QuoteAccuracy {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &View<'_>) -> Result<f64, Score> {
        sample.given()?;
        let passages = sample.passages()?;
        let listed = sample.sample.citations.as_deref();
        let listed = listed.ok_or_else(|| lacks(Need::Citations))?;
        if !listed.is_empty() && listed.iter().all(|cited| cited.quote.is_none()) {
            return Err(Score::n_a("no citation quotes"));
        }
        let verbatim = |cited: &Cited| {
            let quote = cited.quote.as_deref().unwrap_or_default();
            let mut named = resolve(cited, passages).into_iter();
            // Parts around an ellipsis are looked for in order within one passage.
            words(quote) <= QUOTE_WORDS
                && named.any(|at| text::quote::find_quote(&passages[at].text, quote).is_some())
        };
        Ok(share(listed.iter().map(verbatim)))
    }
}

/// Words of a quote; a lone dash or ellipsis is none.
fn words(quote: &str) -> usize {
    let has_letter = |word: &&str| word.chars().any(char::is_alphanumeric);
    quote.split_whitespace().filter(has_letter).count()
}
