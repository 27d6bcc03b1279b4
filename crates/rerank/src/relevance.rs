//! What a method of reranking is.

use crate::RerankError;
use types::{BoxFuture, ChunkStore, Hit, Usage};

/// What a method may look at.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The question as asked.
    pub text: &'a str,
    /// Its unit vector; empty when none was made.
    pub vector: &'a [f32],
    /// The candidates, best first as retrieval ordered them; never empty.
    pub hits: &'a [Hit],
    /// The opened index.
    pub store: &'a dyn ChunkStore,
}

/// What a method says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// Relevance of each candidate, `0..=10`, in the order of [`Question::hits`].
    pub values: Vec<f32>,
    /// What the reader of the answer should know: text not read whole, scores missing.
    pub warnings: Vec<String>,
    /// What a language model spent.
    pub usage: Option<Usage>,
}

/// Says how relevant each candidate is to the question.
///
/// Scores of one call must compare with each other; nothing else is promised.
pub trait Relevance: Send + Sync {
    /// The method and, where there is one, its model: `sentence`, `cross_encoder:NAME`, `llm:NAME`, `none`.
    fn name(&self) -> String;
    /// One score for each candidate. Native models compute inside the future, without waiting in it: a
    /// caller on an async runtime runs it where blocking is allowed.
    ///
    /// # Errors
    /// When a model fails or its reply cannot be used.
    fn score<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Result<Scores, RerankError>>;
}
