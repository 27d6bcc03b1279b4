//! What a generation holds of one source, for a caller that makes the source anew and wants to do no work twice.

use crate::{
    SourceRecord,
    disk::{chunk_json, crc},
};
use std::sync::Arc;
use types::{Chunk, Span};

/// What can be used again of a source. Handed back to [`crate::Generation::add`], chunks give the same bytes and
/// vectors the same bits. Damaged chunks and vectors are left out.
#[derive(Clone, Debug, Default)]
pub struct HeldSource {
    /// Its record.
    pub record: SourceRecord,
    /// Its chunks, by ordinal; `None` where one is damaged.
    pub chunks: Vec<Option<Arc<Chunk>>>,
    /// For each of these chunks its windows (bytes of [`Chunk::text`]), each with its unit vector.
    pub windows: Vec<Vec<(Span, Vec<f32>)>>,
    /// One vector a sentence, by [`types::SentenceSpan::number`]: unit length within the 8 bits a number that the
    /// index keeps, or zeros; `None` where it is damaged.
    pub sentences: Vec<Option<Vec<f32>>>,
    /// For each chunk the checksum that was written for it, where one of them is damaged.
    pub sums: Vec<Option<u32>>,
}

impl HeldSource {
    /// Whether no chunk is missing.
    pub fn has_all_chunks(&self) -> bool {
        self.chunks.iter().all(Option::is_some)
    }

    /// Puts chunks that were cut again in the place of damaged ones, where the checksum proves them to be the same: the
    /// vectors of the damaged ones are theirs.
    pub fn restore(&mut self, chunks: &[Chunk]) {
        for ((slot, sum), chunk) in self.chunks.iter_mut().zip(&self.sums).zip(chunks) {
            if slot.is_none()
                && sum.is_some()
                && chunk_json(chunk).is_ok_and(|json| *sum == Some(crc(&[&json])))
            {
                *slot = Some(Arc::new(chunk.clone()));
            }
        }
    }
}
