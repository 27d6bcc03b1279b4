//! Do the passages contain the sentences that answer?

use super::documents;
use super::sample::lacks;
use super::{Field, Metric, Sample, Spec};
use eval::Score;

/// The metric.
pub(super) struct ContextRecallQuotes;

const SPEC: Spec = Spec {
    key: "context_recall_quotes",
    definition: "Share of the gold quotes that stand verbatim (after folding) in a passage; where quote and passage both name a \
         document, in one of that document.",
    edge_cases: "N/a without a gold quote; 0 without a passage.",
    source: "own definition; the metric gold_recall_context of `eval`",
    needs: &[Field::GoldQuotes, Field::Passages],
    ..Spec::SHARE
};

impl Metric for ContextRecallQuotes {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn value(&self, sample: &Sample<'_>) -> Result<f64, Score> {
        let quotes = sample
            .row
            .gold_quotes
            .as_deref()
            .filter(|quotes| !quotes.is_empty());
        let quotes = quotes.ok_or_else(|| lacks(Field::GoldQuotes))?;
        let passages = sample.passages()?;
        let stands = |gold: &&rows::GoldQuote| {
            let own = gold.document.as_deref().map(documents::key);
            let of_document = |passage: &&rows::Passage| match (&own, passage.document.as_deref()) {
                (Some(own), Some(document)) => *own == documents::key(document),
                _ => true,
            };
            let mut held = passages.iter().filter(of_document);
            held.any(|passage| text::quote::find_quote(&passage.text, &gold.quote).is_some())
        };
        Ok(quotes.iter().filter(stands).count() as f64 / quotes.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, row};

    #[test]
    fn quotes_in_passages_of_their_document() {
        let quote = |document: Option<&str>, quote: &str| rows::GoldQuote {
            document: document.map(str::to_owned),
            quote: quote.to_owned(),
        };
        let mut row = row("q", "x", &[("a", "Mice ran 5 km. Rats slept.")]);
        check_n_a(&ContextRecallQuotes, &row, "`gold_quotes`");
        row.gold_quotes = Some(vec![
            quote(Some("a.pdf"), "Mice ran 5 km"),
            quote(Some("b"), "Rats slept"),
        ]);
        check(&ContextRecallQuotes, &row, 0.5);
        row.gold_quotes = Some(vec![quote(None, "Rats slept."), quote(None, "Mice ran 15 km")]);
        check(&ContextRecallQuotes, &row, 0.5);
        row.passages = Some(Vec::new());
        check(&ContextRecallQuotes, &row, 0.0);
    }
}
