//! What a search can be told, with the ranges that are accepted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;
use types::{OutOfRange, Tokenizer};

/// How the vector list and the BM25 list become one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Fusion {
    /// Weighted sum of both scores, each scaled to `0..=1` between the lowest and the highest score of its
    /// list at [`SearchSettings::depth`]; 0 throughout where these two coincide. A list that ends before its
    /// depth, because no further chunk holds a stem of the question, has 0 as its lowest score.
    MinMax,
    /// Weighted reciprocal ranks, `weight / (k + rank)` with ranks from 1 (Cormack et al. 2009) and the k of
    /// [`SearchSettings::rrf_k`]; a chunk outside a list's depth gets nothing from it.
    Rrf,
    /// The earlier system, faults included, to compare with: vector similarity `1 / (1 + squared L2)` of the
    /// vector list alone, BM25 as `1 / (rank + 1)` from 0, and the threshold on that similarity, so that a
    /// chunk which BM25 alone found counts as 0 and is dropped. `Hit::vector_score` and `Hit::bm25_score`
    /// hold these two numbers instead of cosine and BM25 sum.
    Phase2,
}

/// How the nearest windows are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VectorIndex {
    /// Every window is compared, in 8 bits first and where it matters in 32: recall 1.
    Exact,
    /// The graph of each segment is walked, as broad as [`Hnsw::ef`]. A search with a [`types::Filter`] is exact
    /// all the same, and so is one that asks for half of all windows. A graph holds its vectors in memory once more: exact
    /// search is faster to open and to update, and fast enough for a million chunks.
    Hnsw,
}

/// The parameters of the graph of vectors (Malkov and Yashunin 2018); used with [`VectorIndex::Hnsw`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hnsw {
    /// Links of a point in each upper layer, twice as many in the lowest; `2..=255`.
    pub connections: usize,
    /// Breadth of the walk while building; at least 1.
    pub ef_construction: usize,
    /// Breadth of the walk of a search, at least 1; raised to the number of windows asked for where it is lower.
    pub ef: usize,
}

impl Default for Hnsw {
    fn default() -> Self {
        Self { connections: 16, ef_construction: 200, ef: 1200 }
    }
}

/// How to search, the section `[retrieve]` without its mode. [`SearchSettings::phase2`] is the fusion of the
/// earlier system.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct SearchSettings {
    /// Chunks of each list that are fetched, and between whose scores min-max scales; at least 1.
    #[serde(skip)]
    #[default(1000)]
    pub depth: usize,
    /// Number of entries of the vector list that become candidates.
    #[default(20)]
    #[schemars(range(min = 1))]
    pub vector_k: usize,
    /// Number of entries of the BM25 list that become candidates.
    #[default(20)]
    #[schemars(range(min = 1))]
    pub bm25_k: usize,
    /// Number of candidates passed to the reranker.
    #[default(10)]
    #[schemars(range(min = 1), extend("main" = true))]
    pub top_k: usize,
    /// How the lists are fused: "minmax" (a weighted sum of the scores, each scaled between the lowest and the highest score
    /// of its list), "rrf" (reciprocal rank fusion) or "phase2" (the formula of the earlier system, including its errors).
    #[default(Fusion::MinMax)]
    pub fusion: Fusion,
    /// Weight of the vector list in the fused score. The rest is the weight of BM25.
    #[default(0.6)]
    #[schemars(range(min = 0.0, max = 1.0), extend("main" = true))]
    pub vector_weight: f32,
    /// Weight of the BM25 list in hybrid mode: what [`Self::vector_weight`] leaves of 1.
    #[serde(skip)]
    #[default(0.4)]
    pub bm25_weight: f32,
    /// Weight in BM25 of an occurrence in the title of the source or a printed heading, relative to one in the text; at least
    /// 0, and 0 ignores titles and headings.
    #[serde(skip)]
    #[default(2.0)]
    pub title_weight: f32,
    /// What BM25 counts as a term.
    #[serde(skip)]
    #[default(Tokenizer::Stems)]
    pub tokenizer: Tokenizer,
    /// Damps the lead of the first ranks; with [`Fusion::Rrf`]. 60 is usual.
    #[serde(skip)]
    #[default(60)]
    pub rrf_k: usize,
    /// Minimum similarity max(0, cosine) of a candidate. Used in the modes hybrid and vector; never applied to a
    /// fused score, nor to a question about a named paper without a topic ("What did Barry et al. conclude?"), nor
    /// to a passage with a rare term of the question: one that at most 3 passages contain, or 0.5 % of all. With
    /// `fusion = "phase2"`, it applies to 1 / (1 + squared distance), as in the earlier system.
    #[default(0.05)]
    #[schemars(range(min = 0.0, max = 1.0), extend("main" = true))]
    pub min_similarity: f32,
    /// Vector search of the embedded store: "exact" (compares every vector, first with 8-bit copies; measured up to a million chunks, see
    /// docs/scale.md) or "hnsw" (approximate; each ingest builds the graph of what it adds, and the graphs are held in
    /// memory).
    #[default(VectorIndex::Exact)]
    pub vector_index: VectorIndex,
    /// Parameters of the graph.
    #[serde(skip)]
    pub hnsw: Hnsw,
}

impl SearchSettings {
    /// Checks the fields together.
    ///
    /// # Errors
    /// When a list is longer than its depth.
    pub fn check(&self) -> Result<(), OutOfRange> {
        for (name, k) in [("vector_k", self.vector_k), ("bm25_k", self.bm25_k)] {
            if k > self.depth {
                return Err(OutOfRange::new(name, k, format!("at most {}", self.depth)));
            }
        }
        Ok(())
    }

    /// The lists, the fusion and the threshold of the earlier system, without its tokenizer.
    pub fn phase2() -> Self {
        Self { vector_k: 10, bm25_k: 10, fusion: Fusion::Phase2, min_similarity: 0.25, ..Self::default() }
    }
}
