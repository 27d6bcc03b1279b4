//! Intervals of a judge's statistics, and of the difference of two judges, by resampling clusters.

use super::statistics::{JudgedRow, Ordered, Statistic, Values, contributing_clusters};
use crate::estimate::{self, Pair, Resampling, agreeing, percentile_interval};
use crate::metrics::Range;
use schemars::JsonSchema;
use serde::Serialize;

/// Resamples.
pub const RESAMPLES: usize = 2_000;

/// A value with its 95 % interval; `None` where it is not defined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Estimated")]
pub struct Estimate {
    /// The value.
    pub value: Option<f64>,
    /// Lower end.
    #[serde(rename = "ci_low")]
    pub low: Option<f64>,
    /// Upper end.
    #[serde(rename = "ci_high")]
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
        Self { value, low: interval.map(|i| i.low), high: interval.map(|i| i.high) }
    }
}

/// The statistics of a judge, or the differences of two, on the rows of one set, and on [`RESAMPLES`] resamples of its clusters.
#[derive(Clone, Debug)]
pub struct Replicates {
    /// Those that are reported.
    statistics: &'static [Statistic],
    /// Whether the values are differences.
    differ: bool,
    point: Values,
    resampled: Vec<Values>,
    /// For each statistic, the clusters that can change it.
    contributing: [usize; Statistic::ALL.len()],
    clusters: usize,
}

impl Replicates {
    /// Computes each of [`Statistic::ALL`]. Same rows and seed, same result.
    pub fn new(rows: &[JudgedRow], seed: u64) -> Self {
        let ordered = Ordered::new(rows);
        Self::of(rows, (&Statistic::ALL, false), seed, |times| ordered.values(times))
    }

    fn of(
        rows: &[JudgedRow],
        (statistics, differ): (&'static [Statistic], bool),
        seed: u64,
        values: impl Fn(&[usize]) -> Values,
    ) -> Self {
        let mut resampling = Resampling::new(rows.iter().map(|row| row.cluster), seed);
        Self {
            statistics,
            differ,
            point: values(&resampling.all()),
            resampled: (0..RESAMPLES).map(|_| values(resampling.next())).collect(),
            contributing: contributing_clusters(rows),
            clusters: resampling.clusters(),
        }
    }

    /// Clusters of the rows.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// Each statistic with its interval.
    pub fn estimates(&self) -> Vec<(Statistic, Estimate)> {
        macro_estimates(std::iter::once(self))
    }
}

/// The mean over the sets of each statistic, every set with the same weight, over those sets where it is defined. Sets are
/// resampled independently of each other.
pub fn macro_estimates<'a>(sets: impl Iterator<Item = &'a Replicates>) -> Vec<(Statistic, Estimate)> {
    let sets: Vec<&Replicates> = sets.collect();
    let each = |statistic: &Statistic| {
        let at = *statistic as usize;
        let own: Vec<&&Replicates> = sets.iter().filter(|set| set.point[at].is_some()).collect();
        let point = mean(own.iter().map(|set| set.point[at]));
        let resampled: Vec<Option<f64>> =
            (0..RESAMPLES).map(|n| mean(own.iter().map(|set| set.resampled[n][at]))).collect();
        let clusters = own.iter().map(|set| set.contributing[at]).sum();
        let differ = own.first().is_some_and(|set| set.differ);
        let bounds = if differ { (-1.0, 1.0) } else { statistic.bounds() };
        (*statistic, Estimate::new(point, &resampled, clusters, bounds))
    };
    let first = sets.first();
    first.map_or(&[][..], |set| set.statistics).iter().map(each).collect()
}

/// The mean; `None` if a value is missing, or there is none.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// A row that both judges judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedRow {
    /// With the verdict of the first.
    pub first: JudgedRow,
    /// With the verdict of the second.
    pub second: JudgedRow,
}

/// The statistics that are compared.
const COMPARED: [Statistic; 2] = [Statistic::BalancedAccuracy, Statistic::Auc];

/// The first judge minus the second, on the rows of one set.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The difference in balanced accuracy and in AUC.
    pub own: Replicates,
    /// Rows that both judged.
    pub rows: usize,
    /// Rows that only the first has right.
    pub first_right: usize,
    /// Rows that only the second has right.
    pub second_right: usize,
    /// Two-sided p of the difference in balanced accuracy: [`estimate::compare`] of right and wrong, by cluster.
    pub p: f64,
}

impl Difference {
    /// The difference in balanced accuracy and in AUC, each with its interval. That of balanced accuracy agrees with p.
    pub fn estimates(&self) -> Vec<(Statistic, Estimate)> {
        let mut out = self.own.estimates();
        if let Some((_, balanced)) = out.first_mut()
            && let (Some(value), Some(low), Some(high)) = (balanced.value, balanced.low, balanced.high)
        {
            let (low, high) = agreeing((low, high), value, self.p, (-1.0, 1.0));
            (balanced.low, balanced.high) = (Some(low), Some(high));
        }
        out
    }
}

/// Compares two judges. Same rows and seed, same result.
pub fn compare(rows: &[PairedRow], seed: u64) -> Difference {
    let first: Vec<JudgedRow> = rows.iter().map(|row| row.first).collect();
    let second: Vec<JudgedRow> = rows.iter().map(|row| row.second).collect();
    let (a, b) = (Ordered::new(&first), Ordered::new(&second));
    let names: Vec<String> = first.iter().map(|row| row.cluster.to_string()).collect();
    let right = |row: &JudgedRow| f64::from(u8::from(row.verdict == row.label));
    let pairs: Vec<Pair<'_>> = (rows.iter().zip(&names))
        .map(|(row, cluster)| Pair {
            cluster,
            unanswerable: !row.first.label,
            first: right(&row.first),
            second: right(&row.second),
        })
        .collect();
    let tested = estimate::compare(&pairs, estimate::Statistic::Balanced, Range::UNIT, seed);
    Difference {
        // The clusters that can change what is compared depend on the labels only, which are the same for both judges.
        own: Replicates::of(&first, (&COMPARED, true), seed, |times| {
            let (a, b) = (a.values(times), b.values(times));
            std::array::from_fn(|at| Some(a[at]? - b[at]?))
        }),
        rows: rows.len(),
        first_right: tested.wins,
        second_right: tested.losses,
        p: tested.p.unwrap_or(1.0),
    }
}
