//! BM25 against values worked by hand.

use crate::common::{Failed, TextSearch as _, axis, folder, plain, write};
use proptest::prelude::*;
use retrieve::SearchSettings;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use types::Mode;

fn bm25(index: &Arc<index::Index>, query: &str, settings: &SearchSettings) -> BTreeMap<String, f32> {
    let found = index.search_text(query, None, Mode::Bm25, settings, None).expect("searches");
    found.hits.iter().map(|hit| (hit.chunk.chunk_id.to_string(), hit.bm25_score)).collect()
}

fn all() -> SearchSettings {
    SearchSettings { vector_k: 1000, bm25_k: 1000, top_k: 1000, ..SearchSettings::default() }
}

#[test]
fn scores_worked_by_hand() -> Result<(), Failed> {
    let dir = folder();
    // Lengths 3, 2, 4; average 3. k1 1.2, b 0.75.
    let index =
        write(dir.path(), [plain("v", 1, &["kale kale spinach", "spinach beet", "beet beet beet carrot"])])?;
    let check = |query: &str, settings: &SearchSettings, wanted: &[(usize, f32)]| {
        let found = bm25(&index, query, settings);
        assert_eq!(found.len(), wanted.len(), "{query}: {found:?}");
        for (chunk, score) in wanted {
            let found = found[&format!("v__body__{chunk:03}")];
            assert!((found - score).abs() < 1e-4, "{query}, chunk {chunk}: {found} is not {score}");
        }
    };
    // One of three chunks: idf ln(2.66667) = 0.980829; damping 1.2; 2 · 2.2 / 3.2 = 1.375.
    check("kale", &all(), &[(0, 1.348_64)]);
    // Two of three: idf ln 1.6 = 0.470004. Chunk 1: 2.2 / 1.9 twice; chunk 2: 3 · 2.2 / 4.5.
    check("Spinach, BEETS?", &all(), &[(0, 0.470_004), (1, 1.088_43), (2, 0.689_339)]);
    // A stem that the question repeats counts twice.
    check("kale kale", &all(), &[(0, 2.697_28)]);
    check("the of and", &all(), &[]);
    check("cucumber", &all(), &[]);
    assert_eq!(index.document_frequency("beet").expect("reads"), 2);
    Ok(())
}

#[test]
fn an_explanation_adds_up() -> Result<(), Failed> {
    let dir = folder();
    let index =
        write(dir.path(), [plain("v", 1, &["kale kale spinach", "spinach beet", "beet beet beet carrot"])])?;
    let settings = SearchSettings { min_similarity: -1.0, ..all() };
    let query = "beets, spinach and SPINACH";
    let (found, explained) = index.explain_text(query, Some(&axis()), Mode::Hybrid, &settings, None)?;
    assert_eq!(found.hits.len(), 3);
    for (hit, why) in found.hits.iter().zip(&explained) {
        assert_eq!(hit.chunk.chunk_id, why.chunk_id);
        let sum: f32 = why.terms.iter().map(|term| term.contribution).sum();
        assert!((sum - hit.bm25_score).abs() < 1e-5, "{why:?}");
        assert!((why.vector.weighted + why.bm25.weighted - hit.combined_score).abs() < 1e-6);
        assert!((why.vector.weighted - 0.6 * why.vector.normalised).abs() < 1e-6);
        let window = why.window.expect("each chunk has a window");
        assert!((window.cosine.max(0.0) - hit.vector_score).abs() < 1e-6);
        assert_eq!(window.span.slice(&hit.chunk.text), Some(hit.chunk.text.as_str()));
    }
    let second = explained.iter().find(|why| why.chunk_id.as_str() == "v__body__001").expect("found");
    let terms: Vec<_> = second.terms.iter().map(|t| (t.stem.as_str(), t.occurrences, t.chunks)).collect();
    assert_eq!(terms, [("beet", 1, 2), ("spinach", 1, 2)]);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn every_stem_of_a_text_is_found_in_it(
        texts in prop::collection::vec(prop_oneof![any::<String>(), "[a-zA-Zα-ω0-9 .,/\\-\u{a0}\u{2028}]{0,60}"], 1..5),
    ) {
        let dir = folder();
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        let index = write(dir.path(), [plain("v", 1, &borrowed)]).expect("writes");
        let stems: Vec<BTreeSet<String>> =
            texts.iter().map(|text| text::terms(text).into_iter().map(|term| term.stem).collect()).collect();
        for stem in stems.iter().flatten() {
            let chunks = stems.iter().filter(|stems| stems.contains(stem)).count();
            prop_assert_eq!(index.document_frequency(stem).expect("reads"), chunks, "{:?}", stem);
        }
    }
}
