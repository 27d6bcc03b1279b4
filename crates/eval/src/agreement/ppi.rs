//! A judge's mean, corrected by labels: prediction-powered inference (PPI++, Angelopoulos, Duchi and Zrnic 2023).
//!
//! The judge predicts all N rows, people label n of them, drawn by strata of the judge's score. With the weight
//! W = N_h / N of each stratum, the mean label is estimated by Σ W (mean label − λ (mean prediction of the labelled rows − mean
//! prediction of all rows)). It has no bias for any λ; λ, from 0 up, is tuned so that the variance is smallest. At 0 the judge
//! is ignored: predictions that say nothing do no harm. Above 1, the predictions differ less than the labels do.
//!
//! The variance is that of the labels over N, as the rows themselves are a sample, plus (1 − n/N) times that of
//! label − λ prediction within the strata over n. The interval is Wilson's with the effective sample size that this variance
//! amounts to for the mean of labels and predictions, or for that of the labels alone where this is nearer to ½. This keeps the
//! interval inside 0 to 1 and its coverage near the ends.

use super::bootstrap::Estimate;
use crate::stats::{Z95, student_975, wilson_of};

/// A row: judged, and labelled or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PpiRow {
    /// Its stratum, in the order of the judge's scores.
    pub stratum: usize,
    /// The judge's prediction of the label, 0 to 1.
    pub prediction: f64,
    /// The label of a person: supported or not.
    pub label: Option<bool>,
}

/// The mean label of all rows, estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corrected {
    /// Rows.
    pub rows: usize,
    /// Rows with a label.
    pub labels: usize,
    /// From labels and predictions.
    pub corrected: Estimate,
    /// From the labels alone (Wilson's interval).
    pub labels_alone: Estimate,
    /// The weight of the predictions, from 0.
    pub lambda: f64,
}

/// One stratum: what the formulas need of it.
struct Stratum {
    /// Its share of the rows.
    share: f64,
    /// Mean prediction of all its rows.
    all: f64,
    /// Prediction and label of its labelled rows.
    labelled: Vec<(f64, f64)>,
}

/// Estimates the mean label; `None` with fewer than two labels. A stratum with fewer than two labels is merged with a
/// neighbour.
pub fn correct(rows: &[PpiRow]) -> Option<Corrected> {
    let count = rows.len() as f64;
    let strata = merged(rows);
    let labels: usize = strata.iter().map(|s| s.labelled.len()).sum();
    if labels < 2 {
        return None;
    }
    let n = labels as f64;
    // What is left of the variance of a sample that takes a part of a finite number of rows, per label of each stratum.
    let factor = |s: &Stratum| {
        let own = s.labelled.len() as f64;
        s.share.powi(2) * (1.0 - own / (s.share * count)).max(0.0) / own
    };
    let sum = |of: &dyn Fn(&Stratum) -> f64| strata.iter().map(of).sum::<f64>();
    let predictions = sum(&|s| factor(s) * covariance(&s.labelled, |(p, _)| p, |(p, _)| p));
    let both = sum(&|s| factor(s) * covariance(&s.labelled, |(p, _)| p, |(_, y)| y));
    let lambda = if predictions > 1e-12 {
        (both / predictions).max(0.0)
    } else {
        0.0
    };
    let alone = sum(&|s| s.share * mean(&s.labelled, |(_, y)| y));
    let shift = sum(&|s| s.share * (mean(&s.labelled, |(p, _)| p) - s.all));
    let value = (alone - lambda * shift).clamp(0.0, 1.0);

    let residual = |pair: (f64, f64)| pair.1 - lambda * pair.0;
    let second = sum(&|s| factor(s) * covariance(&s.labelled, residual, residual));
    // No error among n labels is not proof that the judge makes none: at least as uncertain as one error among them.
    let floor = (1.0 - n / count).max(0.0) * (1.0 - 1.0 / n) / (n * n);
    let variance = alone * (1.0 - alone) / count + second.max(floor);
    let freedom = labels.saturating_sub(strata.len()).max(1);
    let tails = (Z95 / student_975(freedom)).powi(2);
    // Near 0 and 1 the spread of the corrected mean vanishes, but its variance does not: it would count as hardly any rows.
    let spread = (value * (1.0 - value)).max(alone * (1.0 - alone));
    let effective = spread / variance * tails;
    let (low, high) = wilson_of(value, if effective > 1.0 { effective } else { n });
    let (alone_low, alone_high) = wilson_of(alone, n);
    let estimate = |value: f64, low: f64, high: f64| Estimate {
        value: Some(value),
        low: Some(low),
        high: Some(high),
    };
    Some(Corrected {
        rows: rows.len(),
        labels,
        corrected: estimate(value, low, high),
        labels_alone: estimate(alone, alone_low, alone_high),
        lambda,
    })
}

/// The strata that occur, each with two labels or more.
fn merged(rows: &[PpiRow]) -> Vec<Stratum> {
    let mut order: Vec<&PpiRow> = rows.iter().collect();
    order.sort_by_key(|row| row.stratum);
    let mut groups: Vec<Vec<&PpiRow>> = Vec::new();
    let labels = |group: &[&PpiRow]| group.iter().filter(|row| row.label.is_some()).count();
    for own in order.chunk_by(|a, b| a.stratum == b.stratum) {
        match groups.last_mut() {
            Some(last) if labels(last) < 2 => last.extend(own),
            _ => groups.push(own.to_vec()),
        }
    }
    if groups.len() > 1 && groups.last().is_some_and(|last| labels(last) < 2) {
        let last = groups.pop().unwrap_or_default();
        groups
            .last_mut()
            .into_iter()
            .for_each(|before| before.extend(&last));
    }
    let stratum = |group: Vec<&PpiRow>| {
        let size = group.len() as f64;
        let labelled = group
            .iter()
            .filter_map(|row| Some((row.prediction, f64::from(u8::from(row.label?)))));
        Stratum {
            share: size / rows.len() as f64,
            all: group.iter().map(|row| row.prediction).sum::<f64>() / size,
            labelled: labelled.collect(),
        }
    };
    groups.into_iter().map(stratum).collect()
}

fn mean(pairs: &[(f64, f64)], of: impl Fn((f64, f64)) -> f64) -> f64 {
    pairs.iter().copied().map(of).sum::<f64>() / pairs.len().max(1) as f64
}

/// The covariance over n - 1; 0 with fewer than two pairs.
fn covariance(pairs: &[(f64, f64)], a: impl Fn((f64, f64)) -> f64, b: impl Fn((f64, f64)) -> f64) -> f64 {
    if pairs.len() < 2 {
        return 0.0;
    }
    let (mean_a, mean_b) = (mean(pairs, &a), mean(pairs, &b));
    let products = pairs.iter().map(|pair| (a(*pair) - mean_a) * (b(*pair) - mean_b));
    products.sum::<f64>() / (pairs.len() - 1) as f64
}

#[cfg(test)]
#[path = "ppi_tests.rs"]
mod tests;
