//! The best of many.

use std::cmp::Ordering;

/// The `k` best rows with their scores, best first; equal scores in the order of `by_id`, which no two rows share.
pub(crate) fn top(
    k: usize,
    scored: impl Iterator<Item = (u32, f32)>,
    by_id: impl Fn(u32, u32) -> Ordering,
) -> Vec<(u32, f32)> {
    let better = |left: &(u32, f32), right: &(u32, f32)| {
        right.1.total_cmp(&left.1).then_with(|| by_id(left.0, right.0))
    };
    let mut found: Vec<(u32, f32)> = scored.collect();
    if k == 0 {
        return Vec::new();
    }
    if found.len() > k {
        // By scores alone first: most rows are far from the last place, and integers are compared faster.
        let mut keys: Vec<i32> = found.iter().map(|(_, score)| key(*score)).collect();
        let (_, last, _) = keys.select_nth_unstable_by(k - 1, |left, right| right.cmp(left));
        found.retain(|(_, score)| key(*score) >= *last);
    }
    if found.len() > k {
        found.select_nth_unstable_by(k - 1, better);
        found.truncate(k);
    }
    found.sort_unstable_by(better);
    found
}

/// An integer for each score, in the order of [`f32::total_cmp`].
fn key(score: f32) -> i32 {
    let bits = score.to_bits().cast_signed();
    // The bits of negative numbers are in reverse order.
    bits ^ ((bits >> 31).cast_unsigned() >> 1).cast_signed()
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

    proptest! {
        #[test]
        fn keys_are_in_the_order_of_scores(left in any::<f32>(), right in any::<f32>()) {
            prop_assert_eq!(key(left).cmp(&key(right)), left.total_cmp(&right));
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
