//! How often people, or people and judges, agree with each other.

use super::bootstrap::{Estimate, RESAMPLES};
use super::confusion::chance_corrected;
use crate::estimate::Resampling;
use std::collections::BTreeSet;

/// The ratings of one item, by rater.
type Item = [Option<usize>];

/// Whether a value is computed from an item.
type Used<'a> = &'a dyn Fn(&Item) -> bool;

/// What each rater said of each item: a category, from 0, or nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ratings {
    /// By item, then by rater; all of the same length.
    pub items: Vec<Vec<Option<usize>>>,
    /// Number of categories.
    pub categories: usize,
    /// The cluster of each item.
    pub clusters: Vec<usize>,
}

/// Two raters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Their numbers.
    pub raters: (usize, usize),
    /// Items that both rated.
    pub items: usize,
    /// Share of these on which they agree.
    pub raw: Estimate,
    /// Cohen's kappa.
    pub kappa: Estimate,
}

/// The agreement of all raters.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// Items that two raters or more rated.
    pub items: usize,
    /// Clusters of these.
    pub clusters: usize,
    /// Every two raters.
    pub pairs: Vec<Pair>,
    /// Krippendorff's alpha for categories without an order, over all items that two raters or more rated.
    pub alpha: Estimate,
}

/// Measures agreement, with intervals from resampled clusters of the items that a value is computed from. Same ratings and
/// seed, same result.
pub fn agreement(ratings: &Ratings, seed: u64) -> Agreement {
    let raters = ratings.items.first().map_or(0, Vec::len);
    let estimate = |used: Used<'_>, bounds: (f64, f64), of: &dyn Fn(&[usize]) -> Option<f64>| {
        let mut resampling = Resampling::new(ratings.clusters_of(used), seed);
        let point = of(&resampling.all());
        let resampled: Vec<Option<f64>> = (0..RESAMPLES).map(|_| of(resampling.next())).collect();
        Estimate::new(point, &resampled, resampling.clusters(), bounds)
    };
    let mut pairs = Vec::new();
    for a in 0..raters {
        for b in a + 1..raters {
            let both = |item: &Item| item[a].is_some() && item[b].is_some();
            pairs.push(Pair {
                raters: (a, b),
                items: ratings.clusters_of(&both).count(),
                raw: estimate(&both, (0.0, 1.0), &|times| ratings.cohen(a, b, times).map(|(raw, _)| raw)),
                kappa: estimate(&both, (-1.0, 1.0), &|times| ratings.cohen(a, b, times)?.1),
            });
        }
    }
    let several = |item: &Item| item.iter().flatten().count() >= 2;
    Agreement {
        items: ratings.clusters_of(&several).count(),
        clusters: ratings.clusters_of(&several).collect::<BTreeSet<_>>().len(),
        pairs,
        alpha: estimate(&several, (-1.0, 1.0), &|times| ratings.alpha(times)),
    }
}

impl Ratings {
    /// The cluster of each item that is used.
    fn clusters_of(&self, used: Used<'_>) -> impl Iterator<Item = usize> {
        let items = self.items.iter().zip(&self.clusters);
        items.filter_map(move |(item, cluster)| used(item).then_some(*cluster))
    }

    /// Each item with how often it counts; not at all, where its cluster is not among those resampled.
    fn weighted<'a>(&'a self, times: &'a [usize]) -> impl Iterator<Item = (&'a Vec<Option<usize>>, f64)> {
        let weight = move |cluster: &usize| times.get(*cluster).copied().unwrap_or(0) as f64;
        let weights = self.clusters.iter().map(weight);
        self.items.iter().zip(weights).filter(|(_, weight)| *weight > 0.0)
    }

    /// How many raters of an item named each category.
    fn counts(&self, item: &[Option<usize>]) -> Vec<f64> {
        let mut counts = vec![0.0; self.categories];
        for category in item.iter().flatten() {
            counts[*category] += 1.0;
        }
        counts
    }

    /// Raw agreement and kappa of two raters.
    fn cohen(&self, a: usize, b: usize, times: &[usize]) -> Option<(f64, Option<f64>)> {
        let (mut all, mut same) = (0.0, 0.0);
        let mut shares = vec![(0.0, 0.0); self.categories];
        for (item, weight) in self.weighted(times) {
            let (Some(first), Some(second)) = (item[a], item[b]) else {
                continue;
            };
            all += weight;
            same += if first == second { weight } else { 0.0 };
            shares[first].0 += weight;
            shares[second].1 += weight;
        }
        if all <= 0.0 {
            return None;
        }
        let by_chance: f64 = shares.iter().map(|(a, b)| a * b / (all * all)).sum();
        Some((same / all, chance_corrected(same / all, by_chance)))
    }

    fn alpha(&self, times: &[usize]) -> Option<f64> {
        let (mut values, mut differ) = (0.0, 0.0);
        let mut totals = vec![0.0; self.categories];
        for (item, weight) in self.weighted(times) {
            let counts = self.counts(item);
            let given: f64 = counts.iter().sum();
            if given < 2.0 {
                continue;
            }
            let same: f64 = counts.iter().map(|n| n * (n - 1.0)).sum();
            differ += weight * (given - same / (given - 1.0));
            values += weight * given;
            for (total, count) in totals.iter_mut().zip(counts) {
                *total += weight * count;
            }
        }
        let same: f64 = totals.iter().map(|n| n * (n - 1.0)).sum();
        let expected = values - same / (values - 1.0);
        (values > 1.0 && expected > 1e-12).then(|| 1.0 - differ / expected)
    }
}

#[cfg(test)]
#[path = "raters_tests.rs"]
mod tests;
