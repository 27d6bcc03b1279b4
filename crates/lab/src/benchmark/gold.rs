//! Labelled evidence, and which sentences show it.

use eval::answers::{shares, shows};
use text::quote::find_quote;
use types::{Chunk, Span};

/// Evidence that answers a question.
#[derive(Clone, Debug)]
pub(crate) struct Gold {
    /// The document, by its name.
    pub(crate) document: String,
    pub(crate) place: Place,
}

/// Where it is in the document.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// A span of its text.
    Span(Span),
    /// A quote.
    Quote(String),
}

impl Gold {
    /// Whether each sentence of a chunk of its document shows it, in the order of the sentences.
    fn shown_by(&self, chunk: &Chunk) -> Vec<bool> {
        let shown = |spans: &[Span]| -> Vec<bool> {
            let of = |sentence: &types::SentenceSpan| spans.iter().any(|gold| shares(*gold, sentence.span));
            chunk.sentences.iter().map(of).collect()
        };
        match &self.place {
            Place::Span(span) => {
                let start = span.start.max(chunk.span.start);
                let end = span.end.min(chunk.span.end);
                if end <= start {
                    return vec![false; chunk.sentences.len()];
                }
                shown(&[Span::new(start - chunk.span.start, end - chunk.span.start)])
            }
            Place::Quote(quote) => {
                if let Some(found) = find_quote(&chunk.text, quote) {
                    let spans: Vec<Span> = found.parts.iter().map(|at| Span::new(at.start, at.end)).collect();
                    shown(&spans)
                } else {
                    // Cells of a table, or a quote that runs on in the next chunk.
                    let shown = |sentence: &types::SentenceSpan| shows(chunk.sentence(sentence), quote);
                    chunk.sentences.iter().map(shown).collect()
                }
            }
        }
    }
}

/// For each sentence of a chunk of this document, the gold items that it shows, by their index.
pub(crate) fn items(gold: &[Gold], document: &str, chunk: &Chunk) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); chunk.sentences.len()];
    for (index, item) in gold.iter().enumerate().filter(|(_, item)| item.document == document) {
        for (of, shown) in out.iter_mut().zip(item.shown_by(chunk)) {
            if shown {
                of.push(index);
            }
        }
    }
    out
}

/// Whether a sentence of the chunk shows an item.
pub(crate) fn contains(gold: &[Gold], document: &str, chunk: &Chunk) -> bool {
    items(gold, document, chunk).iter().any(|items| !items.is_empty())
}

/// The gold items that the sentences of a quote show: those of every sentence that the quote touches.
pub(super) fn of_quote(gold: &[Gold], document: &str, chunk: &Chunk, quote: &str) -> Vec<usize> {
    let Some(found) = find_quote(&chunk.text, quote) else {
        return Vec::new();
    };
    let mut shown: Vec<usize> = Vec::new();
    for (sentence, items) in chunk.sentences.iter().zip(items(gold, document, chunk)) {
        let touched = found.parts.iter().any(|at| shares(Span::new(at.start, at.end), sentence.span));
        if touched {
            shown.extend(items);
        }
    }
    shown.sort_unstable();
    shown.dedup();
    shown
}
