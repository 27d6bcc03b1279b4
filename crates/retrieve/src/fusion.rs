//! Two lists become one order. Nothing here knows of files.

use crate::{Fusion, SearchSettings};
use std::cmp::Ordering;
use types::{ListScore, Mode};

/// A chunk that either list found, with the scores that it has by itself.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Candidate {
    pub(crate) row: u32,
    /// Cosine of its best window with the question; 0 without a window or a question vector.
    pub(crate) cosine: f32,
    /// Its BM25 sum.
    pub(crate) bm25: f32,
    /// Its place in the vector list, from 0; `None` below the list's depth.
    pub(crate) vector_rank: Option<usize>,
    /// Its place in the BM25 list, from 0; `None` below the list's depth.
    pub(crate) bm25_rank: Option<usize>,
}

/// A candidate with its place in the final order still to be taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fused {
    pub(crate) row: u32,
    pub(crate) vector: ListScore,
    pub(crate) bm25: ListScore,
    pub(crate) combined: f32,
    pub(crate) passed: bool,
}

/// What normalising needs to know of a list of scores.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scale {
    min: f32,
    max: f32,
    mean: f32,
    /// Standard deviation.
    deviation: f32,
}

impl Scale {
    /// Of a list of scores, best first, that could have been `reach` long. Where it is shorter, the chunks after
    /// its end all score 0, and 0 is its lower end: the only chunk that holds a rare stem has the best score of
    /// its list, not the worst.
    pub(crate) fn of(mut scores: impl ExactSizeIterator<Item = f32>, reach: usize) -> Self {
        let complete = scores.len() >= reach;
        let count = scores.len().max(reach) as f64;
        let Some(max) = scores.next() else {
            return Self::default();
        };
        let (mut last, mut sum, mut squares) = (max, 0.0, 0.0);
        for score in std::iter::once(max).chain(scores) {
            last = score;
            sum += f64::from(score);
            squares += f64::from(score) * f64::from(score);
        }
        let mean = sum / count;
        Self {
            min: if complete { last } else { 0.0 },
            max,
            mean: mean as f32,
            deviation: (squares / count - mean * mean).max(0.0).sqrt() as f32,
        }
    }

    /// `score` between the ends, 0 below and 1 above them; 0 when they coincide.
    fn apply(self, score: f32) -> f32 {
        self.apply_from(self.min, score)
    }

    /// The same with another lower end.
    fn apply_from(self, min: f32, score: f32) -> f32 {
        if self.max > min {
            ((score - min) / (self.max - min)).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    /// Standard deviations above the mean; 0 when all scores are equal.
    fn z_score(self, score: f32) -> f32 {
        if self.deviation > 0.0 {
            (score - self.mean) / self.deviation
        } else {
            0.0
        }
    }
}

/// Fuses the candidates, best first. `scales` are those of the vector list (of clamped cosines) and of the BM25
/// list, each at its full depth. `by_id` is the order of the ids of two rows: it breaks ties.
pub(crate) fn fuse(
    candidates: &[Candidate],
    scales: (Scale, Scale),
    mode: Mode,
    settings: &SearchSettings,
    by_id: impl Fn(u32, u32) -> Ordering,
) -> Vec<Fused> {
    let (vector_weight, bm25_weight) = match mode {
        Mode::Hybrid => (settings.vector_weight, settings.bm25_weight),
        Mode::Vector => (1.0, 0.0),
        Mode::Bm25 => (0.0, 1.0),
    };
    let one = |candidate: &Candidate| {
        let ((vector_score, vector_part), (bm25_score, bm25_part)) = parts(candidate, scales, settings);
        let (vector_weighted, bm25_weighted) = (vector_weight * vector_part, bm25_weight * bm25_part);
        Fused {
            row: candidate.row,
            vector: ListScore {
                rank: candidate.vector_rank.map(|rank| rank + 1),
                score: vector_score,
                normalised: vector_part,
                weighted: vector_weighted,
            },
            bm25: ListScore {
                rank: candidate.bm25_rank.map(|rank| rank + 1),
                score: bm25_score,
                normalised: bm25_part,
                weighted: bm25_weighted,
            },
            combined: vector_weighted + bm25_weighted,
            passed: mode == Mode::Bm25 || vector_score >= settings.threshold,
        }
    };
    let mut fused: Vec<Fused> = candidates.iter().map(one).collect();
    fused.sort_by(|left, right| {
        right
            .combined
            .total_cmp(&left.combined)
            .then_with(|| by_id(left.row, right.row))
    });
    fused
}

/// Reported and normalised score of each list.
fn parts(c: &Candidate, scales: (Scale, Scale), settings: &SearchSettings) -> ((f32, f32), (f32, f32)) {
    let similarity = c.cosine.max(0.0);
    match settings.fusion {
        Fusion::MinMax => (
            (similarity, scales.0.apply(similarity)),
            (c.bm25, scales.1.apply(c.bm25)),
        ),
        // The lowest cosine that there can be is -1, the lowest BM25 sum 0.
        Fusion::TheoreticalMinMax => (
            (similarity, scales.0.apply_from(-1.0, c.cosine)),
            (c.bm25, scales.1.apply_from(0.0, c.bm25)),
        ),
        Fusion::ZScore => (
            (similarity, scales.0.z_score(similarity)),
            (c.bm25, scales.1.z_score(c.bm25)),
        ),
        Fusion::Rrf => {
            let k = settings.rrf_k as f32;
            let reciprocal = |rank: Option<usize>| rank.map_or(0.0, |rank| 1.0 / (k + rank as f32 + 1.0));
            (
                (similarity, reciprocal(c.vector_rank)),
                (c.bm25, reciprocal(c.bm25_rank)),
            )
        }
        Fusion::Phase2 => {
            // Squared L2 distance of unit vectors is 2 - 2 cosine.
            let similarity = match c.vector_rank {
                Some(rank) if rank < settings.vector_k => 1.0 / (1.0 + (2.0 - 2.0 * c.cosine).max(0.0)),
                _ => 0.0,
            };
            let by_rank = match c.bm25_rank {
                Some(rank) if rank < settings.bm25_k => 1.0 / (rank as f32 + 1.0),
                _ => 0.0,
            };
            ((similarity, similarity), (by_rank, by_rank))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Ids in the order of rows.
    fn fuse_by_row(
        candidates: &[Candidate],
        scales: (Scale, Scale),
        mode: Mode,
        settings: &SearchSettings,
    ) -> Vec<Fused> {
        fuse(candidates, scales, mode, settings, |left, right| left.cmp(&right))
    }

    fn rows(fused: &[Fused]) -> Vec<u32> {
        fused.iter().map(|f| f.row).collect()
    }

    fn scale(max: f32, min: f32) -> Scale {
        let mean = f32::midpoint(min, max);
        Scale {
            min,
            max,
            mean,
            deviation: max - mean,
        }
    }

    fn close(found: f32, wanted: f32) {
        assert!((found - wanted).abs() < 1e-5, "{found} is not {wanted}");
    }

    #[test]
    fn min_max_worked_by_hand() {
        // Vector list 0.8, 0.5, 0.2; BM25 list 6, 3.
        let scales = (scale(0.8, 0.2), scale(6.0, 3.0));
        let candidates = [
            Candidate {
                row: 0,
                cosine: 0.8,
                bm25: 0.0,
                vector_rank: Some(0),
                ..Default::default()
            },
            Candidate {
                row: 1,
                cosine: 0.5,
                bm25: 6.0,
                vector_rank: Some(1),
                bm25_rank: Some(0),
            },
            Candidate {
                row: 2,
                cosine: -0.1,
                bm25: 3.0,
                bm25_rank: Some(1),
                ..Default::default()
            },
        ];
        let settings = SearchSettings::default();
        let fused = fuse_by_row(&candidates, scales, Mode::Hybrid, &settings);
        assert_eq!(rows(&fused), [1, 0, 2]);
        close(fused[0].combined, 0.6 * 0.5 + 0.4);
        close(fused[1].combined, 0.6);
        close(fused[2].combined, 0.0);
        assert!(fused[0].passed && fused[1].passed && !fused[2].passed);
        close(fused[2].vector.score, 0.0);
        close(fused[2].bm25.score, 3.0);
        assert_eq!((fused[0].vector.rank, fused[0].bm25.rank), (Some(2), Some(1)));
    }

    #[test]
    fn other_normalisations_worked_by_hand() {
        let (mean, deviation) = {
            // 4, 2 and a third chunk without a score: mean 2, variance (4 + 0 + 4) / 3.
            let scale = Scale::of([4.0, 2.0].into_iter(), 3);
            (scale.mean, scale.deviation)
        };
        close(mean, 2.0);
        close(deviation, (8.0_f32 / 3.0).sqrt());
        let scales = (scale(0.6, 0.2), scale(6.0, 2.0));
        let candidate = Candidate {
            cosine: 0.2,
            bm25: 3.0,
            vector_rank: Some(1),
            bm25_rank: Some(1),
            ..Default::default()
        };
        let fused = |fusion| {
            let settings = SearchSettings {
                fusion,
                ..SearchSettings::default()
            };
            fuse_by_row(&[candidate], scales, Mode::Hybrid, &settings)[0].combined
        };
        // (0.2 + 1) / (0.6 + 1) and 3 / 6
        close(fused(Fusion::TheoreticalMinMax), 0.6 * 0.75 + 0.4 * 0.5);
        // mean 0.4, deviation 0.2; mean 4, deviation 2
        close(fused(Fusion::ZScore), -0.6 - 0.4 * 0.5);
    }

    #[test]
    fn reciprocal_ranks_worked_by_hand() {
        let candidate = |row, vector_rank, bm25_rank| Candidate {
            row,
            vector_rank,
            bm25_rank,
            ..Default::default()
        };
        let candidates = [
            candidate(0, Some(0), None),
            candidate(1, Some(1), Some(0)),
            candidate(2, None, Some(1)),
        ];
        let settings = SearchSettings {
            fusion: Fusion::Rrf,
            rrf_k: 60,
            threshold: 0.0,
            ..SearchSettings::default()
        };
        let fused = fuse_by_row(&candidates, Default::default(), Mode::Hybrid, &settings);
        assert_eq!(rows(&fused), [1, 0, 2]);
        close(fused[0].combined, 0.6 / 62.0 + 0.4 / 61.0);
        close(fused[1].combined, 0.6 / 61.0);
        close(fused[2].combined, 0.4 / 62.0);
    }

    #[test]
    fn the_earlier_system_drops_what_bm25_alone_found() {
        let candidates = [
            Candidate {
                row: 0,
                cosine: -0.4,
                vector_rank: Some(0),
                ..Default::default()
            },
            Candidate {
                row: 1,
                cosine: 0.9,
                bm25: 7.0,
                bm25_rank: Some(0),
                ..Default::default()
            },
            Candidate {
                row: 2,
                cosine: 1.0,
                bm25: 2.0,
                vector_rank: Some(1),
                bm25_rank: Some(1),
            },
        ];
        let fused = fuse_by_row(
            &candidates,
            Default::default(),
            Mode::Hybrid,
            &SearchSettings::phase2(),
        );
        assert_eq!(rows(&fused), [2, 1, 0]);
        close(fused[0].combined, 0.6 + 0.4 / 2.0);
        close(fused[1].combined, 0.4);
        close(fused[2].combined, 0.6 / 3.8);
        // Its threshold of 0.25 lets a cosine of -0.4 pass, and drops the best BM25 hit.
        assert_eq!(
            fused.iter().map(|f| f.passed).collect::<Vec<_>>(),
            [true, false, true]
        );
    }

    #[test]
    fn a_list_of_equal_scores_normalises_to_zero() {
        let candidates = [Candidate {
            bm25: 5.0,
            bm25_rank: Some(0),
            cosine: 0.7,
            ..Default::default()
        }];
        let scales = (scale(0.7, 0.7), scale(5.0, 5.0));
        for mode in [Mode::Hybrid, Mode::Vector, Mode::Bm25] {
            let fused = fuse_by_row(&candidates, scales, mode, &SearchSettings::default());
            assert_eq!(fused[0].combined.to_bits(), 0.0_f32.to_bits());
            assert!(fused[0].passed);
        }
    }

    #[test]
    fn a_scale_spans_its_list_and_what_lies_below_it() {
        let check = |scores: &[f32], reach, wanted: (f32, f32)| {
            let Scale { min, max, .. } = Scale::of(scores.iter().copied(), reach);
            assert_eq!((min, max), wanted, "{scores:?} of {reach}");
        };
        check(&[], 3, (0.0, 0.0));
        check(&[4.0], 1, (4.0, 4.0));
        check(&[4.0], 3, (0.0, 4.0));
        check(&[4.0, 3.0, 1.0], 3, (1.0, 4.0));
        check(&[4.0, 3.0, 1.0], 2, (1.0, 4.0));
    }

    fn any_candidate() -> impl Strategy<Value = Candidate> {
        (
            -1.0_f32..=1.0,
            0.0_f32..20.0,
            prop::option::of(0_usize..30),
            prop::option::of(0_usize..30),
        )
            .prop_map(|(cosine, bm25, vector_rank, bm25_rank)| Candidate {
                cosine,
                bm25,
                vector_rank,
                bm25_rank,
                ..Default::default()
            })
    }

    fn any_fusion() -> impl Strategy<Value = Fusion> {
        prop_oneof![
            Just(Fusion::MinMax),
            Just(Fusion::TheoreticalMinMax),
            Just(Fusion::ZScore),
            Just(Fusion::Rrf),
            Just(Fusion::Phase2)
        ]
    }

    proptest! {
        #[test]
        fn a_candidate_at_least_as_good_in_both_lists_never_combines_lower(
            worse in any_candidate(), more in 0.0_f32..1.0, higher in 0.0_f32..5.0, up in 0_usize..30,
            ends in (0.0_f32..0.5, 0.5_f32..1.0, 0.0_f32..5.0, 5.0_f32..20.0), fusion in any_fusion(),
        ) {
            let rise = |rank: Option<usize>| rank.map(|rank| rank.saturating_sub(up));
            let better = Candidate {
                cosine: (worse.cosine + more).min(1.0),
                bm25: worse.bm25 + higher,
                vector_rank: rise(worse.vector_rank),
                bm25_rank: rise(worse.bm25_rank),
                ..worse
            };
            let scales = (scale(ends.1, ends.0), scale(ends.3, ends.2));
            let settings = SearchSettings { fusion, ..SearchSettings::phase2() };
            for mode in [Mode::Hybrid, Mode::Vector, Mode::Bm25] {
                let low = fuse_by_row(&[worse], scales, mode, &settings)[0];
                let high = fuse_by_row(&[better], scales, mode, &settings)[0];
                prop_assert!(low.combined.is_finite() && high.combined >= low.combined);
                prop_assert!(!low.passed || high.passed);
            }
        }

        #[test]
        fn the_order_does_not_depend_on_the_order_of_candidates(
            mut candidates in prop::collection::vec(any_candidate(), 0..20), fusion in any_fusion(),
        ) {
            for (row, candidate) in (0..).zip(&mut candidates) {
                candidate.row = row;
                candidate.bm25 = candidate.bm25.round(); // some ties
            }
            let settings = SearchSettings { fusion, ..SearchSettings::default() };
            let scales = (scale(1.0, 0.0), scale(20.0, 0.0));
            let forth = rows(&fuse_by_row(&candidates, scales, Mode::Hybrid, &settings));
            candidates.reverse();
            prop_assert_eq!(forth, rows(&fuse_by_row(&candidates, scales, Mode::Hybrid, &settings)));
        }
    }
}
