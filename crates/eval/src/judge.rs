//! Judges: is every claim of a response supported by what it cites?
//!
//! A judge reads the question, the context and the response, nothing else: no label, no mode, no score of an
//! earlier stage. It never cuts a context short: one that does not fit is an error, and errors are counted
//! rows. [`OfflineJudge`] asks a [`types::SupportScorer`] about each claim and each chunk; [`ChatJudge`] asks
//! a language model.

mod ask;
mod chat;
mod chat_compare;
mod compare;
pub mod dimensions;
mod judged;
mod lines;
mod offline;
mod output;
mod verdicts;

pub use chat::{ChatJudge, ChatJudgeSettings};
pub use compare::{CompareInput, Compared};
pub use judged::Judged;
pub use lines::{JudgeItem, Label, LabelledItem, OneOrMany};
pub use offline::OfflineJudge;
pub use output::{ClaimVerdict, JudgeOutput, Verdict};
pub use verdicts::{Decision, Verdicts};

use types::{BoxFuture, ChatError, ChatFailure, ContextRecord, FailureKind, Usage};

/// Claims whose support reaches this are supported, unless settings say otherwise.
pub const DEFAULT_TAU: f64 = 0.5;

/// A passage that a response may rest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// What citations call it.
    pub id: String,
    /// Title, authors and year of its source, as the generator saw them; empty where unknown.
    pub source: String,
    /// Its text, whole.
    pub text: String,
}

impl Passage {
    /// Source and text together: a right attribution is supported by it, a wrong one is not.
    pub fn whole(&self) -> String {
        evidence::support::passage(&self.source, &self.text)
    }
}

impl From<&ContextRecord> for Passage {
    fn from(chunk: &ContextRecord) -> Self {
        Self {
            id: chunk.chunk_id.to_string(),
            source: evidence::support::source_line(chunk.title.as_deref(), &chunk.authors, chunk.year),
            text: chunk.text.clone(),
        }
    }
}

/// What a claim must be supported by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A passage that the claim cites; a claim without a citation is unsupported.
    Cited,
    /// The best single passage: for input that carries no citations.
    BestPassage,
}

/// All that a judge reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeInput {
    /// The question; may be empty.
    pub question: String,
    /// The context, whole.
    pub context: Vec<Passage>,
    /// The response with its inline marks.
    pub response: String,
    /// Its claims, each with the ids of the passages that it cites.
    pub claims: Vec<evidence::support::Claim>,
    /// What counts as support.
    pub basis: Basis,
}

impl JudgeInput {
    /// A response whose marks are `(source, passage id)`. A question with or without a short answer ("Do pets spread it? No.")
    /// is one claim where nothing is cited; in an answer with citations it claims nothing.
    pub fn new(question: String, context: Vec<Passage>, response: String, basis: Basis) -> Self {
        let mut claims = evidence::support::claims(&response);
        let text = response.trim();
        if claims.is_empty() && basis == Basis::BestPassage && text.contains('?') {
            claims.push(evidence::support::Claim {
                text: text.to_owned(),
                cited: Vec::new(),
                span: 0..response.len(),
            });
        }
        Self { question, context, response, claims, basis }
    }
}

/// Why a judge gave no verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JudgeError {
    /// The context does not fit, and is never cut.
    #[error(
        "the judge's input has {chars} characters, the limit is {limit}: raise the limit or use a model with a longer context"
    )]
    TooLong {
        /// Characters.
        chars: usize,
        /// The limit.
        limit: usize,
    },
    /// The language model gave no reply.
    #[error("no reply from the language model that judges: {}", .0.error)]
    Chat(ChatFailure),
    /// The reply is not a verdict on every claim.
    #[error(
        "{judge} gave no usable verdict, asked twice: {reason}; use a stronger model, or eval.judge = \"lexical\""
    )]
    Malformed {
        /// The judge.
        judge: String,
        /// What is wrong.
        reason: String,
        /// What both replies cost.
        usage: Usage,
    },
    /// The method does not apply: response and context are in different languages.
    #[error("not judged: {0}")]
    NotApplicable(String),
    /// The scorer failed.
    #[error("{judge} failed: {reason}")]
    Failed {
        /// The judge.
        judge: String,
        /// What went wrong.
        reason: String,
    },
}

impl JudgeError {
    /// What was spent although no verdict came of it.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Chat(failure) => failure.usage,
            Self::Malformed { usage, .. } => *usage,
            _ => Usage::default(),
        }
    }

    /// Whether the judge could not be reached: asked again later, it may give a verdict.
    pub fn is_pending(&self) -> bool {
        let Self::Chat(failure) = self else { return false };
        let unreached = matches!(failure.error, ChatError::GivenUp { .. } | ChatError::Deadline { .. });
        unreached || self.kind() == FailureKind::Transient
    }

    /// Whether asking again can help.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Chat(failure) => failure.error.kind(),
            _ => FailureKind::Permanent,
        }
    }
}

/// Gives verdicts.
pub trait Judge: Send + Sync {
    /// Names the method, its model and its version.
    fn id(&self) -> String;
    /// Judges one response.
    fn judge<'a>(&'a self, input: &'a JudgeInput) -> BoxFuture<'a, Result<JudgeOutput, JudgeError>>;
    /// Decides whether an answer and a reference state the same facts; `None` from a judge that leaves this to the content of
    /// the answer.
    fn compare<'a>(&'a self, _: &'a CompareInput) -> Option<BoxFuture<'a, Result<Decision, JudgeError>>> {
        None
    }
}
