//! The index holds what every store of passages must hold.
use index::{EmbeddedStore, Index, IndexStore};
use std::sync::Arc;
use testkit::store::{Opened, TestStore};
use types::{MadeBy, ManagedStore, NewVersion, StoreWriter};

/// An index in a folder of its own.
struct Folder {
    writer: Box<dyn StoreWriter>,
    dir: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let made_by = MadeBy {
            embedder_id: "axes".to_owned(),
            dimension: testkit::store::DIMENSION,
            ..MadeBy::default()
        };
        let store = EmbeddedStore::new(dir.path(), None);
        let mut writer = store.write(Some(made_by)).expect("opens");
        writer.begin().expect("begins").commit().expect("commits");
        Self { writer, dir }
    }
}

impl TestStore for Folder {
    fn version(&mut self) -> Box<dyn NewVersion + '_> {
        self.writer.begin().expect("begins")
    }

    fn opener(&self) -> Box<dyn Fn() -> Opened + Send + Sync> {
        let root = self.dir.path().to_owned();
        Box::new(move || {
            let index = Arc::new(Index::open(&root).expect("opens"));
            let store = Arc::new(IndexStore::new(index, None));
            (Arc::<IndexStore>::clone(&store), store)
        })
    }
}

#[tokio::test]
async fn the_index_passes_the_suite_for_stores() {
    let held = testkit::store::check(&|| Box::new(Folder::new())).await;
    assert!(!held.is_empty());
}
