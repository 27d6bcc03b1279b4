//! The index holds what every store of passages must hold.
use index::{EmbeddedStore, Index, IndexStore};
use std::sync::Arc;
use testkit::store::{Opened, TestStore};
use types::{Filter, MadeBy, ManagedStore, Mode, NewVersion, RetrievalPlan, StoreWriter};

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

#[tokio::test]
async fn damage_is_an_error_not_a_missing_word() {
    let mut folder = Folder::new();
    let mut version = folder.version();
    for source in testkit::store::three_sources() {
        version.add(source).expect("a sound source");
    }
    version.commit().expect("commits");
    let store = folder.open();
    let question = question::analyse(
        "snails in winter",
        testkit::store::at_cosine(1.0),
        Mode::Hybrid,
        Filter::default(),
    );
    let root = folder.dir.path().to_owned();
    let mut chunks = Vec::new();
    find(&root, "chunks.jsonl", &mut chunks);
    for path in chunks {
        let text = std::fs::read(&path).expect("reads");
        let turned: Vec<u8> = text
            .iter()
            .map(|byte| if *byte == b'S' { b'Z' } else { *byte })
            .collect();
        std::fs::write(&path, turned).expect("writes");
    }
    let outcome = store.retrieve(&question, RetrievalPlan::default()).await;
    let error = outcome.expect_err("the text is not what was written");
    assert!(error.to_string().contains("chunks.jsonl"), "{error}");
}

fn find(folder: &std::path::Path, name: &str, out: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, name, out);
        } else if path.file_name().is_some_and(|file| file == name) {
            out.push(path);
        }
    }
}
