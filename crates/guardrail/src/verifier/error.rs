//! Why a language model did not check the claims.

use types::{ChatError, Explain, FailureKind, Unanswered};

/// Why a language model did not check the claims.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "verify", values(model))]
pub enum VerifyError {
    /// It gave no reply.
    #[explain(from = inner)]
    #[error("no reply from the language model that verifies answers: {0}")]
    Chat(ChatError),
    /// Its reply cannot be used.
    #[error(
        "{model} gave {calls} replies that do not judge the claims: {violation} (the last began \
         {preview:?}); use another model (guardrail.model), or set guardrail.verify = \"off\""
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
    },
}

impl VerifyError {
    /// Whether asking again can help.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Chat(error) => error.kind(),
            Self::Malformed { .. } => FailureKind::Permanent,
        }
    }
}

impl From<Unanswered> for VerifyError {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Chat(failure) => Self::Chat(failure.error),
            Unanswered::Unusable {
                model,
                violation,
                calls,
                preview,
                ..
            } => Self::Malformed {
                model,
                violation,
                calls,
                preview,
            },
        }
    }
}
