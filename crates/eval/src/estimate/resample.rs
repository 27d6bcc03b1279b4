//! The bootstrap over clusters.

use crate::stats::{Draws, Interval, IntervalMethod, Z95, cdf, quantile, student_975};
use std::collections::BTreeSet;

/// Resamples for small sets; fewer for large ones, so that the work stays about constant.
const MOST_RESAMPLES: usize = 10_000;
const FEWEST_RESAMPLES: usize = 1_000;
const WORK: usize = 20_000_000;

/// The clusters that occur among rows, and how often each counts in one resample after the other.
pub(crate) struct Resampling {
    present: Vec<usize>,
    times: Vec<usize>,
    draws: Draws,
}

impl Resampling {
    pub(crate) fn new(clusters: impl Iterator<Item = usize>, seed: u64) -> Self {
        let present: Vec<usize> = clusters.collect::<BTreeSet<_>>().into_iter().collect();
        let most = present.last().map_or(0, |last| last + 1);
        Self { times: vec![0; most], draws: Draws::new(seed), present }
    }

    /// Every cluster once. A cluster after the last one has no entry.
    pub(crate) fn all(&self) -> Vec<usize> {
        vec![1; self.times.len()]
    }

    /// The next resample: how often each cluster counts.
    pub(crate) fn next(&mut self) -> &[usize] {
        self.times.fill(0);
        for _ in 0..self.present.len() {
            self.times[self.present[self.draws.below(self.present.len())]] += 1;
        }
        &self.times
    }
}

/// The 95 % interval of a statistic by resampling so many clusters, of which so many can change it; `left_out` are its values
/// without each cluster. A resample on which it is not defined is drawn again, a few times.
pub(super) fn resampled_interval(
    (clusters, contributing): (usize, usize),
    left_out: &[f64],
    value: f64,
    bounds: (f64, f64),
    seed: u64,
    of: impl Fn(&[usize]) -> Option<f64>,
) -> Option<Interval> {
    const TRIES: usize = 20;
    let resamples = (WORK / clusters.max(1)).clamp(FEWEST_RESAMPLES, MOST_RESAMPLES);
    let mut resampling = Resampling::new(0..clusters, seed);
    let mut one = || (0..TRIES).find_map(|_| of(resampling.next()));
    let resampled: Vec<f64> = (0..resamples).filter_map(|_| one()).collect();
    between(&resampled, left_out, value, contributing, bounds)
}

/// The same from values on resamples, by percentiles.
pub(crate) fn percentile_interval(
    resampled: &[f64],
    value: f64,
    clusters: usize,
    bounds: (f64, f64),
) -> Option<Interval> {
    between(resampled, &[], value, clusters, bounds)
}

/// The interval between percentiles of `resampled`, which contains `value`; `None` without values, and where equal values
/// have no bounds.
///
/// Resampling n clusters shows a spread too small by the factor √((n-1)/n) and knows nothing of the t distribution's tails,
/// so the tails are taken further out, as Hesterberg 2015 proposes: at √(n/(n-1)) t(n-1) instead of 1.96 deviations.
/// Percentiles are corrected for bias and skew (Efron 1987) where the values `left_out` of the jackknife define a skew.
fn between(
    resampled: &[f64],
    left_out: &[f64],
    value: f64,
    clusters: usize,
    bounds: (f64, f64),
) -> Option<Interval> {
    let mut ascending = resampled.to_vec();
    ascending.sort_by(f64::total_cmp);
    let spread = ascending.last()? - ascending.first()?;
    let n = clusters.max(2) as f64;
    let reach = (n / (n - 1.0)).sqrt() * student_975(clusters.max(2) - 1);
    let (tails, method) = match bca_tails(&ascending, left_out, value, reach) {
        Some(tails) => (tails, IntervalMethod::BootstrapBca),
        None => ((cdf(-reach), cdf(reach)), IntervalMethod::BootstrapPercentile),
    };
    // Skewed small samples can push an end past the value itself; an interval without its own value helps nobody.
    let low = percentile(&ascending, tails.0).min(value).max(bounds.0);
    let high = percentile(&ascending, tails.1).max(value).min(bounds.1);
    // Rounding of sums in another order is not variation.
    if spread <= 1e-12 || high - low <= 1e-12 {
        return constant(value, clusters, bounds);
    }
    Some(Interval { low, high, method })
}

/// The interval of a mean whose observations, in `n` clusters, all equal `value`.
///
/// Resampling equal values would give a width of 0, which claims certainty from however few rows. Instead: what share of
/// the population may differ although none of `n` did? At 95 % at most `q = z² / (n + z²)`, Wilson's upper end for 0 of n.
/// That share may lie anywhere within the bounds. At the value 1 of a rate this is Wilson's own interval for n of n. `None`
/// where the bounds are infinite: how far an unseen value may be is unknown.
fn constant(value: f64, n: usize, bounds: (f64, f64)) -> Option<Interval> {
    let unseen = Z95 * Z95 / (n as f64 + Z95 * Z95);
    let (low, high) = (value - unseen * (value - bounds.0), value + unseen * (bounds.1 - value));
    (low.is_finite() && high.is_finite()).then_some(Interval { low, high, method: IntervalMethod::Constant })
}

/// The two tail probabilities, corrected for bias and skew; `None` where either is not defined.
fn bca_tails(ascending: &[f64], left_out: &[f64], value: f64, reach: f64) -> Option<(f64, f64)> {
    let below = ascending.partition_point(|m| *m < value);
    let at_most = ascending.partition_point(|m| *m <= value);
    let bias = quantile((below + at_most) as f64 / (2.0 * ascending.len() as f64))?;
    let centre = left_out.iter().sum::<f64>() / left_out.len() as f64;
    let (squares, cubes) = left_out.iter().fold((0.0, 0.0), |(squares, cubes), m| {
        let d = centre - m;
        (squares + d * d, cubes + d * d * d)
    });
    let acceleration = cubes / (6.0 * squares.powf(1.5));
    let tail = |z: f64| {
        let shifted = bias + z;
        let divisor = 1.0 - acceleration * shifted;
        // So far out for so few clusters that the correction, which only holds near 0, would change the side.
        let corrected = if divisor > 0.0 { bias + shifted / divisor } else { z.signum() * f64::INFINITY };
        acceleration.is_finite().then(|| cdf(corrected))
    };
    Some((tail(-reach)?, tail(reach)?))
}

/// The value below which the share `p` lies, interpolated linearly between neighbours.
fn percentile(ascending: &[f64], p: f64) -> f64 {
    let place = p.clamp(0.0, 1.0) * (ascending.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    ascending[below] + (ascending[above] - ascending[below]) * (place - place.floor())
}
