//! How a request is written for a server, and its reply read: one file for each format.

mod anthropic;
mod ollama;
mod openai;
pub(crate) mod stream;

use crate::{
    Api, SchemaMode,
    complaint::{Complaint, folded, says},
    served::Route,
};
use serde_json::{Value, json};
use types::{ChatRequest, JsonSchema, Usage, words::decimal};

/// One format. It holds no state: what is learnt of a server is in the [`crate::dialect::Dialect`].
pub(crate) trait Wire: Send + Sync {
    /// The path and the headers of the call.
    fn route(&self) -> Route;
    /// Its ways to ask for a schema, the best one first.
    fn ways(&self) -> &'static [SchemaMode];
    /// The body of a request that asks for a schema in this way.
    fn body(&self, ask: &Ask<'_>, way: SchemaMode) -> Value;
    /// The member of a body that only replies have, and errors do not.
    fn mark(&self) -> &'static str;
    /// Reads the body of a reply.
    ///
    /// # Errors
    /// [`NoReply`] when the model says nothing, or the body has another shape.
    fn read(&self, body: Value) -> Result<Raw, NoReply>;
}

/// The format of an API.
pub(crate) fn of(api: Api) -> &'static dyn Wire {
    match api {
        Api::OpenAi => &openai::OpenAi,
        Api::Anthropic => &anthropic::Anthropic,
        Api::Ollama => &ollama::Ollama,
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) model: &'a str,
    pub(crate) temperature: Option<f32>,
    pub(crate) max_tokens: Option<u32>,
    pub(crate) request: &'a ChatRequest,
}

impl Ask<'_> {
    fn temperature(&self) -> Option<f64> {
        self.temperature.map(decimal)
    }

    /// The instructions, with the schema in words where `spelt` is set.
    fn system(&self, spelt: bool) -> String {
        match &self.request.schema {
            Some(schema) if spelt => format!("{}{}", self.request.system, spelt_out(schema)),
            _ => self.request.system.to_string(),
        }
    }

    /// The messages: the instructions, unless they are empty, and the question.
    fn messages(&self, spelt: bool) -> Vec<Value> {
        let mut messages = Vec::new();
        let system = self.system(spelt);
        if !system.is_empty() {
            messages.push(json!({"role": "system", "content": system}));
        }
        messages.push(json!({"role": "user", "content": &*self.request.user}));
        messages
    }
}

/// An object without the keys that are null.
fn given(mut body: Value) -> Value {
    if let Some(keys) = body.as_object_mut() {
        keys.retain(|_, value| !value.is_null());
    }
    body
}

/// The schema as part of the instructions, for servers that do not enforce it.
fn spelt_out(schema: &JsonSchema) -> String {
    format!("{SPELT}{}", schema.schema)
}

/// What stands before a schema in instructions.
pub(crate) const SPELT: &str = "\n\nReply with one JSON object and nothing else: no preface, no code fence. It must follow this JSON \
                                schema:\n";

/// What a reply holds, before its text is cleaned.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Raw {
    pub(crate) text: String,
    /// What stands in fields of its own for reasoning.
    pub(crate) thought: String,
    /// The model that answered, as it names itself.
    pub(crate) model: Option<String>,
    pub(crate) tokens: Tokens,
    /// Whether it was cut at the token limit.
    pub(crate) truncated: bool,
}

/// The text of a message, given as it is or in parts. Reasoning is not text.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).collect(),
        part if REASONING.iter().any(|kind| part["type"] == *kind) => String::new(),
        part => part.get("text").map(text_of).unwrap_or_default(),
    }
}

/// The reasoning of a message, in a field of its own or as a part of its content.
fn thought_of(message: &Value) -> String {
    let parts = message["content"].as_array().into_iter().flatten();
    let places = std::iter::once(message).chain(parts);
    let mut own = places.flat_map(|place| REASONING.iter().map(|key| text_of(&place[*key])));
    own.find(|own| !own.is_empty()).unwrap_or_default()
}

/// Fields and parts that hold reasoning.
const REASONING: [&str; 4] = ["reasoning_content", "reasoning", "thinking", "thought"];

/// Words by which servers say that a filter stopped a reply.
const FILTER: &str =
    "content filter|safety|recitation|blocklist|block|prohibited|spii|sensitive|guardrail|moderation";

/// Whether a reply that ended for this reason was cut at a limit of tokens.
///
/// # Errors
/// [`NoReply::NoAnswer`] when the model or a filter of the server refused to answer.
fn was_cut(reason: &Value, tokens: Tokens) -> Result<bool, NoReply> {
    let reason = reason.as_str().unwrap_or_default();
    let words = folded(reason);
    for (own, what) in [(FILTER, FILTERED), ("refusal", "it declined")] {
        if says(&words, own) {
            return Err(NoReply::NoAnswer(format!("{what} ({reason})"), tokens));
        }
    }
    Ok(says(&words, "length|max|model length|model context"))
}

/// Why there is no answer when a filter stopped it.
pub(crate) const FILTERED: &str = "a content filter of its server stopped it";

/// A body without a reply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoReply {
    /// The server reports an error in a body with status 200.
    Error(Complaint),
    /// The model declined, or said nothing: the server works. Why, and the tokens that it cost.
    NoAnswer(String, Tokens),
    /// The server sends an empty frame, which another try may fill.
    Empty(String, Tokens),
    /// Anything else: what is wrong, and the tokens that it cost.
    Shape(String, Tokens),
}

/// Tokens that the server counts for a reply; 0 where it counts none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) read: u64,
    pub(crate) written: u64,
}

impl Tokens {
    /// Adds them to what a call spent.
    pub(crate) fn add_to(self, spent: &mut Usage) {
        spent.prompt_tokens += self.read;
        spent.completion_tokens += self.written;
    }
}

#[cfg(test)]
mod test {
    use super::{Ask, Raw, Tokens};
    use serde_json::json;
    use types::{ChatRequest, JsonSchema};

    /// A request with the instructions `S`, the question `U` and the schema `answer`.
    pub(super) fn request() -> ChatRequest {
        let schema = JsonSchema { name: "answer".to_owned(), schema: json!({"type": "object"}) };
        ChatRequest { system: "S".into(), user: "U".into(), schema: Some(schema), max_tokens: None }
    }

    pub(super) fn ask(request: &ChatRequest) -> Ask<'_> {
        Ask { model: "m", temperature: Some(0.7), max_tokens: Some(9), request }
    }

    pub(super) fn raw(text: &str, tokens: (u64, u64), truncated: bool) -> Raw {
        Raw {
            text: text.to_owned(),
            thought: String::new(),
            model: Some("m1".to_owned()),
            tokens: Tokens { read: tokens.0, written: tokens.1 },
            truncated,
        }
    }
}
