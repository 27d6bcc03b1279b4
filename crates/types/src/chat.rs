//! Requests to and replies from a language model.

use crate::Usage;

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
