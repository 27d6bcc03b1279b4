//! Values by cluster, and what follows from leaving out, repeating or exchanging whole clusters.

use super::resample::resampled_interval;
use super::{Pair, Statistic, Totals};
use crate::stats::{Interval, Z95, student_975};
use std::collections::BTreeMap;

/// The pairs of a cluster: sums of both values and of their differences, by kind of question.
#[derive(Clone, Copy, Default)]
struct Own {
    both: [f64; 2],
    difference: [f64; 2],
    n: [f64; 2],
}

/// The pairs of all clusters. Of one system, the values are paired with 0.
pub(super) struct Clusters {
    statistic: Statistic,
    own: Vec<Own>,
    whole: Own,
}

impl Own {
    fn add(&mut self, other: &Self, times: f64) {
        for kind in 0..2 {
            self.both[kind] += times * other.both[kind];
            self.difference[kind] += times * other.difference[kind];
            self.n[kind] += times * other.n[kind];
        }
    }

    /// The statistic of the first system minus that of the second, if these were their differences.
    fn delta(&self, statistic: Statistic, difference: [f64; 2]) -> Option<f64> {
        let side = |sign: f64| {
            let sum = [0, 1].map(|kind| f64::midpoint(self.both[kind], sign * difference[kind]));
            statistic.of(&Totals { sum, n: self.n })
        };
        Some(side(1.0)? - side(-1.0)?)
    }

    fn kinds(&self) -> [bool; 2] {
        self.n.map(|n| n > 0.0)
    }
}

impl Clusters {
    /// The order of the pairs does not matter.
    pub(super) fn new<'a>(pairs: impl Iterator<Item = Pair<'a>>, statistic: Statistic) -> Self {
        let mut by_cluster: BTreeMap<&str, Vec<Pair<'_>>> = BTreeMap::new();
        for pair in pairs {
            by_cluster.entry(pair.cluster).or_default().push(pair);
        }
        let sums = by_cluster.into_values().map(|mut pairs| {
            pairs.sort_by(|a, b| a.first.total_cmp(&b.first).then(a.second.total_cmp(&b.second)));
            let mut sums = Own::default();
            for pair in pairs {
                let kind = usize::from(pair.unanswerable);
                sums.both[kind] += pair.first + pair.second;
                sums.difference[kind] += pair.first - pair.second;
                sums.n[kind] += 1.0;
            }
            sums
        });
        let own: Vec<Own> = sums.collect();
        let mut whole = Own::default();
        for own in &own {
            whole.add(own, 1.0);
        }
        Self { statistic, own, whole }
    }

    pub(super) fn count(&self) -> usize {
        self.own.len()
    }

    /// The statistic of the first system minus that of the second; `None` without values.
    pub(super) fn value(&self) -> Option<f64> {
        self.exchanged(self.whole.difference)
    }

    /// The same if the sums of the differences of both kinds were these.
    pub(super) fn exchanged(&self, difference: [f64; 2]) -> Option<f64> {
        self.whole.delta(self.statistic, difference)
    }

    /// The differences of the clusters for which exchanging the systems changes anything. Values that cancel out within a
    /// cluster leave rounding behind, which is no difference.
    pub(super) fn moving(&self) -> Vec<[f64; 2]> {
        let moves = |own: &&Own| own.difference.iter().any(|difference| difference.abs() > 1e-12);
        self.own.iter().filter(moves).map(|own| own.difference).collect()
    }

    /// The value where each cluster counts so often; `None` if a kind of question is missing.
    fn weighted(&self, times: &[usize]) -> Option<f64> {
        let mut drawn = Own::default();
        for (own, times) in self.own.iter().zip(times) {
            drawn.add(own, *times as f64);
        }
        let value = drawn.delta(self.statistic, drawn.difference)?;
        (drawn.kinds() == self.whole.kinds()).then_some(value)
    }

    /// The value without each of the clusters in turn, where it is defined (jackknife).
    fn left_out(&self) -> Vec<f64> {
        let mut times = vec![1; self.count()];
        let mut without = |at: usize| {
            times[at] = 0;
            let value = self.weighted(&times);
            times[at] = 1;
            value
        };
        (0..self.count()).filter_map(&mut without).collect()
    }

    /// The variance of the value, by the jackknife.
    pub(super) fn variance(&self) -> f64 {
        let left_out = self.left_out();
        let count = left_out.len().max(1) as f64;
        let mean = left_out.iter().sum::<f64>() / count;
        let squares: f64 = left_out.iter().map(|value| (value - mean).powi(2)).sum();
        squares * (count - 1.0) / count
    }

    /// The bootstrap interval of the value. A statistic of both kinds is known no better than from the clusters with a
    /// question of the rarer kind.
    pub(super) fn interval(&self, bounds: (f64, f64), seed: u64) -> Option<Interval> {
        let with = |kind: usize| self.own.iter().filter(|own| own.kinds()[kind]).count();
        let contributing = [with(0), with(1)].into_iter().filter(|count| *count > 0).min()?;
        let resamples = (self.count(), contributing);
        resampled_interval(resamples, &self.left_out(), self.value()?, bounds, seed, |times| {
            self.weighted(times)
        })
    }

    /// How many independent questions `n` questions in these clusters are worth: n over the design effect (the variance of
    /// the value by clusters over that of independent questions, at least 1), and less for few clusters, as Student's t
    /// asks. `single` is the variance of one question.
    pub(super) fn effective(&self, n: usize, single: f64) -> f64 {
        let (n, clusters) = (n as f64, self.count());
        if clusters < 2 {
            return 1.0;
        }
        let design = if single > 1e-12 { (self.variance() * n / single).max(1.0) } else { 1.0 };
        (n / design * (Z95 / student_975(clusters - 1)).powi(2)).max(1.0)
    }
}
