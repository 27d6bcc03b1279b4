//! The properties of writing.

use super::{
    DIMENSION, MakeStore, TestStore,
    asking::{any, found},
    filled, three_sources,
};
use types::{Chunk, RetrievalPlan, ReusableSource, SourceEntry, SourceQuery, Span};

/// Checks all of them.
pub(super) async fn check(make: MakeStore<'_>) {
    uncommitted(make).await;
    kept_and_removed(make).await;
    replaced(make).await;
    several_commits(make).await;
    reused(make).await;
    refused(make).await;
}

/// Everything that a reader sees: the sources, and the passages of a question with their scores.
async fn content(store: &dyn TestStore) -> String {
    let store = store.open();
    let plan = RetrievalPlan {
        hits: Some(9),
        sentences: true,
        neighbours: 1,
        ..RetrievalPlan::default()
    };
    let sources = store.find_sources(&SourceQuery::All).await.expect("reads");
    let hits = found(&*store, &any("snails sleep in spring"), plan).await;
    format!("{sources:?} {hits:?}")
}

async fn uncommitted(make: MakeStore<'_>) {
    let mut store = filled(make, three_sources()).await;
    let before = content(&*store).await;
    let reader = store.open();
    let mut sink = store.sink();
    sink.keep(&["a_2019".into()]).await.expect("keeps");
    let chunks = reader.find_sources(&SourceQuery::All).await.expect("reads");
    assert_eq!(chunks.len(), 3, "nothing is committed");
    drop(sink);
    assert_eq!(content(&*store).await, before);
}

async fn kept_and_removed(make: MakeStore<'_>) {
    let [a, b, c] = three();
    let mut store = filled(make, vec![a, b.clone(), c.clone()]).await;
    let mut sink = store.sink();
    // One by one and several at once, in any order.
    sink.keep(&["c_none".into()]).await.expect("keeps");
    sink.keep(&["b_2021".into()]).await.expect("keeps");
    sink.commit().await.expect("commits");
    assert_eq!(
        content(&*store).await,
        content(&*filled(make, vec![b, c]).await).await
    );
    let sink = store.sink();
    sink.commit().await.expect("commits");
    let info = store.open().info().await.expect("reads");
    assert_eq!((info.sources, info.chunks), (0, 0), "nothing was kept");
}

async fn replaced(make: MakeStore<'_>) {
    let [a, b, c] = three();
    let mut other = a.clone();
    other.meta.title = Some("Slugs in winter".to_owned());
    "key of another file".clone_into(&mut other.key);
    let last = other.chunks.len() - 1;
    "Walls are climbed in spring.".clone_into(&mut other.chunks[last].text);
    let end = other.chunks[last].text.len();
    other.chunks[last].sentences[0].span = Span::new(0, end);
    other.windows[last] = vec![Span::new(0, end)];
    let mut store = filled(make, vec![a, b.clone(), c.clone()]).await;
    let before = content(&*store).await;
    let mut sink = store.sink();
    sink.keep(&["b_2021".into(), "c_none".into()])
        .await
        .expect("keeps");
    sink.add(other.clone()).await.expect("adds");
    sink.commit().await.expect("commits");
    let after = content(&*store).await;
    assert_ne!(before, after);
    assert_eq!(after, content(&*filled(make, vec![other, b, c]).await).await);
}

async fn several_commits(make: MakeStore<'_>) {
    let mut store = make();
    let mut before = Vec::new();
    let [a, b, c] = three();
    for source in [c, a, b] {
        let id = source.meta.source_id.clone();
        let mut sink = store.sink();
        sink.keep(&before).await.expect("keeps");
        sink.add(source).await.expect("adds");
        sink.commit().await.expect("commits");
        before.push(id);
    }
    let at_once = filled(make, three_sources()).await;
    assert_eq!(content(&*store).await, content(&*at_once).await);
}

async fn reused(make: MakeStore<'_>) {
    let mut store = filled(make, three_sources()).await;
    let before = content(&*store).await;
    let mut sink = store.sink();
    assert!(sink.reusable(&"nothing".into()).await.expect("reads").is_none());
    for mut source in three_sources() {
        let stored = sink.reusable(&source.meta.source_id).await.expect("reads");
        let stored = stored.expect("the store has the source");
        assert_eq!(stored.meta, source.meta);
        let chunks: Vec<&Chunk> = stored.chunks.iter().flatten().map(AsRef::as_ref).collect();
        assert_eq!(chunks, source.chunks.iter().collect::<Vec<_>>());
        let spans = |windows: &Vec<(Span, Vec<f32>)>| windows.iter().map(|(span, _)| *span).collect();
        let windows: Vec<Vec<Span>> = stored.windows.iter().map(spans).collect();
        assert_eq!(windows, source.windows);
        let mut lost = ReusableSource {
            chunks: vec![None; stored.chunks.len()],
            ..stored.clone()
        };
        lost.restore(&source.chunks);
        let has_checksums = stored.checksums.iter().all(Option::is_some);
        assert_eq!(
            lost.has_all_chunks(),
            has_checksums,
            "a checksum proves a chunk equal"
        );
        source.window_vectors = stored
            .windows
            .into_iter()
            .flatten()
            .map(|(_, vector)| vector)
            .collect();
        source.sentence_vectors = stored
            .sentences
            .into_iter()
            .map(|vector| vector.expect("intact"))
            .collect();
        sink.add(source).await.expect("adds");
    }
    sink.commit().await.expect("commits");
    assert_eq!(content(&*store).await, before);
}

async fn refused(make: MakeStore<'_>) {
    let [a, b, c] = three();
    let mut store = filled(make, vec![a.clone(), b.clone()]).await;
    let before = content(&*store).await;
    let mut sink = store.sink();
    assert!(sink.keep(&["c_none".into()]).await.is_err(), "an unknown source");
    sink.keep(&["a_2019".into()]).await.expect("keeps");
    assert!(sink.keep(&["a_2019".into()]).await.is_err(), "kept before");
    assert!(sink.add(a).await.is_err(), "kept before");
    for damage in DAMAGES {
        let mut bad = c.clone();
        damage(&mut bad);
        assert!(sink.add(bad).await.is_err());
    }
    // Refused sources leave no trace.
    sink.add(b.clone()).await.expect("adds");
    assert!(sink.add(b).await.is_err(), "added before");
    sink.commit().await.expect("commits");
    assert_eq!(content(&*store).await, before);
}

/// Ways in which a source contradicts itself.
const DAMAGES: [fn(&mut SourceEntry); 6] = [
    |source| source.window_vectors[0] = vec![1.0; DIMENSION + 1],
    |source| source.window_vectors[0][0] = f32::NAN,
    |source| source.window_vectors.clear(),
    |source| source.sentence_vectors.clear(),
    |source| source.chunks[0].ordinal = 7,
    |source| source.chunks[0].source_id = "another".into(),
];

fn three() -> [SourceEntry; 3] {
    three_sources().try_into().expect("three")
}
