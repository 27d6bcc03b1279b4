//! Distributions, Wilson's interval, and the seeded stream that all resampling draws from: the formulas of [`crate::estimate`].

mod normal;
mod rng;
mod wilson;

pub use wilson::{wilson, wilson_of};

pub(crate) use normal::{cdf, quantile, student_975};
pub(crate) use rng::Draws;

use serde::{Deserialize, Serialize};

/// Two-sided 95 % point of the standard normal distribution.
pub const Z95: f64 = 1.959_963_984_540_054;

/// How an interval was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// Wilson's score interval of a rate over independent questions.
    Wilson,
    /// Wilson's interval with the effective number of questions, where questions share papers.
    WilsonClustered,
    /// Bootstrap over clusters, bias-corrected and accelerated.
    BootstrapBca,
    /// Bootstrap percentiles, where the acceleration is not defined.
    BootstrapPercentile,
    /// All observations are equal: what an unseen share of other values could change.
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
