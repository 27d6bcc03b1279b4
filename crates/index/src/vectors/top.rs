//! The best of many.

use std::cmp::Ordering;

/// The `k` best rows with their scores, best first; equal scores in the order of `by_id`, which no two rows share.
pub(crate) fn top(
    k: usize,
    scored: impl Iterator<Item = (u32, f32)>,
    by_id: impl Fn(u32, u32) -> Ordering,
) -> Vec<(u32, f32)> {
    let mut top = Top::new(k);
    scored.for_each(|(row, score)| top.push(row, score));
    top.finish(by_id)
}

/// A list of the best rows that is being made.
#[derive(Debug)]
pub(crate) struct Top {
    k: usize,
    best: Vec<(u32, f32)>,
    /// What `k` rows reach.
    least: f32,
    /// Length at which the list is cut.
    most: usize,
}

impl Top {
    /// An empty list for `k` rows.
    pub(crate) fn new(k: usize) -> Self {
        Self {
            k,
            best: Vec::new(),
            least: if k == 0 { f32::INFINITY } else { f32::NEG_INFINITY },
            most: k.saturating_mul(4).max(1024),
        }
    }

    /// A row with a lower score does not enter the list.
    pub(crate) fn least(&self) -> f32 {
        self.least
    }

    /// Adds a row, each at most once.
    pub(crate) fn push(&mut self, row: u32, score: f32) {
        // Most rows are far from the last place: those below the k-th score so far are not even kept.
        if score.is_nan() || score < self.least {
            return;
        }
        self.best.push((row, score));
        if self.best.len() >= self.most {
            self.cut();
            self.most = self.most.max(self.best.len().saturating_mul(2));
        }
    }

    /// Drops the rows that `k` others surpass. By scores alone: equal ones cannot be told apart here.
    fn cut(&mut self) {
        let by_score = |left: &(u32, f32), right: &(u32, f32)| right.1.total_cmp(&left.1);
        let (_, last, _) = self.best.select_nth_unstable_by(self.k - 1, by_score);
        self.least = last.1;
        self.best.retain(|(_, score)| *score >= self.least);
    }

    /// The list.
    pub(crate) fn finish(mut self, by_id: impl Fn(u32, u32) -> Ordering) -> Vec<(u32, f32)> {
        if self.best.len() > self.k {
            self.cut();
        }
        let mut best = self.best;
        best.sort_unstable_by(|left, right| right.1.total_cmp(&left.1));
        for tied in best.chunk_by_mut(|left, right| left.1.total_cmp(&right.1).is_eq()) {
            tied.sort_unstable_by(|left, right| by_id(left.0, right.0));
        }
        best.truncate(self.k);
        best
    }
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
        assert_eq!(top(usize::MAX, scored.into_iter(), by_id), [(1, 1.0), (2, 1.0), (0, 1.0)]);
    }

    #[test]
    fn long_lists_are_cut_as_they_come() {
        let by_id = |left: u32, right: u32| left.cmp(&right);
        let scored: Vec<(u32, f32)> = (0..20_000_u32).map(|row| (row, (row * 7919 % 5003) as f32)).collect();
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
