//! Wilson's score interval (Wilson 1927) for a rate.

use super::{Interval, IntervalMethod, Z95};

/// The 95 % interval of `successes` out of `n`; `None` when `n` is 0 or `successes` exceeds it.
pub fn wilson(successes: usize, n: usize) -> Option<Interval> {
    if n == 0 || successes > n {
        return None;
    }
    let (low, high) = wilson_of(successes as f64 / n as f64, n as f64);
    Some(Interval {
        // The ends are exactly 0 and 1 at none and all; rounding must not leave the range.
        low: if successes == 0 { 0.0 } else { low },
        high: if successes == n { 1.0 } else { high },
        method: IntervalMethod::Wilson,
    })
}

/// The same for a rate, 0 to 1, that is known as well as from `count` independent rows; `count` need not be whole. Where
/// rows have weights, `count` is the effective sample size: `rate × (1 - rate)` over the variance of the rate.
pub fn wilson_of(rate: f64, count: f64) -> (f64, f64) {
    let z2 = Z95 * Z95;
    let centre = (rate + z2 / (2.0 * count)) / (1.0 + z2 / count);
    let half = Z95 / (1.0 + z2 / count) * (rate * (1.0 - rate) / count + z2 / (4.0 * count * count)).sqrt();
    ((centre - half).max(0.0), (centre + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn as_statsmodels_computes_it() {
        // statsmodels 0.15.0: proportion_confint(k, n, method="wilson")
        let check = |k: usize, n: usize, low: f64, high: f64| {
            let interval = wilson(k, n).expect("n > 0");
            assert!((interval.low - low).abs() < 1e-9, "{k}/{n}: {interval:?}");
            assert!((interval.high - high).abs() < 1e-9, "{k}/{n}: {interval:?}");
        };
        check(0, 1, 0.0, 0.793_450_685_623);
        check(1, 1, 0.206_549_314_377, 1.0);
        check(0, 20, 0.0, 0.161_125_158_053);
        check(19, 20, 0.763_868_806_553, 0.991_118_551_199);
        check(20, 20, 0.838_874_841_947, 1.0);
        check(7, 13, 0.291_437_957_145, 0.767_939_321_905);
        check(1, 400, 0.000_441_447_787, 0.014_023_285_076);
        check(399, 400, 0.985_976_714_924, 0.999_558_552_213);
        check(50, 100, 0.403_831_530_366, 0.596_168_469_634);
        assert_eq!(wilson(0, 0), None);
        assert_eq!(wilson(3, 2), None);
    }

    proptest! {
        #[test]
        fn holds_the_rate_and_has_width(n in 1usize..5000, share in 0.0f64..=1.0) {
            let k = ((n as f64) * share) as usize;
            let interval = wilson(k, n).expect("n > 0");
            let rate = k as f64 / n as f64;
            prop_assert!(0.0 <= interval.low && interval.low <= rate && rate <= interval.high && interval.high <= 1.0);
            prop_assert!(interval.high - interval.low > 0.0);
        }
    }
}
