//! The settings as types; what each means stands in `configs/default.toml`.
#![allow(
    missing_docs,
    clippy::struct_excessive_bools,
    reason = "configs/default.toml documents every key, and a test holds the two together"
)]

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use types::Mode;

/// All settings. Every field stands in `configs/default.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub natives: NativesSection,
    pub index: IndexSection,
    pub ingest: IngestSection,
    pub chunk: ChunkSection,
    pub embedding: EmbeddingSection,
    pub retrieve: RetrieveSection,
    pub rerank: RerankSection,
    pub expand: ExpandSection,
    pub generate: GenerateSection,
    pub llm: LlmSection,
    pub guardrail: GuardrailSection,
    pub eval: EvalSection,
    pub log: LogSection,
}

/// Native libraries and models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NativesSection {
    pub dir: PathBuf,
    pub pdfium: PathBuf,
    pub onnxruntime: PathBuf,
}

/// The index on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexSection {
    pub dir: PathBuf,
}

/// Reading PDFs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IngestSection {
    pub workers: usize,
    pub max_file_mib: u64,
    pub max_pages: u32,
    pub max_chars: u64,
    pub max_chars_per_page: u64,
    pub seconds_per_file: u64,
    pub worker_memory_mib: u64,
    pub ocr: String,
    pub ocr_program: PathBuf,
    pub ocr_languages: String,
    pub ocr_dpi: u32,
    pub ocr_seconds_per_page: u64,
}

/// Cutting documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChunkSection {
    pub max_tokens: usize,
    pub overlap_tokens: usize,
    pub count_prefix: bool,
}

/// The embedding model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingSection {
    pub model: PathBuf,
    pub pooling: String,
    pub query_prefix: String,
    pub passage_prefix: String,
    pub max_tokens: usize,
    pub threads: usize,
}

/// Retrieval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetrieveSection {
    pub mode: Mode,
    pub depth: usize,
    pub vector_k: usize,
    pub bm25_k: usize,
    pub candidates: usize,
    pub fusion: String,
    pub vector_weight: f32,
    pub bm25_weight: f32,
    pub bm25_k1: f32,
    pub bm25_b: f32,
    pub tokenizer: String,
    pub rrf_k: usize,
    pub threshold: f32,
    pub vector_index: String,
    pub hnsw_m: usize,
    pub hnsw_ef_construction: usize,
    pub hnsw_ef: usize,
}

/// Reranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RerankSection {
    pub method: String,
    pub keep: usize,
    pub lexical_weight: f32,
    pub cross_encoder: PathBuf,
    pub prior_weight: f32,
    pub max_chars: usize,
    pub show_prefix: bool,
    pub on_failure: String,
}

/// Neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpandSection {
    pub reach: usize,
    pub discount: f32,
    pub cap: usize,
    pub order: String,
}

/// Answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerateSection {
    pub method: String,
    pub max_sentences: usize,
    pub mmr_lambda: f32,
    pub min_relevance: f32,
    pub relative_relevance: f32,
    pub explicit_relevance: f32,
    pub lexical_weight: f32,
    pub chunk_weight: f32,
    pub source_penalty: f32,
    pub max_context_chars: usize,
}

/// The language model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LlmSection {
    pub provider: String,
    pub base_url: String,
    pub model: String,
    pub api_key_env: String,
    pub temperature: f32,
    pub timeout_seconds: u64,
    pub question_seconds: u64,
    pub max_retries: u32,
    pub give_up_after: u32,
    pub max_tokens: u32,
    pub schema_mode: String,
}

/// Guardrails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardrailSection {
    pub topic: bool,
    pub topic_rule: String,
    pub coverage_refuse: f32,
    pub coverage_answer: f32,
    pub similarity_refuse: f32,
    pub similarity_answer: f32,
    pub refuse_unknown_sources: bool,
    pub refuse_absent_entities: bool,
    pub citations: String,
    pub suffix_match: String,
    pub refusal_citations: String,
    pub max_quote_words: usize,
    pub uncited: String,
    pub entities: bool,
    pub min_survival: f32,
    pub support: bool,
    pub check_confidence: bool,
    pub removal_lowers_confidence: bool,
}

/// Evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvalSection {
    pub workers: usize,
    pub retries: u32,
    pub stop_after: usize,
    pub seed: u64,
    pub judge: String,
    pub tau: f32,
    pub refusals: String,
}

/// Logs and reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogSection {
    pub file: PathBuf,
    pub returned_chunks: String,
    pub reports: PathBuf,
}
