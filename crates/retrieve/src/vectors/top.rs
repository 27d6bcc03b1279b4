//! The best of many.

use std::cmp::Ordering;

/// The `k` best rows with their scores, best first; equal scores in the order of `by_id`, which no two rows share.
pub(crate) fn top(
    k: usize,
    scored: impl Iterator<Item = (u32, f32)>,
    by_id: impl Fn(u32, u32) -> Ordering,
) -> Vec<(u32, f32)> {
    if k == 0 {
        return Vec::new();
    }
    let mut found: Vec<(u32, f32)> = Vec::new();
    // Most rows are far from the last place: those below the k-th score so far are not even kept.
    let (mut least, mut most) = (i32::MIN, k.saturating_mul(4).max(1024));
    let mut keys = Vec::new();
    scored.for_each(|(row, score)| {
        if key(score) < least {
            return;
        }
        found.push((row, score));
        if found.len() >= most {
            least = cut(&mut found, k, &mut keys);
            // Equal scores cannot be told apart here.
            most = most.max(found.len().saturating_mul(2));
        }
    });
    cut(&mut found, k, &mut keys);
    if found.len() > k {
        // Equal scores around the last place.
        found.select_nth_unstable_by(k - 1, |left, right| {
            right.1.total_cmp(&left.1).then_with(|| by_id(left.0, right.0))
        });
        found.truncate(k);
    }
    sort(&mut found, by_id);
    found
}

/// Sorts by score, best first. Integers of score and row are sorted first, several times as fast as by comparing ids;
/// then ids decide between equal scores.
fn sort(found: &mut [(u32, f32)], by_id: impl Fn(u32, u32) -> Ordering) {
    let mut packed: Vec<u64> = found
        .iter()
        .map(|(row, score)| {
            // In the order of unsigned integers, the greatest score lowest.
            let rising = key(*score).cast_unsigned() ^ (1 << 31);
            (u64::from(!rising) << 32) | u64::from(*row)
        })
        .collect();
    packed.sort_unstable();
    for (found, packed) in found.iter_mut().zip(packed) {
        let rising = !((packed >> 32) as u32);
        *found = (packed as u32, score((rising ^ (1 << 31)).cast_signed()));
    }
    let same = |left: &(u32, f32), right: &(u32, f32)| left.1.to_bits() == right.1.to_bits();
    for ties in found.chunk_by_mut(same).filter(|ties| ties.len() > 1) {
        ties.sort_unstable_by(|left, right| by_id(left.0, right.0));
    }
}

/// Drops the rows whose score is below the `k`-th best, and returns its key; the lowest key when there are not as many.
fn cut(found: &mut Vec<(u32, f32)>, k: usize, keys: &mut Vec<i32>) -> i32 {
    if found.len() <= k {
        return i32::MIN;
    }
    // By scores alone: integers are compared faster.
    keys.clear();
    keys.extend(found.iter().map(|(_, score)| key(*score)));
    let (_, last, _) = keys.select_nth_unstable_by(k - 1, |left, right| right.cmp(left));
    let last = *last;
    found.retain(|(_, score)| key(*score) >= last);
    last
}

/// An integer for each score, in the order of [`f32::total_cmp`].
fn key(score: f32) -> i32 {
    let bits = score.to_bits().cast_signed();
    // The bits of negative numbers are in reverse order.
    bits ^ ((bits >> 31).cast_unsigned() >> 1).cast_signed()
}

/// The score of a key.
fn score(key: i32) -> f32 {
    f32::from_bits((key ^ ((key >> 31).cast_unsigned() >> 1).cast_signed()).cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ties_go_to_the_earlier_id() {
        let ranks = [2, 0, 1];
        let by_id = |left: u32, right: u32| ranks[left as usize].cmp(&ranks[right as usize]);
        let scored = [(0, 1.0), (1, 1.0), (2, 1.0)];
        assert_eq!(top(2, scored.into_iter(), by_id), [(1, 1.0), (2, 1.0)]);
        assert_eq!(top(0, scored.into_iter(), by_id), []);
        assert_eq!(
            top(usize::MAX, scored.into_iter(), by_id),
            [(1, 1.0), (2, 1.0), (0, 1.0)]
        );
    }

    #[test]
    fn long_lists_are_cut_as_they_come() {
        let by_id = |left: u32, right: u32| left.cmp(&right);
        let scored: Vec<(u32, f32)> = (0..20_000_u32)
            .map(|row| (row, (row * 7919 % 5003) as f32))
            .collect();
        for k in [1, 10, 1000, 6000] {
            let mut sorted = scored.clone();
            sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| by_id(a.0, b.0)));
            sorted.truncate(k);
            assert_eq!(top(k, scored.iter().copied(), by_id), sorted, "{k}");
        }
        let same = (0..20_000_u32).rev().map(|row| (row, 1.0));
        assert_eq!(top(2, same, by_id), [(0, 1.0), (1, 1.0)]);
    }

    proptest! {
        #[test]
        fn keys_are_in_the_order_of_scores(left in any::<f32>(), right in any::<f32>()) {
            prop_assert_eq!(key(left).cmp(&key(right)), left.total_cmp(&right));
            prop_assert_eq!(score(key(left)).to_bits(), left.to_bits());
        }

        #[test]
        fn it_is_the_head_of_the_sorted_list(scores in prop::collection::vec(0_u8..6, 0..60), k in 0_usize..70) {
            let by_id = |left: u32, right: u32| right.cmp(&left);
            let scored: Vec<(u32, f32)> = (0..).zip(scores.iter().map(|s| f32::from(*s))).collect();
            let mut sorted = scored.clone();
            sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| by_id(a.0, b.0)));
            sorted.truncate(k);
            prop_assert_eq!(top(k, scored.into_iter(), by_id), sorted);
        }
    }
}
