//! Pieces of a document that are indexed and cited.

use crate::{ChunkId, SectionKind, SourceId, Span};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A sentence of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentenceSpan {
    /// Bytes into [`Chunk::text`].
    pub span: Span,
    /// Number of the sentence in its source, from 0: the row of its stored vector. Chunks overlap, so the
    /// same number may stand in two chunks.
    pub number: u32,
    /// Page on which it starts.
    pub page: u32,
}

/// A run of whole sentences of one section, small enough to be retrieved and cited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Its name.
    pub chunk_id: ChunkId,
    /// The paper.
    pub source_id: SourceId,
    /// Normalised label of its section.
    pub section: SectionKind,
    /// The heading as printed; empty where there is none.
    pub heading: String,
    /// Position among the chunks of its source, from 0.
    pub ordinal: u32,
    /// First page.
    pub page_start: u32,
    /// Last page.
    pub page_end: u32,
    /// Bytes into the document's text; `text` is exactly that slice.
    pub span: Span,
    /// `[Source: … | Section: … | Pages: …]`, put before the text that is embedded, never part of a quote.
    pub prefix: String,
    /// The raw text: what BM25 indexes, what quotes are slices of.
    pub text: String,
    /// `cl100k_base` tokens of prefix and text together.
    pub tokens: u32,
    /// Its sentences, in order.
    pub sentences: Vec<SentenceSpan>,
    /// Where the chunk begins inside a table: the lines of the table that its rows are understood by and that earlier chunks
    /// hold. See [`table_head`](crate::table_head).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table_head: Vec<String>,
}

impl Chunk {
    /// The text of a sentence of this chunk; empty when the span is broken.
    pub fn sentence(&self, sentence: &SentenceSpan) -> &str {
        sentence.span.slice(&self.text).unwrap_or_default()
    }

    /// The text, below the lines of the table in which it begins: what its rows are understood by.
    pub fn with_table_head(&self) -> Cow<'_, str> {
        if self.table_head.is_empty() {
            return Cow::Borrowed(&self.text);
        }
        Cow::Owned(format!("{}\n\n{}", self.table_head.join("\n\n"), self.text))
    }

    /// The pages (first, last) that the bytes `span` of the chunk's text stand on.
    pub fn pages_of(&self, span: Span) -> (u32, u32) {
        let mut inside = self.sentences.iter().filter(|s| s.span.overlaps(span)).map(|s| s.page);
        let Some(first) = inside.next() else {
            return (self.page_start, self.page_end);
        };
        (first, inside.next_back().unwrap_or(first))
    }

    /// Whether a slice of the text begins, and whether it ends, inside a sentence: words of that sentence stand
    /// before it, or behind it.
    pub fn cuts(&self, span: Span) -> (bool, bool) {
        let inside = |at: usize| {
            let mut sentences = self.sentences.iter().map(|s| s.span);
            sentences.find(|s| s.start < at && at < s.end)
        };
        let words = |from: usize, to: usize| {
            let text = self.text.get(from..to).unwrap_or_default();
            text.contains(char::is_alphanumeric)
        };
        (
            inside(span.start).is_some_and(|s| words(s.start, span.start)),
            inside(span.end).is_some_and(|s| words(span.end, s.end)),
        )
    }
}
