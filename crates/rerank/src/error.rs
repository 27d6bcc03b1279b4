//! What can go wrong.

use types::{ChatFailure, Explain, FailureKind, ModelError, Unanswered, Usage};

/// Why the candidates could not be scored.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "rerank", values(model, method))]
pub enum RerankError {
    /// The language model gave no reply.
    #[explain(from = inner.error)]
    #[error("no reply from the language model that reranks: {0}")]
    Chat(#[from] ChatFailure),
    /// The language model's reply cannot be used.
    #[error(
        "{model} gave {calls} replies that do not grade the candidates: {violation} (the last began \
         {preview:?}); use another model, or set rerank.on_failure"
    )]
    Malformed {
        /// The model.
        model: String,
        /// What is wrong with the last reply.
        violation: String,
        /// Calls made.
        calls: u32,
        /// The start of the last reply.
        preview: String,
        /// What the calls spent.
        usage: Usage,
    },
    /// The cross-encoder failed.
    #[error("the cross-encoder failed: {0}")]
    Model(#[from] ModelError),
    /// A method gave another number of scores than there are candidates.
    #[explain(no_hint)]
    #[error("{method} gave {got} scores for {want} candidates; this is a bug in the method")]
    Count {
        /// The method.
        method: String,
        /// Scores given.
        got: usize,
        /// Candidates handed over.
        want: usize,
    },
    /// A weight is out of range.
    #[error("rerank lexical weight must be finite and in [0, 1], got {0}")]
    Weight(f32),
}

impl RerankError {
    /// What was spent before the failure, as far as it is known.
    pub fn usage(&self) -> Option<Usage> {
        match self {
            Self::Chat(failure) => Some(failure.usage),
            Self::Malformed { usage, .. } => Some(*usage),
            Self::Model(_) | Self::Count { .. } | Self::Weight(_) => None,
        }
    }

    /// The same error, with what all calls of the question spent.
    #[must_use]
    pub(crate) fn with_usage(mut self, spent: Usage) -> Self {
        match &mut self {
            Self::Chat(failure) => failure.usage = spent,
            Self::Malformed { usage, .. } => *usage = spent,
            Self::Model(_) | Self::Count { .. } | Self::Weight(_) => {}
        }
        self
    }

    /// Whether asking again can help.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Chat(failure) => failure.error.kind(),
            _ => FailureKind::Permanent,
        }
    }
}

impl From<Unanswered> for RerankError {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Chat(failure) => Self::Chat(failure),
            Unanswered::Unusable { model, violation, calls, preview, usage } => {
                Self::Malformed { model, violation, calls, preview, usage }
            }
        }
    }
}
