//! Benchmarks of answers.

use crate::{Comparison, Gate, MetricSummary, PassagesIndex, Reliability};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `bench answers` prints. Measures are means over the answerable questions, 0 to 1: `candidates`, `kept` and
/// `context` are the share whose evidence reached that stage; `hit@1`, `hit@3` and `hit@5` the share with evidence among
/// the best sentences; `answer` and `first` the share whose answer, or whose first quote, shows evidence; `recall@5` and
/// `recall` the mean share of the labelled evidence that the five best sentences, or the answer, show; `answered` the
/// share that was not refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    pub unanswerable: AnswersDecisions,
    /// Answerable questions over all papers, and over those that are left without the papers that answer them.
    pub removed: AnswersDecisions,
    /// Stated confidence against what the answers show.
    pub reliability: Reliability,
    /// Mean number of quotes in an answer.
    pub quotes: f64,
    /// Mean number of words in an answer.
    pub words: f64,
    /// Mean time of a question, in milliseconds.
    pub milliseconds: f64,
    /// The index.
    pub index: PassagesIndex,
    /// The conditions of `--min`.
    pub gates: Vec<Gate>,
    /// Hash of the settings.
    pub config_hash: String,
    /// Seed of intervals and tests.
    pub seed: u64,
    /// Models by role.
    pub models: BTreeMap<String, String>,
}

/// A plain baseline: the best sentences of all papers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AnswersBaseline {
    /// `cosine`, `bm25` or `half-half`.
    pub name: String,
    /// Its measures.
    pub measures: BTreeMap<String, MetricSummary>,
    /// Those of the pipeline minus its.
    pub comparison: BTreeMap<String, Comparison>,
}

/// Answers and refusals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AnswersDecisions {
    /// Questions that the papers answer.
    pub answerable: usize,
    /// Those of them that were answered.
    pub answered: usize,
    /// Questions that the papers do not answer.
    pub unanswerable: usize,
    /// Those of them that were refused.
    pub refused: usize,
    /// Mean share of right decisions on both kinds, 0 to 1; null unless there are both.
    pub balanced_accuracy: Option<f64>,
}
