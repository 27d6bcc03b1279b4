//! The mean of one metric over rows of one mode, with its interval.

use crate::hash::seed_of;
use crate::metrics::{Column, Kind};
use crate::stats::{IntervalMethod, Observation, bootstrap_mean, wilson};
use crate::{Ordered, Row, Score};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One metric in one mode. `mean` and interval are `None` when no row has a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// How the interval was made.
    pub interval: Option<IntervalMethod>,
}

/// All metrics of one mode.
pub type ModeSummary = Ordered<MetricSummary>;

/// One metric over rows of one mode.
pub(crate) fn metric_summary(rows: &[&Row], column: Column, seed: u64) -> MetricSummary {
    let (key, spec) = (column.key(), column.spec());
    let mut out = MetricSummary::default();
    let mut observed: Vec<Observation<'_>> = Vec::new();
    for row in rows {
        match row.scores.get(&key) {
            Some(Score::Value(value)) if value.is_finite() => {
                observed.push(Observation {
                    cluster: row.cluster(),
                    value: *value,
                });
            }
            Some(Score::NotApplicable(_)) => out.n_a += 1,
            // A row without the metric is a row that was not scored: never dropped from the count.
            _ => out.errors += 1,
        }
    }
    out.n = observed.len();
    if observed.is_empty() {
        return out;
    }
    observed.sort_by(|a, b| a.value.total_cmp(&b.value));
    out.mean = Some(observed.iter().map(|o| o.value).sum::<f64>() / out.n as f64);
    let interval = if spec.kind == Kind::Rate {
        wilson(observed.iter().filter(|o| o.value > 0.5).count(), out.n)
    } else {
        bootstrap_mean(&observed, spec.range.bounds(), seed_of(seed, &key))
    };
    out.ci_low = interval.map(|i| i.low);
    out.ci_high = interval.map(|i| i.high);
    out.interval = interval.map(|i| i.method);
    out
}
