//! The sections of the settings. The comment of a field is what `config show` and `configs/default.toml` say about the
//! setting; its attributes are its default and range.
//!
//! Keep the order of the fields: the configuration hash depends on it.
#![allow(
    missing_docs,
    clippy::struct_excessive_bools,
    clippy::doc_markdown,
    rustdoc::broken_intra_doc_links,
    rustdoc::bare_urls,
    reason = "the comments are texts for people who set these, and each switch is a setting of its own"
)]

mod language_model;
mod models;
mod phase2;
mod run;
mod secrets;

pub(crate) use language_model::KEYS_OF_PROVIDER;
pub use language_model::{CACHE_MIB, CacheChoice, LlmModel, LlmSection, Provider};
pub use models::{EmbeddingProvider, EmbeddingSection, FallbackChoice, RerankMethod, RerankSection};
pub use phase2::Phase2Section;
pub use run::{EvalSection, EvaluateSection, JudgeChoice, LogSection, RefusalScores, ReturnedChunks};

use expand::ExpandSettings;
use generate::ExtractiveSettings;
use guardrail::{GuardrailSettings, TopicSettings};
use ingest::{Limits, chunk::ChunkSettings};
use retrieve::SearchSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;
use std::path::PathBuf;
use types::{Mode, OutOfRange};

/// All settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub natives: NativesSection,
    pub index: IndexSection,
    pub store: StoreSection,
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
    pub phase2: Phase2Section,
}

/// Native libraries and models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
pub struct NativesSection {
    /// Folder with the native libraries and models that `pipeline setup` downloads. Empty: `PIPELINE_NATIVES` if set, else
    /// `.natives` next to the program, else, if cargo built it in `target`, in that checkout, else `pipeline/natives` in the
    /// user's data folder.
    #[schemars(extend("main" = true), extend("no_effect" = true))]
    pub dir: PathBuf,
    /// Your own PDFium library. Empty: the one in the folder above, loaded only if its SHA-256 is the pinned one.
    #[schemars(extend("no_effect" = true))]
    pub pdfium: PathBuf,
    /// Your own ONNX Runtime library. Empty: the one in the folder above, loaded only if its SHA-256 is the pinned one.
    #[schemars(extend("no_effect" = true))]
    pub onnxruntime: PathBuf,
}

/// The index on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
pub struct IndexSection {
    /// Folder of the index, relative to the working directory.
    #[default("index")]
    #[schemars(extend("main" = true), extend("no_effect" = true))]
    pub dir: PathBuf,
}

/// Where the index is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
pub struct StoreSection {
    /// What stores the index: "embedded" (the folder `index.dir`, for what one machine carries: a million chunks and more) or
    /// "qdrant" (collections of a Qdrant server, for many machines; `index.dir` then holds only the cache).
    #[default(StoreKind::Embedded)]
    #[schemars(extend("main" = true), extend("no_effect" = true))]
    pub kind: StoreKind,
    /// Address of the server's gRPC port.
    #[default("http://127.0.0.1:6334")]
    #[schemars(extend("no_effect" = true))]
    pub url: String,
    /// Name of the environment variable that contains the server's API key. Empty, or not set: no key is sent.
    #[default("QDRANT_API_KEY")]
    #[schemars(extend("no_effect" = true))]
    pub api_key_env: String,
    /// Name of the collection of chunks; those of the sources and of all else begin with it.
    #[default("papers")]
    #[schemars(extend("no_effect" = true))]
    pub collection: String,
    /// Shards of a new collection.
    #[default(1)]
    #[schemars(range(min = 1), extend("no_effect" = true))]
    pub shards: u32,
    /// Copies of each shard of a new collection.
    #[default(1)]
    #[schemars(range(min = 1), extend("no_effect" = true))]
    pub replicas: u32,
    /// Whether a new collection keeps its vectors on disk instead of in memory.
    #[schemars(extend("no_effect" = true))]
    pub on_disk: bool,
    /// How a new collection keeps vectors in memory: "none" (32 bits a number), "scalar" (8 bits) or "binary" (1 bit). Searches
    /// compare the best again in 32 bits.
    #[default(QuantisationChoice::None)]
    pub quantisation: QuantisationChoice,
    /// Time limit of a search, retries included, in seconds. A write may take six times as long.
    #[default(10)]
    #[schemars(range(min = 1), extend("no_effect" = true))]
    pub timeout_seconds: u64,
}

/// What stores the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoreKind {
    Embedded,
    Qdrant,
}

/// How vectors are kept in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuantisationChoice {
    None,
    Scalar,
    Binary,
}

impl StoreSection {
    pub(crate) fn check(&self) -> Result<(), OutOfRange> {
        secrets::address("url", &self.url)?;
        secrets::name_of_variable("api_key_env", &self.api_key_env)?;
        let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if self.collection.is_empty() || self.collection.len() > 100 || !self.collection.chars().all(named) {
            let value = format!("{:?}", self.collection);
            return Err(OutOfRange::new("collection", value, "1 to 100 letters, digits, - and _"));
        }
        Ok(())
    }
}

/// Reading PDFs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
pub struct IngestSection {
    /// Number of worker processes that read PDFs. 0: one per core.
    #[schemars(extend("main" = true), extend("no_effect" = true))]
    pub workers: usize,
    /// Maximum file size in MiB. Larger files are not opened.
    #[default(256)]
    #[schemars(range(min = 1))]
    pub max_file_mib: u64,
    /// Maximum number of pages. Longer documents are not read.
    #[default(2000)]
    #[schemars(range(min = 1))]
    pub max_pages: u32,
    /// Time limit for one PDF, in seconds. A worker that exceeds it is terminated.
    #[default(60)]
    #[schemars(range(min = 1))]
    pub seconds_per_file: u64,
    /// Address space of one worker, in MiB. A PDF that needs more fails; the other files are still processed.
    #[default(1024)]
    #[schemars(range(min = 128))]
    pub worker_memory_mib: u64,
    /// How to handle pages that contain only images or garbled text: "off" (warn) or "auto" (run OCR with tesseract if it
    /// is installed, else warn).
    #[default(OcrChoice::Off)]
    #[schemars(extend("main" = true))]
    pub ocr: OcrChoice,
    /// OCR program: a path, or a name on the search path (PATH).
    #[default("tesseract")]
    pub ocr_program: PathBuf,
    /// Languages of the pages, as tesseract language codes joined by +, for example "eng+deu".
    #[default("eng")]
    pub ocr_languages: String,
}

/// What is done with pages without text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OcrChoice {
    Off,
    Auto,
}

impl IngestSection {
    pub(crate) fn check(&self) -> Result<(), OutOfRange> {
        let language = |l: &str| !l.is_empty() && l.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if self.ocr_languages.split('+').all(language) {
            return Ok(());
        }
        let value = format!("{:?}", self.ocr_languages);
        Err(OutOfRange::new("ocr_languages", value, "names such as \"eng\", joined by +"))
    }

    /// The limits for reading a file.
    pub fn limits(&self) -> Limits {
        Limits {
            memory_bytes: self.worker_memory_mib << 20,
            seconds_per_file: self.seconds_per_file,
            max_file_bytes: self.max_file_mib << 20,
            max_pages: self.max_pages,
            ..Limits::default()
        }
    }
}

/// Chunking of documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct ChunkSection {
    /// Maximum size of a chunk in `cl100k_base` tokens, including its metadata prefix.
    #[default(768)]
    #[schemars(range(min = 64, max = 8192))]
    pub max_tokens: usize,
    /// Maximum overlap of two neighbouring chunks, in tokens. The overlap consists of whole sentences.
    #[default(100)]
    pub overlap_tokens: usize,
    /// Whether the prefix counts towards `max_tokens`.
    #[serde(skip)]
    #[default(true)]
    pub count_prefix: bool,
}

impl ChunkSection {
    pub(crate) fn check(&self) -> Result<(), OutOfRange> {
        if self.overlap_tokens * 2 > self.max_tokens {
            let limit = "at most half of chunk.max_tokens";
            return Err(OutOfRange::new("overlap_tokens", self.overlap_tokens, limit));
        }
        Ok(())
    }

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

/// Understanding of questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SmartDefault)]
pub struct QuestionSection {
    /// Take filters from the words of a question, where they say which publications are meant: years ("studies from 2020 to
    /// 2023", "recent papers", "last year's research"), subjects ("nutrition studies", if papers have that tag), papers named
    /// by their first author ("What did Barry et al. conclude?") or described together ("the sleep review and the trial of walking"), and
    /// the section of such a paper ("in the methods of Barry et al."). A filter that is given as an option replaces those of its kind.
    #[default(true)]
    pub filters: bool,
    /// Correct misspelt words: if no paper contains a word of the question and the embedding model does not know it, search
    /// for the words of the papers that are spelt most like it.
    #[default(true)]
    pub spelling: bool,
    /// Search also for the other form of abbreviations: for the long form of one in the question, and for the abbreviation of
    /// words in the question, as papers define them ("grey matter volume (GMV)").
    #[default(true)]
    pub abbreviations: bool,
    /// Date that "recent" and "last year" are relative to, for example "2026-07-31". Empty: today.
    pub today: String,
}

impl QuestionSection {
    pub(crate) fn check(&self) -> Result<(), OutOfRange> {
        if self.today.is_empty() || self.year().is_some() {
            return Ok(());
        }
        let value = format!("{:?}", self.today);
        Err(OutOfRange::new("today", value, "a date such as \"2026-07-31\", or empty"))
    }

    /// The year of `today`; `None` if it is empty.
    pub fn year(&self) -> Option<u16> {
        year(&self.today)
    }
}

/// The year of a date such as `2026-07-31`.
fn year(date: &str) -> Option<u16> {
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let number = |text: &str, digits: usize| {
        let all = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
        all.then(|| text.parse::<u16>().ok())?
    };
    let fits = (1..=12).contains(&number(month, 2)?) && (1..=31).contains(&number(day, 2)?);
    number(year, 4).filter(|year| fits && parts.next().is_none() && *year >= 1900)
}

/// Retrieval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
pub struct RetrieveSection {
    /// Retrieval mode: "hybrid", "vector" or "bm25".
    #[default(Mode::Hybrid)]
    #[schemars(extend("main" = true))]
    pub mode: Mode,
    #[serde(flatten)]
    pub search: SearchSettings,
}

/// Answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
pub struct GenerateSection {
    /// How answers are generated: "extractive" (sentences of the papers, chosen offline), "llm" (written by a language model),
    /// "select" (sentences of the papers that a language model selects and orders: for models with fewer than about 10 billion
    /// parameters, which misquote), or "auto" (llm if a language model is configured, else extractive).
    #[default(AnswerMethod::Auto)]
    #[schemars(extend("main" = true))]
    pub method: AnswerMethod,
    #[serde(flatten)]
    pub extractive: ExtractiveSettings,
    /// Maximum number of characters of context sent to a language model. Chunks that do not fit are omitted, with a caveat.
    #[default(60_000)]
    #[schemars(range(min = 1))]
    pub max_context_chars: usize,
    /// Language model that generates answers: the name of a section [llm.NAME]. Empty: the model of [llm].
    pub model: String,
}

/// What writes answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// Guardrails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct GuardrailSection {
    /// Refuse a question before generation if the context does not answer it (the topic check). A language model that writes
    /// answers is asked all the same.
    #[default(true)]
    pub topic: bool,
    #[serde(flatten)]
    pub topic_check: TopicSettings,
    #[serde(flatten)]
    pub verification: GuardrailSettings,
    /// Whether a language model compares each claim with the passages that it cites: "auto" (if a language model writes the
    /// answer), "llm" (same, but it is an error if none is configured) or "off". A claim that it finds
    /// supported is not flagged, one that it finds contradicted is removed (unless `remove_below` is 0); a model whose name states
    /// fewer than 20 billion parameters can only add doubts. One call for an answer, two if the answer is revised.
    #[default(VerifyChoice::Auto)]
    #[schemars(extend("main" = true))]
    pub verify: VerifyChoice,
    /// Language model that verifies: the name of a section [llm.NAME]. Empty: the model of [llm].
    pub model: String,
    /// Send sentences that fail these checks back to the language model once, to correct them or leave them out.
    #[default(true)]
    pub repair: bool,
    /// Whether passages are searched for text that addresses a language model.
    #[serde(skip)]
    #[default(true)]
    pub injection: bool,
}

/// Whether a language model verifies answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerifyChoice {
    /// If a language model writes them.
    Auto,
    /// Always; one must be configured.
    Llm,
    /// Never.
    Off,
}
