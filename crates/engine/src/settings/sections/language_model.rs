//! The section of language models: `[llm]`, and further models as `[llm.NAME]`.

use super::secrets::{address, name_of_file, name_of_variable};
use llm::{Api, LlmSettings, SchemaMode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;
use std::{collections::BTreeMap, path::PathBuf, time::Duration};
use strum::IntoStaticStr;
use types::{OutOfRange, Price};

/// Keys that a named model takes from `[llm]` only if it has the same provider: they mean nothing to another one.
pub(crate) const KEYS_OF_PROVIDER: &[&str] =
    &["base_url", "model", "api_key_env", "api_key_file", "price_input", "price_output"];

/// The name of a variable that stands for none.
const NO_KEY: &str = "none";

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;
/// Maximum size of the cache of replies. When it is full, the least recently used replies are removed.
pub const CACHE_MIB: u64 = 256;

/// Language models: the one of `[llm]`, those of `[llm.NAME]`, and what they share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
pub struct LlmSection {
    #[serde(flatten)]
    pub own: LlmModel,
    /// Time limit for all requests for one question, including retries and waits, in seconds. The same limit applies to
    /// each verdict of the judge in an evaluation.
    #[default(300)]
    #[schemars(range(min = 1, max = SECONDS_OF_A_DAY), extend("no_effect" = true))]
    pub question_seconds: u64,
    /// Number of consecutive failed calls after which the server is not called again in this run. 0: never give up. A
    /// rejected key or an unknown model stops the run immediately.
    #[default(3)]
    #[schemars(extend("no_effect" = true))]
    pub give_up_after: u32,
    /// Cache replies on disk, so that the same request is not sent to the same model again: "on", "off" (neither read nor write
    /// the cache, as with --no-cache), or "replay" (use only cached replies, send nothing).
    #[default(CacheChoice::On)]
    #[schemars(extend("main" = true), extend("no_effect" = true))]
    pub cache: CacheChoice,
    /// Folder of the cache, which takes up to 256 MiB.
    #[default("logs/llm_cache")]
    #[schemars(extend("no_effect" = true))]
    pub cache_dir: PathBuf,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(skip)]
    pub named: BTreeMap<String, LlmModel>,
}

/// One language model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
pub struct LlmModel {
    /// "none"; hosted: "openai", "anthropic", "gemini", "mistral", "groq", "openrouter"; on this machine: "ollama",
    /// "lmstudio", "llamacpp", "vllm". Use "openai" for any other server with an OpenAI-compatible chat API, such as Azure,
    /// and set base_url. Define further models in sections such as [llm.small], and use them by name in `generate.model`, `rerank.model`, `guardrail.model` or
    /// `eval.judge_model`. A section inherits what it does not set from [llm]; the address, the model, the key and the
    /// prices only if it has the same provider.
    #[default(Provider::None)]
    #[schemars(extend("main" = true))]
    pub provider: Provider,
    /// URL of the server, up to and including the version, such as /v1. Empty: the usual one of the provider
    /// (docs/language-models.md).
    #[schemars(extend("main" = true))]
    pub base_url: String,
    /// Name of the model on the server.
    #[schemars(extend("main" = true))]
    pub model: String,
    /// Name of the environment variable that contains the API key. If the variable is not set, no key is sent. Never put
    /// the key itself in a settings file. Empty: the usual one of the provider, such as `OPENAI_API_KEY`. "none": send no key.
    #[schemars(extend("main" = true), extend("no_effect" = true))]
    pub api_key_env: String,
    /// File that contains nothing but the API key, instead of the variable. Only its owner may be able to read it (chmod 600).
    #[schemars(extend("no_effect" = true))]
    pub api_key_file: PathBuf,
    /// Sampling temperature. Omitted, with a note, if the model does not accept it.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: f32,
    /// Time limit for one request to a language model or an embeddings server, in seconds. A request that times out is not retried.
    #[default(120)]
    #[schemars(range(min = 1, max = SECONDS_OF_A_DAY), extend("no_effect" = true))]
    pub timeout_seconds: u64,
    /// Number of retries after HTTP 408, 425, 429, 5xx or a lost connection, with increasing delays. If the server refuses
    /// connections, at most two retries. Also applies to embeddings servers.
    #[default(4)]
    #[schemars(extend("no_effect" = true))]
    pub max_retries: u32,
    /// Maximum length of a reply, in tokens.
    #[default(2000)]
    #[schemars(range(min = 1))]
    pub max_tokens: u32,
    /// How the JSON schema of replies is enforced by servers with an OpenAI-compatible API: "json_schema" (response_format),
    /// "tools" (tool calling), "json_object" (response_format without the schema), "prompt" (the schema is part of the
    /// instructions), or "auto" (the first of these that the server accepts).
    #[default(SchemaMode::Auto)]
    pub schema_mode: SchemaMode,
    /// Maximum number of requests per minute. 0: no limit.
    #[schemars(extend("no_effect" = true))]
    pub requests_per_minute: u32,
    /// Maximum number of tokens per minute. 0: no limit.
    #[schemars(extend("no_effect" = true))]
    pub tokens_per_minute: u32,
    /// Maximum number of simultaneous requests. 0: no limit.
    #[schemars(extend("no_effect" = true))]
    pub concurrency: u32,
    /// Price in US dollars per million input tokens. 0: the price in configs/prices.toml; a server on this machine is free.
    #[schemars(range(min = 0.0, max = MOST_DOLLARS), extend("no_effect" = true))]
    pub price_input: f64,
    /// Price in US dollars per million output tokens. 0: the price in configs/prices.toml.
    #[schemars(range(min = 0.0, max = MOST_DOLLARS), extend("no_effect" = true))]
    pub price_output: f64,
}

/// More than any price: a guard against numbers that are none.
const MOST_DOLLARS: f64 = 1e6;

/// What serves the language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Provider {
    /// No language model.
    None,
    /// A server with an OpenAI-compatible chat API.
    OpenAi,
    /// The messages API of Anthropic.
    Anthropic,
    /// Gemini, by its OpenAI-compatible API, as the following.
    Gemini,
    /// Mistral.
    Mistral,
    /// Groq.
    Groq,
    /// OpenRouter.
    OpenRouter,
    /// Ollama's own API.
    Ollama,
    /// The server of LM Studio.
    LmStudio,
    /// `llama-server` of llama.cpp.
    LlamaCpp,
    /// vLLM.
    Vllm,
}

impl Provider {
    /// Those that usually run on the same machine.
    pub const LOCAL: [Self; 4] = [Self::Ollama, Self::LmStudio, Self::LlamaCpp, Self::Vllm];

    /// The API; that of OpenAI if there is no provider.
    pub fn api(self) -> Api {
        match self {
            Self::Anthropic => Api::Anthropic,
            Self::Ollama => Api::Ollama,
            _ => Api::OpenAi,
        }
    }

    /// Where it usually is, and the variable that usually has its key.
    pub fn usual(self) -> (&'static str, &'static str) {
        match self {
            Self::None | Self::OpenAi => ("https://api.openai.com/v1", "OPENAI_API_KEY"),
            Self::Anthropic => ("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
            Self::Gemini => ("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
            Self::Mistral => ("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
            Self::Groq => ("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
            Self::OpenRouter => ("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
            Self::Ollama => ("http://127.0.0.1:11434", "OLLAMA_API_KEY"),
            Self::LmStudio => ("http://127.0.0.1:1234/v1", "LMSTUDIO_API_KEY"),
            Self::LlamaCpp => ("http://127.0.0.1:8080/v1", "LLAMA_API_KEY"),
            Self::Vllm => ("http://127.0.0.1:8000/v1", "VLLM_API_KEY"),
        }
    }
}

/// What is done with replies that were kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CacheChoice {
    /// A reply that was kept is used, and new ones are kept.
    On,
    /// No reply is used or kept.
    Off,
    /// Only replies that were kept are used; nothing is sent.
    Replay,
}

impl LlmSection {
    /// Whether `[llm]` itself names no model, but a section `[llm.NAME]` does.
    pub fn own_is_unused(&self) -> bool {
        self.own.provider == Provider::None && !self.named.is_empty()
    }

    /// The model of this name, or that of `[llm]` if the name is empty; `None` if it has no provider, or there is none of
    /// this name.
    pub fn model(&self, name: &str) -> Option<&LlmModel> {
        let model = if name.is_empty() { Some(&self.own) } else { self.named.get(name) };
        model.filter(|model| model.provider != Provider::None)
    }

    /// The settings of the client of a model.
    pub fn client(&self, model: &LlmModel) -> LlmSettings {
        let some = |n: u32| (n > 0).then_some(n);
        LlmSettings {
            api: model.provider.api(),
            base_url: model.address().to_owned(),
            model: model.model.clone(),
            api_key_env: model.key_env().to_owned(),
            temperature: Some(model.temperature),
            timeout: Duration::from_secs(model.timeout_seconds),
            max_retries: model.max_retries,
            max_tokens: Some(model.max_tokens),
            schema_mode: model.schema_mode,
            requests_per_minute: some(model.requests_per_minute),
            tokens_per_minute: some(model.tokens_per_minute),
            concurrency: some(model.concurrency),
            give_up_after: self.give_up_after,
            ..LlmSettings::default()
        }
    }
}

impl LlmModel {
    pub(crate) fn check(&self) -> Result<(), OutOfRange> {
        address("base_url", &self.base_url)?;
        name_of_variable("api_key_env", &self.api_key_env)?;
        name_of_file("api_key_file", &self.api_key_file)
    }

    /// The address: that of the settings, or the usual one of the provider.
    pub fn address(&self) -> &str {
        if self.base_url.is_empty() { self.provider.usual().0 } else { &self.base_url }
    }

    /// The variable that has the key: that of the settings, or the usual one of the provider; empty if no key is to be sent.
    pub fn key_env(&self) -> &str {
        if self.api_key_env == NO_KEY {
            ""
        } else if self.api_key_env.is_empty() {
            self.provider.usual().1
        } else {
            &self.api_key_env
        }
    }

    /// The price: what the settings give, and for the rest `listed`.
    pub(crate) fn price(&self, listed: Option<Price>) -> Option<Price> {
        let own = |price: f64| (price > 0.0).then_some(price);
        let (input, output) = (own(self.price_input), own(self.price_output));
        if input.is_none() && output.is_none() {
            return listed;
        }
        let rest = listed.unwrap_or_default();
        Some(Price {
            input: input.unwrap_or(rest.input),
            output: output.unwrap_or(rest.output),
            read: String::new(),
        })
    }
}
