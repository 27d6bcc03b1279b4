//! Intervals and paired tests, none of which ever gives a zero width, a NaN, or a p of 0.
//!
//! Rates get Wilson's score interval; other means a seeded, clustered bootstrap with tails for small samples; binary pairs the exact
//! McNemar test; other pairs a paired randomisation (sign-flip) test. Every random number comes from
//! ChaCha8 with an explicit seed, so that the same rows give the same report.

mod bootstrap;
mod holm;
mod mcnemar;
mod normal;
mod percentile;
mod randomisation;
mod rng;
mod wilson;

pub use bootstrap::{Observation, bootstrap_mean};
pub use holm::holm;
pub use mcnemar::mcnemar_exact;
pub use percentile::percentile_interval;
pub use randomisation::{EXACT_PAIRS, Randomisation, SAMPLED_FLIPS, paired_randomisation};
pub use wilson::{wilson, wilson_of};

pub(crate) use normal::student_975;
pub(crate) use rng::Draws;

use serde::{Deserialize, Serialize};

/// Two-sided 95 % point of the standard normal distribution.
pub const Z95: f64 = 1.959_963_984_540_054;

/// How an interval was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// Wilson's score interval of a rate.
    Wilson,
    /// Bootstrap, bias-corrected and accelerated.
    BootstrapBca,
    /// Bootstrap percentiles, where the acceleration is not defined.
    BootstrapPercentile,
    /// All observations are equal: the bound of [`constant_interval`].
    Constant,
}

/// A 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How it was made.
    pub method: IntervalMethod,
}

/// The interval of a mean whose `n` independent observations, each within `bounds`, all equal `value`.
///
/// Resampling equal values would give a width of 0, which claims certainty from however few rows. Instead:
/// what share of the population may differ although none of `n` did? At 95 % at most `q = z² / (n + z²)`,
/// Wilson's upper end for 0 of n. That share may lie anywhere within the bounds, so the mean lies between
/// `value - q (value - low)` and `value + q (high - value)`. At the value 1 of a rate this is Wilson's own
/// interval for n of n.
pub fn constant_interval(value: f64, n: usize, bounds: (f64, f64)) -> Interval {
    let unseen = Z95 * Z95 / (n as f64 + Z95 * Z95);
    Interval {
        low: value - unseen * (value - bounds.0),
        high: value + unseen * (bounds.1 - value),
        method: IntervalMethod::Constant,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_sample_agrees_with_wilson_at_the_ends() {
        for n in [1, 2, 5, 20, 400] {
            let ours = constant_interval(1.0, n, (0.0, 1.0));
            let wilson = wilson(n, n).expect("n > 0");
            assert!((ours.low - wilson.low).abs() < 1e-12 && (ours.high - wilson.high).abs() < 1e-12);
            let ours = constant_interval(0.0, n, (0.0, 1.0));
            assert!(ours.low.abs() < 1e-12 && ours.high > 0.0);
            let delta = constant_interval(0.0, n, (-1.0, 1.0));
            assert!(delta.low < 0.0 && (delta.low + delta.high).abs() < 1e-12);
        }
    }
}
