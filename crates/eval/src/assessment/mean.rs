//! The mean of one metric over rows.

use crate::metrics::{Range, Scored, Spec};
use crate::stats::IntervalMethod;
use crate::{MetricSummary as Summary, Score};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One metric over rows, with its extremes; null where no row has a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "EvaluateMetric")]
pub struct MetricSummary {
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
    /// How the interval was made.
    pub interval: Option<IntervalMethod>,
}

impl MetricSummary {
    /// Summarises the scores of a metric, each with its cluster; see [`Summary::of_scores`].
    pub fn of_scores<'a>(
        scores: impl Iterator<Item = (&'a str, Option<&'a Score>)> + Clone,
        key: &str,
        range: Range,
        seed: u64,
    ) -> Self {
        let values = scores.clone().filter_map(|(_, score)| score?.get());
        let values: Vec<f64> = values.collect();
        let own = Summary::of_scores(scores, key, range, seed);
        Self {
            mean: own.mean,
            ci_low: own.ci_low,
            ci_high: own.ci_high,
            min: values.iter().copied().reduce(f64::min),
            max: values.iter().copied().reduce(f64::max),
            n: own.n,
            n_a: own.n_a,
            errors: own.errors,
            interval: own.interval,
        }
    }
}

/// One metric over rows.
pub(super) fn of(rows: &[Scored], spec: &Spec, seed: u64) -> MetricSummary {
    let scores = rows.iter().map(|row| (row.cluster(), row.scores.get(spec.key)));
    MetricSummary::of_scores(scores, spec.key, spec.range, seed)
}
