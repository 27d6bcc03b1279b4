//! What `bench beir` prints.

use crate::benchmark::Indexed;
use eval::{Comparison, GateResult, MetricSummary, Ordered};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What `bench beir` prints: the results of one mode, or with `--mode all` those of each mode and their comparison.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BenchBeir<'a> {
    /// One mode.
    One(&'a BeirMode),
    /// All modes.
    All(&'a BeirModes),
}

/// The results of all modes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BeirModes {
    /// The name of the folder.
    pub dataset: String,
    /// By mode, in the order of the request.
    pub modes: Ordered<BeirMode>,
    /// Hybrid minus each other mode: by that mode, then by measure.
    pub comparison: Ordered<Ordered<Comparison>>,
}

/// The results of one mode. Measures are means over queries, 0 to 1, as trec_eval computes them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BeirMode {
    /// The name of the folder.
    pub dataset: String,
    /// The retrieval mode.
    pub mode: String,
    /// Queries measured.
    pub queries: usize,
    /// Queries per second, one after the other: embedding, retrieval, and reranking if asked for.
    pub qps: f64,
    /// The split.
    pub split: String,
    /// The reranker; null without reranking.
    pub reranker: Option<String>,
    /// Queries that are documents of the corpus, with the same id and text, and were left out of their own rankings.
    pub queries_among_documents: usize,
    /// Queries that returned no document; they score 0.
    pub queries_without_documents: usize,
    /// Queries that returned fewer than 100 documents, by the threshold or for want of more.
    pub queries_below_100: usize,
    /// Queries with judgements but without a relevant document; they are not measured.
    pub queries_without_relevant: usize,
    /// Each measure with its interval, by its name: `ndcg@10`, `recall@10`, `recall@100`, `map`, `mrr@10`, `precision@10`.
    pub measures: Ordered<MetricSummary>,
    /// The index.
    pub index: Indexed,
    /// Relevant judgements of documents that are not in the index: they cannot be found.
    pub relevant_missing: usize,
    /// The conditions of `--min`.
    pub gates: Vec<GateResult>,
    /// Hash of the settings.
    pub config_hash: String,
    /// Models by role.
    pub models: BTreeMap<String, String>,
}
