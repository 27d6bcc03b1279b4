//! An evaluation of retrieval without answers.

use crate::{Comparison, MetricSummary};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What `eval --retrieval-only` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RetrievalEval {
    /// The file of the questions.
    pub queries: String,
    /// Number of results that count.
    pub k: usize,
    /// Lowest grade of a relevant document; null for query sets, which do not grade.
    pub min_grade: Option<i32>,
    /// The gate of each question: minimum of `recall_of_ceiling`.
    pub min_recall: Option<f64>,
    /// Documents in the index.
    pub documents: usize,
    /// Expected documents that are not in the index. They count as missed.
    pub not_indexed: usize,
    /// Questions without expected documents: not measured.
    pub without_expected: usize,
    /// Questions below the gate, over all modes.
    pub below: usize,
    /// One for each mode.
    pub modes: Vec<RetrievalMode>,
    /// The first mode minus each other one: by mode, then by measure.
    pub comparison: BTreeMap<String, BTreeMap<String, Comparison>>,
    /// Hash of the settings.
    pub config_hash: String,
}

/// One mode.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RetrievalMode {
    /// The mode.
    pub mode: String,
    /// Means over the questions: `recall`, `ceiling`, `recall_of_ceiling`, `mrr`, and the share of the expected documents
    /// that is left at each stage.
    pub measures: BTreeMap<String, MetricSummary>,
    /// The questions, in their order.
    pub questions: Vec<RetrievalQuestion>,
}

/// One question.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RetrievalQuestion {
    /// Its id.
    pub query_id: String,
    /// Its text.
    pub query: String,
    /// Expected documents.
    pub expected: usize,
    /// Those among the first `k`.
    pub found: usize,
    /// `found / expected`, 0 to 1.
    pub recall: f64,
    /// The highest recall that `k` allows: `min(k, expected) / expected`.
    pub ceiling: f64,
    /// `recall / ceiling`, 0 to 1; the gate compares this.
    pub recall_of_ceiling: f64,
    /// Rank of the first expected document among the first 100, from 1.
    pub first_rank: Option<usize>,
    /// Whether it reaches the gate; null without one.
    pub passed: Option<bool>,
    /// Where documents that `k` could hold are lost: `not retrieved` (not among the first 100) or `ranked below k`.
    pub lost_at: Option<String>,
    /// What is left stage by stage.
    pub stages: RetrievalStages,
    /// Expected documents that are not among the first `k`.
    pub missed: Vec<RetrievalMissed>,
}

/// Number of expected documents at each stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RetrievalStages {
    /// Among the first 100 documents.
    pub first_100: usize,
    /// Among the candidates of the reranker.
    pub candidates: usize,
    /// Among the passages that it keeps.
    pub reranked: usize,
    /// In the context of an answer.
    pub context: usize,
}

/// A document that was missed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RetrievalMissed {
    /// Its id.
    pub document: String,
    /// Its rank among the first 100, from 1; null if it is not among them.
    pub rank: Option<usize>,
}
