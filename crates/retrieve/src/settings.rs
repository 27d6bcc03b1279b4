//! What a search can be told, with the ranges that are accepted.

use crate::IndexError;
use serde::{Deserialize, Serialize};

/// How the vector list and the BM25 list become one order.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fusion {
    /// Weighted sum of both scores, each scaled to `0..=1` between the lowest and the highest score of its
    /// list at [`SearchSettings::depth`]; 0 throughout where these two coincide. A list that ends before its
    /// depth, because no further chunk holds a stem of the question, has 0 as its lowest score.
    #[default]
    MinMax,
    /// Weighted reciprocal ranks, `weight / (k + rank)` with ranks from 1 (Cormack et al. 2009); a chunk
    /// outside a list's depth gets nothing from it.
    Rrf {
        /// Damps the lead of the first ranks; 60 is usual.
        k: f32,
    },
    /// The earlier system, faults included, to compare with: vector similarity `1 / (1 + squared L2)` of the
    /// vector list alone, BM25 as `1 / (rank + 1)` from 0, and the threshold on that similarity, so that a
    /// chunk which BM25 alone found counts as 0 and is dropped. `Hit::vector_score` and `Hit::bm25_score`
    /// hold these two numbers instead of cosine and BM25 sum.
    Phase2,
}

/// How the nearest windows are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VectorIndex {
    /// Every window is compared: recall 1, milliseconds below some hundred thousand windows.
    #[default]
    Exact,
    /// The graph of the generation is walked. A search with a [`crate::Filter`] is exact all the same, and so
    /// is one that asks for half of all windows.
    Hnsw {
        /// Breadth of the walk; raised to the number of windows asked for where it is lower.
        ef: usize,
    },
}

/// The two constants of BM25 (Robertson et al. 1994).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bm25Settings {
    /// Saturation of term frequency, at least 0.
    pub k1: f32,
    /// Strength of length normalisation, `0..=1`.
    pub b: f32,
}

impl Default for Bm25Settings {
    fn default() -> Self {
        Self { k1: 1.2, b: 0.75 }
    }
}

/// What BM25 counts as a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokenizer {
    /// The stems that the index stores.
    #[default]
    Stems,
    /// Words between white space as they are written: case-sensitive, unstemmed, punctuation included, scored as
    /// the earlier system did (BM25 Okapi; a negative idf counts as a quarter of the mean idf). Reads the text of
    /// every chunk at the first search: to compare with, not to use.
    Whitespace,
}

/// How to search. [`SearchSettings::default`] is the pipeline's default, [`SearchSettings::phase2`] the earlier
/// system's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchSettings {
    /// Chunks of each list that are fetched, and between whose scores min-max scales; at least 1.
    pub depth: usize,
    /// Hits handed on; at least 1.
    pub candidates: usize,
    /// How many of the vector list may become candidates; cut at `depth`.
    pub vector_k: usize,
    /// How many of the BM25 list may become candidates; cut at `depth`.
    pub bm25_k: usize,
    /// Weight of the vector list in hybrid mode, at least 0.
    pub vector_weight: f32,
    /// Weight of the BM25 list in hybrid mode, at least 0.
    pub bm25_weight: f32,
    /// Least `vector_score` of a hit, compared with `>=`; not applied in mode bm25.
    pub threshold: f32,
    /// How lists are fused.
    pub fusion: Fusion,
    /// How the vector list is found.
    pub vector_index: VectorIndex,
    /// Constants of BM25.
    pub bm25: Bm25Settings,
    /// What BM25 counts as a term.
    pub tokenizer: Tokenizer,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            depth: 1000,
            candidates: 10,
            vector_k: 1000,
            bm25_k: 1000,
            vector_weight: 0.6,
            bm25_weight: 0.4,
            threshold: 0.25,
            fusion: Fusion::MinMax,
            vector_index: VectorIndex::Exact,
            bm25: Bm25Settings::default(),
            tokenizer: Tokenizer::Stems,
        }
    }
}

impl SearchSettings {
    /// The earlier system: ten of each list, ten handed on.
    pub fn phase2() -> Self {
        Self {
            vector_k: 10,
            bm25_k: 10,
            fusion: Fusion::Phase2,
            ..Self::default()
        }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// The first setting that lies outside its range.
    pub fn validate(&self) -> Result<(), IndexError> {
        let positive = |name, value: usize| check(name, value, value > 0, "at least 1");
        let weight = |name, v: f32| {
            check(
                name,
                v,
                v.is_finite() && v >= 0.0,
                "a finite number of at least 0",
            )
        };
        positive("depth", self.depth)?;
        positive("candidates", self.candidates)?;
        weight("vector_weight", self.vector_weight)?;
        weight("bm25_weight", self.bm25_weight)?;
        weight("bm25.k1", self.bm25.k1)?;
        check(
            "bm25.b",
            self.bm25.b,
            (0.0..=1.0).contains(&self.bm25.b),
            "between 0 and 1",
        )?;
        check(
            "threshold",
            self.threshold,
            (-1.0..=1.0).contains(&self.threshold),
            "between -1 and 1",
        )?;
        match self.fusion {
            Fusion::Rrf { k } => check(
                "fusion.k",
                k,
                k.is_finite() && k >= 0.0,
                "a finite number of at least 0",
            )?,
            Fusion::MinMax | Fusion::Phase2 => {}
        }
        match self.vector_index {
            VectorIndex::Hnsw { ef } => positive("vector_index.ef", ef),
            VectorIndex::Exact => Ok(()),
        }
    }
}

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
        Self {
            connections: 16,
            ef_construction: 200,
        }
    }
}

impl HnswSettings {
    pub(crate) fn validate(&self) -> Result<(), IndexError> {
        // hnsw_rs stores the number in one byte and ends the process above 256.
        let links = (2..=255).contains(&self.connections);
        check("hnsw.connections", self.connections, links, "between 2 and 255")?;
        check(
            "hnsw.ef_construction",
            self.ef_construction,
            self.ef_construction > 0,
            "at least 1",
        )
    }
}

fn check(
    name: &'static str,
    value: impl Copy + ToString,
    holds: bool,
    allowed: &'static str,
) -> Result<(), IndexError> {
    if holds {
        Ok(())
    } else {
        Err(IndexError::Setting {
            name,
            value: value.to_string(),
            allowed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_outside_their_range_are_named() {
        let check = |change: fn(&mut SearchSettings), name: &str| {
            let mut settings = SearchSettings::default();
            change(&mut settings);
            match settings.validate() {
                Err(IndexError::Setting { name: found, .. }) => assert_eq!(found, name),
                other => panic!("{name}: {other:?}"),
            }
        };
        check(|s| s.depth = 0, "depth");
        check(|s| s.candidates = 0, "candidates");
        check(|s| s.vector_weight = f32::NAN, "vector_weight");
        check(|s| s.bm25_weight = -0.1, "bm25_weight");
        check(|s| s.threshold = f32::INFINITY, "threshold");
        check(|s| s.bm25.k1 = -1.0, "bm25.k1");
        check(|s| s.bm25.b = 1.5, "bm25.b");
        check(|s| s.fusion = Fusion::Rrf { k: f32::NAN }, "fusion.k");
        check(
            |s| s.vector_index = VectorIndex::Hnsw { ef: 0 },
            "vector_index.ef",
        );
        assert!(SearchSettings::default().validate().is_ok());
        assert!(SearchSettings::phase2().validate().is_ok());
    }
}
