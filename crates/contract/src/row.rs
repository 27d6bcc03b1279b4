//! The rows of an evaluation.

use crate::{FailureMode, GoldPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use types::{GuardrailAction, Usage};

/// One query in one mode, scored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Row {
    /// The query of the set.
    pub query_id: String,
    /// The retrieval mode.
    pub mode: String,
    /// The query's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The query's labels.
    pub tags: Vec<String>,
    /// The question.
    pub query: String,
    /// Whether a refusal is the right answer.
    pub expected_no_evidence: Option<bool>,
    /// What the question shares its chance with: its target papers, or its own id. Missing in older logs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cluster: String,
    /// Whether the answer is a refusal; null without an answer, as the next two.
    pub no_evidence: Option<bool>,
    /// `answered`, `partial` or `none`.
    pub outcome: Option<String>,
    /// `high`, `medium` or `low`; empty without an answer.
    pub confidence: String,
    /// The probability that the answer states, 0 to 1, if it states one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// By metric.
    pub scores: BTreeMap<String, Score>,
    /// The judge's grade, 1 to 4; null where it did not judge.
    pub grade: Option<u8>,
    /// The judge's probability that all of the answer is supported, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_score: Option<f64>,
    /// How the answer compares with the reference answer; absent where nothing was compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<Compared>,
    /// Claims of the answer without support.
    pub unsupported: Vec<Claim>,
    /// Claims of the generator's own output without support.
    pub unsupported_raw: Vec<Claim>,
    /// What guardrails did.
    pub guardrails: Vec<GuardrailAction>,
    /// Caveats of the answer.
    pub caveats: Vec<String>,
    /// How many citations the answer has; missing without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citations: Option<usize>,
    /// The beginning of the answer.
    pub preview: String,
    /// The answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// Gold quotes that the answer does not show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed_gold: Vec<MissedGold>,
    /// Every gold quote, with the stages that still had it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gold: Vec<GoldPath>,
    /// For each gold quote, the rank of the first candidate that holds it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gold_ranks: Vec<Option<usize>>,
    /// How much of the evidence each stage has; absent for a question without evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub funnel: Option<Funnel>,
    /// The stage that lost the evidence that came furthest, if the answer shows none: `retrieval` (no candidate has it),
    /// `reranking` (a candidate has it, the context does not), `before_context` (the log does not say which of the two),
    /// `context` (the reranker kept it, the context does not have it), `refusal` or `answer` (the context has it). The last two are lost by generation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_at: Option<String>,
    /// Authors that the answer names and that neither its context nor its question does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign_authors: Vec<String>,
    /// In which ways the row failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure_modes: Vec<FailureMode>,
    /// Identifies the context; empty if there is none.
    pub context_key: String,
    /// Identifies the set of candidates.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub candidates_key: String,
    /// How often the question was asked.
    pub attempts: u32,
    /// What the judge spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_usage: Option<Usage>,
    /// What the answer cost, by stage.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub usage: BTreeMap<String, Usage>,
    /// Stages (`rerank`, `plan`, `generate`, `verify`) that were done offline, or left out (`plan`), because the language model
    /// failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<String>,
    /// Why there is no answer; null when there is one.
    pub error: Option<String>,
    /// Whether there is an answer and only the verdict is missing, because the judge could not be reached: the next run asks
    /// for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
}

/// A metric of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
pub enum Score {
    /// A value, in the range of the metric.
    Value(f64),
    /// The metric says nothing about this row.
    NotApplicable {
        /// Why.
        n_a: String,
    },
    /// The metric should have a value and has none.
    Error {
        /// Why.
        error: String,
    },
}

/// A claim that none of its citations supports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Claim {
    /// The claim.
    pub claim: String,
    /// The passages that it cites.
    pub cited: Vec<String>,
    /// Probability of support, 0 to 1.
    pub score: f64,
    /// What is missing.
    pub reason: String,
}

/// An answer compared with a reference answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Compared {
    /// Whether they state the same facts.
    pub same_facts: bool,
    /// What compared them.
    pub by: String,
    /// Why; empty for the offline judge.
    pub reason: String,
    /// What is missing, contradicted or different.
    pub differences: Vec<String>,
}

/// A gold quote that the answer does not show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MissedGold {
    /// The source.
    pub source_id: String,
    /// The quote.
    pub quote: String,
    /// Whether the context held it.
    pub in_context: Option<bool>,
    /// The stage that lost it, as in `lost_at` of the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_at: Option<String>,
}

/// How much of the evidence each stage has. A context can have more than the candidates, because it contains neighbours
/// of the passages that were kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Funnel {
    /// What is counted: `quotes` (gold quotes), or `papers` (target papers) for a question without quotes.
    pub counts: String,
    /// All of the evidence.
    pub gold: usize,
    /// Among the candidates of the reranker; null if they are not known.
    pub candidates: Option<usize>,
    /// Among the passages that it kept.
    pub reranked: Option<usize>,
    /// In the context.
    pub context: Option<usize>,
    /// In the answer; 0 for a refusal.
    pub answer: usize,
}
