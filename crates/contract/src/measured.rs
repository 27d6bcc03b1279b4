//! A metric of an evaluation, and its difference between two modes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One metric in one mode; mean and interval are null when no row has a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MetricSummary {
    /// Mean over the rows with a value, in the range of the metric.
    pub mean: Option<f64>,
    /// Lower end of the 95 % interval.
    pub ci_low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub ci_high: Option<f64>,
    /// Rows with a value.
    pub n: usize,
    /// Rows to which the metric does not apply.
    pub n_a: usize,
    /// Rows that should have a value and have none.
    pub errors: usize,
    /// Clusters of the rows with a value: sets of papers that questions are about, and questions without a paper.
    #[serde(default)]
    pub clusters: usize,
    /// How the interval was made: `wilson`, `wilson_clustered`, `bootstrap_bca`, `bootstrap_percentile` or `constant`.
    pub interval: Option<String>,
}

/// One metric, first mode minus second, over the queries that have a value in both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Comparison {
    /// Mean difference, -1 to 1; null without pairs, as all numbers here.
    pub delta: Option<f64>,
    /// Two-sided p, not corrected for the number of metrics.
    pub p: Option<f64>,
    /// p after Holm's correction over the family; null outside the family. Below 0.05, the difference is significant.
    #[serde(default)]
    pub p_holm: Option<f64>,
    /// Whether it belongs to the family that is corrected together: not where all values of both are the same, or are what
    /// they are by construction, or are from before guardrails.
    #[serde(default)]
    pub in_family: bool,
    /// The test: `mcnemar_exact`, `paired_randomisation_exact` or `paired_randomisation_sampled`.
    pub test: String,
    /// Pairs.
    pub n_pairs: usize,
    /// Pairs in which the first is higher.
    pub wins: usize,
    /// Pairs in which it is lower.
    pub losses: usize,
    /// Lower end of the 95 % interval of the difference.
    pub ci_low: Option<f64>,
    /// Upper end of the 95 % interval of the difference. The interval excludes 0 exactly if p is below 0.05.
    pub ci_high: Option<f64>,
    /// How many more questions of this kind separate a difference of this size (power 0.8, p below 0.05 for this metric
    /// alone); 0 where p is below that, null where there is no difference.
    #[serde(default)]
    pub questions_needed: Option<usize>,
}
