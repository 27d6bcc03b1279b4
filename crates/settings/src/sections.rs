//! The sections of the settings; `configs/default.toml` explains each key.
//!
//! Keep the order of the fields: the configuration hash depends on it.
#![allow(
    missing_docs,
    clippy::struct_excessive_bools,
    reason = "configs/default.toml documents every key, and a test compares the two"
)]

mod language_model;
mod models;
mod question;
mod run;

pub use language_model::{CacheChoice, LlmModel, LlmSection, Provider};
pub(crate) use language_model::{KEYS_OF_PROVIDER, SHARED_KEYS};
pub use models::{
    EmbeddingProvider, EmbeddingSection, FallbackChoice, PoolingChoice, RerankMethod, RerankSection,
};
pub use question::QuestionSection;
pub use run::{EvalSection, EvaluateSection, JudgeChoice, LogSection, RefusalScores, ReturnedChunks};

use expand::ExpandSettings;
use generate::ExtractiveSettings;
use guardrail::{GuardrailSettings, TopicSettings};
use ingest::{Limits, chunk::ChunkSettings};
use retrieve::SearchSettings;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use types::{
    Mode,
    ranges::{OutOfRange, Ranges, positive, within},
};

/// All settings. Every field is in `configs/default.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub natives: NativesSection,
    pub index: IndexSection,
    pub ingest: IngestSection,
    pub chunk: ChunkSection,
    pub embedding: EmbeddingSection,
    pub question: QuestionSection,
    pub retrieve: RetrieveSection,
    pub rerank: RerankSection,
    pub expand: ExpandSettings,
    pub generate: GenerateSection,
    pub llm: LlmSection,
    pub guardrail: GuardrailSection,
    pub eval: EvalSection,
    pub evaluate: EvaluateSection,
    pub log: LogSection,
}

/// Native libraries and models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NativesSection {
    pub dir: PathBuf,
    pub pdfium: PathBuf,
    pub onnxruntime: PathBuf,
}

/// The index on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexSection {
    pub dir: PathBuf,
}

/// Reading PDFs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IngestSection {
    pub workers: usize,
    pub max_file_mib: u64,
    pub max_pages: u32,
    pub max_chars: u64,
    pub max_chars_per_page: u64,
    pub seconds_per_file: u64,
    pub worker_memory_mib: u64,
    pub ocr: OcrChoice,
    pub ocr_program: PathBuf,
    pub ocr_languages: String,
    pub ocr_dpi: u32,
    pub ocr_seconds_per_page: u64,
}

/// What is done with pages without text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OcrChoice {
    Off,
    Auto,
}

impl IngestSection {
    /// The limits for reading a file.
    pub fn limits(&self) -> Limits {
        Limits {
            memory_bytes: self.worker_memory_mib << 20,
            seconds_per_file: self.seconds_per_file,
            max_file_bytes: self.max_file_mib << 20,
            max_pages: self.max_pages,
            max_chars: self.max_chars,
            max_chars_per_page: self.max_chars_per_page,
        }
    }
}

impl Ranges for IngestSection {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        positive("max_file_mib", self.max_file_mib)?;
        positive("max_pages", self.max_pages)?;
        positive("max_chars", self.max_chars)?;
        positive("max_chars_per_page", self.max_chars_per_page)?;
        positive("seconds_per_file", self.seconds_per_file)?;
        if self.worker_memory_mib < 128 {
            return Err(OutOfRange::new(
                "worker_memory_mib",
                self.worker_memory_mib,
                "at least 128",
            ));
        }
        let language = |l: &str| !l.is_empty() && l.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !self.ocr_languages.split('+').all(language) {
            return Err(OutOfRange::new(
                "ocr_languages",
                format!("{:?}", self.ocr_languages),
                "names such as \"eng\", joined by +",
            ));
        }
        within("ocr_dpi", self.ocr_dpi, &(72..=600))?;
        positive("ocr_seconds_per_page", self.ocr_seconds_per_page)
    }
}

/// Chunking of documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChunkSection {
    pub max_tokens: usize,
    pub overlap_tokens: usize,
    pub count_prefix: bool,
}

impl ChunkSection {
    /// How documents are chunked; the rest is fixed.
    pub fn chunking(&self) -> ChunkSettings {
        ChunkSettings {
            max_tokens: self.max_tokens,
            overlap_tokens: self.overlap_tokens,
            count_prefix: self.count_prefix,
            ..ChunkSettings::default()
        }
    }
}

impl Ranges for ChunkSection {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        within("max_tokens", self.max_tokens, &(64..=8192))?;
        if self.overlap_tokens * 2 > self.max_tokens {
            return Err(OutOfRange::new(
                "overlap_tokens",
                self.overlap_tokens,
                "at most half of chunk.max_tokens",
            ));
        }
        Ok(())
    }
}

/// Retrieval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RetrieveSection {
    pub mode: Mode,
    #[serde(flatten)]
    pub search: SearchSettings,
}

/// Answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerateSection {
    pub method: AnswerMethod,
    #[serde(flatten)]
    pub extractive: ExtractiveSettings,
    pub max_context_chars: usize,
    pub max_sentences_shown: usize,
    pub further_searches: usize,
    pub model: String,
}

/// What writes answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerMethod {
    /// The language model if one is configured, else sentences of the papers.
    Auto,
    /// Sentences of the papers.
    Extractive,
    /// The language model.
    Llm,
    /// Sentences of the papers that the language model selects and orders.
    Select,
}

impl Ranges for GenerateSection {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        self.extractive.check_ranges()?;
        positive("max_context_chars", self.max_context_chars)?;
        within("max_sentences_shown", self.max_sentences_shown, &(1..=64))?;
        within("further_searches", self.further_searches, &(0..=5))
    }
}

/// Guardrails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuardrailSection {
    pub topic: bool,
    #[serde(flatten)]
    pub topic_check: TopicSettings,
    #[serde(flatten)]
    pub verification: GuardrailSettings,
    pub verify: VerifyChoice,
    pub model: String,
    pub repair: bool,
    pub injection: bool,
}

/// Whether a language model verifies answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerifyChoice {
    /// If a language model writes them.
    Auto,
    /// Always; one must be configured.
    Llm,
    /// Never.
    Off,
}
