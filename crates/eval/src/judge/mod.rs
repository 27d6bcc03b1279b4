//! Judges: is every claim of a response supported by what it cites?
//!
//! A judge reads the question, the context and the response, nothing else: no label, no mode, no score of an
//! earlier stage. It never cuts a context short: one that does not fit is an error, and errors are counted
//! rows. [`OfflineJudge`] asks a [`types::SupportScorer`] about each claim and each chunk; [`ChatJudge`] asks
//! a language model.

mod chat;
mod chat_compare;
mod compare;
mod judged;
mod lines;
mod offline;
mod output;

pub use chat::{ChatJudge, ChatJudgeSettings, JUDGE_PROMPT_VERSION};
pub use chat_compare::COMPARE_PROMPT_VERSION;
pub use compare::{CompareInput, Compared};
pub use judged::Judged;
pub use lines::{JudgeItem, LabelledItem, OneOrMany, RatedItem, label_of};
pub use offline::OfflineJudge;
pub use output::{ClaimVerdict, JudgeOutput, Verdict};

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
        support::passage(&self.source, &self.text)
    }
}

impl From<&ContextRecord> for Passage {
    fn from(chunk: &ContextRecord) -> Self {
        Self {
            id: chunk.chunk_id.to_string(),
            source: support::source_line(chunk.title.as_deref(), &chunk.authors, chunk.year),
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
    /// What counts as support.
    pub basis: Basis,
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
            Self::TooLong { .. } | Self::NotApplicable(_) | Self::Failed { .. } => Usage::default(),
        }
    }

    /// Whether the judge could not be reached: asked again later, it may give a verdict.
    pub fn is_pending(&self) -> bool {
        let unreached = |failure: &ChatFailure| {
            matches!(
                failure.error,
                ChatError::GivenUp { .. } | ChatError::Deadline { .. }
            )
        };
        self.kind() == FailureKind::Transient || matches!(self, Self::Chat(failure) if unreached(failure))
    }

    /// Whether asking again can help.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Chat(failure) => failure.error.kind(),
            Self::TooLong { .. } | Self::Malformed { .. } | Self::NotApplicable(_) | Self::Failed { .. } => {
                FailureKind::Permanent
            }
        }
    }
}

/// Gives verdicts.
pub trait Judge: Send + Sync {
    /// Names the method, its model and its version.
    fn id(&self) -> String;
    /// Judges one response.
    fn judge<'a>(&'a self, input: &'a JudgeInput) -> BoxFuture<'a, Result<JudgeOutput, JudgeError>>;
    /// Decides whether an answer and a reference state the same facts. A judge that cannot says so, and the comparison is n/a.
    fn compare<'a>(&'a self, _: &'a CompareInput) -> BoxFuture<'a, Result<Compared, JudgeError>> {
        let reason = format!("{} does not compare answers with references", self.id());
        Box::pin(std::future::ready(Err(JudgeError::NotApplicable(reason))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::chunk;

    #[test]
    fn a_passage_shows_its_source() {
        let mut record = chunk("a__body__000", "Text.");
        assert_eq!(Passage::from(&record).whole(), "Text.");
        record.title = Some("On walking.".to_owned());
        record.authors = vec!["A. Orvel".to_owned(), "B. Tandrik".to_owned()];
        record.year = Some(2021);
        assert_eq!(
            Passage::from(&record).whole(),
            "On walking. A. Orvel, B. Tandrik. (2021)\n\nText."
        );
    }
}
