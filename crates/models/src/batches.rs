//! Batches of texts of like length, bounded in padded tokens.

/// Groups the positions of `lengths` into batches, longest first. Within a batch every text is padded to the
/// longest, so a batch of `n` texts costs `n × longest` tokens; that product stays within `bound`, save where
/// one text alone exceeds it. Ties keep the order of the input: the batches are a function of the lengths.
pub(crate) fn pack(lengths: &[usize], bound: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(lengths[i]), i));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut longest = 0;
    for i in order {
        match batches.last_mut() {
            Some(batch) if (batch.len() + 1) * longest <= bound => batch.push(i),
            _ => {
                longest = lengths[i].max(1);
                batches.push(vec![i]);
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn batches_hold_like_lengths() {
        let check = |lengths: &[usize], bound: usize, want: &[&[usize]]| {
            assert_eq!(pack(lengths, bound), want, "{lengths:?}");
        };
        check(&[], 10, &[]);
        check(&[1, 5, 5, 2], 10, &[&[1, 2], &[3, 0]]);
        check(&[30, 3, 3], 10, &[&[0], &[1, 2]]);
        check(&[0, 0], 10, &[&[0, 1]]);
    }

    proptest! {
        #[test]
        fn every_text_is_in_one_batch_within_the_bound(
            lengths in prop::collection::vec(0_usize..300, 0..80),
            bound in 1_usize..600,
        ) {
            let batches = pack(&lengths, bound);
            let mut seen: Vec<usize> = batches.iter().flatten().copied().collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..lengths.len()).collect::<Vec<_>>());
            for batch in batches {
                let longest = batch.iter().map(|&i| lengths[i]).max().unwrap_or(0);
                prop_assert!(batch.len() == 1 || batch.len() * longest <= bound);
            }
        }
    }
}
