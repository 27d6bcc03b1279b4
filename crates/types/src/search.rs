//! The results of retrieval, reranking and expansion.

use crate::{Chunk, Mode, Passage, SentenceData, SourceMeta, StoredSource, TermStatistics};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, sync::Arc};

/// A passage that retrieval found. Its scores do not depend on which other chunks were found, except
/// `combined_score`, which only orders.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The passage.
    pub passage: Passage,
    /// `max(0, cosine)` of the question and the chunk's best window.
    pub vector_score: f32,
    /// Raw BM25 score, 0 when no term matches.
    pub bm25_score: f32,
    /// The fused score that orders the list.
    pub combined_score: f32,
}

impl Hit {
    /// The chunk that was found.
    pub fn chunk(&self) -> &Arc<Chunk> {
        &self.passage.chunk
    }
}

/// How many sources a question may be answered from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Sources of the store.
    pub sources: usize,
    /// Those of them that the filter admits.
    pub admitted: usize,
}

/// The outcome of retrieval.
#[derive(Clone, Debug, Default)]
pub struct Retrieval {
    /// Which lists were used.
    pub mode: Mode,
    /// Candidates that passed the threshold, best first, at most as many as were asked for.
    pub hits: Vec<Hit>,
    /// Distinct candidates before the threshold and the cut.
    pub total_candidates: usize,
    /// Candidates that passed the threshold, before the cut.
    pub above_threshold: usize,
    /// How often the question's stems occur in the store.
    pub statistics: TermStatistics,
    /// How many sources were searched.
    pub scope: Scope,
    /// Sources of the store that the question may name, or whose title, authors or venue may contain what it names; see
    /// [`crate::SourceQuery::Containing`].
    pub mentioned: Vec<StoredSource>,
}

/// A hit with its relevance.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The hit.
    pub hit: Hit,
    /// Relevance, 0 to 10.
    pub rerank_score: f32,
}

/// How a chunk came into the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, strum::Display)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The reranker kept it.
    Reranked,
    /// It is a neighbour of a chunk that the reranker kept.
    Expanded,
}

/// A chunk that the generator sees.
#[derive(Clone, Debug)]
pub struct ContextChunk {
    /// The chunk.
    pub chunk: Arc<Chunk>,
    /// Metadata of its source, for the generator, the entity check and the judge.
    pub source: Arc<SourceMeta>,
    /// Similarities, vectors and stems of its sentences.
    pub sentences: Arc<SentenceData>,
    /// How it came into the context.
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

impl ContextChunk {
    /// The stems of each sentence, in order, computed on first use.
    pub fn sentence_stems(&self) -> &[BTreeSet<String>] {
        self.sentences.stems(&self.chunk)
    }
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

/// A sentence of a context with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedSentence {
    /// The index of its chunk in [`Context::chunks`].
    pub chunk: usize,
    /// Its index in [`Chunk::sentences`].
    pub sentence: usize,
    /// The probability that it answers the question, 0 to 1.
    pub probability: f32,
}

/// The sentences of a context, by how likely they answer the question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// The most likely first.
    pub sentences: Vec<RankedSentence>,
    /// The probability that one of the three best answers the question, 0 to 1; 0 without sentences.
    pub probability: f32,
    /// The probability that the papers that were searched answer it, 0 to 1; 0 without sentences. It is higher: the
    /// best sentences may miss the answer.
    pub answerable: f32,
}
