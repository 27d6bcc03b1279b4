//! The mean of one metric over rows.

use crate::metrics::Kind;
use crate::metrics::{Scored, Spec};
use crate::stats::{IntervalMethod, Observation, bootstrap_mean, wilson};
use crate::{Score, seed_of};
use serde::{Deserialize, Serialize};

/// One metric over rows. Mean, interval and extremes are `None` if no row has a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricSummary {
    /// Mean over the rows with a value.
    pub mean: Option<f64>,
    /// Lower end of the 95 % interval.
    pub ci_low: Option<f64>,
    /// Upper end of the 95 % interval.
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
    /// How the interval was made; `None` for equal values of a metric without an upper end, which have none.
    pub interval: Option<IntervalMethod>,
}

/// One metric over rows.
pub(super) fn of(rows: &[Scored], spec: &Spec, seed: u64) -> MetricSummary {
    let mut out = MetricSummary::default();
    let mut observed: Vec<Observation<'_>> = Vec::new();
    for row in rows {
        match row.scores.get(spec.key) {
            Some(Score::Value(value)) if value.is_finite() => observed.push(Observation {
                cluster: &row.id,
                value: *value,
            }),
            Some(Score::NotApplicable(_)) => out.n_a += 1,
            // A row without the metric is a row that was not scored: never dropped from the count.
            _ => out.errors += 1,
        }
    }
    out.n = observed.len();
    observed.sort_by(|a, b| a.value.total_cmp(&b.value));
    let (Some(first), Some(last)) = (observed.first(), observed.last()) else {
        return out;
    };
    (out.min, out.max) = (Some(first.value), Some(last.value));
    out.mean = Some(observed.iter().map(|o| o.value).sum::<f64>() / out.n as f64);
    let (low, high) = spec.range.bounds();
    let interval = if spec.kind == Kind::Rate {
        wilson(observed.iter().filter(|o| o.value > 0.5).count(), out.n)
    } else {
        bootstrap_mean(&observed, (low, high.min(f64::MAX)), seed_of(seed, spec.key))
    };
    // How far an unseen value may be from equal ones is unknown where there is no upper end.
    let interval = interval.filter(|i| high.is_finite() || i.method != IntervalMethod::Constant);
    out.ci_low = interval.map(|i| i.low);
    out.ci_high = interval.map(|i| i.high);
    out.interval = interval.map(|i| i.method);
    out
}
