//! What a search can be told, with the ranges that are accepted.

use crate::IndexError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use types::{ChunkField, OutOfRange, SettingGroup};

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

/// How BM25 weighs terms. With [`Tokenizer::Whitespace`] only the two constants count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, SettingGroup)]
#[serde(default)]
pub struct Bm25Settings {
    /// Saturation of term frequency, at least 0 (Robertson et al. 1994).
    #[serde(skip)]
    #[setting(default = 1.2)]
    pub k1: f32,
    /// Strength of length normalisation, `0..=1`.
    #[serde(skip)]
    #[setting(default = 0.75)]
    pub b: f32,
    /// Weight of an occurrence in the title of the source, relative to one in the text; at least 0, and 0 ignores
    /// titles.
    #[serde(skip)]
    #[setting(default = 2.0)]
    pub title_weight: f32,
    /// Weight of an occurrence in the heading of the chunk, relative to one in the text; at least 0, and 0 ignores
    /// headings.
    #[serde(skip)]
    pub heading_weight: f32,
    /// Whether words are compared by their stems; otherwise as written, in lower case.
    #[serde(skip)]
    #[setting(default = true)]
    pub stemming: bool,
    /// Words of BM25: "english" (by their stems, without function words and words such as "study" and "report") or "none" (for
    /// texts in other languages: all words, as they are written but for case). A change does not require a new index.
    #[serde(rename = "bm25_stop_words")]
    #[setting(default = StopWords::English)]
    pub stop_words: StopWords,
}

impl Bm25Settings {
    /// The weight of a field; that of the text is 1.
    pub(crate) fn weight(&self, field: ChunkField) -> f32 {
        match field {
            ChunkField::Text => 1.0,
            ChunkField::Title => self.title_weight,
            ChunkField::Heading => self.heading_weight,
        }
    }
}

/// Words that BM25 leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopWords {
    /// None: every word counts, also for the length of a chunk.
    None,
    /// Those of `text::is_stop_word`: English function words, and the words in which papers speak of papers.
    English,
}

/// What BM25 counts as a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokenizer {
    /// Words as `text::terms` finds them, by [`Bm25Settings::stemming`] stemmed.
    Stems,
    /// Words between white space as they are written: case-sensitive, unstemmed, punctuation included, scored as
    /// the earlier system did (BM25 Okapi; a negative idf counts as a quarter of the mean idf). Reads the text of
    /// every chunk at the first search: to compare with, not to use.
    Whitespace,
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
        Self {
            connections: 16,
            ef_construction: 200,
            ef: 1200,
        }
    }
}

/// How to search, the section `[retrieve]` without its mode. [`SearchSettings::phase2`] is the fusion of the
/// earlier system.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, SettingGroup)]
#[serde(default)]
#[settings(check = lists)]
pub struct SearchSettings {
    /// Chunks of each list that are fetched, and between whose scores min-max scales; at least 1.
    #[serde(skip)]
    #[setting(default = 1000)]
    pub depth: usize,
    /// Number of entries of the vector list that become candidates.
    #[setting(default = 20, least = 1)]
    pub vector_k: usize,
    /// Number of entries of the BM25 list that become candidates.
    #[setting(default = 20, least = 1)]
    pub bm25_k: usize,
    /// Number of candidates passed to the reranker.
    #[setting(default = 10, least = 1, main)]
    pub candidates: usize,
    /// How the lists are fused: a weighted sum of normalised scores, with "minmax" (between the lowest and the highest score
    /// of the list), "tmm" (theoretical min-max: between the lowest possible and the highest score) or "zscore" (standard
    /// deviations from the mean); "rrf" (reciprocal rank fusion); or "phase2" (the formula of the earlier system, including
    /// its errors).
    #[setting(default = Fusion::MinMax)]
    pub fusion: Fusion,
    /// Weight of the vector list in the fused score. The rest is the weight of BM25.
    #[setting(default = 0.6, range = 0.0..=1.0, main)]
    pub vector_weight: f32,
    /// Weight of the BM25 list in hybrid mode: what [`Self::vector_weight`] leaves of 1.
    #[serde(skip)]
    #[setting(default = 0.4)]
    pub bm25_weight: f32,
    /// How far one question may shift the two weights. Rare words, names and numbers in the question increase the weight of
    /// BM25; common words, unknown words and questions about several papers that of the vectors. 0: every question uses
    /// the same weights.
    #[setting(range = 0.0..=1.0)]
    pub adaptive_weight: f32,
    /// How BM25 weighs terms.
    #[serde(flatten)]
    pub bm25: Bm25Settings,
    /// What BM25 counts as a term.
    #[serde(skip)]
    #[setting(default = Tokenizer::Stems)]
    pub tokenizer: Tokenizer,
    /// Damps the lead of the first ranks; with [`Fusion::Rrf`]. 60 is usual.
    #[serde(skip)]
    #[setting(default = 60)]
    pub rrf_k: usize,
    /// Minimum similarity max(0, cosine) of a candidate. Used in the modes hybrid and vector; never applied to a
    /// fused score, nor to a question about a named paper without a topic ("What did Barry et al. conclude?"), nor
    /// to a passage with a rare term of the question: one that at most 3 passages contain, or 0.5 % of all. With
    /// `fusion = "phase2"`, it applies to 1 / (1 + squared distance), as in the earlier system.
    #[setting(default = 0.05, range = 0.0..=1.0, main)]
    pub threshold: f32,
    /// Vector search: "exact" (compares every vector, first with 8-bit copies; measured up to a million chunks, see
    /// docs/benchmarks/scale.md) or "hnsw" (approximate; each ingest that changes the index builds the graph again, and the
    /// graph is held in memory).
    #[setting(default = VectorIndex::Exact)]
    pub vector_index: VectorIndex,
    /// Parameters of the graph.
    #[serde(skip)]
    pub hnsw: Hnsw,
}

fn lists(settings: &SearchSettings) -> Result<(), OutOfRange> {
    for (name, k) in [("vector_k", settings.vector_k), ("bm25_k", settings.bm25_k)] {
        if k > settings.depth {
            return Err(OutOfRange::new(name, k, format!("at most {}", settings.depth)));
        }
    }
    Ok(())
}

impl SearchSettings {
    /// The lists, the fusion and the threshold of the earlier system, without its tokenizer and its BM25 parameters.
    pub fn phase2() -> Self {
        Self {
            vector_k: 10,
            bm25_k: 10,
            fusion: Fusion::Phase2,
            threshold: 0.25,
            ..Self::default()
        }
    }

    /// How the graph is built; `None` when every window is compared.
    pub fn graph(&self) -> Option<HnswSettings> {
        (self.vector_index == VectorIndex::Hnsw).then_some(HnswSettings {
            connections: self.hnsw.connections,
            ef_construction: self.hnsw.ef_construction,
        })
    }
}

/// Links of a point: hnsw_rs stores the number in one byte and ends the process above 256.
const CONNECTIONS: RangeInclusive<usize> = 2..=255;

/// How the graph of a generation is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HnswSettings {
    /// Links of a point in each upper layer, twice as many in the lowest; `2..=255`.
    pub connections: usize,
    /// Breadth of the walk while building; at least 1.
    pub ef_construction: usize,
}

impl Default for HnswSettings {
    fn default() -> Self {
        let Hnsw {
            connections,
            ef_construction,
            ..
        } = Hnsw::default();
        Self {
            connections,
            ef_construction,
        }
    }
}

impl HnswSettings {
    pub(crate) fn validate(&self) -> Result<(), IndexError> {
        let wrong = |name, value: usize, allowed| {
            Err(IndexError::Setting {
                name,
                value: value.to_string(),
                allowed,
            })
        };
        if !CONNECTIONS.contains(&self.connections) {
            return wrong("hnsw.connections", self.connections, "between 2 and 255");
        }
        if self.ef_construction == 0 {
            return wrong("hnsw.ef_construction", 0, "at least 1");
        }
        Ok(())
    }
}
