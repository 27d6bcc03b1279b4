//! Which segments a commit merges into the one that it writes.
//!
//! Segments are sorted into tiers by how many of their chunks are still in the index; the size limit of each tier is
//! [`FACTOR`] times that of the tier below. A tier has at most [`BOUND`] segments: when one more is added, all of them
//! are merged into one segment of a higher tier. A chunk is therefore rewritten about once per tier, and an index of a
//! million chunks has a few dozen segments. A segment of which more than half is dead is rewritten too: that costs less
//! than it frees.

/// Maximum number of segments in a tier.
const BOUND: usize = 8;
/// Maximum number of chunks of a segment in the lowest tier.
const SMALLEST: usize = 256;
/// How many times as large a segment of the next tier may be.
const FACTOR: usize = 8;

/// The number of chunks of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Chunks that are in the index.
    pub(crate) live: usize,
    /// Chunks that were removed or replaced.
    pub(crate) dead: usize,
}

/// Which of `segments`, all of which a commit could leave as they are, it merges with the `added` chunks: their
/// indexes, in rising order. `writes` says that the commit writes a segment anyway.
pub(crate) fn plan(segments: &[Size], added: usize, writes: bool) -> Vec<usize> {
    let mut merged: Vec<bool> = segments.iter().map(|size| size.dead > size.live).collect();
    loop {
        let own = merged
            .iter()
            .zip(segments)
            .filter(|(merged, _)| **merged)
            .fold(added, |sum, (_, size)| sum + size.live);
        let writes = writes || merged.contains(&true);
        let crowded = (0..=usize::BITS).find(|&at| {
            let others = segments.iter().zip(&merged);
            let there = others.filter(|(size, merged)| !**merged && tier(size.live) == at).count();
            there > 0 && there + usize::from(writes && tier(own) == at) > BOUND
        });
        let Some(crowded) = crowded else { break };
        for (size, merged) in segments.iter().zip(&mut merged) {
            *merged |= tier(size.live) == crowded;
        }
    }
    (0..segments.len()).filter(|at| merged[*at]).collect()
}

/// The tier of a segment of `chunks` chunks, from 0.
fn tier(chunks: usize) -> u32 {
    let mut tier = 0;
    let mut reach = SMALLEST;
    while chunks > reach {
        tier += 1;
        reach = reach.saturating_mul(FACTOR);
    }
    tier
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(live: &[usize]) -> Vec<Size> {
        live.iter().map(|&live| Size { live, dead: 0 }).collect()
    }

    #[test]
    fn tiers_grow_by_a_factor() {
        let check = |chunks, wanted| assert_eq!(tier(chunks), wanted, "{chunks}");
        check(0, 0);
        check(256, 0);
        check(257, 1);
        check(2048, 1);
        check(2049, 2);
        assert!(tier(usize::MAX) < usize::BITS);
    }

    #[test]
    fn a_full_tier_is_merged_with_what_is_added() {
        assert_eq!(plan(&sizes(&[20; 7]), 20, true), [0_usize; 0]);
        assert_eq!(plan(&sizes(&[20; 8]), 20, true), [0, 1, 2, 3, 4, 5, 6, 7]);
        // A large addition is of another tier.
        assert_eq!(plan(&sizes(&[20; 8]), 5_000, true), [0_usize; 0]);
        // What grows out of its tier may fill the next one.
        let mut both = vec![2_000; 8];
        both.extend([200; 8]);
        assert_eq!(plan(&sizes(&both), 200, true).len(), 16);
        let mut large = vec![100_000];
        large.extend([20; 8]);
        assert_eq!(plan(&sizes(&large), 20, true), [1, 2, 3, 4, 5, 6, 7, 8]);
        // Nothing is written: nothing is merged.
        assert_eq!(plan(&sizes(&[20; 8]), 0, false), [0_usize; 0]);
        assert_eq!(plan(&[], 20, true), [0_usize; 0]);
    }

    #[test]
    fn a_segment_that_is_mostly_dead_is_merged() {
        let sizes = [Size { live: 50, dead: 50 }, Size { live: 49, dead: 51 }];
        assert_eq!(plan(&sizes, 0, false), [1]);
    }

    #[test]
    fn papers_added_one_by_one_stay_in_few_segments_and_are_rarely_written_again() {
        let (mut segments, mut written) = (Vec::<Size>::new(), 0_usize);
        for _ in 0..5_000 {
            let picked = plan(&segments, 20, true);
            let moved: usize = picked.iter().map(|at| segments[*at].live).sum();
            let keep = |at: &usize| !picked.contains(at);
            segments = (0..segments.len()).filter(keep).map(|at| segments[at]).collect();
            segments.push(Size { live: moved + 20, dead: 0 });
            written += moved + 20;
            assert!(segments.len() <= 5 * BOUND, "{}", segments.len());
        }
        // 100,000 chunks.
        assert!(written <= 5 * 100_000, "{written}");
    }
}
