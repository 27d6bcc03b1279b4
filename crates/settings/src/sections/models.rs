//! The sections of models: embedding and reranking.

use llm::{Backoff, EmbeddingsSettings};
use models::{ModelSettings, Pooling, Sentences};
use rerank::LlmRerankSettings;
use serde::{Deserialize, Serialize};
use std::{num::NonZeroUsize, path::PathBuf, time::Duration};
use types::ranges::{OutOfRange, Ranges, positive, share, within};

pub(super) const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;
/// Tokens of a text that is sent to a server whose limit is not set. Many models take 512 of their own tokens, and
/// some servers cut longer texts without a word.
const MAX_TOKENS_OF_SERVER: usize = 400;

/// The embedding model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmbeddingSection {
    pub model: PathBuf,
    pub pooling: PoolingChoice,
    pub query_prefix: String,
    pub passage_prefix: String,
    pub max_tokens: usize,
    pub sentences: Sentences,
    pub threads: usize,
    pub provider: EmbeddingProvider,
    pub base_url: String,
    pub api_key_env: String,
    pub dimensions: usize,
    pub batch_size: usize,
    pub timeout_seconds: u64,
    pub max_retries: u32,
}

/// What computes the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbeddingProvider {
    /// A model folder, with ONNX Runtime.
    Onnx,
    /// A server with an OpenAI-compatible embeddings API.
    #[serde(rename = "openai")]
    OpenAi,
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
            sentences: Some(self.sentences),
            // How its files are laid out is said in its folder alone.
            output: None,
            weights: None,
        }
    }

    /// The settings of the client of an embeddings server; `threads` requests at a time if [`Self::threads`] is 0.
    pub fn client(&self, threads: usize) -> EmbeddingsSettings {
        EmbeddingsSettings {
            base_url: self.base_url.clone(),
            model: self.model.to_string_lossy().into_owned(),
            api_key_env: self.api_key_env.clone(),
            dimensions: (self.dimensions > 0).then_some(self.dimensions),
            max_tokens: match self.max_tokens {
                0 => MAX_TOKENS_OF_SERVER,
                set => set,
            },
            batch_size: self.batch_size,
            concurrency: match self.threads {
                0 => threads,
                set => set,
            },
            query_prefix: self.query_prefix.clone(),
            passage_prefix: self.passage_prefix.clone(),
            timeout: Duration::from_secs(self.timeout_seconds),
            max_retries: self.max_retries,
            backoff: Backoff::default(),
        }
    }
}

impl Ranges for EmbeddingSection {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        let server = self.provider == EmbeddingProvider::OpenAi;
        if server && self.sentences == Sentences::Pooled {
            let limit = "\"separate\" with provider = \"openai\": a server gives no vectors of single tokens";
            return Err(OutOfRange::new("sentences", "pooled", limit));
        }
        address(&self.base_url, "embedding")?;
        name_of_variable(&self.api_key_env)?;
        within("timeout_seconds", self.timeout_seconds, &(1..=SECONDS_OF_A_DAY))?;
        within("batch_size", self.batch_size, &(1..=2048))?;
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
    pub window_tokens: usize,
    pub on_failure: FallbackChoice,
    pub model: String,
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
            window_tokens: self.window_tokens,
            max_tokens: Some(max_tokens),
        }
    }
}

impl Ranges for RerankSection {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        share("lexical_weight", self.lexical_weight)?;
        share("prior_weight", self.prior_weight)?;
        within("min_score", self.min_score, &(0.0..=10.0))?;
        within("window_tokens", self.window_tokens, &(2_000..=10_000_000))?;
        positive("keep", self.keep)
    }
}

/// Refuses an address that may hold a secret. The message does not repeat it.
pub(super) fn address(base_url: &str, section: &str) -> Result<(), OutOfRange> {
    if base_url.contains(['@', '?', '#']) {
        let limit = format!(
            "an address without user name, password or query; the key goes into {section}.api_key_env"
        );
        return Err(OutOfRange::new("base_url", "something else", &limit));
    }
    Ok(())
}

/// Refuses what is no name of an environment variable. The message does not repeat it: it may be a key.
pub(super) fn name_of_variable(name: &str) -> Result<(), OutOfRange> {
    let digit_first = name.starts_with(|c: char| c.is_ascii_digit());
    if digit_first || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(OutOfRange::new(
            "api_key_env",
            "something else",
            "the name of an environment variable, not a key",
        ));
    }
    Ok(())
}
