//! The documents of `judge measure`.

use crate::judging::JudgeClaim;
use eval::agreement::{Bin, Confusion, Estimate};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What `judge measure` prints. "Unsupported" is the positive class.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeReport {
    /// Score from which a claim counts as supported, the same for all sets.
    pub threshold: f64,
    /// The sets.
    pub sets: Vec<JudgeSet>,
    /// The judges, in the order of the arguments.
    pub judges: Vec<JudgeResult>,
    /// Every two judges on the rows that both judged.
    pub comparisons: Vec<JudgeComparison>,
    /// Seed of samples and intervals.
    pub seed: u64,
    /// Resamples of each interval.
    pub resamples: usize,
}

/// A labelled set.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeSet {
    /// The name of its file.
    pub set: String,
    /// Labelled rows that were given to the judges.
    pub rows: usize,
    /// Labelled rows of the file.
    pub labelled: usize,
    /// Rows without a label, which are left out.
    pub unlabelled: usize,
    /// Groups of rows that share a context, a question or a response.
    pub clusters: usize,
    /// Share of the rows that people call supported.
    pub supported: f64,
}

/// A judge.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeResult {
    /// Its name as an argument.
    pub judge: String,
    /// Its method, model and version.
    pub id: String,
    /// On each set.
    pub sets: Vec<JudgeOnSet>,
    /// By measure: the mean over the sets, each with the same weight.
    pub macro_mean: BTreeMap<&'static str, Estimate>,
    /// How long it took.
    pub time: JudgeTime,
}

/// The time of the rows that were judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeTime {
    /// Claims that were judged.
    pub claims: usize,
    /// Rows judged at the same time.
    pub workers: usize,
    /// Seconds that it took.
    pub seconds: f64,
    /// Seconds for 1,000 claims.
    pub seconds_per_1000_claims: Option<f64>,
}

/// A judge on one set.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeOnSet {
    /// The set.
    pub set: String,
    /// Rows with a verdict; all measures are of these.
    pub rows: usize,
    /// Rows without one.
    pub errors: usize,
    /// Clusters of the rows with a verdict.
    pub clusters: usize,
    /// Labels against verdicts.
    pub confusion: Confusion,
    /// By measure: `balanced_accuracy`, `precision`, `recall` and `f1` of "unsupported", `auc`, `kappa` and `brier`.
    pub measures: BTreeMap<&'static str, Estimate>,
    /// Expected calibration error over ten bins, 0 to 1; lower is better.
    pub calibration_error: Option<f64>,
    /// The bins that have rows.
    pub bins: Vec<Bin>,
    /// The most confident mistakes; with `--examples`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<JudgeExample>,
}

/// A mistake, whole.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeExample {
    /// The row.
    pub id: Value,
    /// The label of a person: 1 or 0.
    pub label: u8,
    /// The judge's score.
    pub score: f64,
    /// The question; empty where unknown.
    pub question: String,
    /// The context.
    pub context: Vec<String>,
    /// The response.
    pub response: String,
    /// Every claim.
    pub claims: Vec<JudgeClaim>,
}

/// Two judges on the rows that both judged, the first minus the second.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeComparison {
    /// The first judge.
    pub first: String,
    /// The second judge.
    pub second: String,
    /// On each set.
    pub sets: Vec<JudgeDifference>,
    /// By measure: the mean difference over the sets.
    pub macro_mean: BTreeMap<&'static str, Estimate>,
}

/// Two judges on one set.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeDifference {
    /// The set.
    pub set: String,
    /// Rows that both judged.
    pub rows: usize,
    /// By measure: `balanced_accuracy` and `auc`.
    pub measures: BTreeMap<&'static str, Estimate>,
    /// Rows that only the first has right.
    pub first_right: usize,
    /// Rows that only the second has right.
    pub second_right: usize,
    /// Two-sided p of the difference in balanced accuracy: paired randomisation by cluster.
    pub p: f64,
}
