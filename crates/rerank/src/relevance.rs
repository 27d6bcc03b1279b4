//! The interface of reranking methods.

use crate::RerankError;
use types::{BoxFuture, Hit, Question, TermStatistics, Usage};

/// What a method may use.
#[derive(Clone, Copy)]
pub struct Candidates<'a> {
    /// The question.
    pub question: &'a Question,
    /// The candidates, best first as retrieval ordered them; never empty.
    pub hits: &'a [Hit],
    /// How often the question's stems occur in the store.
    pub statistics: &'a TermStatistics,
}

/// The scores of a method.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// Relevance of each candidate, `0..=10`, in the order of [`Candidates::hits`].
    pub values: Vec<f32>,
    /// What the reader of the answer should know: text read only in part, missing scores.
    pub warnings: Vec<String>,
    /// What a language model spent.
    pub usage: Option<Usage>,
}

/// Scores how relevant each candidate is to the question.
///
/// Scores of one call must be comparable with each other; nothing else is promised.
pub trait Relevance: Send + Sync {
    /// The method and its model, if it has one: `sentence`, `cross_encoder:NAME`, `llm:NAME`, `none`.
    fn name(&self) -> String;
    /// Whether the future of `score` is CPU-bound and never waits. Run such a method on a pool for computations; any
    /// other one waits for a server.
    fn computes(&self) -> bool {
        true
    }
    /// One score for each candidate.
    ///
    /// # Errors
    /// When a model fails or its reply cannot be used.
    fn score<'a>(&'a self, candidates: Candidates<'a>) -> BoxFuture<'a, Result<Scores, RerankError>>;
}
