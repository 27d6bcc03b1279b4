//! Answers.

use crate::{Abbreviation, Filter, Source, Spelling};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An answer of `ask`, or a refusal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Ask {
    /// The question.
    pub query: String,
    /// `hybrid`, `vector` or `bm25`.
    pub mode: Option<String>,
    /// The answer, with marks `(source_id, chunk_id)` after each claim; for a refusal, the sentence that says so.
    pub answer: String,
    /// The evidence; empty for a refusal.
    pub citations: Vec<Citation>,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    /// The estimated probability that the question is answered, 0 to 1; null if none was estimated (language models).
    pub probability: Option<f32>,
    /// A sentence on the kind and strength of the evidence.
    pub evidence_quality: String,
    /// Whether the papers do not answer the question.
    pub no_evidence: bool,
    /// What the reader should know: repairs, removals, limits.
    pub caveats: Vec<String>,
    /// Why there is no answer; null for an answer.
    pub refusal: Option<Refusal>,
    /// The filter; null if everything was searched.
    pub filters: Option<Filter>,
    /// Words of the question that no paper contains, and what was searched instead.
    #[serde(default)]
    pub searched_also_for: Vec<Spelling>,
    /// Abbreviations of the question, and words of it that papers abbreviate, with the other form, which was searched too.
    #[serde(default)]
    pub abbreviations: Vec<Abbreviation>,
    /// What was taken from the words of the question, and how to undo it, as sentences.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What retrieval did.
    pub retrieval: Retrieval,
    /// The further searches that the language model asked for (`generate.further_searches`), in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_searches: Vec<FurtherSearch>,
    /// What guardrails did.
    pub guardrails: Vec<GuardrailAction>,
    /// The claims of an answer that a language model wrote, and what the checks found; empty for answers copied from papers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<CheckedClaim>,
    /// Estimated probability that the cited passages support every claim, 0 to 1; null without such claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims_probability: Option<f32>,
    /// Milliseconds by stage.
    pub timings_ms: BTreeMap<String, f64>,
    /// What the language model spent; null if none was called.
    pub usage: Option<Usage>,
    /// Stages (`rerank`, `plan`, `generate`, `verify`) that were done offline, or left out (`plan`), because the language model
    /// failed; the caveats say why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<String>,
    /// The generator: a model's name, or `extractive`.
    pub model: String,
    /// Hash of the settings that can change a result.
    pub config_hash: String,
    /// The passages that the generator read; with `--include-context`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Vec<ContextPassage>>,
}

/// A claim, and what the checks found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CheckedClaim {
    /// The claim, without marks.
    pub claim: String,
    /// The passages that it cites.
    pub cited: Vec<String>,
    /// Whether every check that was made supports it.
    pub supported: bool,
    /// Probability of the offline check that a cited passage supports it, 0 to 1; null if it cites nothing or could not be compared.
    pub probability: Option<f32>,
    /// What the language model that verifies says: `supported`, `partly`, `unsupported` or `contradicted`; null if none did.
    pub verdict: Option<String>,
    /// What is wrong with it; null if nothing is.
    pub reason: Option<String>,
    /// Whether its sentence was removed from the answer.
    pub removed: bool,
}

/// The evidence for a claim: a verbatim quote, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Citation {
    /// The source.
    pub source_id: String,
    /// The passage.
    pub chunk_id: String,
    /// A contiguous slice of the passage's text.
    pub relevant_quote: String,
    /// Section of the passage; null until the passage is known to exist.
    pub section: Option<String>,
    /// First page of the quote; null until verified.
    pub page_start: Option<u32>,
    /// Last page of the quote; null until verified.
    pub page_end: Option<u32>,
    /// Present and true when the quote begins inside a sentence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_start: bool,
    /// Present and true when the quote ends inside a sentence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_end: bool,
    /// Its source.
    #[serde(flatten)]
    pub source: Source,
}

/// Why a question got no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Refusal {
    /// For programs: `no_candidates`, `below_threshold`, `filter_excluded_all`, `unknown_source`, `absent_term`,
    /// `low_coverage`, `other_language`, `not_in_passages`, `empty_answer`, `withheld` or `other`.
    pub reason: String,
    /// For people: what was found or missing.
    pub detail: String,
}

/// What retrieval did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Retrieval {
    /// `hybrid`, `vector` or `bm25`.
    pub method: String,
    /// Candidates before the threshold.
    pub total_candidates: usize,
    /// Candidates above it.
    pub above_threshold: usize,
    /// Whether the topic check let the question through.
    pub has_sufficient_evidence: bool,
    /// What the reranker read, best first; with `log.returned_chunks = "context"`, what the generator read.
    pub returned_chunks: Vec<ReturnedChunk>,
    /// Ids of the passages that the reranker read, if `returned_chunks` does not list them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

/// A passage that retrieval returned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReturnedChunk {
    /// The passage.
    pub chunk_id: String,
    /// Its source.
    pub source_id: String,
    /// Its section.
    pub section: String,
    /// Similarity with the question, 0 to 1.
    pub vector_score: f64,
    /// BM25 score, at least 0.
    pub bm25_score: f64,
    /// The score that orders candidates.
    pub combined_score: f64,
    /// The beginning of its text.
    pub text_preview: String,
}

/// A search that the language model asked for because the first one did not answer the question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FurtherSearch {
    /// What was searched.
    pub query: String,
    /// Passages that it found.
    pub found: usize,
    /// How many of them no earlier search had found.
    pub new: usize,
    /// Ids of those of the new ones that the reranker kept, best first.
    pub kept: Vec<String>,
}

/// One action of a guardrail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GuardrailAction {
    /// `topic`, `citation`, `entity`, `support` or `schema`.
    pub guardrail: String,
    /// What it did: `refused`, `hedged`, `repaired`, `dropped`, `cut`, `stripped`, `flagged` and the like.
    pub action: String,
    /// What it acted on: a chunk id, a sentence, a term.
    pub subject: String,
    /// Why.
    pub reason: String,
    /// Present and true when it acted on a sentence of the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sentence: bool,
}

/// What a language model spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Usage {
    /// Requests sent, retries included.
    pub requests: u32,
    /// How many of these requests gave no usable reply.
    pub failed_requests: u32,
    /// Tokens read, as far as the server reports them.
    pub prompt_tokens: u64,
    /// Tokens written, as far as the server reports them.
    pub completion_tokens: u64,
}

/// A passage that the generator read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ContextPassage {
    /// The passage.
    pub chunk_id: String,
    /// Its source.
    pub source_id: String,
    /// Its section.
    pub section: String,
    /// First page.
    pub page_start: u32,
    /// Last page.
    pub page_end: u32,
    /// `reranked`, or `expanded` for a neighbour of a reranked passage.
    pub origin: String,
    /// Its text.
    pub text: String,
}
