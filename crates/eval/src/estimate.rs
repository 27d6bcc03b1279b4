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

mod difference;
mod family;
mod plan;
mod resample;
#[cfg(test)]
mod tests;

pub(crate) use difference::agreeing;
pub use difference::{Comparison, EXACT_CLUSTERS, Pair, SAMPLED_EXCHANGES, compare};
pub use family::holm;
pub use plan::{POWER, detectable_difference, questions_to_separate};
pub(crate) use resample::{Resampling, percentile_interval};

use crate::metrics::Range;
use crate::stats::{Interval, IntervalMethod, Z95, student_975, wilson, wilson_of};
use crate::{Ordered, Score, seed_of};
use resample::{interval, jackknife, variance};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

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
        Self {
            cluster,
            unanswerable: false,
            value,
        }
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

    /// The totals of clusters, each counted so many times.
    fn weighted<'t>(clusters: impl Iterator<Item = (&'t Self, usize)>) -> Self {
        let mut out = Self::default();
        for (own, times) in clusters {
            for kind in 0..2 {
                out.sum[kind] += times as f64 * own.sum[kind];
                out.n[kind] += times as f64 * own.n[kind];
            }
        }
        out
    }

    /// Which kinds there are.
    fn kinds(&self) -> [bool; 2] {
        self.n.map(|n| n > 0.0)
    }
}

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value of the statistic.
    pub mean: f64,
    /// Its interval; `None` for equal values without a greatest possible one.
    pub interval: Option<Interval>,
    /// Values.
    pub n: usize,
    /// Clusters of these.
    pub clusters: usize,
}

/// Estimates a statistic of values within `range`; `None` without values. The order of the observations does not matter.
pub fn estimate(
    observations: &[Observation<'_>],
    statistic: Statistic,
    range: Range,
    seed: u64,
) -> Option<Estimate> {
    let mut by_cluster: BTreeMap<&str, Vec<(bool, f64)>> = BTreeMap::new();
    for one in observations {
        let own = by_cluster.entry(one.cluster).or_default();
        own.push((one.unanswerable, one.value));
    }
    let clusters: Vec<Totals> = by_cluster
        .into_values()
        .map(|mut values| {
            values.sort_by(|a, b| a.1.total_cmp(&b.1));
            let mut totals = Totals::default();
            for (unanswerable, value) in values {
                totals.add(unanswerable, value);
            }
            totals
        })
        .collect();
    let whole = Totals::weighted(clusters.iter().map(|own| (own, 1)));
    let mean = statistic.of(&whole)?;
    let of = |times: &[usize]| {
        let totals = Totals::weighted(clusters.iter().zip(times.iter().copied()));
        statistic.of(&totals).filter(|_| totals.kinds() == whole.kinds())
    };
    let n = observations.len();
    let binary = observations.iter().all(|one| is_flag(one.value));
    let interval = if binary && statistic == Statistic::Mean {
        rate(observations, mean, clusters.len(), &jackknife(clusters.len(), of))
    } else {
        let contributing = contributing(clusters.iter().map(Totals::kinds));
        interval(clusters.len(), contributing, mean, range.bounds(), seed, of)
    };
    Some(Estimate {
        mean,
        interval,
        n,
        clusters: clusters.len(),
    })
}

/// Whether a value is 0 or 1.
#[allow(clippy::float_cmp, reason = "flags are exactly 0 or 1")]
fn is_flag(value: f64) -> bool {
    value == 0.0 || value == 1.0
}

/// The clusters with a question of the rarer kind: a statistic of both kinds is known no better than from these.
fn contributing(kinds: impl Iterator<Item = [bool; 2]>) -> usize {
    let mut counts = [0_usize; 2];
    for own in kinds {
        counts = [counts[0] + usize::from(own[0]), counts[1] + usize::from(own[1])];
    }
    let present = counts.into_iter().filter(|count| *count > 0);
    present.min().unwrap_or(0)
}

/// Wilson's interval of a rate.
fn rate(observations: &[Observation<'_>], mean: f64, clusters: usize, left_out: &[f64]) -> Option<Interval> {
    let n = observations.len();
    let right = observations.iter().filter(|one| one.value > 0.5).count();
    if clusters == n {
        return wilson(right, n);
    }
    let effective = effective(n, clusters, mean * (1.0 - mean), variance(left_out));
    let (low, high) = wilson_of(mean, effective);
    Some(Interval {
        low: if right == 0 { 0.0 } else { low },
        high: if right == n { 1.0 } else { high },
        method: IntervalMethod::WilsonClustered,
    })
}

/// How many independent questions `n` questions in clusters are worth: n over the design effect (the variance of the mean by
/// clusters over that of independent questions, at least 1), and less for few clusters, as Student's t asks. `single` is the
/// variance of one question.
fn effective(n: usize, clusters: usize, single: f64, of_mean: f64) -> f64 {
    if clusters < 2 {
        return 1.0;
    }
    let n = n as f64;
    let design = if single > 1e-12 {
        (of_mean * n / single).max(1.0)
    } else {
        1.0
    };
    (n / design * (Z95 / student_975(clusters - 1)).powi(2)).max(1.0)
}

/// One metric over rows: its mean with interval, and how many rows have a value. `mean` and interval are `None` when no row
/// has a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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

impl MetricSummary {
    /// Summarises observations. Rows without a value are not counted.
    pub fn of(observations: &[Observation<'_>], statistic: Statistic, range: Range, seed: u64) -> Self {
        let Some(found) = estimate(observations, statistic, range, seed) else {
            return Self::default();
        };
        Self {
            mean: Some(found.mean),
            ci_low: found.interval.map(|i| i.low),
            ci_high: found.interval.map(|i| i.high),
            n: found.n,
            interval: found.interval.map(|i| i.method),
            ..Self::default()
        }
    }

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
        Self {
            n_a,
            errors,
            ..Self::of(&observed, Statistic::Mean, range, seed_of(seed, key))
        }
    }
}
