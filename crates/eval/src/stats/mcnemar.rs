//! The exact McNemar test for paired yes/no outcomes.

/// Two-sided p of `wins` against `losses` discordant pairs under a fair coin: twice the smaller binomial
/// tail, at most 1. Concordant pairs carry no information and are not passed in. 1 when nothing is discordant.
pub fn mcnemar_exact(wins: usize, losses: usize) -> f64 {
    let n = wins + losses;
    let smaller = wins.min(losses);
    // In logarithms: C(n, k) alone overflows from n = 1030 on.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = log_term.exp();
    for k in 0..smaller {
        log_term += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
        tail += log_term.exp();
    }
    // Far in the tail a sum may underflow; a p of exactly 0 would claim the impossible.
    (2.0 * tail).clamp(f64::MIN_POSITIVE, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn as_statsmodels_computes_it() {
        // statsmodels 0.15.0: mcnemar([[0, b], [c, 0]], exact=True).pvalue
        let check = |wins: usize, losses: usize, expect: f64| {
            let p = mcnemar_exact(wins, losses);
            assert!(
                (p - expect).abs() <= 1e-9 * expect.max(1e-3),
                "{wins}, {losses}: {p} instead of {expect}"
            );
        };
        check(0, 0, 1.0);
        check(0, 1, 1.0);
        check(5, 0, 0.062_500_000_000);
        check(0, 6, 0.031_250_000_000);
        check(1, 8, 0.039_062_500_000);
        check(3, 9, 0.145_996_093_750);
        check(10, 10, 1.0);
        check(12, 30, 0.007_915_897_335);
        check(600, 520, 0.018_207_019_279);
        check(2, 1500, 0.0);
    }

    proptest! {
        #[test]
        fn symmetric_and_a_probability(a in 0usize..3000, b in 0usize..3000) {
            let p = mcnemar_exact(a, b);
            prop_assert!(p > 0.0 && p <= 1.0);
            prop_assert!((p - mcnemar_exact(b, a)).abs() < 1e-15);
        }
    }
}
