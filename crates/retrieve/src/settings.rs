//! What a search can be told, with the ranges that are accepted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use types::{
    Tokenizer,
    ranges::{OutOfRange, Ranges, at_least, positive, share, within},
};

/// How the vector list and the BM25 list become one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Fusion {
    /// Weighted sum of both scores, each scaled to `0..=1` between the lowest and the highest score of its
    /// list at [`SearchSettings::depth`]; 0 throughout where these two coincide. A list that ends before its
    /// depth, because no further chunk holds a stem of the question, has 0 as its lowest score.
    MinMax,
    /// The same between the lowest score that there can be (cosine -1, BM25 0) and the highest of the list: theoretical
    /// min-max (Bruch, Gai and Ingber 2023). It does not depend on the depth.
    #[serde(rename = "tmm")]
    TheoreticalMinMax,
    /// Weighted sum of standard scores: how many standard deviations a score is above the mean of its list at
    /// [`SearchSettings::depth`], where chunks after the end of a shorter list count as 0. It can be negative.
    ZScore,
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
    /// The graph of the generation is walked, as broad as [`Hnsw::ef`]. A search with a [`types::Filter`] is exact
    /// all the same, and so is one that asks for half of all windows. The graph is built from all vectors at each commit,
    /// because hnsw_rs deletes no points, and holds them in memory once more: exact search is faster to open and to
    /// update, and fast enough for a million chunks.
    Hnsw,
}

/// The parameters of the graph of vectors (Malkov and Yashunin 2018); used with [`VectorIndex::Hnsw`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hnsw {
    /// Links of a point in each upper layer, twice as many in the lowest; `2..=255`.
    #[serde(rename = "hnsw_m")]
    pub connections: usize,
    /// Breadth of the walk while building; at least 1.
    #[serde(rename = "hnsw_ef_construction")]
    pub ef_construction: usize,
    /// Breadth of the walk of a search, at least 1; raised to the number of windows asked for where it is lower.
    #[serde(rename = "hnsw_ef")]
    pub ef: usize,
}

impl Default for Hnsw {
    fn default() -> Self {
        Self {
            connections: 16,
            ef_construction: 200,
            ef: 1200,
        }
    }
}

/// How to search, the section `[retrieve]` without its mode. [`SearchSettings::phase2`] is the fusion of the
/// earlier system.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchSettings {
    /// Chunks of each list that are fetched, and between whose scores min-max scales; at least 1.
    pub depth: usize,
    /// How many of the vector list may become candidates; cut at `depth`.
    pub vector_k: usize,
    /// How many of the BM25 list may become candidates; cut at `depth`.
    pub bm25_k: usize,
    /// Hits handed on; at least 1.
    pub candidates: usize,
    /// How lists are fused.
    pub fusion: Fusion,
    /// Weight of the vector list in hybrid mode, at least 0.
    pub vector_weight: f32,
    /// Weight of the BM25 list in hybrid mode, at least 0.
    pub bm25_weight: f32,
    /// By how much the weights may differ for a question, `0..=1`: rare words, names and numbers shift them towards
    /// BM25, common and unknown words and questions across sources towards the vectors. 0 leaves them as they are.
    pub adaptive_weight: f32,
    /// Weight in BM25 of an occurrence in the title of the source, relative to one in the text; at least 0, and 0 ignores
    /// titles.
    #[serde(rename = "bm25_title_weight")]
    pub title_weight: f32,
    /// What BM25 counts as a term.
    pub tokenizer: Tokenizer,
    /// Damps the lead of the first ranks; with [`Fusion::Rrf`]. 60 is usual.
    pub rrf_k: usize,
    /// Least `vector_score` of a hit, compared with `>=`; not applied in mode bm25.
    pub threshold: f32,
    /// How the vector list is found.
    pub vector_index: VectorIndex,
    /// Parameters of the graph.
    #[serde(flatten)]
    pub hnsw: Hnsw,
}

impl Default for SearchSettings {
    /// The values of `configs/default.toml`; a test of the settings compares them.
    fn default() -> Self {
        Self {
            depth: 1000,
            vector_k: 20,
            bm25_k: 20,
            candidates: 10,
            fusion: Fusion::MinMax,
            vector_weight: 0.6,
            bm25_weight: 0.4,
            adaptive_weight: 0.0,
            title_weight: 2.0,
            tokenizer: Tokenizer::Stems,
            rrf_k: 60,
            threshold: 0.05,
            vector_index: VectorIndex::Exact,
            hnsw: Hnsw::default(),
        }
    }
}

impl Ranges for SearchSettings {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        share("threshold", self.threshold)?;
        within("hnsw_m", self.hnsw.connections, &CONNECTIONS)?;
        positive("hnsw_ef_construction", self.hnsw.ef_construction)?;
        positive("hnsw_ef", self.hnsw.ef)?;
        share("vector_weight", self.vector_weight)?;
        share("bm25_weight", self.bm25_weight)?;
        if (self.vector_weight + self.bm25_weight - 1.0).abs() > 1e-3 {
            return Err(OutOfRange::new(
                "vector_weight + retrieve.bm25_weight",
                format!("{} + {}", self.vector_weight, self.bm25_weight),
                "1 (set both)",
            ));
        }
        share("adaptive_weight", self.adaptive_weight)?;
        at_least("bm25_title_weight", self.title_weight, 0.0)?;
        positive("rrf_k", self.rrf_k)?;
        positive("depth", self.depth)?;
        positive("candidates", self.candidates)?;
        positive("vector_k", self.vector_k)?;
        positive("bm25_k", self.bm25_k)?;
        if self.depth < self.vector_k.max(self.bm25_k) {
            return Err(OutOfRange::new(
                "depth",
                self.depth,
                "at least retrieve.vector_k and retrieve.bm25_k",
            ));
        }
        Ok(())
    }
}

impl SearchSettings {
    /// The lists, the fusion and the threshold of the earlier system. Its tokenizer is not set: `configs/phase2.toml` has
    /// all of them.
    pub fn phase2() -> Self {
        Self {
            vector_k: 10,
            bm25_k: 10,
            fusion: Fusion::Phase2,
            threshold: 0.25,
            ..Self::default()
        }
    }
}

/// Links of a point: hnsw_rs stores the number in one byte and ends the process above 256.
const CONNECTIONS: RangeInclusive<usize> = 2..=255;
