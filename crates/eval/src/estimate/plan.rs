//! How many questions separate a difference.
//!
//! For the paired test of one metric at p < 0.05, with a power of 0.8 (Connor 1987, for McNemar's test):
//! n = ((1.96 √(v + d²) + 0.84 √v) / d)², where d is the difference and v the variance of a question's difference, and v + d²
//! for values 0 or 1 is the share of questions on which the two systems differ. Below six questions that differ, no paired
//! test separates anything: 2 / 2⁵ is above 0.05.

use crate::stats::Z95;

/// The probability that the difference is found significant.
pub const POWER: f64 = 0.8;
/// The point of the normal distribution below which [`POWER`] lies.
const Z_POWER: f64 = 0.841_621_233_572_914;
/// Clusters that must differ.
const FEWEST: f64 = 6.0;

/// Questions, asked of two systems that give different verdicts on the share `discordant` of them, that separate a difference
/// of rates of `difference`. Both are above 0, and the difference is at most the share; `None` otherwise.
pub fn questions_to_separate(difference: f64, discordant: f64) -> Option<usize> {
    let possible = difference > 0.0 && difference <= discordant && discordant <= 1.0;
    possible.then(|| {
        let n = questions(difference, discordant - difference * difference);
        rounded(n.max(FEWEST / discordant))
    })
}

/// The smallest difference that `questions` separate, to 0.001; `None` if they separate none.
pub fn detectable_difference(questions: usize, discordant: f64) -> Option<f64> {
    let enough = |difference: &f64| {
        questions_to_separate(*difference, discordant).is_some_and(|needed| needed <= questions)
    };
    (1..=1000).map(|at| f64::from(at) / 1000.0).find(enough)
}

/// How many more than `n` questions separate `delta`, whose variance is `variance` and in which `moving` clusters differ; at
/// least one. `None` where there is no difference.
pub(super) fn questions_needed(n: usize, delta: f64, variance: f64, moving: usize) -> Option<usize> {
    (delta.abs() > 1e-12 && moving > 0).then(|| {
        let fewest = FEWEST * n as f64 / moving as f64;
        let all = questions(delta.abs(), variance * n as f64).max(fewest);
        rounded(all).saturating_sub(n).max(1)
    })
}

fn questions(difference: f64, variance: f64) -> f64 {
    let both = Z95 * (variance + difference * difference).sqrt() + Z_POWER * variance.max(0.0).sqrt();
    (both / difference).powi(2)
}

fn rounded(questions: f64) -> usize {
    (questions - 1e-9).ceil() as usize
}
