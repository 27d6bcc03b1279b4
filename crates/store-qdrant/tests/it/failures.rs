//! What becomes of a server that fails, and of writers that are not alone.

use crate::contract::{made_by, settings};
use std::time::{Duration, Instant};
use store_qdrant::{QdrantSettings, QdrantStore, Quantisation};
use testkit::{qdrant::QdrantServer, store::three_sources};
use types::{Explain as _, ManagedStore as _, Part, SourceId, Store as _, StoreError, StoreWriter};

/// Writes these sources, in a part or whole.
fn load(store: &QdrantStore, part: Option<Part>, wanted: &[&str]) -> Result<Option<String>, StoreError> {
    let mut writer = match part {
        Some(part) => store.write_part(made_by(), part)?,
        None => store.write(Some(made_by()))?,
    };
    let mut version = writer.begin()?;
    for source in three_sources() {
        if wanted.contains(&source.meta.source_id.as_str()) {
            version.add(source)?;
        }
    }
    version.commit()?;
    Ok(writer.note().map(str::to_owned))
}

/// Writes all sources and leaves it at that, as a writer that is killed.
fn leave(writer: &mut dyn StoreWriter) {
    let mut version = writer.begin().expect("begins");
    for source in three_sources() {
        version.add(source).expect("adds");
    }
}

/// What a store holds: sources and chunks.
async fn held(store: &QdrantStore) -> (usize, usize) {
    let info = store.reader().await.expect("opens").info().await.expect("reads");
    (info.sources, info.chunks)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_repeated_where_the_server_says_so_and_a_server_that_is_gone_is_named_in_time() {
    let folder = QdrantServer::folder();
    let faults = [
        "--fail",
        "Upsert=UNAVAILABLE*2",
        "--fail",
        "Scroll=RESOURCE_EXHAUSTED*1",
        "--fail",
        "Query=INVALID_ARGUMENT*1",
    ];
    let mut server = QdrantServer::stand_in(folder.path(), 0, &faults);
    let own = QdrantSettings { timeout: Duration::from_secs(2), ..settings(&server.url) };
    let store = QdrantStore::new(own.clone());
    load(&store, None, &["a_2019", "b_2021", "c_none"]).expect("writes");
    assert_eq!(held(&store).await, (3, 6));
    let reader = store.reader().await.expect("opens");
    let vector = testkit::store::at_cosine(1.0);
    let refused = reader.dense(&vector, &types::Filter::default(), 3).await.expect_err("told to fail");
    assert_eq!(refused.code(), "index_refused");
    assert_eq!(reader.dense(&vector, &types::Filter::default(), 3).await.expect("reads").chunks.len(), 3);
    server.kill();
    let started = Instant::now();
    let gone = reader.dense(&vector, &types::Filter::default(), 3).await.expect_err("the server is gone");
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    assert_eq!((gone.code(), gone.kind), ("index_unreachable", types::FailureKind::Transient));
    assert!(gone.to_string().contains(&own.url) && gone.hint().is_some(), "{gone}");
}

#[tokio::test(flavor = "multi_thread")]
async fn quantised_vectors_give_the_same_list() {
    let folder = QdrantServer::folder();
    let server = QdrantServer::any(folder.path());
    let mut lists = Vec::new();
    for quantisation in [Quantisation::None, Quantisation::Scalar, Quantisation::Binary] {
        let store = QdrantStore::new(QdrantSettings { quantisation, ..settings(&server.url) });
        load(&store, None, &["a_2019", "b_2021", "c_none"]).expect("writes");
        let reader = store.reader().await.expect("opens");
        let list = reader.dense(&testkit::store::at_cosine(0.6), &types::Filter::default(), 4).await;
        lists.push(list.expect("reads").chunks);
    }
    assert!(lists[0].len() == 4 && lists.iter().all(|list| *list == lists[0]), "{lists:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn there_is_one_writer_and_a_generation_that_was_left_is_written_anew() {
    let folder = QdrantServer::folder();
    let server = QdrantServer::any(folder.path());
    let store = QdrantStore::new(settings(&server.url));
    let mut writer = store.write(Some(made_by())).expect("opens");
    let other = store.write(Some(made_by())).err().expect("there is a writer");
    assert_eq!(other.code(), "index_locked");
    leave(&mut *writer);
    drop(writer);
    load(&store, None, &["b_2021"]).expect("writes");
    assert_eq!(held(&store).await, (1, 1));
    let verified = store.verify().expect("reads");
    assert!(verified.damages.is_empty() && verified.files == 1, "{verified:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_make_a_generation_when_all_are_stored_and_one_may_be_stored_twice() {
    let folder = QdrantServer::folder();
    let server = QdrantServer::any(folder.path());
    let store = QdrantStore::new(settings(&server.url));
    let part = |number| Some(Part { number, of: 3 });
    load(&store, part(2), &["b_2021"]).expect("writes");
    let note = load(&store, part(2), &["b_2021"]).expect("writes it again").unwrap_or_default();
    assert!(note.contains("1/3, 3/3"), "{note}");
    let verified = store.verify().expect("reads");
    let missing: Vec<&str> = verified.damages.iter().map(|damage| damage.file.as_str()).collect();
    assert_eq!((missing, verified.version), (vec!["part 1/3", "part 3/3"], None));
    let other = store.write_part(made_by(), Part { number: 1, of: 4 }).expect("opens").begin().err();
    assert_eq!(other.map(|error| error.code()), Some("index_parts"));
    load(&store, part(1), &["a_2019"]).expect("writes");
    load(&store, part(3), &["c_none"]).expect("writes");
    let whole = QdrantStore::new(settings(&server.url));
    load(&whole, None, &["a_2019", "b_2021", "c_none"]).expect("writes");
    let content = async |store: &QdrantStore| {
        let reader = store.reader().await.expect("opens");
        let query = types::LexicalQuery {
            terms: vec![types::QueryTerm {
                word: "snails".to_owned(),
                key: text::stem("snails"),
                weight: 1.0,
            }],
            ..types::LexicalQuery::default()
        };
        let info = reader.info().await.expect("reads");
        let list = reader.lexical(&query, &types::Filter::default(), 9).await.expect("reads");
        format!("{info:?} {list:?}")
    };
    assert_eq!(content(&store).await, content(&whole).await);
    assert!(store.verify().expect("reads").damages.is_empty());
    // The next one in parts: what no part keeps goes.
    let mut writer = store.write_part(made_by(), Part { number: 1, of: 2 }).expect("opens");
    let mut version = writer.begin().expect("begins");
    version.keep(&[SourceId::from("a_2019")]).expect("keeps");
    version.commit().expect("commits");
    drop(writer);
    assert_eq!(held(&store).await, (3, 6));
    load(&store, Some(Part { number: 2, of: 2 }), &[]).expect("writes");
    assert_eq!(held(&store).await, (1, 4));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_unfinished_runs_left_is_neither_published_nor_lost() {
    let folder = QdrantServer::folder();
    let server = QdrantServer::any(folder.path());
    let store = QdrantStore::new(settings(&server.url));
    let part = |number| Some(Part { number, of: 2 });
    // A run without parts stored everything and was killed.
    leave(&mut *store.write(Some(made_by())).expect("opens"));
    load(&store, part(1), &["b_2021"]).expect("writes");
    load(&store, part(2), &["c_none"]).expect("writes");
    assert_eq!(held(&store).await.0, 2);
    // A part that runs again is not stored until it ends: what it keeps would be lost.
    let keep = |number, id: &str| {
        let mut writer = store.write_part(made_by(), Part { number, of: 2 }).expect("opens");
        let mut version = writer.begin().expect("begins");
        version.keep(&[SourceId::from(id)]).expect("keeps");
        version.commit().expect("commits");
    };
    keep(1, "b_2021");
    drop(store.write_part(made_by(), Part { number: 1, of: 2 }).expect("opens").begin().expect("begins"));
    load(&store, part(2), &["a_2019"]).expect("writes");
    assert_eq!(held(&store).await, (2, 2), "the first generation is still current");
    keep(1, "b_2021");
    assert_eq!(held(&store).await, (2, 5));
    // One paper is kept by a part, and has changed before the other one reads it.
    keep(1, "b_2021");
    let mut changed = three_sources();
    changed.retain(|source| source.meta.source_id.as_str() == "b_2021");
    changed[0].key.push('2');
    let mut writer = store.write_part(made_by(), Part { number: 2, of: 2 }).expect("opens");
    let mut version = writer.begin().expect("begins");
    version.add(changed.remove(0)).expect("adds");
    version.commit().expect("commits");
    drop(writer);
    assert_eq!(held(&store).await, (1, 1));
    assert!(store.verify().expect("reads").damages.is_empty());
}
