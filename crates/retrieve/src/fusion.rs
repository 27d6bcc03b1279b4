//! Fuses two ranked lists into one.

mod weights;

pub use weights::Weights;

use crate::{Fusion, SearchSettings};
use types::{ChunkId, ListScore, Mode};

/// A chunk that either list found, with the scores that it has by itself.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    /// The chunk.
    pub id: ChunkId,
    /// Cosine of its best window with the question; 0 without a window or a question vector.
    pub cosine: f32,
    /// Its BM25 sum.
    pub bm25: f32,
    /// Its place in the vector list, from 0; `None` below the list's depth.
    pub vector_rank: Option<usize>,
    /// Its place in the BM25 list, from 0; `None` below the list's depth.
    pub bm25_rank: Option<usize>,
    /// Whether it holds a rare term of the question; then no threshold is asked of it.
    pub holds_rare_term: bool,
}

/// A candidate with its fused score.
#[derive(Clone, Debug, Default)]
pub struct Fused {
    /// The chunk.
    pub id: ChunkId,
    /// What the vector list says of it.
    pub vector: ListScore,
    /// What the BM25 list says of it.
    pub bm25: ListScore,
    /// The fused score.
    pub combined: f32,
    /// Whether it passed the threshold.
    pub passed: bool,
}

/// Fuses the candidates, best first. `scales` are those of the vector list (of clamped cosines) and of the BM25
/// list, each at its full depth; `weights` are the list weights for this question. Equal scores
/// are ordered by chunk id.
pub fn fuse(
    candidates: &[Candidate],
    scales: (Scale, Scale),
    weights: Weights,
    mode: Mode,
    settings: &SearchSettings,
) -> Vec<Fused> {
    let one = |candidate: &Candidate| {
        let ((vector_score, vector_part), (bm25_score, bm25_part)) = parts(candidate, scales, settings);
        let (vector_weighted, bm25_weighted) = (weights.vector * vector_part, weights.bm25 * bm25_part);
        Fused {
            id: candidate.id.clone(),
            vector: ListScore {
                rank: candidate.vector_rank.map(|rank| rank + 1),
                score: vector_score,
                normalised: vector_part,
                weight: weights.vector,
                weighted: vector_weighted,
            },
            bm25: ListScore {
                rank: candidate.bm25_rank.map(|rank| rank + 1),
                score: bm25_score,
                normalised: bm25_part,
                weight: weights.bm25,
                weighted: bm25_weighted,
            },
            combined: vector_weighted + bm25_weighted,
            passed: mode == Mode::Bm25
                || candidate.holds_rare_term
                || vector_score >= settings.min_similarity,
        }
    };
    let mut fused: Vec<Fused> = candidates.iter().map(one).collect();
    fused
        .sort_by(|left, right| right.combined.total_cmp(&left.combined).then_with(|| left.id.cmp(&right.id)));
    fused
}

/// Reported and normalised score of each list.
fn parts(c: &Candidate, scales: (Scale, Scale), settings: &SearchSettings) -> ((f32, f32), (f32, f32)) {
    let similarity = c.cosine.max(0.0);
    match settings.fusion {
        Fusion::MinMax => ((similarity, scales.0.apply(similarity)), (c.bm25, scales.1.apply(c.bm25))),
        Fusion::Rrf => {
            let k = settings.rrf_k as f32;
            let reciprocal = |rank: Option<usize>| rank.map_or(0.0, |rank| 1.0 / (k + rank as f32 + 1.0));
            ((similarity, reciprocal(c.vector_rank)), (c.bm25, reciprocal(c.bm25_rank)))
        }
        Fusion::Phase2 => {
            // Squared L2 distance of unit vectors is 2 - 2 cosine.
            let similarity = match c.vector_rank {
                Some(rank) if rank < settings.vector_k => 1.0 / (1.0 + (2.0 - 2.0 * c.cosine).max(0.0)),
                _ => 0.0,
            };
            let by_rank = match c.bm25_rank {
                Some(rank) if rank < settings.bm25_k => 1.0 / (rank as f32 + 1.0),
                _ => 0.0,
            };
            ((similarity, similarity), (by_rank, by_rank))
        }
    }
}

/// What normalising needs to know of a list of scores.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scale {
    min: f32,
    max: f32,
}

impl Scale {
    /// Of a list of scores, best first, that could have been `reach` long. Where it is shorter, the chunks after
    /// its end all score 0, and 0 is its lower end: the only chunk that holds a rare stem has the best score of
    /// its list, not the worst.
    pub fn of(mut scores: impl ExactSizeIterator<Item = f32>, reach: usize) -> Self {
        let complete = scores.len() >= reach;
        let Some(max) = scores.next() else {
            return Self::default();
        };
        let last = scores.last().unwrap_or(max);
        Self { min: if complete { last } else { 0.0 }, max }
    }

    /// `score` between the ends, 0 below and 1 above them; 0 when they coincide.
    fn apply(self, score: f32) -> f32 {
        if self.max > self.min { ((score - self.min) / (self.max - self.min)).clamp(0.0, 1.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests;
