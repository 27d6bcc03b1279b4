//! What can go wrong.

mod explain;

use types::{ChatFailure, FailureKind, ModelError, Usage};

/// Why the candidates could not be scored.
#[derive(Debug, thiserror::Error)]
pub enum RerankError {
    /// The language model gave no reply.
    #[error("no reply from the language model that reranks: {0}")]
    Chat(#[from] ChatFailure),
    /// The language model's reply cannot be used.
    #[error(
        "{model} did not score the candidates: {reason} (its reply began {preview:?}); {}",
        explain::MALFORMED
    )]
    Malformed {
        /// The model.
        model: String,
        /// What is wrong.
        reason: String,
        /// The start of the reply.
        preview: String,
        /// What the useless reply cost.
        usage: Usage,
    },
    /// The cross-encoder failed.
    #[error("the cross-encoder failed: {0}")]
    Model(#[from] ModelError),
    /// A method gave another number of scores than there are candidates.
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

    /// Whether asking again can help.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Chat(failure) => failure.error.kind(),
            _ => FailureKind::Permanent,
        }
    }
}
