//! Modes, fusion, threshold and filters on a whole index.

use crate::common::{
    Failed, TextSearch as _, at_cosine, axis, folder, ids, names, plain, source, vector, write,
};
use index::Index;
use proptest::prelude::*;
use retrieve::{Fusion, SearchSettings};
use std::sync::Arc;
use std::sync::OnceLock;
use types::SourceEntry;
use types::{Mode, SectionKind::Body};

type Outcome = Result<(), Failed>;

const ALL_FUSIONS: [Fusion; 3] = [Fusion::MinMax, Fusion::Rrf, Fusion::Phase2];

/// Twelve chunks near the question that lack its rare word, and one further away that alone holds it.
fn rare_word() -> Vec<SourceEntry> {
    let mut sources: Vec<SourceEntry> = (0..12)
        .map(|n| {
            let near = at_cosine(0.9 - 0.045 * n as f32, n);
            source(&format!("near{n:02}"), &[(Body, "walking improves endurance", near)])
        })
        .collect();
    sources.push(source("rare", &[(Body, "klotho rises after walking", at_cosine(0.3, 20))]));
    sources
}

#[test]
fn a_chunk_that_bm25_alone_found_reaches_the_hits() -> Outcome {
    let dir = folder();
    let index = write(dir.path(), rare_word())?;
    let ten = SearchSettings { vector_k: 10, bm25_k: 10, ..SearchSettings::default() };
    let found = index.search_text("klotho", Some(&axis()), Mode::Hybrid, &ten, None)?;
    let hit = found.hits.iter().find(|hit| hit.chunk.source_id.as_str() == "rare").expect("surfaced");
    // Its similarity was computed though the vector list did not reach it.
    assert!((hit.vector_score - 0.3).abs() < 1e-5 && hit.bm25_score > 0.0);
    assert_eq!((found.total_candidates, found.above_threshold, found.hits.len()), (11, 11, 10));

    // The earlier system loses it, whatever its BM25 score.
    let found = index.search_text("klotho", Some(&axis()), Mode::Hybrid, &SearchSettings::phase2(), None)?;
    assert!(!names(&found).contains(&"rare__body__000"));
    assert_eq!((found.total_candidates, found.above_threshold), (11, 10));
    // And its vector-only mode reports 1 / (1 + squared L2), which lets everything pass.
    let found = index.search_text("klotho", Some(&axis()), Mode::Vector, &SearchSettings::phase2(), None)?;
    assert!((found.hits[0].vector_score - 1.0 / 1.2).abs() < 1e-5);
    assert!((found.hits[0].combined_score - found.hits[0].vector_score).abs() < 1e-6);
    let away: Vec<f32> = axis().iter().map(|v| -v).collect();
    let found = index.search_text("sky", Some(&away), Mode::Vector, &SearchSettings::phase2(), None)?;
    assert_eq!(found.above_threshold, 4, "only cosines under -0.5 lie below its threshold");
    let across =
        index.search_text("sky", Some(&at_cosine(0.0, 40)), Mode::Vector, &SearchSettings::phase2(), None)?;
    assert_eq!(across.above_threshold, 10, "unrelated vectors pass");
    let ours = index.search_text(
        "sky",
        Some(&at_cosine(0.0, 40)),
        Mode::Vector,
        &SearchSettings::default(),
        None,
    )?;
    assert_eq!(ours.above_threshold, 0);
    Ok(())
}

#[test]
fn a_chunk_scores_by_its_best_window() -> Outcome {
    let dir = folder();
    let mut entry = plain("a", 1, &["first half and second half", "no window"]);
    let spans = [(0, 10), (11, 26), (11, 26)].map(|(start, end)| types::Span::new(start, end));
    entry.windows = vec![spans.to_vec(), vec![]];
    entry.window_vectors = vec![at_cosine(-0.2, 1), at_cosine(0.7, 2), at_cosine(0.7, 3)];
    let index = write(dir.path(), [entry])?;
    let every = SearchSettings { min_similarity: -1.0, ..SearchSettings::default() };
    let (found, why) = index.explain_text("window", Some(&axis()), Mode::Hybrid, &every, None)?;
    assert_eq!(names(&found).len(), 2);
    let first = why.iter().position(|w| w.chunk_id.as_str() == "a__body__000").expect("found");
    assert!((found.hits[first].vector_score - 0.7).abs() < 1e-5);
    assert_eq!(why[first].window.map(|w| w.span), Some(spans[1]), "the first of two equal windows");
    assert!(why[1 - first].window.is_none());
    assert!(found.hits[1 - first].vector_score == 0.0 && found.hits[1 - first].bm25_score > 0.0);
    Ok(())
}

#[test]
fn mode_bm25_applies_no_threshold_and_reports_similarity() -> Outcome {
    let dir = folder();
    let index = write(dir.path(), [source("a", &[(Body, "klotho", at_cosine(0.1, 1))])])?;
    let settings = SearchSettings { min_similarity: 0.2, ..SearchSettings::default() };
    let found = index.search_text("klotho", Some(&axis()), Mode::Bm25, &settings, None)?;
    assert!((found.hits[0].vector_score - 0.1).abs() < 1e-5);
    let found = index.search_text("klotho", None, Mode::Bm25, &settings, None)?;
    assert!(found.hits[0].vector_score == 0.0);
    Ok(())
}

#[test]
fn a_rare_term_passes_the_threshold_and_a_common_one_does_not() -> Outcome {
    let dir = folder();
    let texts = ["klotho", "walking", "walking", "walking", "walking"];
    let far: Vec<_> = texts.iter().map(|text| (Body, *text, at_cosine(0.1, 1))).collect();
    let index = write(dir.path(), [source("a", &far)])?;
    let settings = SearchSettings { min_similarity: 0.2, ..SearchSettings::default() };
    let hits = |query: &str, settings: &SearchSettings| -> Result<usize, Failed> {
        let found = index.search_text(query, Some(&axis()), Mode::Hybrid, settings, None)?;
        Ok(found.hits.len())
    };
    assert_eq!((hits("klotho", &settings)?, hits("walking", &settings)?), (1, 0));
    assert_eq!(hits("klotho walking", &settings)?, 1);
    let found = index.search_text("klotho", Some(&axis()), Mode::Vector, &settings, None)?;
    assert!(found.hits.is_empty(), "vectors alone know no words");
    let phase2 = SearchSettings { min_similarity: 0.5, ..SearchSettings::phase2() };
    assert_eq!(hits("klotho", &phase2)?, 0, "the earlier system asks it of every passage");
    Ok(())
}

/// An index of some forty chunks, built once.
fn shared() -> &'static Arc<Index> {
    static INDEX: OnceLock<(tempfile::TempDir, Arc<Index>)> = OnceLock::new();
    let (_, index) = INDEX.get_or_init(|| {
        let dir = folder();
        let words =
            ["fasting", "ketone", "mice", "SIRT1", "PGC-1α", "walking", "57.5 min", "not", "β-cell", "日本"];
        let texts: Vec<String> = (0..40)
            .map(|n| (0..=n % 7).map(|k| words[(n * 3 + k * n) % 10]).collect::<Vec<_>>().join(" "))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let index =
            write(dir.path(), [plain("a", 1, &texts[..20]), plain("b", 2, &texts[20..])]).expect("writes");
        (dir, index)
    });
    index
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn any_question_gives_an_ordered_result_of_sane_scores(
        query in prop_oneof![any::<String>(), "(fasting|ketone|mice|SIRT1|PGC-1α|walking| ){0,9}"],
        seed in 0_u64..50,
        mode in prop::sample::select(vec![Mode::Hybrid, Mode::Vector, Mode::Bm25]),
        fusion in prop::sample::select(ALL_FUSIONS.to_vec()),
        depth in 1_usize..60, vector_k in 0_usize..60, bm25_k in 0_usize..60, candidates in 1_usize..50,
        threshold in -0.2_f32..0.4,
    ) {
        let settings = SearchSettings { depth, top_k: candidates, vector_k, bm25_k, min_similarity: threshold, fusion, ..SearchSettings::default() };
        let index = shared();
        let found = index.search_text(&query, Some(&vector(seed)), mode, &settings, None).expect("searches");
        let again = index.search_text(&query, Some(&vector(seed)), mode, &settings, None).expect("searches");
        prop_assert_eq!(names(&found), names(&again));
        prop_assert!(found.hits.len() <= candidates);
        prop_assert!(found.hits.len() <= found.above_threshold && found.above_threshold <= found.total_candidates);
        for hit in &found.hits {
            prop_assert!((0.0..=1.0).contains(&hit.vector_score));
            prop_assert!(hit.bm25_score >= 0.0 && hit.bm25_score.is_finite());
            prop_assert!((0.0..=1.0 + 1e-6).contains(&hit.combined_score));
            prop_assert!(mode == Mode::Bm25 || hit.vector_score >= threshold);
        }
        for pair in found.hits.windows(2) {
            let by_id = pair[0].chunk.chunk_id < pair[1].chunk.chunk_id;
            prop_assert!(pair[0].combined_score > pair[1].combined_score
                || (pair[0].combined_score.to_bits() == pair[1].combined_score.to_bits() && by_id));
        }
        prop_assert_eq!(ids(index).len(), 40);
    }
}
