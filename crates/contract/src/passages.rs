//! Benchmarks of the passages that answer questions over whole papers.

use crate::{Comparison, Gate, MetricSummary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf};

/// What `bench passages` prints. Measures are means over questions, 0 to 1: `candidates`, `kept` and `context` are the
/// share of questions whose answer stands in a candidate, in a passage that the reranker kept, and in the expanded
/// context; `mrr` is the mean reciprocal rank among the kept passages; `article` is the share of questions with a kept
/// passage of the right article.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BenchPassages {
    /// The name of the folder.
    pub dataset: String,
    /// The results over all questions; with `--split-half`, then those over each half of the articles.
    pub groups: Vec<PassagesGroup>,
    /// Questions that were not measured.
    pub left_out: PassagesLeftOut,
    /// Questions about an article that is not in the index; they count as not found.
    pub article_missing: usize,
    /// Questions whose answer no chunk of the index holds, those included; they count as not found.
    pub in_no_chunk: usize,
    /// The speed of each system.
    pub speed: Vec<PassagesSpeed>,
    /// The settings that limit the results.
    pub settings: PassagesSettings,
    /// The index.
    pub index: PassagesIndex,
    /// The conditions of `--min`.
    pub gates: Vec<Gate>,
    /// Hash of the settings.
    pub config_hash: String,
    /// Models by role.
    pub models: BTreeMap<String, String>,
}

/// The results over one set of articles. Intervals and tests treat the questions of one article as one cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PassagesGroup {
    /// `all`, `first_half` or `second_half`.
    pub name: String,
    /// Articles that questions ask about.
    pub articles: usize,
    /// Questions measured.
    pub questions: usize,
    /// Each system.
    pub systems: Vec<PassagesSystem>,
    /// Paired comparisons of systems: of modes with the same reranking, and of each mode reranked with the same mode
    /// not reranked.
    pub comparisons: Vec<PassagesComparison>,
    /// Each system minus the same mode of an earlier run; empty without `--against`.
    pub against: Vec<PassagesAgainst>,
}

/// How passages were found and ordered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PassagesSystemName {
    /// The retrieval mode.
    pub mode: String,
    /// The reranker; null for the order of retrieval.
    pub reranker: Option<String>,
}

/// The results of one system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PassagesSystem {
    /// The system.
    pub system: PassagesSystemName,
    /// Each measure with its interval, by its name.
    pub measures: BTreeMap<String, MetricSummary>,
}

/// Two systems on the same questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PassagesComparison {
    /// The first system.
    pub first: PassagesSystemName,
    /// The system that is subtracted from it.
    pub second: PassagesSystemName,
    /// By measure.
    pub measures: BTreeMap<String, Comparison>,
}

/// A system compared with an earlier run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PassagesAgainst {
    /// The system; the earlier run is subtracted from it.
    pub system: PassagesSystemName,
    /// By measure.
    pub measures: BTreeMap<String, Comparison>,
}

/// Questions that were not measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PassagesLeftOut {
    /// Questions marked as impossible.
    pub impossible: usize,
    /// Questions without an answer that are not marked as impossible.
    pub without_answer: usize,
    /// Questions whose answers could not be located in the article.
    pub not_located: Vec<PassagesNotLocated>,
}

/// A question whose answers could not be located.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PassagesNotLocated {
    /// The question.
    pub question_id: String,
    /// Why.
    pub reason: String,
}

/// The speed of one system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PassagesSpeed {
    /// The system.
    pub system: PassagesSystemName,
    /// Questions per second, one after the other: embedding, retrieval, reranking, expansion.
    pub questions_per_second: f64,
    /// Questions for which no passage was kept.
    pub nothing_kept: usize,
}

/// The settings that limit the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PassagesSettings {
    /// `retrieve.candidates`.
    pub candidates: usize,
    /// `rerank.keep`.
    pub keep: usize,
    /// `expand.cap`.
    pub cap: usize,
    /// `retrieve.threshold`; not applied in mode bm25.
    pub threshold: f64,
    /// `eval.seed`: of the halves, the intervals and the tests.
    pub seed: u64,
}

/// The index of the articles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PassagesIndex {
    /// Its folder.
    pub dir: PathBuf,
    /// Articles.
    pub articles: usize,
    /// Chunks.
    pub chunks: usize,
    /// Articles that this run added or changed; the others were reused.
    pub added: usize,
    /// Articles that could not be indexed.
    pub left_out: usize,
    /// Seconds that this run took to build the index, or to see that it is up to date.
    pub seconds: f64,
}
