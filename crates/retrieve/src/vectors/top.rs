//! The best of many, in bounded memory.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

/// A score and what breaks ties: the place in the order of chunk ids.
#[derive(Clone, Copy, Debug)]
struct Entry {
    score: f32,
    rank: u32,
    row: u32,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        // The better one is greater: higher score, then the earlier id.
        self.score
            .total_cmp(&other.score)
            .then_with(|| other.rank.cmp(&self.rank))
    }
}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Entry {}

/// The `k` best rows with their scores, best first; equal scores in the order of `ranks` (by row).
pub(crate) fn top(k: usize, ranks: &[u32], scored: impl Iterator<Item = (u32, f32)>) -> Vec<(u32, f32)> {
    // `k` may be huge ("all of them"), so the heap grows as it fills.
    let mut heap: BinaryHeap<Reverse<Entry>> = BinaryHeap::new();
    for (row, score) in scored {
        let entry = Entry {
            score,
            rank: ranks.get(row as usize).copied().unwrap_or(u32::MAX),
            row,
        };
        if heap.len() < k {
            heap.push(Reverse(entry));
        } else if let Some(mut worst) = heap.peek_mut()
            && worst.0 < entry
        {
            *worst = Reverse(entry);
        }
    }
    heap.into_sorted_vec()
        .into_iter()
        .map(|Reverse(entry)| (entry.row, entry.score))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ties_go_to_the_earlier_id() {
        let ranks = [2, 0, 1];
        let scored = [(0, 1.0), (1, 1.0), (2, 1.0)];
        assert_eq!(top(2, &ranks, scored.into_iter()), [(1, 1.0), (2, 1.0)]);
        assert_eq!(top(0, &ranks, scored.into_iter()), []);
        assert_eq!(
            top(usize::MAX, &ranks, scored.into_iter()),
            [(1, 1.0), (2, 1.0), (0, 1.0)]
        );
    }

    proptest! {
        #[test]
        fn it_is_the_head_of_the_sorted_list(scores in prop::collection::vec(0_u8..6, 0..60), k in 0_usize..70) {
            let ranks: Vec<u32> = (0..scores.len() as u32).rev().collect();
            let scored: Vec<(u32, f32)> = (0..).zip(scores.iter().map(|s| f32::from(*s))).collect();
            let mut sorted = scored.clone();
            sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| ranks[a.0 as usize].cmp(&ranks[b.0 as usize])));
            sorted.truncate(k);
            prop_assert_eq!(top(k, &ranks, scored.into_iter()), sorted);
        }
    }
}
