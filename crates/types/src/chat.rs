//! A language model: requests to it and replies from it.

use crate::{BoxFuture, ChatFailure, MAX_ANSWER_CHARS, Prompt, Usage, check_chars};
use std::sync::Arc;

/// How a note begins that says that a server read only a part of a prompt, and so that the reply cannot be trusted.
pub const PROMPT_CUT: &str = "the server cut the prompt";

/// A JSON schema that the reply must follow.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonSchema {
    /// A short name, which providers require.
    pub name: String,
    /// The schema.
    pub schema: serde_json::Value,
}

impl JsonSchema {
    /// An object as [`Self::of_object`] describes it.
    pub fn object(name: &str, properties: serde_json::Value) -> Self {
        Self { name: name.to_owned(), schema: Self::of_object(properties) }
    }

    /// The schema of an object that has all of these properties, in this order, and no others.
    pub fn of_object(properties: serde_json::Value) -> serde_json::Value {
        let required: Vec<&String> = properties.as_object().into_iter().flat_map(|own| own.keys()).collect();
        let mut schema =
            serde_json::json!({"type": "object", "additionalProperties": false, "required": required});
        schema["properties"] = properties;
        schema
    }
}

/// One question to a language model.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatRequest {
    /// Instructions; never contains text from papers.
    pub system: Prompt,
    /// The question and the data.
    pub user: Prompt,
    /// The shape of the reply; free text when `None`.
    pub schema: Option<JsonSchema>,
    /// Upper bound of the reply in the model's tokens; the provider's own limit when `None`.
    pub max_tokens: Option<u32>,
}

/// A reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatReply {
    /// The text; JSON when a schema was asked for.
    pub text: String,
    /// The model that answered, as it names itself.
    pub model: String,
    /// What was spent.
    pub usage: Usage,
    /// Whether the reply was cut at the token limit.
    pub truncated: bool,
    /// Whether it comes from a cache; `usage` is then zero.
    pub cached: bool,
    /// Notes for the user: what was left out of the request because the server does not accept it. Whole
    /// sentences without a full stop, oldest first.
    pub notes: Vec<String>,
}

impl ChatReply {
    /// The note on a prompt of which the server read only a part.
    pub fn prompt_cut(&self) -> Option<&String> {
        self.notes.iter().find(|note| note.starts_with(PROMPT_CUT))
    }

    /// # Errors
    /// When the reply is too long to be checked.
    pub fn check_size(&self) -> Result<(), String> {
        check_chars(&self.text, MAX_ANSWER_CHARS).map_err(|error| format!("it {error}"))
    }
}

/// A language model. Dropping the future cancels the request.
///
/// A wrapper that adds one thing (counts what is spent, refuses calls after failures, caches replies) contains another
/// model and implements this trait too.
pub trait ChatModel: Send + Sync {
    /// The model's name.
    fn id(&self) -> &str {
        self.inner().map_or("", |inner| inner.id())
    }
    /// The model that this one wraps, if it does: it is asked what this one does not do itself.
    fn inner(&self) -> Option<&dyn ChatModel> {
        None
    }
    /// Asks once (retrying what can be retried) and returns the reply, or why there is none and what that cost.
    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>>;
    /// Reports that the caller cannot use `reply`, the reply to `request`: a wrapper that counts requests counts one
    /// more as failed.
    fn reject(&self, request: &ChatRequest, reply: &ChatReply) {
        if let Some(inner) = self.inner() {
            inner.reject(request, reply);
        }
    }
    /// Reports that the work that `request` was part of failed in the end. A cache removes the reply, so that the next
    /// try asks again.
    fn forget(&self, request: &ChatRequest) {
        if let Some(inner) = self.inner() {
            inner.forget(request);
        }
    }
}

impl ChatModel for Arc<dyn ChatModel> {
    fn inner(&self) -> Option<&dyn ChatModel> {
        Some(&**self)
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatReply, ChatFailure>> {
        (**self).complete(request)
    }
}
