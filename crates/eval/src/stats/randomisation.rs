//! The paired randomisation test: under the null hypothesis each difference could as well have had the
//! other sign (Fisher 1935).

use super::rng::Draws;

/// Up to this many non-zero differences every assignment of signs is counted.
pub const EXACT_PAIRS: usize = 20;
/// Assignments drawn beyond that.
pub const SAMPLED_FLIPS: usize = 10_000;

/// The outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Randomisation {
    /// Two-sided probability of a mean difference at least as far from 0.
    pub p: f64,
    /// Whether all assignments were counted.
    pub exact: bool,
}

/// Tests whether the mean of `differences` is 0. Differences of 0 keep their value under either sign and are
/// left out. Without any other difference p is 1. Sampled p counts the observed assignment among the drawn
/// ones, so it is never 0. The order of the differences does not matter.
pub fn paired_randomisation(differences: &[f64], seed: u64) -> Randomisation {
    let mut moving: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    moving.sort_by(f64::total_cmp);
    let observed = moving.iter().sum::<f64>().abs();
    // Sums of the same numbers in another order differ in the last bits and must count as equal.
    let reach = observed - 1e-9 * moving.iter().map(|d| d.abs()).sum::<f64>();
    if moving.len() <= EXACT_PAIRS {
        let total = 1u64 << moving.len();
        let extreme = count_extreme(&moving, 0.0, reach);
        return Randomisation {
            p: extreme as f64 / total as f64,
            exact: true,
        };
    }
    let mut draws = Draws::new(seed);
    let extreme = (0..SAMPLED_FLIPS)
        .filter(|_| flipped_sum(&moving, &mut draws).abs() >= reach)
        .count();
    Randomisation {
        p: (extreme + 1) as f64 / (SAMPLED_FLIPS + 1) as f64,
        exact: false,
    }
}

/// Number of assignments of signs to `rest` whose sum with `so_far` reaches `reach` on either side. Depth is
/// bounded by [`EXACT_PAIRS`].
fn count_extreme(rest: &[f64], so_far: f64, reach: f64) -> u64 {
    match rest.split_first() {
        None => u64::from(so_far.abs() >= reach),
        Some((d, rest)) => count_extreme(rest, so_far + d, reach) + count_extreme(rest, so_far - d, reach),
    }
}

fn flipped_sum(differences: &[f64], draws: &mut Draws) -> f64 {
    let (mut sum, mut random_bits) = (0.0, 0);
    for (at, d) in differences.iter().enumerate() {
        if at % 64 == 0 {
            random_bits = draws.random_bits();
        }
        sum += if random_bits & 1 == 0 { *d } else { -d };
        random_bits >>= 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn exact_as_scipy_counts_it() {
        // scipy 1.17.1: permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf,
        // alternative="two-sided").pvalue
        let check = |differences: &[f64], expect: f64| {
            let found = paired_randomisation(differences, 0);
            assert!(
                found.exact && (found.p - expect).abs() < 1e-12,
                "{differences:?}: {found:?}"
            );
        };
        check(&[0.5, 0.5], 0.500_000_000_000);
        check(&[1.0, 1.0, 1.0, 1.0, 1.0], 0.062_500_000_000);
        check(&[0.2, -0.1, 0.3, 0.4], 0.250_000_000_000);
        check(&[0.1, 0.1, -0.1, 0.2, -0.3, 0.25, 0.4], 0.375_000_000_000);
        check(
            &[
                0.05, 0.1, -0.02, 0.3, 0.12, 0.2, 0.07, -0.15, 0.4, 0.33, 0.01, -0.06,
            ],
            0.043_945_312_500,
        );
        // By hand: one pair has two signs, both as extreme; nothing to flip is no evidence.
        check(&[0.5], 1.0);
        check(&[], 1.0);
        check(&[0.0, 0.0], 1.0);
    }

    #[test]
    fn sampled_is_near_the_exact_value() {
        // scipy as above over all 2^24 assignments of d[i] = (37 i mod 23 - 9) / 23, i from 0 to 23.
        let d: Vec<f64> = (0..24).map(|i| f64::from((i * 37) % 23 - 9) / 23.0).collect();
        let found = paired_randomisation(&d, 11);
        assert!(!found.exact && (found.p - 0.29412).abs() < 0.01, "{found:?}");
        assert_eq!(found, paired_randomisation(&d, 11), "seeded");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn sign_and_order_do_not_matter(mut d in prop::collection::vec(-1.0f64..=1.0, 0..14), seed: u64) {
            let p = paired_randomisation(&d, seed).p;
            prop_assert!(p > 0.0 && p <= 1.0);
            d.reverse();
            prop_assert!((paired_randomisation(&d, seed).p - p).abs() < 1e-15);
            let d: Vec<f64> = d.iter().map(|x| -x).collect();
            prop_assert!((paired_randomisation(&d, seed).p - p).abs() < 1e-15);
        }
    }
}
