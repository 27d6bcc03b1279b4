//! Indexes that lost their pointer, their manifest or a generation, and those of an older format.

use crate::common::{add, folder, generations, ids, open as reader, plain, segments, settings, write};
use index::{Index, IndexError, IndexWriter, verify};
use serde_json::Value;
use std::{fs, path::Path};
use types::StoreWriter as _;
use types::digest::sha256;

/// Two generations, of which the second is current and holds one source more.
fn start(root: &Path) -> Result<(), IndexError> {
    write(root, [plain("a", 1, &["apples"])])?;
    write(root, [plain("a", 1, &["apples"]), plain("b", 2, &["bread"])]).map(drop)
}

fn open(root: &Path) -> Result<(Option<u64>, String), IndexError> {
    let writer = IndexWriter::open(root, settings())?;
    let number = writer.manifest().map(|manifest| manifest.generation);
    Ok((number, writer.note().unwrap_or_default().to_owned()))
}

#[test]
fn without_its_pointer_the_newest_generation_is_taken_over() -> Result<(), IndexError> {
    for pointer in [None, Some(""), Some("seven"), Some("2\n")] {
        let dir = folder();
        start(dir.path())?;
        let path = dir.path().join("CURRENT");
        match pointer {
            Some(text) => fs::write(&path, text).expect("written"),
            None => fs::remove_file(&path).expect("removed"),
        }
        let said = Index::open(dir.path()).expect_err("lost").to_string();
        assert!(said.contains("pipeline ingest"), "{pointer:?}: {said}");
        assert_eq!(index::manifest(dir.path())?.0.map(|m| m.generation), Some(2));
        let (number, note) = open(dir.path())?;
        assert_eq!(number, Some(2), "{note}");
        assert!(note.contains("generation 2 was taken over"), "{note}");
        assert_eq!(generations(dir.path()), ["1", "2"], "nothing was removed");
        assert_eq!(ids(&reader(dir.path())?).len(), 2);
        assert!(verify(dir.path())?.damages.is_empty());
        assert_eq!(open(dir.path())?, (Some(2), String::new()));
    }
    Ok(())
}

#[test]
fn without_the_current_generation_the_one_before_is_taken_over() -> Result<(), IndexError> {
    let dir = folder();
    start(dir.path())?;
    fs::remove_dir_all(dir.path().join("generations/2")).expect("removed");
    let error = Index::open(dir.path()).expect_err("lost");
    assert!(matches!(error, IndexError::NoGeneration { number: 2, .. }), "{error}");
    assert!(error.to_string().contains("pipeline ingest"), "{error}");
    let (number, note) = open(dir.path())?;
    assert_eq!(number, Some(1));
    assert!(note.contains("generation 2, which CURRENT names, is missing"), "{note}");
    assert_eq!(ids(&reader(dir.path())?), ["a__body__000"]);

    fs::remove_dir_all(dir.path().join("generations/1")).expect("removed");
    let (number, note) = open(dir.path())?;
    assert_eq!(number, None);
    assert!(note.contains("generation 1") && note.contains("is built again"), "{note}");
    let index = write(dir.path(), [plain("a", 1, &["apples"])])?;
    assert_eq!(ids(&index), ["a__body__000"]);
    Ok(())
}

/// A file that exists but cannot be read, also not by root.
#[cfg(unix)]
fn make_unreadable(path: &Path) {
    fs::remove_file(path).expect("removed");
    std::os::unix::fs::symlink(path, path).expect("linked");
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_an_error_and_loses_nothing() -> Result<(), IndexError> {
    for unreadable in ["manifest.json", "manifest.sha256"] {
        let dir = folder();
        start(dir.path())?;
        make_unreadable(&dir.path().join("generations/2").join(unreadable));
        let error = open(dir.path()).expect_err("refused");
        assert!(matches!(error, IndexError::Io { .. } | IndexError::Link { .. }), "{unreadable:?}: {error}");
        assert!(index::manifest(dir.path()).is_err(), "{unreadable:?}");
        assert_eq!(generations(dir.path()), ["1", "2"], "{unreadable:?}");
    }
    let dir = folder();
    start(dir.path())?;
    let held = segments(dir.path());
    let newest = dir.path().join("segments").join(held.last().expect("a segment"));
    for entry in fs::read_dir(&newest).expect("read").flatten() {
        if entry.file_name().to_string_lossy().starts_with("segment") {
            make_unreadable(&entry.path());
        }
    }
    let error = open(dir.path()).expect_err("refused");
    assert!(matches!(error, IndexError::Io { .. } | IndexError::Link { .. }), "{error}");
    assert_eq!(segments(dir.path()), held, "nothing was removed");
    Ok(())
}

#[test]
fn without_an_intact_manifest_the_one_before_is_taken_over_or_all_is_built_again() -> Result<(), IndexError> {
    let dir = folder();
    start(dir.path())?;
    let damage = |number: u64| {
        let manifest = dir.path().join(format!("generations/{number}/manifest.json"));
        let text = fs::read_to_string(&manifest).expect("reads");
        fs::write(&manifest, text.replace("chunker 1", "chunker 2")).expect("written");
    };
    damage(2);
    let said = Index::open(dir.path()).expect_err("damaged").to_string();
    assert!(said.contains("manifest.json") && said.contains("pipeline ingest"), "{said}");
    let (number, note) = open(dir.path())?;
    assert_eq!(number, Some(1), "{note}");
    assert!(note.contains("the manifest of generation 2 is damaged"), "{note}");
    damage(1);
    let (number, note) = open(dir.path())?;
    assert_eq!(number, None, "{note}");
    assert!(note.contains("is built again") && note.contains("other folders"), "{note}");
    assert!(dir.path().join("segments/1/chunks.jsonl").exists(), "nothing was removed");
    let index = write(dir.path(), [plain("a", 1, &["apples"])])?;
    assert_eq!((ids(&index), index.generation()), (vec!["a__body__000".to_owned()], 2));
    assert!(verify(dir.path())?.damages.is_empty());
    Ok(())
}

#[test]
fn a_segment_without_a_record_loses_its_own_papers_alone() -> Result<(), IndexError> {
    let dir = folder();
    write(dir.path(), [plain("a", 1, &["apples"])])?;
    add(dir.path(), [plain("b", 2, &["bread"])])?;
    fs::remove_dir_all(dir.path().join("segments/1")).expect("removed");
    assert!(Index::open(dir.path()).is_err());
    assert_eq!(verify(dir.path())?.damages[0].file, "segments/1/segment.json");
    let (_, note) = index::manifest(dir.path())?;
    assert!(note.expect("a note").contains("segments/1/segment.json"));
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    assert!(writer.must_rewrite() && writer.note().is_some());
    let known = writer.manifest().expect("there is one");
    assert_eq!((known.sources.len(), known.counts.chunks), (1, 1));
    let mut generation = writer.begin()?;
    generation.keep(&"b".into())?;
    generation.add(plain("a", 1, &["apples"]))?;
    generation.commit()?;
    drop(writer);
    assert!(verify(dir.path())?.damages.is_empty());
    assert_eq!(ids(&reader(dir.path())?), ["a__body__000", "b__body__000"]);
    Ok(())
}

/// Writes another format into the manifest of a generation; the hashes fit.
fn as_format(root: &Path, number: u64, format: u32) {
    let folder = root.join(format!("generations/{number}"));
    let json = fs::read(folder.join("manifest.json")).expect("reads");
    let mut manifest: Value = serde_json::from_slice(&json).expect("JSON");
    manifest["format"] = format.into();
    let json = serde_json::to_vec_pretty(&manifest).expect("JSON");
    let hash = sha256(&json);
    fs::write(folder.join("manifest.json"), json).expect("written");
    fs::write(folder.join("manifest.sha256"), format!("{hash}\n")).expect("written");
    fs::write(root.join("CURRENT"), format!("{number} {hash}\n")).expect("written");
}

#[test]
fn an_index_of_an_older_format_is_named_and_built_again() -> Result<(), IndexError> {
    for format in 1..=5 {
        let dir = folder();
        start(dir.path())?;
        fs::remove_dir_all(dir.path().join("generations/1")).expect("removed");
        as_format(dir.path(), 2, format);
        for error in [Index::open(dir.path()).expect_err("older"), verify(dir.path()).expect_err("older")] {
            assert!(
                matches!(error, IndexError::Format { found, .. } if found == u64::from(format)),
                "{error}"
            );
            assert!(error.to_string().contains("pipeline ingest"), "{error}");
        }
        let mut writer = IndexWriter::open(dir.path(), settings())?;
        let note = writer.note().expect("a note").to_owned();
        assert!(note.contains(&format!("format {format}")), "{note}");
        if format >= 3 {
            // The papers of all folders are known, and have to be added again.
            assert_eq!(writer.manifest().map(|m| m.sources.len()), Some(2));
            assert!(writer.must_rewrite() && writer.damages().is_empty());
            assert!(writer.is_damaged(&"a".into()));
            let error = writer.begin()?.keep(&"a".into()).expect_err("older");
            assert!(matches!(error, IndexError::Format { .. }), "{error}");
        } else {
            assert!(writer.manifest().is_none() && note.contains("other folders"), "{note}");
        }
        let mut generation = writer.begin()?;
        generation.add(plain("a", 1, &["apples"]))?;
        generation.add(plain("b", 2, &["bread"]))?;
        generation.commit()?;
        assert!(!writer.must_rewrite());
        drop(writer);
        assert!(verify(dir.path())?.damages.is_empty());
        let index = reader(dir.path())?;
        assert_eq!(ids(&index), ["a__body__000", "b__body__000"]);
        assert_eq!(index.manifest().format, 7);
    }
    Ok(())
}
