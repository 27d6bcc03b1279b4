//! Locates gold evidence in a chunk.

use eval::answers::{shares, shows};
use text::quote::find_quote;
use types::{Chunk, ContextChunk, SourceId, Span};

/// Evidence that answers a question.
#[derive(Clone, Debug)]
pub(crate) enum GoldItem {
    /// A span of the text of a source.
    Span(SourceId, Span),
    /// A quote from a source.
    Quote(SourceId, String),
}

impl GoldItem {
    pub(crate) fn source(&self) -> &SourceId {
        match self {
            Self::Span(source, _) | Self::Quote(source, _) => source,
        }
    }

    /// Whether each sentence of the chunk shows the item, in the order of the sentences.
    pub(super) fn shown_by(&self, chunk: &Chunk) -> Vec<bool> {
        let none = || vec![false; chunk.sentences.len()];
        if *self.source() != chunk.source_id {
            return none();
        }
        let shown = |spans: &[Span]| -> Vec<bool> {
            let of = |sentence: &types::SentenceSpan| spans.iter().any(|gold| shares(*gold, sentence.span));
            chunk.sentences.iter().map(of).collect()
        };
        match self {
            Self::Span(_, span) => {
                let start = span.start.max(chunk.span.start);
                let end = span.end.min(chunk.span.end);
                if end <= start {
                    return none();
                }
                shown(&[Span::new(start - chunk.span.start, end - chunk.span.start)])
            }
            Self::Quote(_, quote) => {
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

/// For each sentence of a chunk, the gold items that it shows, by their index.
pub(crate) fn items(gold: &[GoldItem], chunk: &Chunk) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); chunk.sentences.len()];
    for (index, item) in gold.iter().enumerate() {
        for (of, shown) in out.iter_mut().zip(item.shown_by(chunk)) {
            if shown {
                of.push(index);
            }
        }
    }
    out
}

/// Whether a sentence of the chunk shows an item.
pub(super) fn contains(gold: &[GoldItem], chunk: &Chunk) -> bool {
    gold.iter().any(|item| item.shown_by(chunk).contains(&true))
}

/// The gold items that the sentences of a quote show: those of every sentence that the quote touches.
pub(super) fn of_quote(gold: &[GoldItem], place: &ContextChunk, quote: &str) -> Vec<usize> {
    let Some(found) = find_quote(&place.chunk.text, quote) else {
        return Vec::new();
    };
    let of = items(gold, &place.chunk);
    let mut shown: Vec<usize> = Vec::new();
    for (sentence, items) in place.chunk.sentences.iter().zip(of) {
        let touched = found
            .parts
            .iter()
            .any(|at| shares(Span::new(at.start, at.end), sentence.span));
        if touched {
            shown.extend(items);
        }
    }
    shown.sort_unstable();
    shown.dedup();
    shown
}
