//! Judges: their verdicts, and how these compare with the labels of people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// One line of what `judge` writes: a verdict, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeLine {
    /// As in the input: a string or a number.
    pub id: Value,
    /// 1 if all claims are supported, else 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faithful: Option<u8>,
    /// Probability that all claims are supported, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// 4: all claims supported; 3: one is not; 2: several are not; 1: most are not, or one is contradicted, or there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<u8>,
    /// The unsupported claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<Vec<String>>,
    /// Why there is no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The judge.
    pub judge: String,
    /// Hash of what the judge read, of the judge and of its threshold.
    pub key: String,
    /// CRC-32 of the line before this key, in a file.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub crc32: Option<String>,
}

/// One line of the `scores.jsonl` of `judge-report`: a labelled row with a verdict, or with why there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeScore {
    /// The set: the name of its file.
    pub set: String,
    /// The verdict.
    #[serde(flatten)]
    pub line: JudgeLine,
    /// The label of a person: 1 or 0.
    pub label: u8,
    /// The number of its cluster in the set.
    pub cluster: usize,
    /// Every claim.
    #[serde(default)]
    pub claims: Vec<JudgeClaim>,
}

/// A claim and the word on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeClaim {
    /// The claim.
    pub claim: String,
    /// Probability that it is supported, 0 to 1.
    pub score: f64,
    /// `supported`, `partially`, `unsupported` or `contradicted`.
    pub verdict: String,
    /// What is missing; empty for a supported claim.
    pub reason: String,
}

/// A value with its 95 % interval; all null where it is not defined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Estimated {
    /// The value.
    pub value: Option<f64>,
    /// Lower end.
    pub ci_low: Option<f64>,
    /// Upper end.
    pub ci_high: Option<f64>,
}

/// What `judge-report` prints. "Unsupported" is the positive class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeResult {
    /// Its name as an argument.
    pub judge: String,
    /// Its method, model and version.
    pub id: String,
    /// On each set.
    pub sets: Vec<JudgeOnSet>,
    /// By measure: the mean over the sets, each with the same weight.
    pub macro_mean: BTreeMap<String, Estimated>,
    /// How long it took.
    pub time: JudgeTime,
}

/// The time of the rows that were judged now; null where all verdicts are from an earlier run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeTime {
    /// Claims that were judged now.
    pub claims: usize,
    /// Rows judged at the same time.
    pub workers: usize,
    /// Seconds that it took.
    pub seconds: f64,
    /// Seconds for 1,000 claims.
    pub seconds_per_1000_claims: Option<f64>,
}

/// A judge on one set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    pub confusion: JudgeConfusion,
    /// By measure: `balanced_accuracy`, `precision`, `recall` and `f1` of "unsupported", `auc`, `kappa` and `brier`.
    pub measures: BTreeMap<String, Estimated>,
    /// Expected calibration error over ten bins, 0 to 1; lower is better.
    pub calibration_error: Option<f64>,
    /// The bins that have rows.
    pub bins: Vec<JudgeBin>,
    /// What a few labels would give; with `--labels-per-set`, where the set has more rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<JudgeLabels>,
    /// The most confident mistakes; with `--examples`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<JudgeExample>,
}

/// Labels against verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeConfusion {
    /// Unsupported, and found to be.
    pub true_unsupported: usize,
    /// Supported, but said to be unsupported.
    pub false_unsupported: usize,
    /// Unsupported, but said to be supported.
    pub false_supported: usize,
    /// Supported, and found to be.
    pub true_supported: usize,
}

/// Rows whose scores are in one tenth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeBin {
    /// Least score.
    pub from: f64,
    /// Greatest score.
    pub to: f64,
    /// Rows.
    pub rows: usize,
    /// Their mean score.
    pub score: f64,
    /// Share of them that people call supported.
    pub supported: f64,
}

/// What a few labels would give: means over samples that were drawn from the set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeLabels {
    /// Labels of each sample.
    pub labels: usize,
    /// Samples.
    pub samples: usize,
    /// Share of the rows that people call supported.
    pub truth: f64,
    /// Share of the rows that the judge calls supported.
    pub uncorrected: f64,
    /// Width of the interval from the labels alone.
    pub width_labels_alone: f64,
    /// Width of the interval from labels and judge.
    pub width_corrected: f64,
    /// Share of the samples whose corrected interval contains the truth.
    pub coverage: f64,
}

/// A mistake, whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeComparison {
    /// The first judge.
    pub first: String,
    /// The second judge.
    pub second: String,
    /// On each set.
    pub sets: Vec<JudgeDifference>,
    /// By measure: the mean difference over the sets.
    pub macro_mean: BTreeMap<String, Estimated>,
}

/// Two judges on one set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgeDifference {
    /// The set.
    pub set: String,
    /// Rows that both judged.
    pub rows: usize,
    /// By measure: `balanced_accuracy` and `auc`.
    pub measures: BTreeMap<String, Estimated>,
    /// Rows that only the first has right.
    pub first_right: usize,
    /// Rows that only the second has right.
    pub second_right: usize,
    /// Two-sided p of the difference in balanced accuracy: paired randomisation by cluster.
    pub p: f64,
}
