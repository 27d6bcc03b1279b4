//! A passage with everything that later stages need: after retrieval, no stage reads the index.

use crate::{Chunk, SourceMeta};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, OnceLock},
};

/// A chunk with its source, its neighbours and its sentence data.
#[derive(Clone, Debug)]
pub struct Passage {
    /// The chunk.
    pub chunk: Arc<Chunk>,
    /// Metadata of its source.
    pub source: Arc<SourceMeta>,
    /// Similarities, vectors and stems of its sentences.
    pub sentences: Arc<SentenceData>,
    /// The chunks before and after it in the same source and section, in reading order; they have no neighbours
    /// themselves.
    pub neighbours: Vec<Passage>,
}

/// Similarities, vectors and stems of the sentences of one chunk. All lists are in the order of [`Chunk::sentences`].
#[derive(Debug, Default)]
pub struct SentenceData {
    /// Cosine of each sentence with the question, in `-1..=1`; 0 for a sentence without a vector. Empty if the question
    /// has no vector or none were requested.
    pub similarities: Vec<f32>,
    /// Unit vector of each sentence; an empty vector for a sentence without one. Empty if none were requested.
    pub vectors: Vec<Vec<f32>>,
    stems: OnceLock<Vec<BTreeSet<String>>>,
}

impl SentenceData {
    /// Sentence data with these similarities and vectors.
    pub fn new(similarities: Vec<f32>, vectors: Vec<Vec<f32>>) -> Self {
        Self { similarities, vectors, stems: OnceLock::new() }
    }

    /// The stems of each sentence of `chunk`, computed on first use. `chunk` must be the one that this data belongs to.
    pub fn stems(&self, chunk: &Chunk) -> &[BTreeSet<String>] {
        self.stems.get_or_init(|| {
            let of = |sentence| text::terms(chunk.sentence(sentence)).into_iter().map(|term| term.stem);
            chunk.sentences.iter().map(|sentence| of(sentence).collect()).collect()
        })
    }

    /// The unit vector of a sentence by its index in the chunk, from 0; `None` if it has none.
    pub fn vector(&self, place: usize) -> Option<&[f32]> {
        self.vectors.get(place).map(Vec::as_slice).filter(|vector| !vector.is_empty())
    }
}

/// How often the stems of a question occur in the index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TermStatistics {
    /// Number of chunks in the index.
    pub chunks: usize,
    /// For each stem of [`crate::Question::stems`], the number of chunks that contain it.
    pub frequencies: BTreeMap<String, usize>,
}

impl TermStatistics {
    /// The number of chunks that contain a stem.
    pub fn frequency(&self, stem: &str) -> usize {
        self.frequencies.get(stem).copied().unwrap_or(0)
    }

    /// The [`idf`] of a stem.
    pub fn idf(&self, stem: &str) -> f32 {
        idf(self.chunks, self.frequency(stem))
    }
}

/// Inverse document frequency of a term that `n` of `chunks` chunks contain, `ln(1 + (N - n + 0.5) / (n + 0.5))`: above 0
/// for any `n <= N` (Robertson et al. 1994 with the smoothing of Lucene).
pub fn idf(chunks: usize, n: usize) -> f32 {
    let (chunks, n) = (chunks as f64, n.min(chunks) as f64);
    (1.0 + (chunks - n + 0.5) / (n + 0.5)).ln() as f32
}
