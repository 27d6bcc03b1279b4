//! What `bench answers` prints.

use crate::benchmark::{GateLine, index::Indexed};
use eval::{Comparison, MetricSummary, Reliability, answers::Decisions};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What `bench answers` prints. Measures are means over the answerable questions, 0 to 1: `candidates`, `kept` and
/// `context` are the share whose evidence reached that stage; `mrr` is the mean reciprocal rank of the first kept passage with
/// evidence, `article` the share with a kept passage of the right paper; `hit@1`, `hit@3` and `hit@5` the share with evidence
/// among the best sentences; `answer` and `first` the share whose answer, or whose first quote, shows evidence; `recall@5` and
/// `recall` the mean share of the labelled evidence that the five best sentences, or the answer, show; `answered` the
/// share that was not refused.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BenchAnswers {
    /// The name of the folder.
    pub dataset: String,
    /// The retrieval mode.
    pub mode: String,
    /// Whether each question was asked of its own paper alone.
    pub own_paper: bool,
    /// Answerable questions.
    pub questions: usize,
    /// Questions that were not asked: their labels are missing, or their evidence cannot be located.
    pub left_out: usize,
    /// Answerable questions whose evidence no chunk contains; they count as not found.
    pub in_no_chunk: usize,
    /// Papers that they are about; the questions about one paper are one cluster.
    pub papers: usize,
    /// Each measure with its interval.
    pub measures: BTreeMap<String, MetricSummary>,
    /// The plain baselines; empty without `--baselines`.
    pub baselines: Vec<AnswersBaseline>,
    /// Each measure minus that of an earlier run; null without `--against`.
    pub against: Option<BTreeMap<String, Comparison>>,
    /// Answerable questions and those that the papers do not answer.
    pub unanswerable: Decisions,
    /// Answerable questions over all papers, and over those that are left without the papers that answer them.
    pub removed: Decisions,
    /// Stated confidence against what the answers show.
    pub reliability: Reliability,
    /// Mean number of quotes in an answer.
    pub quotes: f64,
    /// Mean number of words in an answer.
    pub words: f64,
    /// Mean time of a question, in milliseconds, embedding included.
    pub milliseconds: f64,
    /// The index.
    pub index: Indexed,
    /// The conditions of `--min`.
    pub gates: Vec<GateLine>,
    /// Hash of the settings.
    pub config_hash: String,
    /// Seed of intervals and tests.
    pub seed: u64,
    /// Models by role.
    pub models: BTreeMap<String, String>,
}

/// A plain baseline: the best sentences of all papers.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AnswersBaseline {
    /// `cosine`, `bm25` or `half-half`.
    pub name: String,
    /// Its measures.
    pub measures: BTreeMap<String, MetricSummary>,
    /// Those of the pipeline minus its.
    pub comparison: BTreeMap<String, Comparison>,
}
