//! One estimator: the mean of a system with its interval, and the difference of two systems with interval and test.
//!
//! Questions about one paper share their chance, so everything here is by *cluster*: intervals resample clusters or count
//! the questions that clustered ones are worth, and the test exchanges the two systems for a whole cluster or not at all.
//! [`cluster_of`] decides what the cluster of a question is. With clusters of one question each, these are the ordinary methods:
//!
//! | | values 0 or 1 | other values |
//! |---|---|---|
//! | mean | Wilson 1927; where clusters have several questions, with the effective number of questions (Korn and Graubard 1998, after Kish 1965) | bootstrap over clusters (Efron 1987, BCa; tails for few clusters after Hesterberg 2015) |
//! | interval of a difference | Agresti and Min 2005, the pairs' form of Agresti and Coull 1998, with the effective number | the same bootstrap of the difference |
//! | test of a difference | exact McNemar 1947 if every cluster is one question | paired randomisation (Fisher 1935) by cluster: all exchanges, or a seeded sample of them |
//! | several metrics | Holm 1979 over the metrics that can differ: [`holm`] | the same |
//!
//! Wilson is used for clustered rates too, and not Agresti-Coull, because it stays inside 0 to 1 and is one formula for both.
//! No interval has a width of 0, no number is NaN, no p is 0, and the interval of a difference excludes 0 exactly if
//! p < [`ALPHA`] ([`compare`] says how). Every random number has an explicit seed: same rows and seed, same bytes.

mod clusters;
mod difference;
mod plan;
mod resample;
#[cfg(test)]
mod tests;

pub use difference::{Comparison, EXACT_CLUSTERS, Pair, SAMPLED_EXCHANGES, compare, holm};
pub use plan::{POWER, detectable_difference, questions_to_separate};
pub(crate) use resample::{Resampling, percentile_interval};

use crate::metrics::Range;
use crate::stats::{Interval, IntervalMethod, wilson, wilson_of};
use crate::{Ordered, Score, seed_of};
use clusters::Clusters;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A p below this separates.
pub const ALPHA: f64 = 0.05;

/// One value of a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation<'a> {
    /// What the question shares its chance with.
    pub cluster: &'a str,
    /// Whether a refusal is expected; matters for balanced statistics only.
    pub unanswerable: bool,
    /// The value.
    pub value: f64,
}

impl<'a> Observation<'a> {
    /// A value of a question, for [`Statistic::Mean`].
    pub fn new(cluster: &'a str, value: f64) -> Self {
        Self { cluster, unanswerable: false, value }
    }
}

/// The cluster of a question: the set of papers that answer it, or the question itself where there is none.
///
/// Questions about the same set share their chance. Those about overlapping sets are clusters of their own: joining them
/// too would link most questions of a set through a few that compare papers, and leave one cluster to count.
pub fn cluster_of<'a>(papers: impl Iterator<Item = &'a str>, question: &str) -> String {
    let papers: BTreeSet<&str> = papers.collect();
    if papers.is_empty() {
        return question.to_owned();
    }
    papers.into_iter().collect::<Vec<_>>().join(" + ")
}

/// What is estimated from the values of answerable and of unanswerable questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The mean of all.
    Mean,
    /// The arithmetic mean of the two kinds' means.
    Balanced,
    /// The harmonic mean of the two kinds' means; 0 if both are 0.
    Harmonic,
}

impl Statistic {
    /// Its value; `None` without values. If there are values of one kind alone, it is their mean.
    pub fn of(self, totals: &Totals) -> Option<f64> {
        let share = |kind: usize| (totals.n[kind] > 0.0).then(|| totals.sum[kind] / totals.n[kind]);
        match (self, share(0), share(1)) {
            (Self::Mean, _, _) => {
                let n = totals.n[0] + totals.n[1];
                (n > 0.0).then(|| (totals.sum[0] + totals.sum[1]) / n)
            }
            (Self::Balanced, Some(a), Some(b)) => Some(f64::midpoint(a, b)),
            (Self::Harmonic, Some(a), Some(b)) => Some(if a + b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 }),
            (_, one, None) | (_, None, one) => one,
        }
    }
}

/// Sums and numbers of values, of answerable and of unanswerable questions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Sums.
    pub sum: [f64; 2],
    /// Numbers of values.
    pub n: [f64; 2],
}

impl Totals {
    /// Adds one value.
    pub fn add(&mut self, unanswerable: bool, value: f64) {
        self.sum[usize::from(unanswerable)] += value;
        self.n[usize::from(unanswerable)] += 1.0;
    }
}

/// Estimates a statistic of values within `range`. Rows without a value are not counted. The order of the observations does
/// not matter.
pub fn estimate(
    observations: &[Observation<'_>],
    statistic: Statistic,
    range: Range,
    seed: u64,
) -> MetricSummary {
    let against_nothing = observations.iter().map(|one| Pair {
        cluster: one.cluster,
        unanswerable: one.unanswerable,
        first: one.value,
        second: 0.0,
    });
    let clusters = Clusters::new(against_nothing, statistic);
    let n = observations.len();
    let mut out =
        MetricSummary { mean: clusters.value(), n, clusters: clusters.count(), ..MetricSummary::default() };
    let Some(mean) = out.mean else { return out };
    let binary = statistic == Statistic::Mean && observations.iter().all(|one| is_flag(one.value));
    let interval = if !binary {
        clusters.interval(range.bounds(), seed)
    } else if clusters.count() == n {
        wilson(observations.iter().filter(|one| one.value > 0.5).count(), n)
    } else {
        let (low, high) = wilson_of(mean, clusters.effective(n, mean * (1.0 - mean)));
        Some(Interval { low: low.min(mean), high: high.max(mean), method: IntervalMethod::WilsonClustered })
    };
    out.ci_low = interval.map(|i| i.low);
    out.ci_high = interval.map(|i| i.high);
    out.interval = interval.map(|i| i.method);
    out
}

/// Whether a value is 0 or 1.
#[allow(clippy::float_cmp, reason = "flags are exactly 0 or 1")]
fn is_flag(value: f64) -> bool {
    value == 0.0 || value == 1.0
}

/// One metric over rows: its mean with interval, and how many rows have a value. `mean` and interval are `None` when no row
/// has a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MetricSummary {
    /// Mean over the rows with a value, in the range of the metric.
    pub mean: Option<f64>,
    /// Lower end of the 95 % interval.
    pub ci_low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub ci_high: Option<f64>,
    /// Least value, where the extremes are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Greatest value, as `min`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Rows with a value.
    pub n: usize,
    /// Rows to which the metric does not apply.
    pub n_a: usize,
    /// Rows that should have a value and have none.
    pub errors: usize,
    /// Clusters of the rows with a value.
    #[serde(default)]
    pub clusters: usize,
    /// How the interval was made.
    pub interval: Option<IntervalMethod>,
}

/// All metrics of one mode.
pub type ModeSummary = Ordered<MetricSummary>;

impl MetricSummary {
    /// Summarises the scores of a metric, each with its cluster. A row without the metric is a row that was not scored: an
    /// error, never dropped from the count.
    pub fn of_scores<'a>(
        scores: impl Iterator<Item = (&'a str, Option<&'a Score>)>,
        key: &str,
        range: Range,
        seed: u64,
    ) -> Self {
        let (mut n_a, mut errors) = (0, 0);
        let mut observed: Vec<Observation<'_>> = Vec::new();
        for (cluster, score) in scores {
            match score {
                Some(Score::Value(value)) if value.is_finite() => {
                    observed.push(Observation::new(cluster, *value));
                }
                Some(Score::NotApplicable(_)) => n_a += 1,
                _ => errors += 1,
            }
        }
        Self { n_a, errors, ..estimate(&observed, Statistic::Mean, range, seed_of(seed, key)) }
    }
}
