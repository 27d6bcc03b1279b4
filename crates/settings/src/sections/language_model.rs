//! The section of language models: `[llm]`, and further models as `[llm.NAME]`.

use super::models::{SECONDS_OF_A_DAY, address, name_of_variable};
use llm::{Api, LlmSettings, SchemaMode};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};
use types::{
    Price,
    ranges::{OutOfRange, Ranges, positive, within},
};

/// The keys of `[llm]` that hold for all models; a named model may set the others.
pub(crate) const SHARED_KEYS: [&str; 5] = [
    "question_seconds",
    "give_up_after",
    "cache",
    "cache_dir",
    "cache_mib",
];
/// Keys that a named model takes from `[llm]` only if it has the same provider: they mean nothing to another one.
pub(crate) const KEYS_OF_PROVIDER: &[&str] = &[
    "base_url",
    "model",
    "api_key_env",
    "api_key_file",
    "price_input",
    "price_output",
];

/// The name of a variable that stands for none.
const NO_KEY: &str = "none";

/// Language models: the one of `[llm]`, those of `[llm.NAME]`, and what they share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LlmSection {
    #[serde(flatten)]
    pub own: LlmModel,
    pub question_seconds: u64,
    pub give_up_after: u32,
    pub cache: CacheChoice,
    pub cache_dir: PathBuf,
    pub cache_mib: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub named: BTreeMap<String, LlmModel>,
}

/// One language model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LlmModel {
    pub provider: Provider,
    pub base_url: String,
    pub model: String,
    pub api_key_env: String,
    pub api_key_file: PathBuf,
    pub temperature: f32,
    pub timeout_seconds: u64,
    pub max_retries: u32,
    pub max_tokens: u32,
    pub schema_mode: SchemaMode,
    pub requests_per_minute: u32,
    pub tokens_per_minute: u32,
    pub concurrency: u32,
    pub price_input: f64,
    pub price_output: f64,
}

/// What serves the language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// No language model.
    None,
    /// A server with an OpenAI-compatible chat API.
    #[serde(rename = "openai")]
    OpenAi,
    /// The messages API of Anthropic.
    Anthropic,
    /// Ollama's own API.
    Ollama,
}

impl Provider {
    /// The API; that of OpenAI if there is no provider.
    pub fn api(self) -> Api {
        match self {
            Self::None | Self::OpenAi => Api::OpenAi,
            Self::Anthropic => Api::Anthropic,
            Self::Ollama => Api::Ollama,
        }
    }

    /// Where it usually is: the provider's own server; Ollama runs on the same machine.
    fn usual_address(self) -> &'static str {
        match self {
            Self::None | Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }

    /// The variable that usually has its key.
    fn usual_key(self) -> &'static str {
        match self {
            Self::None | Self::OpenAi => "OPENAI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Ollama => "OLLAMA_API_KEY",
        }
    }
}

/// What is done with replies that were kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        let model = if name.is_empty() {
            Some(&self.own)
        } else {
            self.named.get(name)
        };
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
    /// The address: that of the settings, or the usual one of the provider.
    pub fn address(&self) -> &str {
        if self.base_url.is_empty() {
            self.provider.usual_address()
        } else {
            &self.base_url
        }
    }

    /// The variable that has the key: that of the settings, or the usual one of the provider; empty if no key is to be sent.
    pub fn key_env(&self) -> &str {
        if self.api_key_env == NO_KEY {
            ""
        } else if self.api_key_env.is_empty() {
            self.provider.usual_key()
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

/// Refuses what looks like a key instead of the name of its file. The message does not repeat it.
fn name_of_file(path: &Path) -> Result<(), OutOfRange> {
    let name = path.to_string_lossy();
    let bare = !name.contains(['/', '\\', '.']);
    if bare && (name.starts_with("sk-") || name.len() > 30) {
        return Err(OutOfRange::new(
            "api_key_file",
            "something else",
            "the path of a file that contains the key, not a key",
        ));
    }
    Ok(())
}

impl Ranges for LlmModel {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        address(&self.base_url, "llm")?;
        name_of_variable(&self.api_key_env)?;
        name_of_file(&self.api_key_file)?;
        within("timeout_seconds", self.timeout_seconds, &(1..=SECONDS_OF_A_DAY))?;
        positive("max_tokens", self.max_tokens)?;
        within("temperature", self.temperature, &(0.0..=2.0))?;
        for (name, price) in [
            ("price_input", self.price_input),
            ("price_output", self.price_output),
        ] {
            if !(price.is_finite() && price >= 0.0) {
                return Err(OutOfRange::new(name, price, "finite and at least 0"));
            }
        }
        Ok(())
    }
}

impl Ranges for LlmSection {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        within("question_seconds", self.question_seconds, &(1..=SECONDS_OF_A_DAY))?;
        positive("cache_mib", self.cache_mib)?;
        self.own.check_ranges()
    }
}
