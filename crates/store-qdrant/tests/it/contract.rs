//! The index in Qdrant holds what every store of passages must hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use store_qdrant::{QdrantSettings, QdrantStore};
use testkit::{
    qdrant::QdrantServer,
    store::{Opened, TestStore},
};
use types::{MadeBy, ManagedStore, NewVersion, StoreWriter};

/// An index in collections of its own.
pub(crate) struct Index {
    store: QdrantStore,
    writer: Box<dyn StoreWriter>,
}

/// Settings for an index of its own at a server.
pub(crate) fn settings(url: &str) -> QdrantSettings {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    QdrantSettings {
        url: url.to_owned(),
        collection: format!("test-{}-{number}", std::process::id()),
        title_weight: 0.0,
        ..QdrantSettings::default()
    }
}

pub(crate) fn made_by() -> MadeBy {
    MadeBy { embedder_id: "axes".to_owned(), dimension: testkit::store::DIMENSION, ..MadeBy::default() }
}

impl Index {
    fn new(url: &str) -> Self {
        let store = QdrantStore::new(settings(url));
        let mut writer = store.write(Some(made_by())).expect("opens");
        writer.begin().expect("begins").commit().expect("commits");
        Self { store, writer }
    }
}

impl TestStore for Index {
    fn version(&mut self) -> Box<dyn NewVersion + '_> {
        self.writer.begin().expect("begins")
    }

    fn opener(&self) -> Box<dyn Fn() -> Opened + Send + Sync> {
        let store = self.store.clone();
        Box::new(move || {
            let reader = Arc::new(pollster::block_on(store.reader()).expect("opens"));
            (Arc::<store_qdrant::Reader>::clone(&reader), reader)
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn qdrant_passes_the_suite_for_stores() {
    let folder = QdrantServer::folder();
    let server = QdrantServer::any(folder.path());
    let held = testkit::store::check(&|| Box::new(Index::new(&server.url))).await;
    assert_eq!(held.len(), 22);
}
