//! The index holds what every store of passages must hold.
use retrieve::{Bm25Settings, Index, IndexRetriever, IndexWriter, SearchSettings, WriterSettings};
use std::sync::Arc;
use testkit::store::TestStore;
use types::{Filter, IndexSink, Mode, RetrievalPlan, Retriever};

/// An index in a folder of its own.
struct Folder {
    writer: IndexWriter,
    dir: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let settings = WriterSettings {
            embedder_id: "axes".to_owned(),
            dimension: testkit::store::DIMENSION,
            ..WriterSettings::default()
        };
        let mut writer = IndexWriter::open(dir.path(), settings).expect("opens");
        writer.begin().expect("begins").commit().expect("commits");
        Self { writer, dir }
    }
}

impl TestStore for Folder {
    fn sink(&mut self) -> Box<dyn IndexSink + '_> {
        Box::new(self.writer.begin().expect("begins"))
    }

    fn opener(&self) -> Box<dyn Fn() -> Arc<dyn Retriever> + Send + Sync> {
        let root = self.dir.path().to_owned();
        let search = SearchSettings {
            threshold: -1.0,
            depth: testkit::store::DEPTH,
            vector_k: testkit::store::DEPTH,
            bm25_k: testkit::store::DEPTH,
            bm25: Bm25Settings {
                title_weight: 0.0,
                ..Bm25Settings::default()
            },
            ..SearchSettings::default()
        };
        Box::new(move || {
            let index = Index::open(&root).expect("opens");
            Arc::new(IndexRetriever::new(Arc::new(index), search))
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
    let mut generation = folder.writer.begin().expect("begins");
    for source in testkit::store::three_sources() {
        generation.add(source).expect("a sound source");
    }
    generation.commit().expect("commits");
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
