//! A source as a store receives it, and as it tells of it.

use crate::{Chunk, SourceMeta, Span, vector::unit};
use std::sync::Arc;

/// One source, chunked and embedded.
#[derive(Clone, Debug, Default)]
pub struct SourceEntry {
    /// Its metadata.
    pub meta: SourceMeta,
    /// The caller's key: the same key must mean the same chunks and vectors (content hash, versions, settings).
    pub key: String,
    /// Path of the file, as the caller will look it up later.
    pub path: String,
    /// Further paths at which the same content lies, in order.
    pub copies: Vec<String>,
    /// Which record of the file it is, if the file contains many sources.
    pub record: Option<String>,
    /// The folder or file given to ingest when this file was found.
    pub root: String,
    /// When it was ingested, as text for people; unchanged while the source is kept.
    pub ingested: String,
    /// Its chunks: ordinals 0, 1, 2, … in order.
    pub chunks: Vec<Chunk>,
    /// For each chunk its embedding windows, as byte ranges of [`Chunk::text`]. A chunk without a window is found by
    /// BM25 alone.
    pub windows: Vec<Vec<Span>>,
    /// One vector per window, over all chunks in order. The store scales each to unit length.
    pub window_vectors: Vec<Vec<f32>>,
    /// One vector per sentence, indexed by [`crate::SentenceSpan::number`].
    pub sentence_vectors: Vec<Vec<f32>>,
}

/// A source of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredSource {
    /// Its metadata.
    pub meta: Arc<SourceMeta>,
    /// Path of the file that it was read from, as stored.
    pub path: String,
    /// Which record of the file it is, if the file contains many sources.
    pub record: Option<String>,
}

impl SourceEntry {
    /// What is wrong with a source whose parts do not fit each other. A store refuses it before anything of it is written.
    ///
    /// # Errors
    /// The first contradiction, in words.
    pub fn check(&self, dimension: usize) -> Result<(), String> {
        let (chunks, lists) = (self.chunks.len(), self.windows.len());
        if lists != chunks {
            return Err(format!("{chunks} chunks have {lists} lists of windows"));
        }
        let windows: usize = self.windows.iter().map(Vec::len).sum();
        if self.window_vectors.len() != windows {
            return Err(format!("{windows} windows have {} vectors", self.window_vectors.len()));
        }
        for ((ordinal, chunk), windows) in (0_u32..).zip(&self.chunks).zip(&self.windows) {
            let id = &chunk.chunk_id;
            if chunk.source_id != self.meta.source_id {
                return Err(format!("chunk {id} belongs to {}", chunk.source_id));
            }
            if chunk.ordinal != ordinal {
                return Err(format!("chunk {id} has ordinal {} in place {ordinal}", chunk.ordinal));
            }
            if windows.iter().any(|span| span.slice(&chunk.text).is_none()) {
                return Err(format!("a window of chunk {id} is not a slice of its text"));
            }
            let sentences = self.sentence_vectors.len();
            if chunk.sentences.iter().any(|s| s.number as usize >= sentences) {
                return Err(format!("a sentence of chunk {id} has no vector"));
            }
        }
        for (what, vectors) in [("window", &self.window_vectors), ("sentence", &self.sentence_vectors)] {
            for (at, vector) in vectors.iter().enumerate() {
                if vector.len() != dimension {
                    let numbers = vector.len();
                    return Err(format!("the vector of {what} {at} has {numbers} numbers, not {dimension}"));
                }
                if unit(vector).is_none() {
                    return Err(format!(
                        "the vector of {what} {at} holds a number that is not finite, or its length is not"
                    ));
                }
            }
        }
        Ok(())
    }
}
