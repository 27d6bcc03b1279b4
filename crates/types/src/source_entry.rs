//! A source as a store receives it, and as it tells of it.

use crate::{Chunk, SourceMeta, Span};
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
