//! BM25 over texts and titles.

use crate::common::{Failed, TextSearch as _, add, change, folder, plain, write};
use index::{Index, verify};
use proptest::prelude::*;
use retrieve::SearchSettings;
use std::{collections::BTreeMap, ops::Range, sync::Arc};
use types::{
    ChunkField::{Text, Title},
    Mode, SourceEntry,
};

/// A source with a title, and chunks each with a heading and a text.
fn titled(id: &str, title: &str, chunks: &[(&str, &str)]) -> SourceEntry {
    let texts: Vec<&str> = chunks.iter().map(|(_, text)| *text).collect();
    let mut entry = plain(id, 1, &texts);
    entry.meta.title = (!title.is_empty()).then(|| title.to_owned());
    for (chunk, (heading, _)) in entry.chunks.iter_mut().zip(chunks) {
        (*heading).clone_into(&mut chunk.heading);
    }
    entry
}

fn papers() -> Vec<SourceEntry> {
    vec![
        titled("a", "Garden snails", &[("Diet", "kale kale spinach"), ("Sleep of snails", "spinach beet")]),
        titled("b", "Kale", &[("Diet", "beet beet beet carrot")]),
        titled("c", "", &[("", "the walking of the snail"), ("", "walks")]),
    ]
}

fn with(title_weight: f32) -> SearchSettings {
    SearchSettings { title_weight, vector_k: 1000, bm25_k: 1000, top_k: 1000, ..SearchSettings::default() }
}

fn scores(index: &Arc<Index>, query: &str, title_weight: f32) -> BTreeMap<String, f32> {
    let found = index.search_text(query, None, Mode::Bm25, &with(title_weight), None);
    let hits = found.expect("searches").hits;
    hits.iter().map(|hit| (hit.chunk.chunk_id.to_string(), hit.bm25_score)).collect()
}

#[test]
fn a_title_counts_with_its_weight_and_is_ignored_without() -> Result<(), Failed> {
    let dir = folder();
    let index = write(dir.path(), papers())?;
    let check = |query: &str, title_weight, want: &[&str]| {
        let found = scores(&index, query, title_weight);
        assert!(found.keys().eq(want), "{query}, {title_weight}: {found:?}");
    };
    check("kale", 0.0, &["a__body__000"]);
    check("kale", 0.5, &["a__body__000", "b__body__000"]);
    check("diet", 1.0, &["a__body__000", "b__body__000"]);
    check("garden snails", 0.0, &["c__body__000"]);
    check("garden snails", 2.0, &["a__body__000", "a__body__001", "c__body__000"]);
    check("the of", 2.0, &[]);
    // By hand: "kale" is in the text of one and the title of another of five chunks: idf ln(1 + 3.5 / 2.5) = 0.875469.
    // Texts have 3, 2, 4, 2 and 1 words, 2.4 on average; titles with
    // headings, of the three chunks that have one, 3, 4 and 2, 3 on average.
    // Text: norm 0.25 + 0.75 · 3 / 2.4 = 1.1875; tf 2 / 1.1875 = 1.684211; · 2.2 / 2.884211 = 1.284672.
    // Title: norm 0.25 + 0.75 · 2 / 3 = 0.75; tf 3 / 0.75 = 4; · 2.2 / 5.2 = 1.692308.
    let kale = scores(&index, "kale", 3.0);
    for (chunk, want) in [("a__body__000", 0.875_469 * 1.284_672), ("b__body__000", 0.875_469 * 1.692_308)] {
        assert!((kale[chunk] - want).abs() < 1e-5, "{chunk}: {kale:?}, not {want}");
    }
    Ok(())
}

#[test]
fn an_explanation_names_the_fields_of_each_term() -> Result<(), Failed> {
    let dir = folder();
    let index = write(dir.path(), papers())?;
    let query = "how do snails sleep on spinach?";
    let (found, explained) = index.explain_text(query, None, Mode::Bm25, &with(2.0), None)?;
    for (hit, why) in found.hits.iter().zip(&explained) {
        let sum: f32 = why.terms.iter().map(|term| term.contribution).sum();
        assert!((sum - hit.bm25_score).abs() < 1e-5, "{why:?}");
    }
    let is_first = |why: &&types::Explanation| why.chunk_id.as_str() == "a__body__001";
    let first = explained.iter().find(is_first).expect("found");
    let terms = first.terms.iter().map(|term| {
        let fields: Vec<_> = term.fields.iter().map(|f| (f.field, f.occurrences)).collect();
        (term.word.as_str(), term.occurrences, fields, term.chunks)
    });
    assert_eq!(
        terms.collect::<Vec<_>>(),
        [
            ("snails", 0, vec![(Title, 2)], 3),
            ("sleep", 0, vec![(Title, 1)], 1),
            ("spinach", 1, vec![(Text, 1)], 2),
        ]
    );
    Ok(())
}

/// Scores by the formula, from the texts alone.
fn expected(papers: &[SourceEntry], query: &str, title_weight: f32) -> BTreeMap<String, f32> {
    let (k1, b) = (1.2, 0.75);
    let words = |text: &str| -> Vec<String> { text::terms(text).into_iter().map(|term| term.stem).collect() };
    let weights = [1.0, title_weight];
    let chunks: Vec<(String, [Vec<String>; 2])> = papers
        .iter()
        .flat_map(|paper| {
            let title = paper.meta.title.clone().unwrap_or_default();
            paper.chunks.iter().map(move |chunk| {
                let fields = [words(&chunk.text), [words(&title), words(&chunk.heading)].concat()];
                (chunk.chunk_id.to_string(), fields)
            })
        })
        .collect();
    let average = |field: usize| {
        let lengths = chunks.iter().map(|(_, fields)| fields[field].len());
        let counted = lengths.clone().filter(|length| field == 0 || *length > 0).count();
        lengths.sum::<usize>() as f32 / counted.max(1) as f32
    };
    let averages = [average(0), average(1)];
    let mut scores = BTreeMap::new();
    for term in words(query) {
        let tf = |fields: &[Vec<String>; 2]| -> f32 {
            let part = |field: usize| {
                let norm = 1.0 - b + b * fields[field].len() as f32 / averages[field];
                let found = fields[field].iter().filter(|word| **word == term).count() as f32;
                if found > 0.0 { weights[field] * found / norm } else { 0.0 }
            };
            (0..2).map(part).sum()
        };
        let holding = chunks.iter().filter(|(_, fields)| tf(fields) > 0.0).count();
        let idf = types::idf(chunks.len(), holding);
        for (id, fields) in chunks.iter().filter(|(_, fields)| tf(fields) > 0.0) {
            let tf = tf(fields);
            *scores.entry(id.clone()).or_insert(0.0) += idf * tf * (k1 + 1.0) / (tf + k1);
        }
    }
    scores
}

fn phrase(words: Range<usize>) -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "kale", "Walking", "walks", "the", "of", "study", "studied", "IL-6", "beet's",
    ]);
    prop::collection::vec(word, words).prop_map(|words| words.join(" "))
}

fn corpus() -> impl Strategy<Value = Vec<SourceEntry>> {
    let chunk = (phrase(0..3), phrase(1..8));
    let paper = (phrase(0..4), prop::collection::vec(chunk, 1..4));
    prop::collection::vec(paper, 1..6).prop_map(|papers| {
        let paper = |(at, (title, chunks)): (usize, (String, Vec<(String, String)>))| {
            let chunks: Vec<(&str, &str)> = chunks.iter().map(|(h, t)| (h.as_str(), t.as_str())).collect();
            titled(&format!("p{at}"), &title, &chunks)
        };
        papers.into_iter().enumerate().map(paper).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn scores_are_those_of_the_formula_however_the_index_is_cut(
        papers in corpus(),
        query in phrase(0..5),
        title_weight in prop_oneof![Just(0.0_f32), 0.1_f32..4.0],
    ) {
        let dir = folder();
        let whole = scores(&write(dir.path(), papers.clone()).expect("writes"), &query, title_weight);
        let wanted = expected(&papers, &query, title_weight);
        prop_assert_eq!(whole.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>());
        for (id, score) in &whole {
            prop_assert!((score - wanted[id]).abs() < 1e-4, "{}: {} is not {}", id, score, wanted[id]);
        }
        // One segment for each paper, with one that was replaced and one that was removed.
        let cut = folder();
        add(cut.path(), [titled("p0", "of kale", &[("kale", "kale walks")])]).expect("writes");
        add(cut.path(), [titled("gone", "kale", &[("walking", "beet the kale")])]).expect("writes");
        for paper in &papers {
            add(cut.path(), [paper.clone()]).expect("writes");
        }
        let index = change(cut.path(), [], &["gone"]).expect("writes");
        prop_assert_eq!(&scores(&index, &query, title_weight), &whole);
        prop_assert!(verify(cut.path()).expect("reads").damages.is_empty());
    }
}
