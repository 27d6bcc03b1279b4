//! One line of the run log: everything that happened to one question.

use crate::{
    CheckedClaim, ChunkId, Citation, Confidence, Filter, Mode, Origin, RagResponse, Refusal, SectionKind,
    SourceId, Spent, Understood, Usage,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Characters of [`ReturnedChunk::text_preview`].
pub const TEXT_PREVIEW_CHARS: usize = 200;

/// A passage that retrieval returned. Logs of the earlier system hold just these fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReturnedChunk {
    /// The chunk.
    pub chunk_id: ChunkId,
    /// The paper.
    pub source_id: SourceId,
    /// Its section.
    pub section: String,
    /// Similarity with the question, 0 to 1.
    #[serde(default)]
    pub vector_score: f32,
    /// BM25 score, at least 0.
    #[serde(default)]
    pub bm25_score: f32,
    /// The score that orders candidates.
    #[serde(default)]
    pub combined_score: f32,
    /// The beginning of the text, for people; nothing is ever judged against it.
    #[serde(default)]
    pub text_preview: String,
}

/// What retrieval did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[serde(default)]
pub struct RetrievalRecord {
    /// `hybrid`, `vector` or `bm25`; free text in old logs.
    pub method: String,
    /// Candidates before the threshold.
    pub total_candidates: usize,
    /// Candidates above it.
    pub above_threshold: usize,
    /// Whether the topic check let the question through.
    pub has_sufficient_evidence: bool,
    /// The candidates handed to the reranker, best first; with `log.returned_chunks = "context"` what the
    /// generator saw, as in logs of the earlier system.
    pub returned_chunks: Vec<ReturnedChunk>,
    /// The candidates, best first, where `returned_chunks` does not list them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<ChunkId>,
}

impl RetrievalRecord {
    /// The chunks handed to the reranker, best first, as far as the record tells.
    pub fn candidates(&self) -> Vec<&ChunkId> {
        if self.candidates.is_empty() {
            self.returned_chunks.iter().map(|chunk| &chunk.chunk_id).collect()
        } else {
            self.candidates.iter().collect()
        }
    }
}

/// A response as logged. Confidence is text so that old logs load whatever they say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResponseRecord {
    /// The answer.
    pub answer: String,
    /// Its evidence.
    pub citations: Vec<Citation>,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    /// The estimated probability that the question is answered, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f32>,
    /// A note on the evidence.
    pub evidence_quality: String,
    /// Whether the corpus has nothing.
    pub no_evidence: bool,
    /// Caveats.
    pub caveats: Vec<String>,
    /// Why there is no answer; `None` for an answer, and in old logs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
}

impl From<&RagResponse> for ResponseRecord {
    fn from(r: &RagResponse) -> Self {
        Self {
            answer: r.answer.clone(),
            citations: r.citations.clone(),
            confidence: r.confidence.as_str().to_owned(),
            probability: r.probability,
            evidence_quality: r.evidence_quality.clone(),
            no_evidence: r.no_evidence,
            caveats: r.caveats.clone(),
            refusal: r.refusal.clone(),
        }
    }
}

impl ResponseRecord {
    /// The confidence, where it is one of the three words.
    pub fn confidence(&self) -> Option<Confidence> {
        [Confidence::Low, Confidence::Medium, Confidence::High]
            .into_iter()
            .find(|c| c.as_str() == self.confidence)
    }
}

/// A chunk of the context, whole: what the generator saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ContextRecord {
    /// The chunk.
    pub chunk_id: ChunkId,
    /// The paper.
    pub source_id: SourceId,
    /// Its section.
    pub section: SectionKind,
    /// First page.
    pub page_start: u32,
    /// Last page.
    pub page_end: u32,
    /// Its text, below the head of the table in which it begins.
    pub text: String,
    /// How it came here.
    pub origin: Origin,
    /// The reranker's score, 0 to 10; `None` for an expanded chunk.
    pub rerank_score: Option<f32>,
    /// Title of the source.
    #[serde(default)]
    pub title: Option<String>,
    /// Authors of the source.
    #[serde(default)]
    pub authors: Vec<String>,
    /// Year of the source.
    #[serde(default)]
    pub year: Option<u16>,
}

/// A search besides that of the question: for a part of a question that compares papers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FurtherSearch {
    /// What was searched.
    pub query: String,
    /// Passages that it found.
    pub found: usize,
    /// How many of them no earlier search had found.
    pub new: usize,
    /// Those of the new ones that the reranker kept, best first.
    pub kept: Vec<ChunkId>,
}

/// Which guardrail acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, strum::Display)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum GuardrailKind {
    /// Topic presence, before generation.
    Topic,
    /// Citation verification.
    Citation,
    /// Entity check.
    Entity,
    /// Support check: whether the cited passages support each sentence.
    Support,
    /// The shape of the response.
    Schema,
    /// Text in a passage that addresses the language model.
    Injection,
}

/// One action of a guardrail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GuardrailAction {
    /// Which one.
    pub guardrail: GuardrailKind,
    /// What it did, one word: `refused`, `hedged`, `repaired`, `failed` (to be repaired), `dropped`,
    /// `cut`, `stripped`, `flagged`.
    pub action: String,
    /// What it did it to: a chunk id, a sentence, a term.
    pub subject: String,
    /// Why.
    pub reason: String,
    /// Whether the subject is a sentence of the answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sentence: bool,
}

impl GuardrailAction {
    /// An action whose subject is no sentence of the answer.
    pub fn new(
        guardrail: GuardrailKind,
        action: &str,
        subject: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        let (action, subject, reason) = (action.to_owned(), subject.into(), reason.into());
        Self { guardrail, action, subject, reason, sentence: false }
    }
}

/// One line of `logs/run_log.jsonl`. The first six fields are those of the earlier system, and a line that
/// holds only them loads; the rest is ours.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// RFC 3339, UTC.
    #[serde(default)]
    pub timestamp: String,
    /// The question.
    pub query: String,
    /// Version of the generator's prompt.
    #[serde(default)]
    pub prompt_version: String,
    /// The generator: a model's name, or `extractive`.
    #[serde(default)]
    pub model: String,
    /// What retrieval did.
    #[serde(default)]
    pub retrieval: RetrievalRecord,
    /// The answer after guardrails.
    pub response: ResponseRecord,
    /// The run that this belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The query of a set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_id: Option<String>,
    /// The retrieval mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Which passages could answer it: conditions that were given, and those of its words.
    #[serde(default, skip_serializing_if = "Filter::is_empty")]
    pub filters: Filter,
    /// What was taken from the words of the question.
    #[serde(default, skip_serializing_if = "Understood::is_empty")]
    pub understood: Understood,
    /// The searches besides that of the question, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_searches: Vec<FurtherSearch>,
    /// What the generator saw, whole; `None` in old logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Vec<ContextRecord>>,
    /// The generator's own output, before guardrails; `None` when nothing was generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_raw: Option<ResponseRecord>,
    /// Scores of this row, when it was evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<serde_json::Value>,
    /// What the topic check measured, so that its cut-offs can be fitted on a log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<serde_json::Value>,
    /// What guardrails did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guardrails: Vec<GuardrailAction>,
    /// The claims of a generated answer, and what the checks found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<CheckedClaim>,
    /// Probability, 0 to 1, that the cited passages support every claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims_probability: Option<f32>,
    /// Milliseconds by stage.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub timings_ms: BTreeMap<String, f64>,
    /// What the language model spent on the answer, reranking included; failed requests count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The same by stage; the judge's part stands in the evaluation.
    #[serde(default, skip_serializing_if = "Spent::is_empty")]
    pub usage_by_stage: Spent,
    /// Hash of the settings that shape results.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub config_hash: String,
    /// Commit of the binary.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub git_commit: String,
    /// Models by role: `embedding`, `reranker`, `generator`, `judge`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, String>,
    /// Stages (`rerank`, `generate`, `verify`) that were done offline because the language model failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<String>,
    /// Settings, query order and versions of the whole run: on the first record that a process writes of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<serde_json::Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_earlier_system_loads() {
        let line = r#"{"timestamp":"2026-01-02T03:04:05","query":"q","prompt_version":"v2","model":"m",
            "retrieval":{"method":"hybrid","total_candidates":10,"above_threshold":10,"has_sufficient_evidence":true,
            "returned_chunks":[{"chunk_id":"a__body__000","source_id":"a","section":"body","vector_score":0.5,
            "bm25_score":1.0,"combined_score":0.7,"text_preview":"t"}]},
            "response":{"answer":"x","citations":[{"source_id":"a","chunk_id":"a__body__000","relevant_quote":"t"}],
            "confidence":"high","evidence_quality":"","no_evidence":false,"caveats":[]}}"#;
        let record: RunRecord = serde_json::from_str(line).expect("old lines load");
        assert_eq!(record.response.confidence(), Some(Confidence::High));
        assert!(record.context.is_none() && record.mode.is_none());
        let again: RunRecord =
            serde_json::from_str(&serde_json::to_string(&record).expect("serialises")).expect("loads");
        assert_eq!(again, record);
    }
}
