//! The interval between percentiles of resampled values.

use super::bootstrap::{percentile, reach};
use super::{Interval, IntervalMethod, constant_interval, normal};

/// The 95 % interval of an estimate from its values on resamples of `clusters` clusters, each within `bounds`; `None`
/// without values. For few clusters the tails are taken further out (Hesterberg 2015). Values that do not vary give
/// [`constant_interval`]. The interval contains the estimate.
pub fn percentile_interval(
    resampled: &[f64],
    estimate: f64,
    clusters: usize,
    bounds: (f64, f64),
) -> Option<Interval> {
    let mut ascending = resampled.to_vec();
    ascending.sort_by(f64::total_cmp);
    let spread = ascending.last()? - ascending.first()?;
    if spread <= 1e-12 {
        return Some(constant_interval(estimate, clusters, bounds));
    }
    let reach = reach(clusters);
    let low = percentile(&ascending, normal::cdf(-reach))
        .min(estimate)
        .max(bounds.0);
    let high = percentile(&ascending, normal::cdf(reach))
        .max(estimate)
        .min(bounds.1);
    if high - low <= 1e-12 {
        return Some(constant_interval(estimate, clusters, bounds));
    }
    Some(Interval {
        low,
        high,
        method: IntervalMethod::BootstrapPercentile,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_by_hand() {
        // 1,001 values 0, 0.001, … 1: with very many clusters the ends are the 2.5 % and 97.5 % points.
        let values: Vec<f64> = (0..=1000).rev().map(|n| f64::from(n) / 1000.0).collect();
        let found = percentile_interval(&values, 0.5, 1_000_000, (0.0, 1.0)).expect("values");
        assert!(
            (found.low - 0.025).abs() < 1e-4 && (found.high - 0.975).abs() < 1e-4,
            "{found:?}"
        );
        // scipy 1.17.1: norm.cdf(sqrt(9 / 8) * t.ppf(0.025, 8)) = 0.007226.
        let found = percentile_interval(&values, 0.5, 9, (0.0, 1.0)).expect("values");
        assert!((found.low - 0.007_226).abs() < 1e-5, "{found:?}");
    }

    #[test]
    fn an_interval_has_a_width_and_contains_its_estimate() {
        let equal = percentile_interval(&[1.0; 20], 1.0, 10, (0.0, 1.0)).expect("values");
        assert!(
            equal.low < 1.0 && equal.method == IntervalMethod::Constant,
            "{equal:?}"
        );
        let beside = percentile_interval(&[0.2, 0.3, 0.4], 0.6, 10, (0.0, 1.0)).expect("values");
        assert!((beside.high - 0.6).abs() < 1e-12, "{beside:?}");
        assert_eq!(percentile_interval(&[], 0.5, 3, (0.0, 1.0)), None);
    }
}
