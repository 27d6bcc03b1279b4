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
    /// How the interval was made: `wilson`, `bootstrap_bca`, `bootstrap_percentile` or `constant`.
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
    /// Upper end of the 95 % interval of the difference.
    pub ci_high: Option<f64>,
}
