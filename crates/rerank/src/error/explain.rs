//! The parts of [`RerankError`].

use super::RerankError;
use types::Explain;

pub(super) const MALFORMED: &str = "use another model, or set rerank.on_failure";

impl Explain for RerankError {
    fn code(&self) -> &'static str {
        match self {
            Self::Chat(failure) => failure.error.code(),
            Self::Malformed { .. } => "rerank_malformed",
            Self::Model(_) => "rerank_model",
            Self::Count { .. } => "rerank_count",
            Self::Weight(_) => "rerank_weight",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Chat(failure) => failure.error.value(),
            Self::Malformed { model, .. } => Some(model.clone()),
            Self::Count { method, .. } => Some(method.clone()),
            Self::Model(_) | Self::Weight(_) => None,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Chat(failure) => failure.error.hint(),
            Self::Malformed { .. } => Some(MALFORMED.to_owned()),
            Self::Model(_) | Self::Count { .. } | Self::Weight(_) => None,
        }
    }
}
