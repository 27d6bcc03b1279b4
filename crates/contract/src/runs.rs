//! Runs that the log has stored.

use crate::{Comparison, MetricSummary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf};

/// What `runs` prints: the runs of a log, the newest last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Runs {
    /// The log.
    pub log: PathBuf,
    /// Runs in the log.
    pub total: usize,
    /// The newest of them.
    pub runs: Vec<RunListed>,
}

/// A run in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunListed {
    /// The run.
    pub run: RunInfo,
    /// Its modes, in the order of the run.
    pub modes: Vec<RunMode>,
}

/// What is known of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunInfo {
    /// Its id.
    pub run_id: String,
    /// The name that `--name` gave it.
    pub name: Option<String>,
    /// When it began, RFC 3339; null in logs that do not say it.
    pub started: Option<String>,
    /// The query set; null in logs that do not name it.
    pub query_set: Option<String>,
    /// Rows: one for each query and mode.
    pub rows: usize,
    /// Rows without an answer or a verdict.
    pub errors: usize,
    /// Rows whose records in the log cannot be read.
    pub damaged: usize,
    /// Hash of the settings that can change a result.
    pub config_hash: Option<String>,
    /// The judge.
    pub judge: Option<String>,
    /// The run whose answers were judged again.
    pub judged_from: Option<String>,
}

/// The main metrics of one mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunMode {
    /// The mode.
    pub mode: String,
    /// By metric.
    pub metrics: BTreeMap<String, MetricSummary>,
}

/// What `runs show RUN` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunRows {
    /// The run.
    pub run: RunInfo,
    /// What was left out, assumed or read differently.
    pub notes: Vec<String>,
    /// Rows that failed, of all rows of the modes shown.
    pub failed: usize,
    /// The rows, in the order of the run; with `--failed`, those that failed.
    pub rows: Vec<RunRow>,
}

/// One query in one mode, in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunRow {
    /// The query.
    pub query_id: String,
    /// The mode.
    pub mode: String,
    /// The query's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The question.
    pub query: String,
    /// Whether a refusal is the right answer; null if the log does not say it.
    pub expected_no_evidence: Option<bool>,
    /// `answered`, `partial` or `none`; null without an answer.
    pub outcome: Option<String>,
    /// `high`, `medium` or `low`; empty without an answer.
    pub confidence: String,
    /// What is wrong with the row; empty if nothing is.
    pub failures: Vec<String>,
    /// The gold quotes; without labels in the log, those that the answer does not show.
    pub gold: Vec<RunGold>,
    /// Milliseconds that the answer took.
    pub latency_ms: Option<f64>,
}

/// A gold quote and how far it came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunGold {
    /// Its paper.
    pub source_id: String,
    /// The quote.
    pub quote: String,
    /// The rank of the first candidate that has it, from 1; null if none has it, or the log does not say it.
    pub rank: Option<usize>,
    /// Whether the answer shows it.
    pub in_answer: bool,
    /// The stage that lost it, as in `lost_at` of the rows of `eval`. Null if the answer shows it, or if the context was not
    /// logged.
    pub lost_at: Option<String>,
}

/// What `runs compare` prints: one comparison, or one for each mode that both runs have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunComparison {
    /// The comparisons.
    pub comparisons: Vec<ModesCompared>,
}

/// Two sides, question by question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ModesCompared {
    /// The first side.
    pub first: RunSide,
    /// The second side.
    pub second: RunSide,
    /// What differs between settings, models and index.
    pub differing: Vec<RunDifference>,
    /// Questions that both sides were asked.
    pub pairs: usize,
    /// Questions that only the first side was asked.
    pub only_first: Vec<String>,
    /// Questions that only the second side was asked.
    pub only_second: Vec<String>,
    /// Ids under which the two were asked different questions; they are left out.
    pub asked_otherwise: Vec<String>,
    /// The metrics of the final answer, in the order of the report.
    pub metrics: Vec<RunMeasured>,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunSide {
    /// The run.
    pub run_id: String,
    /// Its name.
    pub name: Option<String>,
    /// The mode.
    pub mode: String,
    /// The query set.
    pub query_set: String,
    /// Hash of the settings.
    pub config_hash: String,
}

/// A setting that two runs do not share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunDifference {
    /// The setting, or what else differs.
    pub key: String,
    /// Its value in the first run; null if that has none.
    pub first: Option<String>,
    /// Its value in the second run.
    pub second: Option<String>,
}

/// One metric over the questions that have a value on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunMeasured {
    /// The metric.
    pub metric: String,
    /// Its title.
    pub title: String,
    /// Mean of the first side over these questions; null without any.
    pub first: Option<f64>,
    /// Mean of the second side.
    pub second: Option<f64>,
    /// First minus second.
    pub difference: Comparison,
    /// p after Holm's correction over all metrics that have pairs; null without pairs.
    pub p_holm: Option<f64>,
    /// Whether the difference is significant after the correction.
    pub separates: bool,
    /// Questions for which the first side is better.
    pub won: Vec<String>,
    /// Questions for which the second side is better.
    pub lost: Vec<String>,
}

/// What `runs rejudge` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunRejudged {
    /// The new run.
    pub run: RunInfo,
    /// Its modes, with all metrics.
    pub modes: Vec<RunMode>,
    /// The new verdicts against the old ones, by mode.
    pub comparisons: Vec<ModesCompared>,
    /// Rows that a stopped run of the same judge had finished.
    pub resumed: usize,
    /// Rows without a verdict.
    pub failed: usize,
}

/// What `eval --repeat` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunRepeats {
    /// The runs, in order.
    pub runs: Vec<String>,
    /// Rows of all runs without an answer or a verdict.
    pub failed: usize,
    /// By mode, in the order of the runs.
    pub modes: Vec<RepeatedMode>,
}

/// One mode over the repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RepeatedMode {
    /// The mode.
    pub mode: String,
    /// Rows of each run.
    pub rows: usize,
    /// Queries whose answer or refusal is not the same in all runs.
    pub changed: Vec<String>,
    /// The metrics of the final answer, in the order of the report.
    pub metrics: Vec<RepeatedMetric>,
}

/// One metric over the repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RepeatedMetric {
    /// The metric.
    pub metric: String,
    /// Its title.
    pub title: String,
    /// Mean over the runs of the mean over rows; null if no row has a value, as the next three.
    pub mean: Option<f64>,
    /// Standard deviation of these means between the runs (n - 1).
    pub sd: Option<f64>,
    /// The lowest of these means.
    pub min: Option<f64>,
    /// The highest of these means.
    pub max: Option<f64>,
    /// Rows with a value in at least one run.
    pub n: usize,
    /// Rows whose value is not the same in all runs.
    pub changed: usize,
}
