//! A judge's mean, corrected by labels: prediction-powered inference (PPI++, Angelopoulos, Duchi and Zrnic 2023).
//!
//! The judge predicts all N rows, people label n of them, drawn at random. The mean label is estimated by mean label − λ (mean
//! prediction of the labelled rows − mean prediction of all rows). It has no bias for any λ; λ, from 0 up, is tuned so that the
//! variance is smallest. At 0 the judge is ignored: predictions that say nothing do no harm. Above 1, the predictions differ
//! less than the labels do.
//!
//! The variance is that of the labels over N, as the rows themselves are a sample, plus (1 − n/N) times that of
//! label − λ prediction over n. The interval is Wilson's with the effective sample size that this variance amounts to for the
//! mean of labels and predictions, or for that of the labels alone where this is nearer to ½. This keeps the interval inside 0
//! to 1 and its coverage near the ends.

use super::Estimate;
use crate::stats::{Z95, student_975, wilson_of};
use schemars::JsonSchema;
use serde::Serialize;

/// A row: judged, and labelled or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PpiRow {
    /// The judge's prediction of the label, 0 to 1.
    pub prediction: f64,
    /// The label of a person: supported or not.
    pub label: Option<bool>,
}

/// The mean label of all rows, estimated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Corrected {
    /// Answers with a verdict of the judge.
    pub rows: usize,
    /// Answers with a label.
    pub labels: usize,
    /// Share of faithful answers, from labels and judge.
    pub corrected: Estimate,
    /// The same from the labels alone.
    pub labels_alone: Estimate,
    /// The weight of the judge's scores in the corrected mean, from 0.
    pub lambda: f64,
}

/// Estimates the mean label; `None` with fewer than two labels.
pub fn correct(rows: &[PpiRow]) -> Option<Corrected> {
    let labelled: Vec<(f64, f64)> =
        rows.iter().filter_map(|row| Some((row.prediction, f64::from(u8::from(row.label?))))).collect();
    if labelled.len() < 2 {
        return None;
    }
    let (count, n) = (rows.len() as f64, labelled.len() as f64);
    // What is left of the variance of a sample that takes a part of a finite number of rows.
    let rest = 1.0 - n / count;
    let spread = covariance(&labelled, |(p, _)| p, |(p, _)| p);
    let lambda =
        if spread > 1e-12 { (covariance(&labelled, |(p, _)| p, |(_, y)| y) / spread).max(0.0) } else { 0.0 };
    let alone = mean(&labelled, |(_, y)| y);
    let all = rows.iter().map(|row| row.prediction).sum::<f64>() / count;
    let value = (alone - lambda * (mean(&labelled, |(p, _)| p) - all)).clamp(0.0, 1.0);

    let residual = |pair: (f64, f64)| pair.1 - lambda * pair.0;
    let second = rest * covariance(&labelled, residual, residual) / n;
    // No error among n labels is not proof that the judge makes none: at least as uncertain as one error among them.
    let floor = rest * (1.0 - 1.0 / n) / (n * n);
    let variance = alone * (1.0 - alone) / count + second.max(floor);
    let tails = (Z95 / student_975(labelled.len() - 1)).powi(2);
    // Near 0 and 1 the spread of the corrected mean vanishes, but its variance does not: it would count as hardly any rows.
    let spread = (value * (1.0 - value)).max(alone * (1.0 - alone));
    let effective = spread / variance * tails;
    let estimate = |value: f64, (low, high): (f64, f64)| Estimate {
        value: Some(value),
        low: Some(low),
        high: Some(high),
    };
    Some(Corrected {
        rows: rows.len(),
        labels: labelled.len(),
        corrected: estimate(value, wilson_of(value, if effective > 1.0 { effective } else { n })),
        labels_alone: estimate(alone, wilson_of(alone, n)),
        lambda,
    })
}

fn mean(pairs: &[(f64, f64)], of: impl Fn((f64, f64)) -> f64) -> f64 {
    pairs.iter().copied().map(of).sum::<f64>() / pairs.len() as f64
}

/// The covariance over n - 1.
fn covariance(pairs: &[(f64, f64)], a: impl Fn((f64, f64)) -> f64, b: impl Fn((f64, f64)) -> f64) -> f64 {
    let (mean_a, mean_b) = (mean(pairs, &a), mean(pairs, &b));
    let products = pairs.iter().map(|pair| (a(*pair) - mean_a) * (b(*pair) - mean_b));
    products.sum::<f64>() / (pairs.len() - 1) as f64
}

#[cfg(test)]
#[path = "ppi_tests.rs"]
mod tests;
