//! Two judges on the same rows.

use super::Statistic;
use super::bootstrap::{Estimate, RESAMPLES, Resampling, mean};
use super::statistics::{JudgedRow, Ordered, contributing_clusters};
use crate::stats::mcnemar_exact;

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

/// Rows that one judge has right and the other wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct McNemar {
    /// Only the first is right.
    pub first: usize,
    /// Only the second is right.
    pub second: usize,
    /// Two-sided p of the exact test, by row. It takes rows for independent; the intervals do not.
    pub p: f64,
}

/// The first judge minus the second, on the rows of one set and on resamples of its clusters.
#[derive(Clone, Debug)]
pub struct Difference {
    point: [Option<f64>; COMPARED.len()],
    resampled: Vec<[Option<f64>; COMPARED.len()]>,
    contributing: [usize; COMPARED.len()],
    /// Rows that both judged.
    pub rows: usize,
    /// Who is right where the two differ.
    pub mcnemar: McNemar,
}

impl Difference {
    /// The difference in balanced accuracy and in AUC, each with its interval.
    pub fn estimates(&self) -> Vec<(Statistic, Estimate)> {
        macro_differences(std::slice::from_ref(self))
    }
}

/// Compares two judges. Same rows and seed, same result.
pub fn compare(rows: &[PairedRow], seed: u64) -> Difference {
    let first: Vec<JudgedRow> = rows.iter().map(|row| row.first).collect();
    let second: Vec<JudgedRow> = rows.iter().map(|row| row.second).collect();
    let (a, b) = (Ordered::new(&first), Ordered::new(&second));
    let place = |statistic: Statistic| Statistic::ALL.iter().position(|each| *each == statistic);
    let difference = |times: &[usize]| {
        let (a, b) = (a.values(times), b.values(times));
        COMPARED.map(|statistic| {
            let at = place(statistic)?;
            Some(a[at]? - b[at]?)
        })
    };
    // These depend on the labels only, which are the same for both judges.
    let clusters = contributing_clusters(&first);
    let mut resampling = Resampling::new(first.iter().map(|row| row.cluster), seed);
    let right = |row: &JudgedRow| row.verdict == row.label;
    let only = |first: bool| {
        let decided = rows.iter().filter(|row| right(&row.first) != right(&row.second));
        decided.filter(|row| right(&row.first) == first).count()
    };
    let (wins, losses) = (only(true), only(false));
    Difference {
        point: difference(&resampling.all()),
        contributing: COMPARED.map(|statistic| place(statistic).map_or(0, |at| clusters[at])),
        resampled: (0..RESAMPLES).map(|_| difference(resampling.next())).collect(),
        rows: rows.len(),
        mcnemar: McNemar {
            first: wins,
            second: losses,
            p: mcnemar_exact(wins, losses),
        },
    }
}

/// The mean difference over the sets, as [`super::macro_estimates`].
pub fn macro_differences(sets: &[Difference]) -> Vec<(Statistic, Estimate)> {
    let each = |(at, statistic): (usize, Statistic)| {
        let own: Vec<&Difference> = sets.iter().filter(|set| set.point[at].is_some()).collect();
        let point = mean(own.iter().map(|set| set.point[at]));
        let resampled: Vec<Option<f64>> = (0..RESAMPLES)
            .map(|n| mean(own.iter().map(|set| set.resampled[n][at])))
            .collect();
        let clusters = own.iter().map(|set| set.contributing[at]).sum();
        (statistic, Estimate::new(point, &resampled, clusters, (-1.0, 1.0)))
    };
    (0..).zip(COMPARED).map(each).collect()
}
