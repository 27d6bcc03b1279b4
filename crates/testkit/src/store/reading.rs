//! The properties of reading, tested by one function each.

use super::{
    DIMENSION, Library, MakeStore,
    asking::{any, asked, found, ids_of, open},
    three_sources,
};
use retrieve::Searcher;
use types::{ChunkQuery, Filter, MetadataWords, Mode, RetrievalPlan, SectionKind, SourceQuery};

pub(super) async fn info(make: MakeStore<'_>) {
    let info = async |count: usize| {
        let store = open(make, three_sources().into_iter().take(count).collect()).await;
        store.store.info().await.expect("the store can be read")
    };
    let (whole, again, less) = (info(3).await, info(3).await, info(2).await);
    assert_eq!((whole.sources, whole.chunks, whole.dimension), (3, 6, DIMENSION));
    assert_eq!((less.sources, less.chunks), (2, 5));
    assert_eq!(whole.identity, again.identity);
    assert_ne!(whole.identity, less.identity);
}

pub(super) async fn scores(store: &Searcher) {
    let question = any("snails sleep in winter");
    let retrieval = found(store, &question, RetrievalPlan::default()).await;
    assert_eq!(retrieval.hits.len(), 6);
    for pair in retrieval.hits.windows(2) {
        assert!(pair[0].combined_score >= pair[1].combined_score, "{retrieval:?}");
    }
    let best = &retrieval.hits[0];
    assert_eq!(best.chunk().chunk_id.as_str(), "a_2019__results__000");
    for hit in &retrieval.hits {
        let id = hit.chunk().chunk_id.as_str();
        let holds = hit.passage.chunk.text.to_lowercase().contains("snail") || id == "a_2019__methods__000";
        assert_eq!(hit.bm25_score > 0.0, holds, "{id}");
        assert!((0.0..=1.0).contains(&hit.vector_score), "{id}");
    }
    let beets = retrieval.hits.iter().find(|hit| hit.chunk().source_id.as_str() == "c_none");
    assert_eq!(beets.map(|hit| hit.vector_score), Some(0.0), "a negative cosine counts as 0");
    // Both scores are the same in every mode.
    for mode in [Mode::Vector, Mode::Bm25] {
        let other =
            found(store, &asked(&question.text, mode, Filter::default()), RetrievalPlan::default()).await;
        for hit in &other.hits {
            let same = retrieval.hits.iter().find(|h| h.chunk().chunk_id == hit.chunk().chunk_id);
            let same = same.expect("hybrid finds what either list finds");
            assert_eq!(
                (same.vector_score.to_bits(), same.bm25_score.to_bits()),
                (hit.vector_score.to_bits(), hit.bm25_score.to_bits())
            );
        }
    }
}

pub(super) async fn number_of_hits(store: &Searcher) {
    let question = any("snails");
    for hits in [1, 2, 6] {
        let plan = RetrievalPlan { hits: Some(hits), ..RetrievalPlan::default() };
        let retrieval = found(store, &question, plan).await;
        assert_eq!(retrieval.hits.len(), hits);
        assert!(retrieval.total_candidates >= hits);
    }
}

pub(super) async fn nothing_to_find(make: MakeStore<'_>) {
    let store = &open(make, three_sources()).await;
    let empty = &open(make, Vec::new()).await;
    let plan = RetrievalPlan::default();
    assert!(found(store, &any("  "), plan).await.hits.is_empty());
    for query in ["what is the", "+(\"*~:^ AND NOT"] {
        let question = asked(query, Mode::Bm25, Filter::default());
        assert!(found(store, &question, plan).await.hits.is_empty(), "{query}");
    }
    let unknown = asked("telomere", Mode::Bm25, Filter::default());
    let retrieval = found(store, &unknown, plan).await;
    assert!(retrieval.hits.is_empty());
    assert_eq!(retrieval.statistics.frequency(&text::stem("telomere")), 0);
    let nothing = found(empty, &any("snails"), plan).await;
    assert!(nothing.hits.is_empty() && nothing.scope.sources == 0 && nothing.statistics.chunks == 0);
    assert_eq!(empty.store.sources(&SourceQuery::All).await, Ok(Vec::new()));
}

pub(super) async fn ties_and_explanations(store: &Searcher) {
    let plan = RetrievalPlan { hits: Some(6), explain: true, ..RetrievalPlan::default() };
    let question = any("snails in dens");
    let found = store.retrieve(&question, plan).await.expect("the store can be read");
    let ids = ids_of(&found.retrieval.hits);
    assert_eq!(ids.len(), 6);
    for (number, id) in ids.iter().enumerate() {
        assert_eq!(*id, format!("s{number:02}__results__000"));
    }
    let explained: Vec<&str> = found.explanations.iter().map(|e| e.chunk_id.as_str()).collect();
    assert_eq!(explained, ids);
}

/// What the filter admits is the last of sixty in either list, and lists have [`super::DEPTH`] entries.
pub(super) async fn deep_filter(store: &Searcher) {
    let filter = Filter { sources: Some(vec!["s59".into()]), ..Filter::default() };
    for mode in [Mode::Hybrid, Mode::Vector, Mode::Bm25] {
        let question = asked("snails in dens", mode, filter.clone());
        let retrieval = found(store, &question, RetrievalPlan::default()).await;
        assert_eq!(ids_of(&retrieval.hits), ["s59__results__000"], "{mode}");
        assert_eq!(retrieval.statistics.chunks, 60, "statistics are those of the whole store");
    }
}

pub(super) async fn same_passages(store: &Searcher) {
    let plan = RetrievalPlan { sentences: true, neighbours: 1, ..RetrievalPlan::default() };
    let question = any("snails sleep");
    for hit in &found(store, &question, plan).await.hits {
        let ids = [hit.chunk().chunk_id.clone()];
        let read = store.passages(&ids, &question, plan).await.expect("reads");
        assert_eq!(format!("{:?}", read[0]), format!("{:?}", hit.passage));
    }
}

pub(super) async fn filters(store: &Searcher) {
    let one = RetrievalPlan { hits: Some(1), ..RetrievalPlan::default() };
    let check = async |filter: Filter, best: Option<&str>, admitted: usize| {
        let retrieval = found(store, &asked("snails sleep", Mode::Hybrid, filter.clone()), one).await;
        assert_eq!(ids_of(&retrieval.hits).first().copied(), best, "{filter:?}");
        assert_eq!((retrieval.scope.sources, retrieval.scope.admitted), (3, admitted), "{filter:?}");
    };
    check(
        Filter { sources: Some(vec!["c_none".into()]), ..Filter::default() },
        Some("c_none__results__000"),
        1,
    )
    .await;
    let methods = Some(vec![SectionKind::Methods]);
    check(Filter { sections: methods, ..Filter::default() }, Some("a_2019__methods__000"), 3).await;
    check(Filter { year_from: Some(2020), ..Filter::default() }, Some("b_2021__results__000"), 1).await;
    check(Filter { year_from: Some(2030), ..Filter::default() }, None, 0).await;
    check(
        Filter {
            year_from: Some(2019),
            year_to: Some(2020),
            sections: Some(vec![SectionKind::Methods]),
            ..Filter::default()
        },
        Some("a_2019__methods__000"),
        1,
    )
    .await;
    check(Filter { sources: Some(vec![]), ..Filter::default() }, None, 0).await;
    check(
        Filter { tags: Some(vec!["tag-b_2021".into()]), ..Filter::default() },
        Some("b_2021__results__000"),
        1,
    )
    .await;
}

pub(super) async fn missing_vector(store: &Searcher) {
    for (mode, fails) in [(Mode::Hybrid, true), (Mode::Vector, true), (Mode::Bm25, false)] {
        let question = question::analyse("snails", Vec::new(), mode, Filter::default());
        let outcome = store.retrieve(&question, RetrievalPlan::default()).await;
        assert_eq!(outcome.is_err(), fails, "{mode}");
    }
    for bad in [vec![1.0], vec![f32::NAN; DIMENSION], vec![f32::MAX; DIMENSION]] {
        let question = question::analyse("snails", bad, Mode::Bm25, Filter::default());
        let outcome = store.retrieve(&question, RetrievalPlan::default()).await;
        assert!(outcome.is_err(), "{:?}", question.vector);
    }
}

pub(super) async fn neighbours(store: &Searcher) {
    let check = async |id: &str, reach: usize, want: &[&str]| {
        let plan = RetrievalPlan { neighbours: reach, ..RetrievalPlan::default() };
        let passages = store.passages(&[id.into()], &any("snails"), plan).await.expect("reads");
        let around: Vec<&str> = passages[0].neighbours.iter().map(|p| p.chunk.chunk_id.as_str()).collect();
        assert_eq!(around, want, "{id} reach {reach}");
        assert!(passages[0].neighbours.iter().all(|p| p.neighbours.is_empty()));
        assert!(passages[0].neighbours.iter().all(|p| p.source == passages[0].source));
    };
    let [first, second, third] = [0, 1, 2].map(|n| format!("a_2019__results__00{n}"));
    check(&second, 1, &[&first, &third]).await;
    check(&first, 1, &[&second]).await;
    check(&first, 2, &[&second, &third]).await;
    check(&first, 0, &[]).await;
    check("a_2019__methods__000", 3, &[]).await;
}

pub(super) async fn sentences(store: &Searcher) {
    let with = RetrievalPlan { sentences: true, neighbours: 1, ..RetrievalPlan::default() };
    let question = any("snails");
    for hit in &found(store, &question, with).await.hits {
        for passage in std::iter::once(&hit.passage).chain(&hit.passage.neighbours) {
            let count = passage.chunk.sentences.len();
            let data = &passage.sentences;
            assert_eq!((data.similarities.len(), data.vectors.len()), (count, count));
            for (similarity, vector) in data.similarities.iter().zip(&data.vectors) {
                let length: f32 = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
                assert!((length - 1.0).abs() < 1e-3, "a unit vector: {length}");
                assert!((similarity - vector[0]).abs() < 0.02, "{similarity} is the cosine of {vector:?}");
            }
        }
    }
    let words = question::analyse("snails", Vec::new(), Mode::Bm25, Filter::default());
    for hit in &found(store, &words, with).await.hits {
        assert!(hit.passage.sentences.similarities.is_empty(), "no vector, no similarity");
    }
    for hit in &found(store, &question, RetrievalPlan::default()).await.hits {
        let data = &hit.passage.sentences;
        assert!(data.similarities.is_empty() && data.vectors.is_empty(), "not asked for");
    }
}

pub(super) async fn no_sentence_vector(make: MakeStore<'_>) {
    let mut sources = Library::new()
        .source("a", "Snails", "Ada Orvella", None)
        .chunk(SectionKind::Results, &["Snails sleep.", "They wake."], 0.9)
        .entries();
    sources[0].sentence_vectors[1] = vec![0.0; DIMENSION];
    let plan = RetrievalPlan { sentences: true, ..RetrievalPlan::default() };
    let retrieval = found(&open(make, sources).await, &any("snails"), plan).await;
    let similarities = &retrieval.hits[0].passage.sentences.similarities;
    assert!(similarities[0] > 0.8, "{similarities:?}");
    assert_eq!(similarities[1].to_bits(), 0.0_f32.to_bits());
}

pub(super) async fn statistics(store: &Searcher) {
    let question = any("Do snails eat beets with GDF15 in spring?");
    let statistics = found(store, &question, RetrievalPlan::default()).await.statistics;
    assert_eq!(statistics.chunks, 6);
    let check = |word: &str, want: usize| {
        let stem = text::stem(word);
        assert_eq!(statistics.frequencies.get(&stem), Some(&want), "{word}");
    };
    check("snails", 3);
    check("beets", 2);
    check("spring", 2);
    check("GDF15", 0);
    assert!(statistics.idf(&text::stem("GDF15")) > statistics.idf(&text::stem("beets")));
}

pub(super) async fn ids(store: &Searcher) {
    let wanted = ["c_none__results__000", "nothing__body__000", "a_2019__results__001"].map(Into::into);
    let known = ["c_none__results__000", "a_2019__results__001"];
    let chunks = store.chunks(&ChunkQuery::Ids(wanted.to_vec())).await.expect("reads");
    assert_eq!(chunks.iter().map(|c| c.chunk_id.as_str()).collect::<Vec<_>>(), known);
    let passages = store.passages(&wanted, &any("snails"), RetrievalPlan::default()).await.expect("reads");
    assert_eq!(passages.iter().map(|p| p.chunk.chunk_id.as_str()).collect::<Vec<_>>(), known);
    let all = store.chunks(&ChunkQuery::All).await.expect("reads");
    let mut sorted = all.clone();
    sorted.sort_by(|a, b| (&a.source_id, a.ordinal).cmp(&(&b.source_id, b.ordinal)));
    assert_eq!((all.len(), &all), (6, &sorted), "sources by id, chunks as they are read");
    let of = ["c_none", "nothing", "b_2021", "c_none"].map(types::SourceId::from);
    let of = store.chunks(&ChunkQuery::Sources(of.into())).await.expect("reads");
    let of: Vec<&str> = of.iter().map(|chunk| chunk.chunk_id.as_str()).collect();
    assert_eq!(of, ["b_2021__results__000", "c_none__results__000"]);
    let sources = SourceQuery::Ids(vec!["c_none".into(), "nothing".into(), "a_2019".into()]);
    let sources = store.store.sources(&sources).await.expect("reads");
    let named: Vec<(&str, &str)> =
        sources.iter().map(|s| (s.meta.source_id.as_str(), s.path.as_str())).collect();
    assert_eq!(named, [("c_none", "papers/c_none.pdf"), ("a_2019", "papers/a_2019.pdf")]);
    assert_eq!(store.store.sources(&SourceQuery::All).await.expect("reads").len(), 3);
}

pub(super) async fn words(store: &Searcher) {
    let check = async |lists: &[(&[&str], usize)], want: &[&str]| {
        let words = |(words, limit): &(&[&str], usize)| MetadataWords {
            stems: words.iter().map(|word| text::stem(word)).collect(),
            limit: *limit,
        };
        let query = SourceQuery::Containing(lists.iter().map(words).collect());
        let found = store.store.sources(&query).await.expect("reads");
        let ids: Vec<&str> = found.iter().map(|s| s.meta.source_id.as_str()).collect();
        assert_eq!(ids, want, "{lists:?}");
    };
    check(&[(&["snails"], 9)], &["a_2019", "b_2021"]).await;
    check(&[(&["snails"], 1)], &["a_2019"]).await;
    check(&[(&["snails", "solvik"], 9)], &["b_2021"]).await;
    check(&[(&["moro"], 9), (&["orvella"], 9)], &["a_2019", "c_none"]).await;
    check(&[(&["2021"], 9)], &["b_2021"]).await;
    check(&[(&["malacology", "snails"], 9)], &["a_2019"]).await;
    check(&[(&["telomere"], 9), (&[], 9)], &[]).await;
    let named =
        found(store, &any("What does Solvik et al. 2021 say of GDF15?"), RetrievalPlan::default()).await;
    let ids: Vec<&str> = named.mentioned.iter().map(|s| s.meta.source_id.as_str()).collect();
    assert_eq!(ids, ["b_2021"]);
}

pub(super) async fn neighbouring_words(store: &Searcher) {
    let check = async |word: &str, want: &[(&str, usize, usize)]| {
        let found = store.vocabulary.neighbours(&[word.to_owned(), "snails".to_owned()]).await;
        let found = found.expect("reads");
        let near: Vec<(&str, usize, usize)> =
            found[0].iter().map(|near| (near.word.as_str(), near.distance, near.chunks)).collect();
        assert_eq!(near, want, "{word}");
        assert!(found[1].is_empty() && found.len() == 2, "a word that is held: {found:?}");
    };
    check("snials", &[("snails", 1, 3)]).await;
    check("sleap", &[("sleep", 1, 1)]).await;
    check("climbde", &[("climbed", 1, 1)]).await;
    // Held in another form, in a title or as an author; too far; too short; another first letter; no letters.
    for word in
        ["sleeping", "counts", "winters", "orvella", "snellen", "snls", "red", "nails", "GDF51", "2o21", ""]
    {
        check(word, &[]).await;
    }
}

pub(super) async fn at_the_same_time(store: &Searcher) {
    let plan = RetrievalPlan { sentences: true, neighbours: 1, ..RetrievalPlan::default() };
    let ask = move |store: Searcher, query: &'static str| async move {
        format!("{:?}", found(&store, &any(query), plan).await)
    };
    let queries = ["snails sleep", "beets", "walls in spring"];
    let mut alone = Vec::new();
    for query in queries {
        alone.push(ask(store.clone(), query).await);
    }
    let runtime = tokio::runtime::Handle::current();
    let calls: Vec<_> = (0..24)
        .map(|number| {
            let (store, runtime) = (store.clone(), runtime.clone());
            let query = queries[number % queries.len()];
            tokio::task::spawn_blocking(move || runtime.block_on(ask(store, query)))
        })
        .collect();
    for (number, call) in calls.into_iter().enumerate() {
        let together = call.await.expect("the call does not panic");
        assert_eq!(together, alone[number % queries.len()]);
    }
}
