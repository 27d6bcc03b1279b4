//! Which sentences of a chunk show labelled evidence, and which thresholds of refusals and of high confidence suit it.
//!
//! A sentence shows a quote or a span if the two share at least half of the shorter one. [`calibration`] chooses the
//! thresholds.

pub mod calibration;

use crate::{
    GoldEvidence,
    metrics::gold::{share_run, words},
};
use text::quote::find_quote;
use types::{Chunk, Span};

/// Words that two texts must have in common, however short they are.
const LEAST_WORDS: usize = 3;

/// For each sentence of a chunk, whether it shows one of these spans of the chunk's text.
pub fn showing_spans(chunk: &Chunk, spans: &[Span]) -> Vec<bool> {
    let of = |sentence: &types::SentenceSpan| spans.iter().any(|span| shares(*span, sentence.span));
    chunk.sentences.iter().map(of).collect()
}

impl GoldEvidence {
    /// For each sentence of a chunk, whether it shows the quote.
    pub fn shown_by(&self, chunk: &Chunk) -> Vec<bool> {
        if self.source_id != chunk.source_id {
            return vec![false; chunk.sentences.len()];
        }
        if let Some(found) = find_quote(&chunk.text, &self.quote) {
            let spans: Vec<Span> = found.parts.iter().map(|at| Span::new(at.start, at.end)).collect();
            return showing_spans(chunk, &spans);
        }
        // Cells of a table, or a quote that runs on in the next chunk.
        let of = |sentence: &types::SentenceSpan| shows(chunk.sentence(sentence), &self.quote);
        chunk.sentences.iter().map(of).collect()
    }
}

/// Whether two spans of one text share at least half of the shorter one.
fn shares(a: Span, b: Span) -> bool {
    let shared = a.end.min(b.end).saturating_sub(a.start.max(b.start));
    shared > 0 && 2 * shared >= a.len().min(b.len())
}

/// Whether a sentence shows a quote by their words: both have a run of at least half of the shorter one's words in
/// common. Punctuation does not count, so that the row of a table shows its cells.
fn shows(sentence: &str, quote: &str) -> bool {
    let (sentence, quote) = (words(sentence), words(quote));
    let half = sentence.len().min(quote.len()).div_ceil(2);
    share_run(&sentence, &quote, half.max(LEAST_WORDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_show_their_cells() {
        let quote = "Six-minute walk, m 512 (68) 508 (72) 515 (66)";
        assert!(shows("Six-minute walk, m | 512 (68) | 508 (72) | 515 (66)", quote));
        assert!(shows("508 (72) | 515 (66)", quote));
        assert!(!shows("Six-minute walk was measured.", quote), "a run of two words");
        assert!(!shows("", quote) && !shows(quote, ""));
    }

    #[test]
    fn half_of_the_shorter_span_is_enough() {
        for (a, b, want) in [
            ((0, 100), (40, 50), true),
            ((40, 50), (0, 100), true),
            ((0, 10), (5, 15), true),
            ((0, 10), (6, 16), false),
            ((0, 10), (10, 20), false),
            ((0, 0), (0, 10), false),
        ] {
            assert_eq!(shares(Span::new(a.0, a.1), Span::new(b.0, b.1)), want, "{a:?} {b:?}");
        }
    }
}
