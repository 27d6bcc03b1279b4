//! Correction of several p values tested together (Holm 1979).

/// Each p, corrected so that the chance of even one false alarm among all of them stays below the level: the
/// k-th smallest of n is multiplied by n - k + 1, never falls below a smaller one, and is at most 1. Same
/// order as given.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]).then(a.cmp(b)));
    let mut out = vec![1.0; p.len()];
    let mut least = 0.0_f64;
    for (rank, at) in order.into_iter().enumerate() {
        least = least.max(p[at] * (p.len() - rank) as f64).min(1.0);
        out[at] = least;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn as_statsmodels_computes_it() {
        // statsmodels 0.15.0: multipletests(p, method="holm")[1]; the first by hand: 4 × 0.005, 3 × 0.01,
        // 2 × 0.03 = 0.06, and 0.04 is raised to 0.06.
        let check = |p: &[f64], expect: &[f64]| {
            let found = holm(p);
            assert_eq!(found.len(), expect.len());
            for (found, expect) in found.iter().zip(expect) {
                assert!(
                    (found - expect).abs() < 1e-12,
                    "{p:?}: {found} instead of {expect}"
                );
            }
        };
        check(&[0.01, 0.04, 0.03, 0.005], &[0.03, 0.06, 0.06, 0.02]);
        check(&[0.6, 0.7], &[1.0, 1.0]);
        check(&[0.02], &[0.02]);
        check(&[], &[]);
    }

    proptest! {
        #[test]
        fn never_smaller_and_same_order(p in prop::collection::vec(0.0f64..=1.0, 0..12)) {
            let corrected = holm(&p);
            for (i, a) in p.iter().enumerate() {
                prop_assert!(corrected[i] >= *a && corrected[i] <= 1.0);
                for (j, b) in p.iter().enumerate() {
                    prop_assert!(a > b || corrected[i] <= corrected[j]);
                }
            }
        }
    }
}
