//! Descriptions of metrics.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `metrics` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Metrics {
    /// The metrics; one if a name is given.
    pub metrics: Vec<Metric>,
}

/// A metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Metric {
    /// Its name.
    pub key: String,
    /// Its name in tables.
    pub label: String,
    /// The commands that compute it: `eval, evaluate` or `evaluate`.
    pub command: String,
    /// Its exact definition.
    pub definition: String,
    /// When it is n/a, and its value for refusals and empty answers.
    pub edge_cases: String,
    /// The paper, the system or the convention that it follows.
    pub source: String,
    /// `rate` if a row has 0 or 1, else `mean`.
    pub kind: String,
    /// The least value.
    pub low: f64,
    /// The greatest value; null if there is none.
    pub high: Option<f64>,
    /// Which values are better: `higher` or `lower`; null if it only describes.
    pub better: Option<String>,
    /// What it needs: fields of a row, or a judge.
    pub needs: Vec<String>,
    /// Of these it needs one; empty if `needs` are enough.
    pub needs_one_of: Vec<String>,
    /// Whether it is also computed before guardrails, under its name with `_raw`.
    pub before_guardrails: bool,
    /// The target of its mean; null if it has none.
    pub target: Option<MetricTarget>,
}

/// A target of a mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MetricTarget {
    /// The name of the mean in a summary.
    pub mean: String,
    /// `at_least`, `above` or `below`.
    pub bound: String,
    /// The target.
    pub value: f64,
    /// The setting that holds it.
    pub setting: String,
}
