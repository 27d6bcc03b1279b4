//! Fusion, worked by hand and by properties.

use super::*;
use proptest::prelude::*;

fn by_mode(
    candidates: &[Candidate],
    scales: (Scale, Scale),
    mode: Mode,
    settings: &SearchSettings,
) -> Vec<Fused> {
    let weights = Weights::of(mode, settings);
    fuse(candidates, scales, weights, mode, settings)
}

fn ids(fused: &[Fused]) -> Vec<&str> {
    fused.iter().map(|f| f.id.as_str()).collect()
}

fn scale(max: f32, min: f32) -> Scale {
    Scale { min, max }
}

fn close(found: f32, wanted: f32) {
    assert!((found - wanted).abs() < 1e-5, "{found} is not {wanted}");
}

#[test]
fn min_max_worked_by_hand() {
    // Vector list 0.8, 0.5, 0.2; BM25 list 6, 3.
    let scales = (scale(0.8, 0.2), scale(6.0, 3.0));
    let candidates = [
        Candidate { id: "0".into(), cosine: 0.8, bm25: 0.0, vector_rank: Some(0), ..Default::default() },
        Candidate {
            id: "1".into(),
            cosine: 0.5,
            bm25: 6.0,
            vector_rank: Some(1),
            bm25_rank: Some(0),
            ..Default::default()
        },
        Candidate { id: "2".into(), cosine: -0.1, bm25: 3.0, bm25_rank: Some(1), ..Default::default() },
    ];
    let settings = SearchSettings::default();
    let fused = by_mode(&candidates, scales, Mode::Hybrid, &settings);
    assert_eq!(ids(&fused), ["1", "0", "2"]);
    close(fused[0].combined, 0.6 * 0.5 + 0.4);
    close(fused[1].combined, 0.6);
    close(fused[2].combined, 0.0);
    assert!(fused[0].passed && fused[1].passed && !fused[2].passed);
    close(fused[2].vector.score, 0.0);
    close(fused[2].bm25.score, 3.0);
    assert_eq!((fused[0].vector.rank, fused[0].bm25.rank), (Some(2), Some(1)));
}

#[test]
fn reciprocal_ranks_worked_by_hand() {
    let candidate = |id: &str, vector_rank, bm25_rank| Candidate {
        id: id.into(),
        vector_rank,
        bm25_rank,
        ..Default::default()
    };
    let candidates =
        [candidate("0", Some(0), None), candidate("1", Some(1), Some(0)), candidate("2", None, Some(1))];
    let settings =
        SearchSettings { fusion: Fusion::Rrf, rrf_k: 60, min_similarity: 0.0, ..SearchSettings::default() };
    let fused = by_mode(&candidates, Default::default(), Mode::Hybrid, &settings);
    assert_eq!(ids(&fused), ["1", "0", "2"]);
    close(fused[0].combined, 0.6 / 62.0 + 0.4 / 61.0);
    close(fused[1].combined, 0.6 / 61.0);
    close(fused[2].combined, 0.4 / 62.0);
}

#[test]
fn the_earlier_system_drops_what_bm25_alone_found() {
    let candidates = [
        Candidate { id: "0".into(), cosine: -0.4, vector_rank: Some(0), ..Default::default() },
        Candidate { id: "1".into(), cosine: 0.9, bm25: 7.0, bm25_rank: Some(0), ..Default::default() },
        Candidate {
            id: "2".into(),
            cosine: 1.0,
            bm25: 2.0,
            vector_rank: Some(1),
            bm25_rank: Some(1),
            ..Default::default()
        },
    ];
    let fused = by_mode(&candidates, Default::default(), Mode::Hybrid, &SearchSettings::phase2());
    assert_eq!(ids(&fused), ["2", "1", "0"]);
    close(fused[0].combined, 0.6 + 0.4 / 2.0);
    close(fused[1].combined, 0.4);
    close(fused[2].combined, 0.6 / 3.8);
    // Its threshold of 0.25 lets a cosine of -0.4 pass, and drops the best BM25 hit.
    assert_eq!(fused.iter().map(|f| f.passed).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn a_list_of_equal_scores_normalises_to_zero() {
    let candidates = [Candidate { bm25: 5.0, bm25_rank: Some(0), cosine: 0.7, ..Default::default() }];
    let scales = (scale(0.7, 0.7), scale(5.0, 5.0));
    for mode in [Mode::Hybrid, Mode::Vector, Mode::Bm25] {
        let fused = by_mode(&candidates, scales, mode, &SearchSettings::default());
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
    (-1.0_f32..=1.0, 0.0_f32..20.0, prop::option::of(0_usize..30), prop::option::of(0_usize..30)).prop_map(
        |(cosine, bm25, vector_rank, bm25_rank)| Candidate {
            cosine,
            bm25,
            vector_rank,
            bm25_rank,
            ..Default::default()
        },
    )
}

fn any_fusion() -> impl Strategy<Value = Fusion> {
    prop_oneof![Just(Fusion::MinMax), Just(Fusion::Rrf), Just(Fusion::Phase2)]
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
            ..worse.clone()
        };
        let scales = (scale(ends.1, ends.0), scale(ends.3, ends.2));
        let settings = SearchSettings { fusion, ..SearchSettings::phase2() };
        for mode in [Mode::Hybrid, Mode::Vector, Mode::Bm25] {
            let low = by_mode(std::slice::from_ref(&worse), scales, mode, &settings).remove(0);
            let high = by_mode(std::slice::from_ref(&better), scales, mode, &settings).remove(0);
            prop_assert!(low.combined.is_finite() && high.combined >= low.combined);
            prop_assert!(!low.passed || high.passed);
        }
    }

    #[test]
    fn the_order_does_not_depend_on_the_order_of_candidates(
        mut candidates in prop::collection::vec(any_candidate(), 0..20), fusion in any_fusion(),
    ) {
        for (row, candidate) in (0_usize..).zip(&mut candidates) {
            candidate.id = format!("{row:02}").as_str().into();
            candidate.bm25 = candidate.bm25.round(); // some ties
        }
        let settings = SearchSettings { fusion, ..SearchSettings::default() };
        let scales = (scale(1.0, 0.0), scale(20.0, 0.0));
        let forth = by_mode(&candidates, scales, Mode::Hybrid, &settings);
        candidates.reverse();
        let back = by_mode(&candidates, scales, Mode::Hybrid, &settings);
        prop_assert_eq!(ids(&forth), ids(&back));
    }
}
