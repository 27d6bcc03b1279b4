//! What a client is told: where, which model, and how patient to be.

use crate::{
    Api, Backoff,
    served::{Route, Served},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use types::Explain;

/// Bytes of a reply that are read. A reply of 2,000 tokens has about 8 KiB.
const LARGEST_REPLY: usize = 4 << 20;

/// How the shape of a reply is asked for. A format that does not have a mode uses its best one instead: Anthropic knows
/// tools and the prompt, Ollama all but tools.
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SchemaMode {
    /// [`Self::JsonSchema`], stepping down to the next one whenever the server rejects it.
    Auto,
    /// `response_format: {type: "json_schema"}`: the server holds the model to the schema.
    JsonSchema,
    /// One tool whose parameters are the schema, and which the model has to call.
    Tools,
    /// `response_format: {type: "json_object"}`: valid JSON, the schema stands in the prompt.
    JsonObject,
    /// No `response_format`: the schema stands in the prompt and the reply is searched for JSON.
    Prompt,
}

impl SchemaMode {
    /// The name as written in settings.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Settings of a client.
#[derive(Clone, Debug, PartialEq)]
pub struct LlmSettings {
    /// The format that the server takes.
    pub api: Api,
    /// Address up to and including the version, such as `http://127.0.0.1:11434/v1`; the call, such as
    /// `/chat/completions`, is added to its path.
    pub base_url: String,
    /// The model, as the server calls it.
    pub model: String,
    /// The environment variable that holds the key; empty for a server that wants none. A variable that is
    /// not set sends no key.
    pub api_key_env: String,
    /// Sampling temperature; `None` leaves it to the server.
    pub temperature: Option<f32>,
    /// Limit of one try, from connecting to the last byte of the reply.
    pub timeout: Duration,
    /// Tries after the first one, for 408, 425, 429, 5xx and broken connections. A server that refuses connections is
    /// tried at most twice more; a try that ran into `timeout` is not repeated.
    pub max_retries: u32,
    /// Bound of a reply in the model's tokens where the request names none; `None` leaves it to the server.
    pub max_tokens: Option<u32>,
    /// How a schema is asked for.
    pub schema_mode: SchemaMode,
    /// Failed calls in a row (no connection, no reply in time, faults of the server) after which no other call is
    /// made; 0: never.
    pub give_up_after: u32,
    /// Requests that are begun within a minute, at least 1. They are spread over it; after a pause a tenth of them may go
    /// at once. `None`: no limit.
    pub requests_per_minute: Option<u32>,
    /// Tokens that are asked for within a minute, spread in the same way; at least 1. A request counts a quarter of its characters and the bound
    /// of its reply. `None`: no limit.
    pub tokens_per_minute: Option<u32>,
    /// Requests at the same time, at least 1. `None`: no limit.
    pub concurrency: Option<u32>,
    /// How long to wait between tries.
    pub backoff: Backoff,
}

impl Default for LlmSettings {
    /// The values of the settings, without a model; a test compares them.
    fn default() -> Self {
        Self {
            api: Api::default(),
            base_url: "https://api.openai.com/v1".to_owned(),
            model: String::new(),
            api_key_env: "OPENAI_API_KEY".to_owned(),
            temperature: Some(0.0),
            timeout: Duration::from_mins(2),
            max_retries: 4,
            max_tokens: Some(2_000),
            schema_mode: SchemaMode::Auto,
            give_up_after: 3,
            requests_per_minute: None,
            tokens_per_minute: None,
            concurrency: None,
            backoff: Backoff::default(),
        }
    }
}

impl LlmSettings {
    /// What the connection needs of the settings; `route` is the one of the format.
    pub(crate) fn served(&self, route: Route) -> Served {
        Served {
            section: "llm",
            base_url: self.base_url.clone(),
            route,
            model: self.model.clone(),
            largest_body: LARGEST_REPLY,
            api_key_env: self.api_key_env.clone(),
            timeout: self.timeout,
            max_retries: self.max_retries,
            backoff: self.backoff,
        }
    }
}

/// A client could not be made from its settings. No variant ever holds a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Explain)]
#[explain(prefix = "llm", values(url, value, key_env))]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum LlmError {
    /// The address is none.
    #[error("{section}.base_url {url:?} {reason}; give an address such as http://127.0.0.1:11434/v1")]
    BaseUrl { section: &'static str, url: String, reason: String },
    /// No model is named.
    #[error("{section}.model is empty; name a model that {url} serves")]
    NoModel { section: &'static str, url: String },
    /// The temperature is out of range.
    #[error("llm.temperature must lie in 0..=2, got {value}; use 0 for repeatable answers")]
    Temperature { value: String },
    /// A limit that lets nothing through.
    #[explain(value = format!("llm.{name}"))]
    #[error("llm.{name} must be at least 1, got 0; leave it out for no limit")]
    Limit { name: &'static str },
    /// The key cannot be sent in a header.
    #[error(
        "the key in {key_env} contains characters that an HTTP header cannot hold; check it for spaces and line breaks"
    )]
    Key { key_env: String },
    /// The HTTP client could not be made.
    #[error("cannot set up HTTP: {reason}; for https the system's CA certificates must be installed")]
    Client { reason: String },
}
