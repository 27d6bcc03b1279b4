//! Which rows a person should label.

use crate::hash::seed_of;
use crate::stats::Draws;

/// Strata of a sample at most.
const STRATA: usize = 5;

/// Labels that a stratum should get at least.
const LABELS_EACH: usize = 10;

/// A drawn row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// Its place among the rows.
    pub row: usize,
    /// Its stratum.
    pub stratum: usize,
    /// How likely it was to be drawn, above 0 to 1.
    pub probability: f64,
}

/// The stratum of each row, from 0: rows in the order of their scores are divided into groups of about equal size, rows with
/// equal scores in one group. As many strata as `labels` labels allow, at most five.
pub fn strata(scores: &[f64], labels: usize) -> Vec<usize> {
    let wanted = (labels / LABELS_EACH).clamp(1, STRATA);
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]).then(a.cmp(b)));
    let mut out = vec![0; scores.len()];
    let (mut start, mut used) = (0, Vec::new());
    for group in order.chunk_by(|a, b| scores[*a].total_cmp(&scores[*b]).is_eq()) {
        let middle = start as f64 + group.len() as f64 / 2.0;
        let stratum = ((middle * wanted as f64 / scores.len() as f64) as usize).min(wanted - 1);
        if used.last() != Some(&stratum) {
            used.push(stratum);
        }
        for row in group {
            out[*row] = used.len() - 1;
        }
        start += group.len();
    }
    out
}

/// Draws `count` rows without replacement, from each stratum in proportion to its size, but two at least. In random order,
/// which says nothing about the strata. All rows if there are not more.
pub fn draw(strata: &[usize], count: usize, seed: u64) -> Vec<Drawn> {
    let mut draws = Draws::new(seed);
    let last = strata.iter().max().map_or(0, |last| last + 1);
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); last];
    for (row, stratum) in strata.iter().enumerate() {
        groups[*stratum].push(row);
    }
    let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
    let mut out = Vec::new();
    for (stratum, (group, wanted)) in groups.iter_mut().zip(allocate(&sizes, count)).enumerate() {
        shuffle(group, wanted, &mut draws);
        let probability = wanted as f64 / group.len() as f64;
        out.extend(group[..wanted].iter().map(|row| Drawn {
            row: *row,
            stratum,
            probability,
        }));
    }
    let all = out.len();
    shuffle(&mut out, all, &mut draws);
    out
}

/// How many of `count` each group gets: in proportion to its size, remainders to the largest fractions, two at least, and no
/// more than it has.
fn allocate(sizes: &[usize], count: usize) -> Vec<usize> {
    let all: usize = sizes.iter().sum();
    let count = count.min(all);
    let exact = |size: usize| size as f64 * count as f64 / all.max(1) as f64;
    let mut given: Vec<usize> = sizes
        .iter()
        .map(|size| (exact(*size) as usize).max(2).min(*size))
        .collect();
    while given.iter().sum::<usize>() != count {
        let missing = given.iter().sum::<usize>() < count;
        let lack = |at: &usize| exact(sizes[*at]) - given[*at] as f64;
        // Two labels stay with a group as long as another one has more.
        let least = if given.iter().any(|own| *own > 2) { 2 } else { 0 };
        let all = 0..sizes.len();
        let next = if missing {
            all.filter(|at| given[*at] < sizes[*at])
                .max_by(|a, b| lack(a).total_cmp(&lack(b)))
        } else {
            all.filter(|at| given[*at] > least)
                .min_by(|a, b| lack(a).total_cmp(&lack(b)))
        };
        match next {
            Some(at) if missing => given[at] += 1,
            Some(at) => given[at] -= 1,
            None => break,
        }
    }
    given
}

/// Puts `count` random elements first (Fisher and Yates).
fn shuffle<T>(of: &mut [T], count: usize, draws: &mut Draws) {
    for at in 0..count.min(of.len()) {
        let other = at + draws.below(of.len() - at);
        of.swap(at, other);
    }
}

/// The places of `count` of these ids, drawn at random, in their order. A sample contains every smaller one of the same seed,
/// and does not depend on the order of the ids.
pub fn sample_of(ids: &[String], count: usize, seed: u64) -> Vec<usize> {
    let key = |at: &usize| (Draws::new(seed_of(seed, &ids[*at])).random_bits(), &ids[*at]);
    let mut places: Vec<usize> = (0..ids.len()).collect();
    places.sort_by_cached_key(|at| {
        let (bits, id) = key(at);
        (bits, id.clone())
    });
    places.truncate(count);
    places.sort_unstable();
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn strata_have_about_equal_sizes_and_keep_equal_scores_together() {
        let scores: Vec<f64> = (0..100).map(|n| f64::from(99 - n) / 100.0).collect();
        let found = strata(&scores, 50);
        for stratum in 0..5 {
            assert_eq!(found.iter().filter(|s| **s == stratum).count(), 20);
        }
        assert!(
            found[0] == 4 && found[99] == 0,
            "the lowest scores are in stratum 0"
        );
        assert_eq!(strata(&[0.5, 0.5, 0.5], 50), [0, 0, 0]);
        assert_eq!(strata(&[1.0, 0.0, 1.0, 1.0], 20), [1, 0, 1, 1]);
        assert_eq!(strata(&scores[..10], 9), vec![0; 10]);
        assert_eq!(strata(&[], 50), Vec::<usize>::new());
    }

    #[test]
    fn shares_by_hand() {
        let check = |sizes: &[usize], count: usize, expect: &[usize]| {
            assert_eq!(allocate(sizes, count), expect, "{sizes:?} {count}");
        };
        check(&[20, 20, 20, 20, 20], 50, &[10, 10, 10, 10, 10]);
        check(&[90, 5, 5], 20, &[16, 2, 2]);
        check(&[3, 1], 10, &[3, 1]);
        check(&[50, 50], 1, &[0, 1]);
        check(&[], 5, &[]);
    }

    #[test]
    fn a_smaller_sample_is_part_of_a_larger_one() {
        let ids: Vec<String> = (0..50).map(|n| format!("row {n}")).collect();
        let small = sample_of(&ids, 10, 7);
        let large: BTreeSet<usize> = sample_of(&ids, 20, 7).into_iter().collect();
        assert!(small.len() == 10 && small.iter().all(|row| large.contains(row)));
        assert_ne!(small, sample_of(&ids, 10, 8));
        assert_eq!(sample_of(&ids, 90, 7), (0..50).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn every_row_at_most_once(sizes in prop::collection::vec(1usize..30, 1..6), count in 0usize..80, seed: u64) {
            let strata: Vec<usize> = sizes.iter().enumerate().flat_map(|(s, n)| vec![s; *n]).collect();
            let drawn = draw(&strata, count, seed);
            prop_assert_eq!(drawn.len(), count.min(strata.len()));
            let rows: BTreeSet<usize> = drawn.iter().map(|d| d.row).collect();
            prop_assert_eq!(rows.len(), drawn.len());
            for each in &drawn {
                prop_assert_eq!(strata[each.row], each.stratum);
                prop_assert!(each.probability > 0.0 && each.probability <= 1.0);
            }
            prop_assert_eq!(drawn, draw(&strata, count, seed));
        }
    }
}
