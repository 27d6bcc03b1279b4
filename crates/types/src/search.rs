//! What retrieval, reranking and expansion hand on.

use crate::{Chunk, Mode, SourceMeta};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A chunk that retrieval found. Its scores do not depend on which other chunks were found, except
/// `combined_score`, which only orders.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The chunk.
    pub chunk: Arc<Chunk>,
    /// `max(0, cosine)` of the question and the chunk's best window.
    pub vector_score: f32,
    /// Raw BM25 score, 0 when no term matches.
    pub bm25_score: f32,
    /// The fused score that orders the list.
    pub combined_score: f32,
    /// Whether it passed the similarity threshold.
    pub above_threshold: bool,
}

/// The outcome of retrieval.
#[derive(Clone, Debug)]
pub struct Retrieval {
    /// Which lists were used.
    pub mode: Mode,
    /// Candidates that passed the threshold, best first, at most as many as were asked for.
    pub hits: Vec<Hit>,
    /// Distinct candidates before the threshold and the cut.
    pub total_candidates: usize,
    /// Candidates that passed the threshold, before the cut.
    pub above_threshold: usize,
    /// The unit vector of the question; empty when no vectors were used.
    pub query_vector: Vec<f32>,
}

/// A hit with the reranker's word on it.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The hit.
    pub hit: Hit,
    /// Relevance, 0 to 10.
    pub rerank_score: f32,
}

/// How a chunk came into the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Kept by the reranker.
    Reranked,
    /// A neighbour of a chunk that the reranker kept.
    Expanded,
}

/// A chunk that the generator sees.
#[derive(Clone, Debug)]
pub struct ContextChunk {
    /// The chunk.
    pub chunk: Arc<Chunk>,
    /// What is known of its source: generator, entity check and judge all see it.
    pub source: Arc<SourceMeta>,
    /// How it came here.
    pub origin: Origin,
    /// Its own vector score, or the discounted one of its parent.
    pub vector_score: f32,
    /// Raw BM25 score; 0 for an expanded chunk.
    pub bm25_score: f32,
    /// Fused score; 0 for an expanded chunk.
    pub combined_score: f32,
    /// The reranker's score; `None` for an expanded chunk.
    pub rerank_score: Option<f32>,
}

/// What the generator sees, best first; a neighbour follows its parent.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The chunks, each at most once.
    pub chunks: Vec<ContextChunk>,
}

impl Context {
    /// The chunk with this id.
    pub fn get(&self, chunk_id: &str) -> Option<&ContextChunk> {
        self.chunks.iter().find(|c| c.chunk.chunk_id.as_str() == chunk_id)
    }
}
