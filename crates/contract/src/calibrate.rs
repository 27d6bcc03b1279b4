//! Calibrated thresholds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `calibrate` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Calibrate {
    /// Queries that the papers answer.
    pub answerable: usize,
    /// Queries that the papers do not answer.
    pub unanswerable: usize,
    /// Answerable queries that were also asked without the papers that answer them.
    pub removed: usize,
    /// Papers that the queries are about.
    pub papers: usize,
    /// Queries that were not asked, because they have no labels.
    pub left_out: usize,
    /// Answerable queries whose evidence no chunk contains; they count as not answered right.
    pub in_no_chunk: usize,
    /// Refusals.
    pub refusals: CalibratedRefusals,
    /// High confidence.
    pub high: CalibratedHigh,
    /// The settings to change, by key; empty if no other threshold was better on papers that it was not chosen on.
    pub changes: BTreeMap<String, f64>,
    /// Hash of the settings that the questions were asked with.
    pub config_hash: String,
    /// Seed of the folds.
    pub seed: u64,
}

/// The threshold of refusals. Balanced accuracy is the mean of the share of answerable questions that are answered and the
/// share of the others that are refused, 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CalibratedRefusals {
    /// The present setting `guardrail.refuse_below`.
    pub refuse_below: f64,
    /// The threshold with the highest balanced accuracy.
    pub chosen: f64,
    /// Balanced accuracy with the present settings.
    pub balanced_accuracy: f64,
    /// With the chosen threshold, on the questions that it was chosen on.
    pub fitted: f64,
    /// With thresholds that were chosen on other papers (five-fold cross-validation).
    pub held_out: f64,
}

/// The threshold of high confidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CalibratedHigh {
    /// The present setting `generate.high_confidence`.
    pub high_confidence: f64,
    /// Wanted share of right answers among those of high confidence.
    pub aim: f64,
    /// The lowest threshold that reaches it; null if none does, or too few answers are left.
    pub chosen: Option<f64>,
    /// With the present settings.
    pub now: HighAnswers,
    /// With the chosen threshold, on the questions that it was chosen on.
    pub fitted: HighAnswers,
    /// With thresholds that were chosen on other papers (five-fold cross-validation).
    pub held_out: HighAnswers,
}

/// Answers of high confidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HighAnswers {
    /// Answers.
    pub answers: usize,
    /// Those whose three best sentences show labelled evidence.
    pub right: usize,
    /// Their share of all right answers, 0 to 1; null without right answers.
    pub share_of_right: Option<f64>,
}
