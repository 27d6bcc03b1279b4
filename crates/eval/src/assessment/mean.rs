//! The mean of one metric over rows.

use crate::Score;
use crate::metrics::{Scored, Spec};
use serde::{Deserialize, Serialize};

/// One metric over rows, with its extremes; these are `None` if no row has a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricSummary {
    /// Mean, interval and counts.
    #[serde(flatten)]
    pub own: crate::MetricSummary,
    /// Least value.
    pub min: Option<f64>,
    /// Greatest value.
    pub max: Option<f64>,
}

impl std::ops::Deref for MetricSummary {
    type Target = crate::MetricSummary;
    fn deref(&self) -> &Self::Target {
        &self.own
    }
}

/// One metric over rows.
pub(super) fn of(rows: &[Scored], spec: &Spec, seed: u64) -> MetricSummary {
    let scores = rows.iter().map(|row| (row.cluster(), row.scores.get(spec.key)));
    let values = || {
        rows.iter()
            .filter_map(|row| row.scores.get(spec.key).and_then(Score::get))
    };
    MetricSummary {
        own: crate::MetricSummary::of_scores(scores, spec.key, spec.range, seed),
        min: values().reduce(f64::min),
        max: values().reduce(f64::max),
    }
}
