//! The interface of a store of passages.

use crate::{
    Abbreviation, BoxFuture, Chunk, ChunkId, ErrorParts, Explain, Explanation, FailureKind, Neighbour,
    Question, Retrieval, SourceId, StoredSource, TermWeight,
};
use std::sync::Arc;

/// A store could not be read or written. Carries the parts of the store's own error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{parts}")]
pub struct StoreError {
    /// What is wrong, with which file or server, and what to do.
    pub parts: ErrorParts,
    /// Whether trying again can help.
    pub kind: FailureKind,
}

impl StoreError {
    /// Takes the parts of a store's own error.
    pub fn from_error(error: &dyn Explain, kind: FailureKind) -> Self {
        Self {
            parts: error.explain(),
            kind,
        }
    }
}

impl Explain for StoreError {
    fn code(&self) -> &'static str {
        self.parts.code
    }

    fn value(&self) -> Option<String> {
        self.parts.value.clone()
    }

    fn hint(&self) -> Option<String> {
        self.parts.hint.clone()
    }
}

/// What a store contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreInfo {
    /// Id of the model that computed the vectors.
    pub embedder_id: String,
    /// Dimension of the vectors.
    pub dimension: usize,
    /// Number of sources.
    pub sources: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Version of the content, for people to read: the number of the index generation.
    pub generation: String,
    /// Identifies the content: stores with the same identity return the same passages with the same scores. The paths of
    /// the sources are not part of it.
    pub identity: String,
}

/// What a retrieval should return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RetrievalPlan {
    /// Maximum number of hits, at least 1; `None` uses the store's own setting.
    pub hits: Option<usize>,
    /// How many chunks before and after each hit to return as its neighbours, from the same source and section.
    pub neighbours: usize,
    /// Whether passages include the similarities and vectors of their sentences.
    pub sentences: bool,
    /// Whether to explain the scores of each hit.
    pub explain: bool,
}

/// Which chunks to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChunkQuery {
    /// Every chunk.
    All,
    /// All chunks of these sources.
    Sources(Vec<SourceId>),
    /// These chunks; unknown ids are skipped.
    Ids(Vec<ChunkId>),
}

/// Which sources to find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceQuery {
    /// Every source.
    All,
    /// These sources; unknown ids are skipped.
    Ids(Vec<SourceId>),
    /// Sources whose id, title, authors, venue and year together contain all words of at least one of these lists.
    Containing(Vec<MetadataWords>),
}

/// Words that the id, title, authors, venue and year of a source must contain together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataWords {
    /// Their stems, as `text::stem` computes them; an empty list matches no source.
    pub stems: Vec<String>,
    /// Maximum number of sources that this list adds to the result; those with the smallest ids are kept.
    pub limit: usize,
}

/// The result of a retrieval, with the explanations that the plan asked for.
#[derive(Clone, Debug, Default)]
pub struct RetrievalOutcome {
    /// The hits, and the term statistics and source data that later stages need.
    pub retrieval: Retrieval,
    /// One explanation for each hit; empty unless the plan asked for them.
    pub explanations: Vec<Explanation>,
    /// The terms that were looked up, in the question's order, then those of other forms of its words; empty unless the plan asked for explanations.
    pub terms: Vec<TermWeight>,
    /// How the search differed from what the settings ask for, for people; empty unless the plan asked for explanations.
    pub notes: Vec<String>,
}

/// A store of passages. Its methods may be called concurrently. A failed read is an error: it must never be reported as
/// a word that no paper contains. [`Self::neighbours`], [`Self::abbreviations`] and [`Self::find_sources`] are called
/// before [`Self::retrieve`], which returns everything that answering a question needs: no later stage reads the store.
pub trait Retriever: Send + Sync {
    /// What the store contains.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn info(&self) -> BoxFuture<'_, Result<StoreInfo, StoreError>>;
    /// Finds passages for a question. There are no hits for a blank question, for one without a known term in mode
    /// `bm25`, and in an empty store.
    ///
    /// # Errors
    /// When the mode needs a vector and the question has none, the vector has another dimension than the store's, or
    /// the store cannot be read.
    fn retrieve<'a>(
        &'a self,
        question: &'a Question,
        plan: RetrievalPlan,
    ) -> BoxFuture<'a, Result<RetrievalOutcome, StoreError>>;
    /// The passages of these chunks, as [`Self::retrieve`] would return them; unknown ids are skipped.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn passages<'a>(
        &'a self,
        ids: &'a [ChunkId],
        question: &'a Question,
        plan: RetrievalPlan,
    ) -> BoxFuture<'a, Result<Vec<crate::Passage>, StoreError>>;
    /// Chunks by source id, then in reading order; with [`ChunkQuery::Ids`], in the order of the ids asked for.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn chunks<'a>(&'a self, query: &'a ChunkQuery) -> BoxFuture<'a, Result<Vec<Arc<Chunk>>, StoreError>>;
    /// Sources by id; with [`SourceQuery::Ids`], in the order of the ids asked for.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn find_sources<'a>(
        &'a self,
        query: &'a SourceQuery,
    ) -> BoxFuture<'a, Result<Vec<StoredSource>, StoreError>>;
    /// For each of these words, in order, the words of the store's chunks that are spelt like it: at distance 1 from a
    /// word of four to seven letters and at most 2 from a longer one, with the same first letter, nearest first, then
    /// those in the most chunks, then in alphabetical order. Empty for a word that the store holds, in any form, in a
    /// chunk or in the id, title, authors or venue of a source, and for one with fewer letters or with other characters.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn neighbours<'a>(
        &'a self,
        words: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Vec<Neighbour>>, StoreError>>;
    /// For each of these keys (`text::definitions::key`), in order, the abbreviations that sentences of the store's chunks
    /// define (`text::definitions`) and whose short or long form has that key: those of the most sources first, then by
    /// long form, then by short form. Empty for a key that no source defines, and for the empty key.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn abbreviations<'a>(
        &'a self,
        keys: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Vec<Abbreviation>>, StoreError>>;
}
