//! The interface of a store of passages: what hybrid search needs of it. `retrieve` does the rest.

use crate::{
    Abbreviation, BoxFuture, ChunkField, ChunkId, ErrorParts, Explain, Explanation, FailureKind, Filter,
    Neighbour, Passage, Retrieval, SourceId, StoredSource, TermWeight, WindowMatch,
};
use serde::{Deserialize, Serialize};

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
        Self { parts: error.explain(), kind }
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

/// What a method of a store returns.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

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
    /// Maximum number of hits, at least 1; `None` uses the setting.
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

/// What BM25 counts as a term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokenizer {
    /// Stems of words, without stop words, as `text::terms` finds them.
    #[default]
    Stems,
    /// Words between white space as they are written: case-sensitive, unstemmed, punctuation included, scored as
    /// the earlier system did (BM25 Okapi; a negative idf counts as a quarter of the mean idf). Reads the text of
    /// every chunk at the first search: to compare with, not to use.
    Whitespace,
}

/// A term to look up.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTerm {
    /// The word as the question first writes it.
    pub word: String,
    /// What is compared: its stem, or the word itself with [`Tokenizer::Whitespace`].
    pub key: String,
    /// What BM25 multiplies the inverse document frequency by.
    pub weight: f32,
}

/// What a lexical search looks up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LexicalQuery {
    /// The terms, in the order in which their scores are added up.
    pub terms: Vec<QueryTerm>,
    /// What a term is.
    pub tokenizer: Tokenizer,
    /// Weight of an occurrence in the title of the source, relative to one in the text; 0 ignores titles.
    pub title_weight: f32,
    /// Stems of which [`LexicalList::counted`] says how many chunks contain them.
    pub counted: Vec<String>,
    /// How many chunks at the head of the list need their name; of the others, the score alone is asked for. `None` for all.
    pub named: Option<usize>,
}

/// A chunk with its score in one list.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The chunk.
    pub id: ChunkId,
    /// The cosine of its nearest window with the question, or its BM25 score.
    pub score: f32,
}

/// The nearest chunks of a vector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DenseList {
    /// The chunks, best first; equal scores in the order of ids.
    pub chunks: Vec<Scored>,
    /// How the search differed from what was configured, for people.
    pub note: Option<String>,
}

/// The chunks that contain the terms of a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LexicalList {
    /// The chunks with a score above 0, best first; equal scores in the order of ids.
    pub chunks: Vec<Scored>,
    /// For each term, how many chunks of the store contain it in a field that counts. Empty with
    /// [`Tokenizer::Whitespace`].
    pub frequencies: Vec<usize>,
    /// For each stem of [`LexicalQuery::counted`], how many chunks of the store contain it in their text.
    pub counted: Vec<usize>,
    /// The sources that the filter admits.
    pub sources: usize,
    /// The chunks that the filter admits.
    pub admitted: usize,
}

/// What chunks are scored by.
#[derive(Clone, Copy, Debug)]
pub struct ScoreQuery<'a> {
    /// A unit vector of the store's dimension; empty if there is none.
    pub vector: &'a [f32],
    /// The terms.
    pub lexical: &'a LexicalQuery,
    /// [`LexicalList::frequencies`] of these terms.
    pub frequencies: &'a [usize],
}

/// The scores of one chunk; they do not depend on which list found it, and equal those of the lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkScores {
    /// Its nearest window; `None` without a vector or a window.
    pub window: Option<WindowMatch>,
    /// Its BM25 score.
    pub bm25: f32,
    /// The terms that it contains in a field that counts, in the order of the query. Empty with
    /// [`Tokenizer::Whitespace`].
    pub terms: Vec<TermScore>,
}

/// A term in a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TermScore {
    /// Its index in [`LexicalQuery::terms`].
    pub term: usize,
    /// How often each of [`ChunkField::ALL`] that counts contains it.
    pub occurrences: [u32; ChunkField::ALL.len()],
    /// What it adds to the BM25 score.
    pub contribution: f32,
}

/// How much of each passage to read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Detail<'a> {
    /// How many chunks before and after it, from the same source and section.
    pub neighbours: usize,
    /// Whether to read the vectors of its sentences.
    pub sentences: bool,
    /// The unit vector that sentences are compared with; empty to compare none.
    pub vector: &'a [f32],
}

/// A store of passages. Its methods may be called concurrently. A failed read is an error: it must never be reported as
/// a word that no chunk contains, or as a chunk that is not there.
pub trait Store: Send + Sync {
    /// What the store contains. Asked for each search: it must cost little.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn info(&self) -> StoreFuture<'_, StoreInfo>;
    /// The `k` chunks nearest to `vector` that the filter admits. The score of a chunk is the cosine of its best window.
    /// `vector` has the store's dimension and length 1, or is all zeros: then there are none.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn dense<'a>(&'a self, vector: &'a [f32], filter: &'a Filter, k: usize) -> StoreFuture<'a, DenseList>;
    /// The `k` chunks that the filter admits with the highest BM25 scores, and how common the terms are in the whole store,
    /// whatever the filter.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn lexical<'a>(
        &'a self,
        query: &'a LexicalQuery,
        filter: &'a Filter,
        k: usize,
    ) -> StoreFuture<'a, LexicalList>;
    /// Both lists, made at the same time.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn both<'a>(
        &'a self,
        vector: &'a [f32],
        query: &'a LexicalQuery,
        filter: &'a Filter,
        k: usize,
    ) -> StoreFuture<'a, (DenseList, LexicalList)> {
        Box::pin(async move {
            let (dense, lexical) = (self.dense(vector, filter, k), self.lexical(query, filter, k));
            futures::try_join!(dense, lexical)
        })
    }
    /// The scores of these chunks, which the store has, in their order.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn score<'a>(&'a self, ids: &'a [ChunkId], query: ScoreQuery<'a>) -> StoreFuture<'a, Vec<ChunkScores>>;
    /// The passages of chunks: by source id, then in reading order; with [`ChunkQuery::Ids`], in the order of the ids asked
    /// for.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn fetch<'a>(&'a self, chunks: &'a ChunkQuery, detail: Detail<'a>) -> StoreFuture<'a, Vec<Passage>>;
    /// Sources by id; with [`SourceQuery::Ids`], in the order of the ids asked for.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn sources<'a>(&'a self, query: &'a SourceQuery) -> StoreFuture<'a, Vec<StoredSource>>;
}

/// The words of a store, for one that can look them up. A store without a vocabulary corrects no spelling and resolves no
/// abbreviation.
pub trait Vocabulary: Send + Sync {
    /// For each of these words, in order, the words of the store's chunks that are spelt like it: at distance 1 from a
    /// word of four to seven letters and at most 2 from a longer one, with the same first letter, nearest first, then
    /// those in the most chunks, then in alphabetical order. Empty for a word that the store holds, in any form, in a
    /// chunk or in the id, title, authors or venue of a source, and for one with fewer letters or with other characters.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn neighbours<'a>(&'a self, words: &'a [String]) -> StoreFuture<'a, Vec<Vec<Neighbour>>> {
        Box::pin(async move { Ok(vec![Vec::new(); words.len()]) })
    }
    /// For each of these keys (`text::definitions::key`), in order, the abbreviations that sentences of the store's chunks
    /// define (`text::definitions`) and whose short or long form has that key: those of the most sources first, then by
    /// long form, then by short form. Empty for a key that no source defines, and for the empty key.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn abbreviations<'a>(&'a self, keys: &'a [String]) -> StoreFuture<'a, Vec<Vec<Abbreviation>>> {
        Box::pin(async move { Ok(vec![Vec::new(); keys.len()]) })
    }
}

/// The vocabulary of a store that has none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoVocabulary;

impl Vocabulary for NoVocabulary {}
