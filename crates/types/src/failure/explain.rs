//! Code, value and hint of each [`ChatError`].

use super::ChatError;
use crate::Explain;
use std::fmt::Display;

pub(super) const NOT_SERVED: &str = "check llm.model and llm.base_url";
pub(super) const QUOTA: &str = "add credit or check the account's quota";
pub(super) const REDIRECT: &str = "set llm.base_url to the final address";
pub(super) const OVERLOADED: &str = "try again later, or lower eval.workers";
pub(super) const TIMEOUT: &str = "raise llm.timeout_seconds, lower eval.workers, or use a faster model";
pub(super) const DEADLINE: &str = "raise llm.question_seconds";
pub(super) const NETWORK: &str = "check llm.base_url and that the server is running";
pub(super) const COST_LIMIT: &str = "raise --max-cost to go on; what is finished is kept";
pub(super) const NOT_KEPT: &str = "set llm.cache to \"on\" to send it";
pub(super) const KEPT_DAMAGED: &str = "set llm.cache to \"on\" to ask the model again";
pub(super) const TOO_LONG: &str = "lower generate.max_context_chars or llm.max_tokens, or use a model or a server setting with a longer context";
pub(super) const TRUNCATED: &str = "raise llm.max_tokens";

pub(super) fn auth(key_env: &dyn Display) -> String {
    format!("set {key_env} or llm.api_key_file to a valid key")
}

impl Explain for ChatError {
    fn code(&self) -> &'static str {
        match self {
            Self::Auth { .. } => "chat_auth",
            Self::NotServed { .. } => "chat_not_served",
            Self::Quota { .. } => "chat_quota",
            Self::Redirect { .. } => "chat_redirect",
            Self::Overloaded { .. } => "chat_overloaded",
            Self::Rejected { .. } => "chat_rejected",
            Self::TooLong { .. } => "chat_too_long",
            Self::Timeout { .. } => "chat_timeout",
            Self::Deadline { .. } => "chat_deadline",
            Self::Network { .. } => "chat_network",
            Self::GivenUp { .. } => "chat_given_up",
            Self::Malformed { .. } => "chat_malformed",
            Self::NoAnswer { .. } => "chat_no_answer",
            Self::CostLimit { .. } => "chat_cost_limit",
            Self::NotKept { .. } => "chat_not_kept",
            Self::KeptDamaged { .. } => "chat_kept_damaged",
            Self::Truncated { .. } => "chat_truncated",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Auth { url, .. }
            | Self::NotServed { url, .. }
            | Self::Quota { url, .. }
            | Self::Redirect { url, .. }
            | Self::Overloaded { url, .. }
            | Self::Rejected { url, .. }
            | Self::TooLong { url, .. }
            | Self::Timeout { url, .. }
            | Self::Deadline { url, .. }
            | Self::Network { url, .. }
            | Self::GivenUp { url, .. } => Some(url.clone()),
            Self::CostLimit { limit, .. } => Some(limit.clone()),
            Self::KeptDamaged { file } => Some(file.clone()),
            Self::Malformed { model, .. }
            | Self::NoAnswer { model, .. }
            | Self::NotKept { model, .. }
            | Self::Truncated { model, .. } => Some(model.clone()),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Auth { key_env, .. } => Some(auth(key_env)),
            Self::NotServed { .. } => Some(NOT_SERVED.to_owned()),
            Self::Quota { .. } => Some(QUOTA.to_owned()),
            Self::Redirect { .. } => Some(REDIRECT.to_owned()),
            Self::Overloaded { .. } => Some(OVERLOADED.to_owned()),
            Self::TooLong { .. } => Some(TOO_LONG.to_owned()),
            Self::Timeout { .. } => Some(TIMEOUT.to_owned()),
            Self::Deadline { .. } => Some(DEADLINE.to_owned()),
            Self::Network { .. } => Some(NETWORK.to_owned()),
            Self::CostLimit { .. } => Some(COST_LIMIT.to_owned()),
            Self::NotKept { .. } => Some(NOT_KEPT.to_owned()),
            Self::KeptDamaged { .. } => Some(KEPT_DAMAGED.to_owned()),
            Self::Truncated { .. } => Some(TRUNCATED.to_owned()),
            Self::Rejected { .. } | Self::GivenUp { .. } | Self::Malformed { .. } | Self::NoAnswer { .. } => {
                None
            }
        }
    }
}
