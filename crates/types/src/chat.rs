//! Requests to and replies from a language model.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A JSON schema that the reply must follow.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonSchema {
    /// A short name, as providers ask for.
    pub name: String,
    /// The schema.
    pub schema: serde_json::Value,
}

/// One question to a language model.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatRequest {
    /// Instructions; never holds text from papers.
    pub system: String,
    /// The question and the data.
    pub user: String,
    /// The shape of the reply; free text when `None`.
    pub schema: Option<JsonSchema>,
    /// Upper bound of the reply in the model's tokens; the provider's own limit when `None`.
    pub max_tokens: Option<u32>,
}

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Requests sent, retries included.
    pub requests: u32,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
}

impl Usage {
    /// Adds what another call spent.
    pub fn add(&mut self, other: Usage) {
        self.requests += other.requests;
        self.prompt_tokens += other.prompt_tokens;
        self.completion_tokens += other.completion_tokens;
    }
}

/// A reply.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatReply {
    /// The text; JSON when a schema was asked for.
    pub text: String,
    /// The model that answered, as it names itself.
    pub model: String,
    /// What was spent.
    pub usage: Usage,
    /// Whether the reply was cut at the token limit.
    pub truncated: bool,
}

/// Why a language model gave no usable reply. No variant ever holds a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    /// The provider refused the key.
    #[error("{url} refused the key (HTTP {status}): set the variable {key_env} to a valid key")]
    Auth {
        /// Where.
        url: String,
        /// HTTP status.
        status: u16,
        /// The variable that holds the key.
        key_env: String,
    },
    /// Too many requests, even after waiting.
    #[error("{url} answered HTTP {status} {attempts} times: {body}; wait, or lower the number of workers")]
    Overloaded {
        /// Where.
        url: String,
        /// HTTP status.
        status: u16,
        /// Tries made.
        attempts: u32,
        /// The start of the answer's body.
        body: String,
    },
    /// The request was wrong.
    #[error("{url} rejected the request (HTTP {status}): {body}")]
    Rejected {
        /// Where.
        url: String,
        /// HTTP status.
        status: u16,
        /// The start of the answer's body.
        body: String,
    },
    /// No answer in time.
    #[error(
        "{url} did not answer within {timeout:?} ({attempts} tries); raise llm.timeout_seconds or use a smaller model"
    )]
    Timeout {
        /// Where.
        url: String,
        /// The limit of one try.
        timeout: Duration,
        /// Tries made.
        attempts: u32,
    },
    /// The connection failed.
    #[error("cannot reach {url} ({attempts} tries): {reason}; check llm.base_url and that the server runs")]
    Network {
        /// Where.
        url: String,
        /// Tries made.
        attempts: u32,
        /// What the transport said.
        reason: String,
    },
    /// The reply is not what was asked for.
    #[error("{model} did not follow the schema: {reason}; its reply began {preview:?}")]
    Malformed {
        /// The model.
        model: String,
        /// What is wrong.
        reason: String,
        /// The start of the reply.
        preview: String,
    },
    /// The reply was cut.
    #[error("{model} stopped at {max_tokens} tokens before the reply was whole; raise llm.max_tokens")]
    Truncated {
        /// The model.
        model: String,
        /// The limit.
        max_tokens: u32,
    },
}

impl ChatError {
    /// Whether asking again later may help.
    pub fn retryable(&self) -> bool {
        matches!(
            self,
            Self::Overloaded { .. } | Self::Timeout { .. } | Self::Network { .. } | Self::Malformed { .. }
        )
    }
}
