//! What `bench beir` prints.

use crate::benchmark::GateLine;
use eval::{Comparison, MetricSummary};
use schemars::JsonSchema;
use serde::Serialize;
use std::{collections::BTreeMap, path::PathBuf};

/// What `bench beir` prints: the results of one mode, or with `--mode all` those of each mode and their comparison.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BenchBeir {
    /// One mode.
    One(Box<BeirMode>),
    /// All modes.
    All(BeirModes),
}

/// The results of all modes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BeirModes {
    /// The name of the folder.
    pub dataset: String,
    /// By mode.
    pub modes: BTreeMap<String, BeirMode>,
    /// Hybrid minus each other mode: by that mode, then by measure.
    pub comparison: BTreeMap<String, BTreeMap<String, Comparison>>,
}

/// The results of one mode. Measures are means over queries, 0 to 1, as trec_eval computes them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BeirMode {
    /// The name of the folder.
    pub dataset: String,
    /// The retrieval mode.
    pub mode: String,
    /// nDCG of the first 10 documents.
    #[serde(rename = "ndcg@10")]
    pub ndcg_10: f64,
    /// Share of the relevant documents among the first 10.
    #[serde(rename = "recall@10")]
    pub recall_10: f64,
    /// Share of the relevant documents among the first 100.
    #[serde(rename = "recall@100")]
    pub recall_100: f64,
    /// Mean average precision of the first 100 documents.
    pub map: f64,
    /// Mean reciprocal rank of the first relevant document among the first 10.
    #[serde(rename = "mrr@10")]
    pub mrr_10: f64,
    /// Share of relevant documents among the first 10.
    #[serde(rename = "precision@10")]
    pub precision_10: f64,
    /// Queries measured.
    pub queries: usize,
    /// Queries per second, one after the other: embedding, retrieval, and reranking if asked for.
    pub qps: f64,
    /// Seconds that this run took to build the index, or to see that it is up to date.
    pub index_seconds: f64,
    /// The split.
    pub split: String,
    /// The reranker; null without reranking.
    pub reranker: Option<String>,
    /// Queries that are documents of the corpus, with the same id and text, and were left out of their own rankings.
    pub queries_among_documents: usize,
    /// Each measure with its interval, by its name.
    pub measures: BTreeMap<String, MetricSummary>,
    /// Documents that a query returned on average, of at most 100.
    pub documents_per_query: f64,
    /// Queries that returned no document; they score 0.
    pub queries_without_documents: usize,
    /// Queries that returned fewer than 100 documents.
    pub queries_below_100: usize,
    /// Those of them from which the similarity threshold removed passages, which limits their recall.
    pub queries_cut_by_threshold: usize,
    /// Queries with judgements but without a relevant document; they are not measured.
    pub queries_without_relevant: usize,
    /// The same queries without the depth of the measurement.
    pub as_configured: BeirConfigured,
    /// The index.
    pub index: BeirIndex,
    /// This run minus the same mode of an earlier one, by measure; null without `--against`.
    pub against: Option<BTreeMap<String, Comparison>>,
    /// The conditions of `--min`.
    pub gates: Vec<GateLine>,
    /// Hash of the settings.
    pub config_hash: String,
    /// Models by role.
    pub models: BTreeMap<String, String>,
}

/// What is passed on for an answer: at most `candidates` passages, or with reranking the `keep` that the reranker keeps
/// of them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BeirConfigured {
    /// The setting `retrieve.candidates`.
    pub candidates: usize,
    /// The setting `rerank.keep`; null without reranking.
    pub keep: Option<usize>,
    /// The setting `retrieve.threshold`; not applied in mode bm25.
    pub threshold: f64,
    /// Documents of a query on average.
    pub documents_per_query: f64,
    /// nDCG of these documents, of at most 10.
    #[serde(rename = "ndcg@10")]
    pub ndcg_10: f64,
    /// Share of the relevant documents among them.
    #[serde(rename = "recall@10")]
    pub recall_10: f64,
}

/// The index of a benchmark's corpus.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BeirIndex {
    /// Its folder.
    pub dir: PathBuf,
    /// Documents.
    pub documents: usize,
    /// Chunks.
    pub chunks: usize,
    /// Documents that this run added or changed; the others were reused.
    pub added: usize,
    /// Records of the corpus that could not be indexed.
    pub left_out: usize,
    /// Relevant judgements of documents that are not in the index: they cannot be found.
    pub relevant_missing: usize,
}
