//! Why a hit has the rank that it has.

use crate::{ChunkId, Span};
use serde::Serialize;

/// Where the scores of one hit come from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The hit.
    pub chunk_id: ChunkId,
    /// Its rank and scores in the vector list.
    pub vector: ListScore,
    /// Its rank and scores in the BM25 list.
    pub bm25: ListScore,
    /// The fused score: the sum of both weighted scores.
    pub combined_score: f32,
    /// The window nearest to the question; `None` without a question vector or a window.
    pub window: Option<WindowMatch>,
    /// The stems of the question that the chunk contains, in the question's order.
    pub terms: Vec<TermMatch>,
}

/// The part of a chunk whose vector is nearest to the question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WindowMatch {
    /// Its byte range in the chunk's text.
    pub span: Span,
    /// Cosine with the question, `-1..=1`.
    pub cosine: f32,
}

/// A stem of the question in a chunk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TermMatch {
    /// The stem.
    pub stem: String,
    /// Occurrences in the chunk.
    pub occurrences: u32,
    /// Number of chunks in the index that contain the stem.
    pub chunks: usize,
    /// Its inverse document frequency.
    pub idf: f32,
    /// What it adds to the BM25 score.
    pub contribution: f32,
}

/// The rank and scores of a hit in one list.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct ListScore {
    /// Rank in the list, from 1; `None` if the hit is not in the list at the depth searched.
    pub rank: Option<usize>,
    /// The score as the hit reports it: `max(0, cosine)` or BM25. With the arithmetic of the earlier system (fusion
    /// `phase2`), that system's score.
    pub score: f32,
    /// The score normalised by the fusion, before weighting, `0..=1`.
    pub normalised: f32,
    /// What it adds to the combined score.
    pub weighted: f32,
}
