//! Why a language model did not check the claims.

use types::{ChatError, Explain, FailureKind, Unanswered};

const MALFORMED: &str = "use another model (guardrail.model), or set guardrail.verify = \"off\"";

/// Why a language model did not check the claims.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// It gave no reply.
    #[error("no reply from the language model that verifies answers: {0}")]
    Chat(ChatError),
    /// Its reply cannot be used.
    #[error(
        "{model} gave {calls} replies that do not judge the claims: {violation} (the last began {preview:?}); {MALFORMED}"
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

impl Explain for VerifyError {
    fn code(&self) -> &'static str {
        match self {
            Self::Chat(error) => error.code(),
            Self::Malformed { .. } => "verify_malformed",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Chat(error) => error.value(),
            Self::Malformed { model, .. } => Some(model.clone()),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Chat(error) => error.hint(),
            Self::Malformed { .. } => Some(MALFORMED.to_owned()),
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
