//! The index holds what every store of passages must hold.
#![allow(missing_docs)]

use retrieve::{Index, IndexRetriever, IndexWriter, SearchSettings, WriterSettings};
use std::sync::{Arc, Mutex};
use types::{Filter, Mode, RetrievalPlan, Retriever, SourceEntry};

/// Writes the sources to a folder of their own in `folders`.
fn store(folders: &Mutex<Vec<tempfile::TempDir>>, sources: Vec<SourceEntry>) -> Arc<dyn Retriever> {
    let dir = tempfile::tempdir().expect("a folder");
    let settings = WriterSettings {
        embedder_id: "axes".to_owned(),
        dimension: testkit::store::DIMENSION,
        ..WriterSettings::default()
    };
    let mut writer = IndexWriter::open(dir.path(), settings).expect("opens");
    let mut generation = writer.begin().expect("begins");
    for source in sources {
        generation.add(source).expect("a sound source");
    }
    generation.commit(None).expect("commits");
    let index = Index::open(dir.path()).expect("opens");
    folders.lock().expect("no panic").push(dir);
    let search = SearchSettings {
        threshold: -1.0,
        ..SearchSettings::default()
    };
    Arc::new(IndexRetriever::new(Arc::new(index), search))
}

#[tokio::test]
async fn the_index_passes_the_suite_for_stores() {
    let folders = Mutex::default();
    testkit::store::check(&|sources| store(&folders, sources)).await;
    for property in testkit::store::PROPERTIES {
        println!("holds: {property}");
    }
}

#[tokio::test]
async fn damage_is_an_error_not_a_missing_word() {
    let folders = Mutex::default();
    let store = store(&folders, testkit::store::three_sources());
    let question = question::analyse(
        "snails in winter",
        testkit::store::at_cosine(1.0),
        Mode::Hybrid,
        Filter::default(),
    );
    let root = folders.lock().expect("no panic")[0].path().to_owned();
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
