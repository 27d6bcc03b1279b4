//! What a search of the index found, before passages are built.

use std::sync::Arc;
use types::{Chunk, Mode, TermWeight};

/// A chunk that a search found. Its scores do not depend on which other chunks were found, except `combined_score`,
/// which only orders.
#[derive(Clone, Debug)]
pub struct ScoredChunk {
    /// The chunk.
    pub chunk: Arc<Chunk>,
    /// `max(0, cosine)` of the question and the chunk's best window.
    pub vector_score: f32,
    /// Raw BM25 score, 0 when no term matches.
    pub bm25_score: f32,
    /// The fused score that orders the list.
    pub combined_score: f32,
}

/// The outcome of a search.
#[derive(Clone, Debug)]
pub struct SearchOutcome {
    /// Which lists were used.
    pub mode: Mode,
    /// Candidates that passed the threshold, best first, at most as many as were asked for.
    pub hits: Vec<ScoredChunk>,
    /// Distinct candidates before the threshold and the cut.
    pub total_candidates: usize,
    /// Candidates that passed the threshold, before the cut.
    pub above_threshold: usize,
    /// The terms of the question that BM25 looked up, in the question's order, then those of other forms of its words.
    pub terms: Vec<TermWeight>,
    /// The unit vector of the question; empty when no vectors were used.
    pub query_vector: Vec<f32>,
    /// Why the vectors were compared one by one though the settings ask for the graph; `None` where they do not, or it was
    /// used.
    pub exact_because: Option<&'static str>,
}
