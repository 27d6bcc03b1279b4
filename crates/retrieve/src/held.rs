//! What a generation holds of one source, for a caller that makes the source anew and wants to do no work twice.

use crate::SourceRecord;
use std::sync::Arc;
use types::{Chunk, Span};

/// What can be used again of a source. Handed back to [`crate::Generation::add`], chunks give the same bytes and
/// vectors the same bits. Damaged chunks and vectors are left out.
#[derive(Clone, Debug, Default)]
pub struct HeldSource {
    /// Its record.
    pub record: SourceRecord,
    /// Its chunks, by ordinal.
    pub chunks: Vec<Arc<Chunk>>,
    /// For each of these chunks its windows (bytes of [`Chunk::text`]), each with its unit vector.
    pub windows: Vec<Vec<(Span, Vec<f32>)>>,
    /// One vector a sentence, by [`types::SentenceSpan::number`]: unit length within the 8 bits a number that the
    /// index keeps, or zeros; `None` where it is damaged.
    pub sentences: Vec<Option<Vec<f32>>>,
}

impl HeldSource {
    /// Whether no chunk is missing.
    pub fn has_all_chunks(&self) -> bool {
        self.chunks.len() == self.record.chunks[1].saturating_sub(self.record.chunks[0])
    }
}
