//! Which rows a person should label.

use crate::hash::seed_of;
use crate::stats::Draws;

/// The places of `count` of these ids, drawn at random, in their order. A sample contains every smaller one of the same seed,
/// and does not depend on the order of the ids.
pub fn sample_of(ids: &[String], count: usize, seed: u64) -> Vec<usize> {
    let mut places: Vec<usize> = (0..ids.len()).collect();
    places.sort_by_cached_key(|at| (Draws::new(seed_of(seed, &ids[*at])).random_bits(), &ids[*at]));
    places.truncate(count);
    places.sort_unstable();
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_smaller_sample_is_part_of_a_larger_one() {
        let ids: Vec<String> = (0..50).map(|n| format!("row {n}")).collect();
        let small = sample_of(&ids, 10, 7);
        let large: BTreeSet<usize> = sample_of(&ids, 20, 7).into_iter().collect();
        assert!(small.len() == 10 && small.iter().all(|row| large.contains(row)));
        assert_ne!(small, sample_of(&ids, 10, 8));
        assert_eq!(sample_of(&ids, 90, 7), (0..50).collect::<Vec<_>>());
    }
}
