//! The metrics of `evaluate`, which need no language model.

use crate::Comparison;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Every metric over the rows. `pipeline metrics` defines them. A rate or a mean is null if no row has a value; its interval and
/// the number of rows behind it are in `metrics`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EvaluateMetrics {
    /// Number of rows.
    pub total_questions: usize,
    /// The means of context_recall, faithfulness and answer_relevance.
    #[schemars(with = "BTreeMap<String, Option<f64>>")]
    pub avg_metrics: IndexMap<String, Option<f64>>,
    /// Share of rows that fail automatically.
    pub failure_rate: Option<f64>,
    /// Share of rows with a fact that no passage has.
    pub hallucination_rate: Option<f64>,
    /// Mean rag_score of the rows that have all three of its scores.
    pub rag_score: Option<f64>,
    /// The number of those rows.
    pub rag_score_n: usize,
    /// The band of rag_score: `green`, `yellow` or `red`.
    pub band: Option<String>,
    /// Share of relevant answers.
    pub relevance_pass_rate: Option<f64>,
    /// Share of grounded answers.
    pub groundedness_pass_rate: Option<f64>,
    /// Share of rows with a relevant passage.
    pub retrieval_relevance_pass_rate: Option<f64>,
    /// Share of answers that are relevant and grounded.
    pub overall_pass_rate: Option<f64>,
    /// By pass rate: `excellent`, `good`, `fair` or `poor`.
    #[schemars(with = "BTreeMap<String, String>")]
    pub ratings: IndexMap<String, String>,
    /// Every metric.
    #[schemars(with = "BTreeMap<String, EvaluateMetric>")]
    pub metrics: IndexMap<String, EvaluateMetric>,
    /// Every target whose mean has a value.
    pub targets: Vec<EvaluateTarget>,
    /// What to do about each missed target.
    pub recommendations: Vec<String>,
}

/// A metric over the rows; null where no row has a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EvaluateMetric {
    /// Mean over the rows with a value.
    pub mean: Option<f64>,
    /// Lower end of the 95 % interval.
    pub ci_low: Option<f64>,
    /// Upper end.
    pub ci_high: Option<f64>,
    /// Least value.
    pub min: Option<f64>,
    /// Greatest value.
    pub max: Option<f64>,
    /// Rows with a value.
    pub n: usize,
    /// Rows to which the metric does not apply.
    pub n_a: usize,
    /// Rows that should have a value and have none.
    pub errors: usize,
    /// How the interval was made: `wilson`, `wilson_clustered`, `bootstrap_bca`, `bootstrap_percentile` or `constant`.
    pub interval: Option<String>,
}

/// A target beside the mean that should reach it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EvaluateTarget {
    /// The name of the mean.
    pub key: String,
    /// The mean.
    pub value: f64,
    /// Which side of the target it must be on: `at_least`, `above` or `below`.
    pub bound: String,
    /// The target.
    pub target: f64,
    /// Whether it is.
    pub met: bool,
}

/// This evaluation minus an earlier one, over the questions that both have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EvaluateAgainst {
    /// The file of the earlier evaluation.
    pub file: String,
    /// Questions that both have.
    pub pairs: usize,
    /// Questions that only this evaluation has.
    pub only_here: usize,
    /// Questions that only the earlier one has.
    pub only_there: usize,
    /// By score (`overall`, `dimension.NAME`, or a metric): the difference over the questions with a value in both. Scores without
    /// such a question are left out.
    #[schemars(with = "BTreeMap<String, Comparison>")]
    pub compared: IndexMap<String, Comparison>,
    /// By score: p, corrected by Holm for the number of scores.
    #[schemars(with = "BTreeMap<String, f64>")]
    pub p_holm: IndexMap<String, f64>,
}
