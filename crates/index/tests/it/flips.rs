//! Bytes flipped all over an index: no panic, no wrong text, and a rebuild that loses nothing.

use crate::common::{Failed, TextSearch as _, axis, folder, ids, open, plain, settings};
use index::{HnswSettings, IndexError, IndexWriter, verify};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retrieve::{SearchSettings, VectorIndex};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};
use types::Mode;
use types::SourceEntry;
use types::StoreWriter as _;

/// Places of each file at which a byte is flipped, beside its first and its last.
const PLACES: usize = 10;

fn entries() -> Vec<SourceEntry> {
    let texts: Vec<String> = (0..12).map(|n| format!("apples weigh 2.{n} grams and pears {n}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    vec![
        plain("a", 1, &texts[..7]),
        plain("b", 2, &texts[7..]),
        plain("c", 3, &["bread", "butter from big apple trees (BAT)"]),
    ]
}

const GRAPH: HnswSettings = HnswSettings { connections: 4, ef_construction: 8 };

/// An index with a graph.
fn start(root: &Path) -> Result<(), Failed> {
    let mut writer = IndexWriter::open(root, settings())?;
    let mut generation = writer.begin()?;
    for entry in entries() {
        generation.add(entry)?;
    }
    generation.with_graph(Some(GRAPH)).commit()?;
    Ok(())
}

/// Every file of the index.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut open = vec![root.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("lists") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if fs::metadata(&path).expect("there").len() > 0 {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn put(path: &Path, bytes: &[u8]) {
    // A new file: the old one may still be mapped.
    fs::remove_file(path).expect("removes");
    fs::write(path, bytes).expect("writes");
}

/// Reads what can be read; each text that comes back is what was written.
fn read(root: &Path, texts: &BTreeMap<String, String>) -> Result<(), Failed> {
    let index = open(root)?;
    let right = |id: &str, text: &str| assert_eq!(texts.get(id).map(String::as_str), Some(text), "{id}");
    let settings =
        SearchSettings { min_similarity: -1.0, depth: 3, vector_k: 3, ..SearchSettings::default() };
    for vector_index in [VectorIndex::Exact, VectorIndex::Hnsw] {
        let settings = SearchSettings { vector_index, ..settings };
        let (found, _) = index.explain_text("apples bread", Some(&axis()), Mode::Hybrid, &settings, None)?;
        for hit in &found.hits {
            right(hit.chunk.chunk_id.as_str(), &hit.chunk.text);
            match index.neighbours(&hit.chunk.chunk_id, 2) {
                Ok(chunks) => chunks.iter().for_each(|chunk| right(chunk.chunk_id.as_str(), &chunk.text)),
                Err(error) => assert!(error.to_string().contains("pipeline ingest"), "{error}"),
            }
            let _ = index.sentence_similarities(&hit.chunk, &axis());
        }
    }
    for chunk in index.chunks() {
        let chunk = chunk?;
        right(chunk.chunk_id.as_str(), &chunk.text);
    }
    Ok(())
}

/// Builds the index again.
fn rebuild(root: &Path) -> Result<(), Failed> {
    let writer = IndexWriter::open(root, settings())?;
    assert!(writer.note().is_some() && !writer.can_keep(), "the damage was seen");
    drop(writer);
    start(root)
}

fn copy(from: &Path, to: &Path) {
    for path in files(from) {
        let target = to.join(path.strip_prefix(from).expect("below it"));
        fs::create_dir_all(target.parent().expect("has one")).expect("made");
        fs::copy(path, target).expect("copied");
    }
}

#[test]
fn a_flipped_byte_is_an_error_and_never_a_wrong_text() -> Result<(), Failed> {
    let dir = folder();
    start(dir.path())?;
    let index = open(dir.path())?;
    let text = |chunk: Result<std::sync::Arc<types::Chunk>, IndexError>| {
        let chunk = chunk.expect("whole");
        (chunk.chunk_id.to_string(), chunk.text.clone())
    };
    let texts: BTreeMap<String, String> = index.chunks().map(text).collect();
    drop(index);
    read(dir.path(), &texts)?;
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut flips = 0;
    for path in files(dir.path()) {
        let whole = fs::read(&path).expect("reads");
        let mut places = vec![0, whole.len() - 1];
        places.extend((0..PLACES).map(|_| rng.random_range(0..whole.len())));
        for at in places {
            let mut bytes = whole.clone();
            bytes[at] ^= [0x01, 0x10, 0x80, 0xff][rng.random_range(0..4)];
            put(&path, &bytes);
            flips += 1;
            if let Err(error) = read(dir.path(), &texts) {
                assert!(error.to_string().contains("pipeline"), "{}: {error}", path.display());
            }
            let found = verify(dir.path());
            assert!(
                found.is_err() || found.is_ok_and(|found| found.damages.len() <= 1),
                "{} at {at}",
                path.display()
            );
        }
        for cut in [0, whole.len() / 2] {
            put(&path, &whole[..cut]);
            let _ = (read(dir.path(), &texts), verify(dir.path()));
        }
        put(&path, &whole);
    }
    println!("{flips} bytes flipped");
    assert!(flips > 300, "{flips}");
    assert!(verify(dir.path())?.damages.is_empty());
    read(dir.path(), &texts)
}

#[test]
fn a_damaged_index_is_rebuilt_and_loses_nothing() -> Result<(), Failed> {
    let template = folder();
    start(template.path())?;
    let wanted = ids(&open(template.path())?);
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for path in files(template.path()) {
        let name = path.strip_prefix(template.path()).expect("below it");
        let length = fs::metadata(&path).expect("there").len() as usize;
        for at in [0, rng.random_range(0..length), length - 1] {
            let dir = folder();
            copy(template.path(), dir.path());
            let mut bytes = fs::read(&path).expect("reads");
            bytes[at] ^= 0x11;
            put(&dir.path().join(name), &bytes);
            if verify(dir.path()).is_ok_and(|found| found.damages.is_empty()) {
                // The last line feed of a small file, and the words for people.
                continue;
            }
            rebuild(dir.path())?;
            let found = verify(dir.path())?;
            assert!(found.damages.is_empty(), "{} at {at}", name.display());
            assert_eq!(ids(&open(dir.path())?), wanted);
        }
    }
    Ok(())
}
