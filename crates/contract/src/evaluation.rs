//! Evaluations.

use crate::{Comparison, MetricSummary, ModeFunnel, Reliability, RemovedTerms, RiskCoverage, Row};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf};
use types::Usage;

/// A finished evaluation: the document of `eval.json`. Maps keep the order in which they are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluation {
    /// The run.
    pub run_id: String,
    /// By mode, then by metric.
    pub modes: BTreeMap<String, BTreeMap<String, MetricSummary>>,
    /// By metric: the first mode minus the second; empty with one mode.
    pub comparison: BTreeMap<String, Comparison>,
    /// The two modes compared.
    pub compared: Option<[String; 2]>,
    /// For how many questions the two compared modes had the same candidates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_candidates: Option<SameCandidates>,
    /// By mode.
    pub abstention: BTreeMap<String, Abstention>,
    /// By mode: how often answers of each stated confidence are right.
    #[serde(default)]
    pub confidence: BTreeMap<String, Reliability>,
    /// By mode, then by the type of the question.
    #[serde(default)]
    pub types: BTreeMap<String, BTreeMap<String, Group>>,
    /// By mode, then by tag.
    pub tags: BTreeMap<String, BTreeMap<String, Group>>,
    /// By mode, then by language.
    pub languages: BTreeMap<String, BTreeMap<String, Group>>,
    /// Where the results come from.
    pub provenance: Provenance,
    /// What was left out, assumed or read differently.
    pub notes: Vec<String>,
    /// By mode, then by stage.
    pub latency_ms: BTreeMap<String, BTreeMap<String, Latency>>,
    /// What language models spent, by mode, then by stage.
    pub usage: BTreeMap<String, BTreeMap<String, Usage>>,
    /// The control systems; with `--controls`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controls: Option<Controls>,
    /// By mode: which stage lost the gold evidence.
    #[serde(default)]
    pub funnel: BTreeMap<String, ModeFunnel>,
    /// By mode, then by failure mode: how many rows have it.
    #[serde(default)]
    pub failure_modes: BTreeMap<String, BTreeMap<String, usize>>,
    /// Terms that the entity check did not find in the context, by query and mode.
    #[serde(default)]
    pub removed_terms: Vec<RemovedTerms>,
    /// By mode: answers in the order of their stated probability.
    #[serde(default)]
    pub risk_coverage: BTreeMap<String, RiskCoverage>,
    /// One row for each query and mode.
    pub rows: Vec<Row>,
}

/// For how many questions two modes had the same candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SameCandidates {
    /// Questions with the same set of candidates.
    pub same: usize,
    /// Questions with candidates in both.
    pub of: usize,
}

/// Answers and refusals, compared with what was expected. Shares are null without rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Abstention {
    /// Answerable and answered.
    pub answered_answerable: usize,
    /// Answerable, but refused.
    pub refused_answerable: usize,
    /// Unanswerable, but answered.
    pub answered_unanswerable: usize,
    /// Unanswerable and refused.
    pub refused_unanswerable: usize,
    /// Rows in the table.
    pub n: usize,
    /// Rows without an expectation.
    pub n_a: usize,
    /// Rows without an answer.
    pub errors: usize,
    /// Share of right decisions.
    pub accuracy: Option<f64>,
    /// Mean of the shares of answerable questions answered and of unanswerable ones refused.
    pub balanced_accuracy: Option<f64>,
    /// Right refusals over all refusals.
    pub refusal_precision: Option<f64>,
    /// Right refusals over all unanswerable questions.
    pub refusal_recall: Option<f64>,
    /// The accuracy of a system that always answers.
    pub always_answer: Option<f64>,
    /// The accuracy of a system that always refuses.
    pub always_refuse: Option<f64>,
}

/// Some queries of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Group {
    /// Rows of the group.
    pub queries: usize,
    /// Whether these are too few to say much.
    pub few: bool,
    /// By metric.
    pub metrics: BTreeMap<String, MetricSummary>,
}

/// The price of a language model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Price {
    /// US dollars per million tokens read.
    pub input: f64,
    /// US dollars per million tokens written.
    pub output: f64,
    /// When it was read; empty if the settings give it.
    pub read: String,
}

/// Where results come from: enough to run the same again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Provenance {
    /// The settings that shape results.
    pub architecture: Vec<Setting>,
    /// Their hash.
    pub config_hash: String,
    /// The papers that were asked: how many, in how many passages; absent in older logs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub corpus: String,
    /// The query set, by name.
    pub query_set: String,
    /// Hash of its content.
    pub query_set_hash: String,
    /// The generation of the index.
    pub generation: String,
    /// Version of the program.
    pub version: String,
    /// Commit of the program.
    pub git_commit: String,
    /// Seed of intervals and tests.
    pub seed: u64,
    /// Models by role: `embedding`, `reranker`, `generator`, `judge`.
    pub models: BTreeMap<String, String>,
    /// Prices of the language models, by stage, where they are known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, Price>,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Setting {
    /// Its section.
    pub section: String,
    /// Its key.
    pub key: String,
    /// Its value, as TOML.
    pub value: String,
}

/// Milliseconds of one stage, over the rows that ran it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Latency {
    /// Half of the rows took at most this.
    pub median: f64,
    /// 95 % of the rows took at most this.
    pub p95: f64,
    /// Rows.
    pub n: usize,
}

/// Whether the query set distinguishes bad systems from the system under test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Controls {
    /// The mode that was run.
    pub mode: String,
    /// One check for each control and measure.
    pub checks: Vec<Check>,
}

/// One bad system on one measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Check {
    /// The bad system.
    pub control: String,
    /// The measure.
    pub metric: String,
    /// The system under test.
    pub default: MetricSummary,
    /// The bad system.
    pub bad: MetricSummary,
    /// System under test minus bad system.
    pub difference: Comparison,
    /// p after Holm's correction; null without pairs.
    pub p_holm: Option<f64>,
    /// Whether the bad system is significantly lower.
    pub told_apart: bool,
}

/// A condition of `--min` or `--max`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Gate {
    /// The condition with the value found.
    pub gate: String,
    /// Whether it holds.
    pub passed: bool,
}

/// A run compared with a baseline file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BaselineCheck {
    /// The file.
    pub file: PathBuf,
    /// Whether the run is as good as the file, within the tolerance.
    pub passed: bool,
    /// Whether the file was written.
    pub written: bool,
    /// What was compared; null when the file held nothing of this query set. Its schema is that of
    /// [`BaselineResult`].
    #[schemars(with = "Option<BaselineResult>")]
    pub checked: serde_json::Value,
}

/// What a comparison with a baseline found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BaselineResult {
    /// Whether the baseline was made with the same query set: otherwise nothing was compared.
    pub same_query_set: bool,
    /// Whether it was made with the same settings.
    pub same_settings: bool,
    /// Outcomes compared.
    pub compared: usize,
    /// Outcomes that differ.
    pub changes: Vec<Change>,
    /// Measures that fell in too many queries.
    pub drops: Vec<Drop>,
}

/// An outcome that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Change {
    /// The query.
    pub query_id: String,
    /// The mode.
    pub mode: String,
    /// In the baseline; null when it holds no such query and mode.
    pub before: Option<Outcome>,
    /// In this run; null when the query is no longer in the set.
    pub now: Option<Outcome>,
}

/// The outcome of one query in one mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Outcome {
    /// For each gold quote, its rank among the candidates.
    pub rank: Vec<Option<usize>>,
    /// Share of the gold quotes that the context held.
    pub context: Option<f64>,
    /// Share of the gold quotes that the answer shows.
    pub answer: Option<f64>,
    /// `answered`, `partial`, `refused` or `error`.
    pub decision: String,
}

/// A measure that fell in too many queries of one mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Drop {
    /// The mode.
    pub mode: String,
    /// What fell.
    pub measure: String,
    /// Queries in which it is lower than in the baseline.
    pub losses: usize,
    /// Queries in which it is higher.
    pub gains: usize,
    /// By how many losses may exceed gains.
    pub tolerance: usize,
}
