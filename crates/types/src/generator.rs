//! The interface of answer generators.

use crate::{
    BoxFuture, Context, Explain, FailureKind, Question, RagResponse, Ranking, TermStatistics, Usage,
};
use std::fmt;

/// How well the context covers the question, as the topic check judged before generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Evidence {
    /// The context is about the question.
    #[default]
    Sufficient,
    /// The context answers the question only partly: the answer is hedged and of low confidence.
    Partial,
}

/// What an answer is generated from.
#[derive(Clone, Copy, Debug)]
pub struct GenerationInput<'a> {
    /// The question.
    pub question: &'a Question,
    /// The passages, best first; may be empty.
    pub context: &'a Context,
    /// Their sentences, by how likely they answer the question.
    pub ranking: &'a Ranking,
    /// How often the question's stems occur in the store.
    pub statistics: &'a TermStatistics,
    /// How well the passages cover the question.
    pub evidence: Evidence,
}

/// An answer as generated, before guardrails.
#[derive(Clone, Debug, Default)]
pub struct Generated {
    /// The answer.
    pub response: RagResponse,
    /// What language models spent; zero for a generator that calls none.
    pub usage: Usage,
    /// Whether the answer was made offline because the language model failed; a caveat says why.
    pub fell_back: bool,
}

/// Why no answer could be generated, and what the attempt cost.
#[derive(Debug)]
pub struct GenerationFailure {
    /// The cause.
    pub source: Box<dyn Explain + Send + Sync>,
    /// Whether a retry can help.
    pub kind: FailureKind,
    /// What language models spent.
    pub usage: Usage,
}

impl fmt::Display for GenerationFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl std::error::Error for GenerationFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.source()
    }
}

impl Explain for GenerationFailure {
    fn code(&self) -> &'static str {
        self.source.code()
    }

    fn value(&self) -> Option<String> {
        self.source.value()
    }

    fn hint(&self) -> Option<String> {
        self.source.hint()
    }
}

/// Writes an answer from passages. It reads nothing but its input and does not verify its citations: guardrails do
/// that.
pub trait Generator: Send + Sync {
    /// The model name for logs: `extractive`, or the name of a language model.
    fn id(&self) -> &str;
    /// Version of the method or of its prompts; must change whenever answers may change.
    fn version(&self) -> &str;
    /// Whether every sentence of an answer is copied from the passage that it cites, so that its support need not be
    /// checked.
    fn is_verbatim(&self) -> bool {
        false
    }
    /// Whether the future of `generate` is CPU-bound and never waits. Run such a generator on a pool for computations;
    /// any other one waits for a server.
    fn computes(&self) -> bool {
        false
    }
    /// The instructions of a language model that writes sentences of its own: no part of an answer.
    fn instructions(&self) -> &[&str] {
        &[]
    }
    /// Writes the answer. An empty context yields a refusal, not an error.
    ///
    /// # Errors
    /// When a model cannot be reached or its replies cannot be used.
    fn generate<'a>(
        &'a self,
        input: GenerationInput<'a>,
    ) -> BoxFuture<'a, Result<Generated, GenerationFailure>>;
    /// Corrects an answer of its own, which it wrote from the same input, or leaves out what it cannot correct.
    /// Each of `problems` begins with a sentence that the passages do not support, the reason behind it; the other sentences
    /// stay as they are. `None` if this generator cannot revise.
    fn revise<'a>(
        &'a self,
        _input: GenerationInput<'a>,
        _answer: &'a RagResponse,
        _problems: &'a [String],
    ) -> Option<BoxFuture<'a, Result<Generated, GenerationFailure>>> {
        None
    }
}
