//! The properties of writing.

use super::{
    DIMENSION, MakeStore, TestStore,
    asking::{any, found},
    filled, searcher, three_sources,
};
use retrieve::Searcher;
use types::{RetrievalPlan, SourceEntry, SourceQuery, Span};

/// Everything that a reader sees: the sources, and the passages of a question with their scores.
async fn content(store: &dyn TestStore) -> String {
    content_of(&store.open()).await
}

async fn content_of(store: &Searcher) -> String {
    let plan = RetrievalPlan { hits: Some(9), sentences: true, neighbours: 1, ..RetrievalPlan::default() };
    let sources = store.store.sources(&SourceQuery::All).await.expect("reads");
    let hits = found(store, &any("snails sleep in spring"), plan).await;
    format!("{sources:?} {hits:?}")
}

pub(super) async fn uncommitted(make: MakeStore<'_>) {
    let mut store = filled(make, three_sources()).await;
    let before = content(&*store).await;
    let (opener, reader) = (store.opener(), store.open());
    let [changed, ..] = changed();
    let mut version = store.version();
    version.keep(&["b_2021".into()]).expect("keeps");
    version.add(changed).expect("adds");
    for reader in [reader, searcher(opener())] {
        assert_eq!(content_of(&reader).await, before, "nothing is committed");
    }
    drop(version);
    assert_eq!(content(&*store).await, before);
}

pub(super) async fn kept_and_removed(make: MakeStore<'_>) {
    let [a, b, c] = three();
    let mut store = filled(make, vec![a, b.clone(), c.clone()]).await;
    let mut version = store.version();
    // One by one and several at once, in any order.
    version.keep(&["c_none".into()]).expect("keeps");
    version.keep(&["b_2021".into()]).expect("keeps");
    version.commit().expect("commits");
    assert_eq!(content(&*store).await, content(&*filled(make, vec![b, c]).await).await);
    let version = store.version();
    version.commit().expect("commits");
    let info = store.open().store.info().await.expect("reads");
    assert_eq!((info.sources, info.chunks), (0, 0), "nothing was kept");
}

pub(super) async fn replaced(make: MakeStore<'_>) {
    let [other, b, c] = changed();
    let mut store = filled(make, three_sources()).await;
    let before = content(&*store).await;
    let mut version = store.version();
    version.keep(&["b_2021".into(), "c_none".into()]).expect("keeps");
    version.add(other.clone()).expect("adds");
    version.commit().expect("commits");
    let after = content(&*store).await;
    assert_ne!(before, after);
    assert_eq!(after, content(&*filled(make, vec![other, b, c]).await).await);
}

pub(super) async fn several_commits(make: MakeStore<'_>) {
    let mut store = make();
    let mut before = Vec::new();
    let [a, b, c] = three();
    for source in [c, a, b] {
        let id = source.meta.source_id.clone();
        let mut version = store.version();
        version.keep(&before).expect("keeps");
        version.add(source).expect("adds");
        version.commit().expect("commits");
        before.push(id);
    }
    let at_once = filled(make, three_sources()).await;
    assert_eq!(content(&*store).await, content(&*at_once).await);
}

pub(super) async fn refused(make: MakeStore<'_>) {
    let [a, b, c] = three();
    let mut store = filled(make, vec![a.clone(), b.clone()]).await;
    let before = content(&*store).await;
    let mut version = store.version();
    assert!(version.keep(&["c_none".into()]).is_err(), "an unknown source");
    version.keep(&["a_2019".into()]).expect("keeps");
    assert!(version.keep(&["a_2019".into()]).is_err(), "kept before");
    assert!(version.add(a).is_err(), "kept before");
    for damage in DAMAGES {
        let mut bad = c.clone();
        damage(&mut bad);
        assert!(version.add(bad).is_err());
    }
    // Refused sources leave no trace.
    version.add(b.clone()).expect("adds");
    assert!(version.add(b).is_err(), "added before");
    version.commit().expect("commits");
    assert_eq!(content(&*store).await, before);
}

/// Ways in which a source contradicts itself.
const DAMAGES: [fn(&mut SourceEntry); 9] = [
    |source| source.window_vectors[0] = vec![1.0; DIMENSION + 1],
    |source| source.window_vectors[0][0] = f32::NAN,
    |source| source.window_vectors.clear(),
    |source| source.windows.clear(),
    |source| source.windows[0][0].end += 1,
    |source| source.sentence_vectors.clear(),
    |source| source.chunks[0].sentences[0].number = 99,
    |source| source.chunks[0].ordinal = 7,
    |source| source.chunks[0].source_id = "another".into(),
];

/// The three sources, the first with another title and another last chunk.
fn changed() -> [SourceEntry; 3] {
    let [mut a, b, c] = three();
    a.meta.title = Some("Slugs in winter".to_owned());
    "key of another file".clone_into(&mut a.key);
    let last = a.chunks.len() - 1;
    "Walls are climbed in spring.".clone_into(&mut a.chunks[last].text);
    let end = a.chunks[last].text.len();
    a.chunks[last].sentences[0].span = Span::new(0, end);
    a.windows[last] = vec![Span::new(0, end)];
    [a, b, c]
}

fn three() -> [SourceEntry; 3] {
    three_sources().try_into().expect("three")
}
