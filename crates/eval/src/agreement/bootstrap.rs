//! Intervals of a judge's statistics, by resampling clusters.

use super::statistics::{JudgedRow, Ordered, Statistic, Values, contributing_clusters};
use crate::stats::{Draws, percentile_interval};
use std::collections::BTreeSet;

/// Resamples.
pub const RESAMPLES: usize = 2_000;

/// A value with its 95 % interval; `None` where it is not defined.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: Option<f64>,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

impl Estimate {
    /// A value with the interval from its resampled values; `clusters` is the number of clusters that contribute to it.
    /// Without an interval where fewer than half of the resamples have a value.
    pub(super) fn new(
        value: Option<f64>,
        resampled: &[Option<f64>],
        clusters: usize,
        bounds: (f64, f64),
    ) -> Self {
        let defined: Vec<f64> = resampled.iter().copied().flatten().collect();
        let interval = value
            .filter(|_| 2 * defined.len() >= resampled.len())
            .and_then(|value| percentile_interval(&defined, value, clusters, bounds));
        Self {
            value,
            low: interval.map(|i| i.low),
            high: interval.map(|i| i.high),
        }
    }
}

/// The clusters that occur among rows, and how often each counts in one resample after the other.
pub(super) struct Resampling {
    present: Vec<usize>,
    times: Vec<usize>,
    draws: Draws,
}

impl Resampling {
    pub(super) fn new(clusters: impl Iterator<Item = usize>, seed: u64) -> Self {
        let present: Vec<usize> = clusters.collect::<BTreeSet<_>>().into_iter().collect();
        let most = present.last().map_or(0, |last| last + 1);
        Self {
            times: vec![0; most],
            draws: Draws::new(seed),
            present,
        }
    }

    /// The number of clusters.
    pub(super) fn clusters(&self) -> usize {
        self.present.len()
    }

    /// Every cluster once. A cluster after the last one has no entry.
    pub(super) fn all(&self) -> Vec<usize> {
        vec![1; self.times.len()]
    }

    /// The next resample: how often each cluster counts.
    pub(super) fn next(&mut self) -> &[usize] {
        self.times.fill(0);
        for _ in 0..self.present.len() {
            self.times[self.present[self.draws.below(self.present.len())]] += 1;
        }
        &self.times
    }
}

/// The statistics of a judge on the rows of one set, and on [`RESAMPLES`] resamples of its clusters.
#[derive(Clone, Debug)]
pub struct Replicates {
    point: Values,
    resampled: Vec<Values>,
    clusters: usize,
    contributing: [usize; Statistic::ALL.len()],
}

impl Replicates {
    /// Computes them. Same rows and seed, same result.
    pub fn new(rows: &[JudgedRow], seed: u64) -> Self {
        let ordered = Ordered::new(rows);
        let mut resampling = Resampling::new(rows.iter().map(|row| row.cluster), seed);
        Self {
            point: ordered.values(&resampling.all()),
            clusters: resampling.clusters(),
            contributing: contributing_clusters(rows),
            resampled: (0..RESAMPLES)
                .map(|_| ordered.values(resampling.next()))
                .collect(),
        }
    }

    /// Clusters of the rows.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// Each of [`Statistic::ALL`] with its interval.
    pub fn estimates(&self) -> Vec<(Statistic, Estimate)> {
        macro_estimates(std::slice::from_ref(self))
    }
}

/// The mean over the sets of each statistic, every set with the same weight, over those sets where it is defined. Sets are
/// resampled independently of each other.
pub fn macro_estimates(sets: &[Replicates]) -> Vec<(Statistic, Estimate)> {
    let each = |(at, statistic): (usize, Statistic)| {
        let own: Vec<&Replicates> = sets.iter().filter(|set| set.point[at].is_some()).collect();
        let point = mean(own.iter().map(|set| set.point[at]));
        let resampled: Vec<Option<f64>> = (0..RESAMPLES)
            .map(|n| mean(own.iter().map(|set| set.resampled[n][at])))
            .collect();
        let clusters = own.iter().map(|set| set.contributing[at]).sum();
        (
            statistic,
            Estimate::new(point, &resampled, clusters, statistic.bounds()),
        )
    };
    (0..).zip(Statistic::ALL).map(each).collect()
}

/// The mean; `None` if a value is missing, or there is none.
pub(super) fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
