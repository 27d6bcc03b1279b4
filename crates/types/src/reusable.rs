//! The stored parts of a source, for a caller that builds the source again and wants to avoid repeated work.

use crate::{Chunk, SourceMeta, Span, digest::crc32};
use std::sync::Arc;

/// The parts of a stored source that can be used again. Added again with [`crate::IndexSink::add`], chunks are stored as
/// the same bytes and vectors as the same bits. Damaged chunks and vectors are left out.
#[derive(Clone, Debug, Default)]
pub struct ReusableSource {
    /// Its metadata.
    pub meta: SourceMeta,
    /// Its chunks, by ordinal; `None` where one is damaged.
    pub chunks: Vec<Option<Arc<Chunk>>>,
    /// For each of these chunks its windows (bytes of [`Chunk::text`]), each with its unit vector.
    pub windows: Vec<Vec<(Span, Vec<f32>)>>,
    /// One vector per sentence, by [`crate::SentenceSpan::number`]: unit length within the precision that the store
    /// keeps, or zeros; `None` where it is damaged.
    pub sentences: Vec<Option<Vec<f32>>>,
    /// For each chunk the checksum that was stored with it, see [`Chunk::checksum`]; `None` if the store has none.
    pub checksums: Vec<Option<u32>>,
}

impl ReusableSource {
    /// Whether no chunk is missing.
    pub fn has_all_chunks(&self) -> bool {
        self.chunks.iter().all(Option::is_some)
    }

    /// Replaces damaged chunks with newly made ones where the checksum proves them equal, so that the stored vectors of
    /// the damaged ones can be used.
    pub fn restore(&mut self, chunks: &[Chunk]) {
        for ((slot, stored), chunk) in self.chunks.iter_mut().zip(&self.checksums).zip(chunks) {
            if slot.is_none() && stored.is_some() && chunk.checksum() == *stored {
                *slot = Some(Arc::new(chunk.clone()));
            }
        }
    }
}

impl Chunk {
    /// The chunk as one line of JSON, with its line end: the form in which it is stored and its checksum is computed.
    ///
    /// # Errors
    /// When it cannot be serialised, which does not happen for a value in memory.
    pub fn to_json_line(&self) -> serde_json::Result<Vec<u8>> {
        let mut json = serde_json::to_vec(self)?;
        json.push(b'\n');
        Ok(json)
    }

    /// CRC-32 of [`Self::to_json_line`].
    pub fn checksum(&self) -> Option<u32> {
        self.to_json_line().ok().map(|json| crc32(&[&json]))
    }
}
