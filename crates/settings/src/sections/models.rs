//! The sections of models: embedding, reranking, language model.

use llm::{LlmSettings, SchemaMode};
use models::{ModelSettings, Pooling};
use rerank::LlmRerankSettings;
use serde::{Deserialize, Serialize};
use std::{num::NonZeroUsize, path::PathBuf, time::Duration};
use types::ranges::{OutOfRange, Ranges, positive, share, within};

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

/// The embedding model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmbeddingSection {
    pub model: PathBuf,
    pub pooling: PoolingChoice,
    pub query_prefix: String,
    pub passage_prefix: String,
    pub max_tokens: usize,
    pub threads: usize,
}

/// How the vectors of tokens are pooled into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PoolingChoice {
    /// As the files of the model specify.
    #[serde(rename = "")]
    OfModel,
    Mean,
    Cls,
}

impl EmbeddingSection {
    /// The configured settings of the model; the rest comes from its files.
    pub fn model_settings(&self) -> ModelSettings {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        ModelSettings {
            name: None,
            pooling: match self.pooling {
                PoolingChoice::OfModel => None,
                PoolingChoice::Mean => Some(Pooling::Mean),
                PoolingChoice::Cls => Some(Pooling::Cls),
            },
            query_prefix: given(&self.query_prefix),
            passage_prefix: given(&self.passage_prefix),
            max_tokens: (self.max_tokens > 0).then_some(self.max_tokens),
        }
    }
}

impl Ranges for EmbeddingSection {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        if (1..32).contains(&self.max_tokens) {
            return Err(OutOfRange::new("max_tokens", self.max_tokens, "0 or at least 32"));
        }
        Ok(())
    }
}

/// Reranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RerankSection {
    pub method: RerankMethod,
    pub keep: usize,
    pub min_score: f32,
    pub lexical_weight: f32,
    pub cross_encoder: PathBuf,
    pub prior_weight: f32,
    pub max_chars: usize,
    pub show_prefix: bool,
    pub on_failure: FallbackChoice,
}

/// What reranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RerankMethod {
    Sentence,
    CrossEncoder,
    Llm,
    /// The language model if one is configured, else the best sentence.
    Auto,
    None,
}

/// What reranks if the language model fails to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FallbackChoice {
    Error,
    Sentence,
    Fused,
}

impl RerankSection {
    /// How a language model reranks, with replies of at most `max_tokens`.
    pub fn by_model(&self, max_tokens: u32) -> LlmRerankSettings {
        LlmRerankSettings {
            max_chars: NonZeroUsize::new(self.max_chars),
            show_prefix: self.show_prefix,
            max_tokens: Some(max_tokens),
        }
    }
}

impl Ranges for RerankSection {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        share("lexical_weight", self.lexical_weight)?;
        share("prior_weight", self.prior_weight)?;
        if !(0.0..=10.0).contains(&self.min_score) {
            return Err(OutOfRange::new("min_score", self.min_score, "in [0, 10]"));
        }
        positive("keep", self.keep)
    }
}

/// The language model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LlmSection {
    pub provider: Provider,
    pub base_url: String,
    pub model: String,
    pub api_key_env: String,
    pub temperature: f32,
    pub timeout_seconds: u64,
    pub question_seconds: u64,
    pub max_retries: u32,
    pub give_up_after: u32,
    pub max_tokens: u32,
    pub schema_mode: SchemaMode,
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
}

impl LlmSection {
    /// The settings of the client of an OpenAI-compatible server.
    pub fn client(&self) -> LlmSettings {
        LlmSettings {
            base_url: self.base_url.clone(),
            model: self.model.clone(),
            api_key_env: self.api_key_env.clone(),
            temperature: Some(self.temperature),
            timeout: Duration::from_secs(self.timeout_seconds),
            max_retries: self.max_retries,
            max_tokens: Some(self.max_tokens),
            schema_mode: self.schema_mode,
            give_up_after: self.give_up_after,
            ..LlmSettings::default()
        }
    }
}

impl Ranges for LlmSection {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        // The message repeats neither value: it may be a secret key in the wrong setting.
        let secret = |field, limit: &str| Err(OutOfRange::new(field, "something else", limit));
        if self.base_url.contains(['@', '?', '#']) {
            return secret(
                "base_url",
                "an address without user name, password or query; the key goes into llm.api_key_env",
            );
        }
        let name = &self.api_key_env;
        if name.starts_with(|c: char| c.is_ascii_digit())
            || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            return secret("api_key_env", "the name of an environment variable, not a key");
        }
        within("timeout_seconds", self.timeout_seconds, &(1..=SECONDS_OF_A_DAY))?;
        within("question_seconds", self.question_seconds, &(1..=SECONDS_OF_A_DAY))?;
        positive("max_tokens", self.max_tokens)?;
        if !(0.0..=2.0).contains(&self.temperature) {
            return Err(OutOfRange::new("temperature", self.temperature, "in [0, 2]"));
        }
        Ok(())
    }
}
