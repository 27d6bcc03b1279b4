//! The sections of models: embedding and reranking.

use super::{
    LlmModel,
    secrets::{address, name_of_variable},
};
use llm::{Backoff, EmbeddingsSettings};
use models::ModelSettings;
use rerank::LlmRerankSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;
use std::{num::NonZeroUsize, path::PathBuf, time::Duration};
use types::OutOfRange;

/// Tokens of a text that is sent to a server whose limit is not set. Many models take 512 of their own tokens, and
/// some servers cut longer texts without a word.
const MAX_TOKENS_OF_SERVER: usize = 400;
/// Texts in one request to an embeddings server: what the smallest default of common servers takes.
const TEXTS_PER_REQUEST: usize = 32;

/// The embedding model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
pub struct EmbeddingSection {
    /// Model folder (model.onnx and tokenizer.json): the name of a folder in `natives.dir`, or a path. Or the name of a model
    /// that can be downloaded, such as "multilingual-e5-small" (a hundred languages, about three times the time) or one that
    /// `pipeline setup --list-models` lists: then run `pipeline setup` once.
    #[default("all-MiniLM-L6-v2-w8a8")]
    #[schemars(extend("main" = true))]
    pub model: PathBuf,
    /// Prefix of questions, for models trained with prefixes. Empty: as the model's folder says (model.json, or the files
    /// that sentence-transformers writes), else none.
    pub query_prefix: String,
    /// Prefix of passages, for models trained with prefixes. Empty: as for `query_prefix`.
    pub passage_prefix: String,
    /// Maximum input of the model in tokens, at least 32. 0: as the model's folder says, else 256. Longer chunks are embedded in
    /// several windows.
    pub max_tokens: usize,
    /// Number of threads for embedding; with a server, the number of simultaneous requests. 0: one per core.
    #[schemars(extend("no_effect" = true))]
    pub threads: usize,
    /// What computes the vectors: "onnx" (the model folder), "fastembed" (the folder of a downloaded model, run by that
    /// library, one text at a time) or "openai" (a local or hosted server with an OpenAI-compatible
    /// embeddings API). With "openai", the texts of your papers and your questions are sent to that server; `model` is the
    /// server's name for the model; and `max_tokens` counts `cl100k_base` tokens (0 means 400). The index keeps the vectors,
    /// so an unchanged text is not sent again.
    #[default(EmbeddingProvider::Onnx)]
    #[schemars(extend("main" = true))]
    pub provider: EmbeddingProvider,
    /// Address of the server, including the version. /embeddings is appended.
    #[default("http://127.0.0.1:11434/v1")]
    pub base_url: String,
    /// Name of the environment variable that contains the key. Empty, or not set: no key is sent.
    #[default("OPENAI_API_KEY")]
    #[schemars(extend("no_effect" = true))]
    pub api_key_env: String,
    /// Dimension to request, for models that offer several. 0: the model's own.
    pub dimensions: usize,
}

/// What computes the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EmbeddingProvider {
    /// A model folder, with ONNX Runtime.
    Onnx,
    /// A model folder, with fastembed.
    Fastembed,
    /// A server with an OpenAI-compatible embeddings API.
    #[serde(rename = "openai")]
    OpenAi,
}

impl EmbeddingSection {
    /// The configured settings of the model; the rest comes from its files.
    pub fn model_settings(&self) -> ModelSettings {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        ModelSettings {
            query_prefix: given(&self.query_prefix),
            passage_prefix: given(&self.passage_prefix),
            max_tokens: (self.max_tokens > 0).then_some(self.max_tokens),
            ..ModelSettings::default()
        }
    }

    /// The settings of the client of an embeddings server: as patient as with a language model, and `threads` requests at a
    /// time if [`Self::threads`] is 0.
    pub fn client(&self, llm: &LlmModel, threads: usize) -> EmbeddingsSettings {
        let or = |set: usize, otherwise: usize| if set == 0 { otherwise } else { set };
        EmbeddingsSettings {
            base_url: self.base_url.clone(),
            model: self.model.to_string_lossy().into_owned(),
            api_key_env: self.api_key_env.clone(),
            dimensions: (self.dimensions > 0).then_some(self.dimensions),
            max_tokens: or(self.max_tokens, MAX_TOKENS_OF_SERVER),
            batch_size: TEXTS_PER_REQUEST,
            concurrency: or(self.threads, threads),
            query_prefix: self.query_prefix.clone(),
            passage_prefix: self.passage_prefix.clone(),
            timeout: Duration::from_secs(llm.timeout_seconds),
            max_retries: llm.max_retries,
            backoff: Backoff::default(),
        }
    }
}

impl EmbeddingSection {
    pub(crate) fn check(&self) -> Result<(), OutOfRange> {
        if (1..32).contains(&self.max_tokens) {
            return Err(OutOfRange::new("max_tokens", self.max_tokens, "0 or at least 32"));
        }
        address("base_url", &self.base_url)?;
        name_of_variable("api_key_env", &self.api_key_env)
    }
}

/// Reranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct RerankSection {
    /// How candidates are reranked: "sentence" (by the best sentence of the chunk, using stored vectors and terms),
    /// "cross_encoder" (a local model), "llm" (graded by the language model), "auto" (llm if one is configured, else
    /// cross_encoder if `cross_encoder` names one, else sentence) or "none" (keep the retrieval order).
    #[default(RerankMethod::Sentence)]
    #[schemars(extend("main" = true))]
    pub method: RerankMethod,
    /// Number of chunks to keep.
    #[default(6)]
    #[schemars(range(min = 1), extend("main" = true))]
    pub top_n: usize,
    /// The cross-encoder: a model folder, or a name that `pipeline setup --list-models` prints, which `pipeline setup`
    /// downloads.
    pub cross_encoder: PathBuf,
    /// Maximum length of a prompt of "llm" in tokens. Tokens are estimated; the estimate is usually too high. Candidates that
    /// do not fit are sent in further calls. A chunk that does not fit alone is cut, with a caveat.
    #[default(16_000)]
    #[schemars(range(min = 2_000, max = 10_000_000))]
    pub window_tokens: usize,
    /// What to do if the language model fails to rerank the candidates of a question: rerank all of them by "sentence" or keep
    /// the retrieval order ("fused"), with a caveat in the answer and a count in reports; or "error". A failure that
    /// would affect every question, such as a wrong key, is always an error.
    #[default(FallbackChoice::Sentence)]
    pub on_failure: FallbackChoice,
    /// Language model for "llm": the name of a section [llm.NAME]. Empty: the model of [llm].
    pub model: String,
    /// Weight of the chunk's retrieval rank in the sentence reranker's score, 0 to 1.
    #[serde(skip)]
    #[default(0.5)]
    pub prior_weight: f32,
    /// Characters of each chunk that are sent to the language model; `None` for the whole chunk.
    #[serde(skip)]
    pub max_chars: Option<NonZeroUsize>,
    /// Whether the language model is shown the prefix of each chunk, which counts towards `max_chars`.
    #[serde(skip)]
    pub show_prefix: bool,
}

/// What reranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
            max_chars: self.max_chars,
            show_prefix: self.show_prefix,
            window_tokens: self.window_tokens,
            max_tokens: Some(max_tokens),
        }
    }
}
