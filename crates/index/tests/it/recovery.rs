//! Indexes that lost their pointer, a manifest or the record of a segment, and those of an older format: each is named, nothing is
//! recovered, and the next run builds the index again.

use crate::common::{folder, generations, ids, open as reader, plain, segments, settings, write};
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
fn what_is_lost_is_named_and_the_index_is_built_again() -> Result<(), IndexError> {
    let check = |lost: &str, text: Option<&str>| {
        let dir = folder();
        start(dir.path())?;
        let path = dir.path().join(lost);
        match text {
            Some(text) => fs::write(&path, text).expect("written"),
            None => fs::remove_file(&path).expect("removed"),
        }
        let said = Index::open(dir.path()).err().expect("lost").to_string();
        assert!(said.contains(lost) && said.contains("pipeline ingest"), "{lost} {text:?}: {said}");
        assert_eq!(verify(dir.path())?.damages.len(), 1, "{lost} {text:?}");
        let (number, note) = open(dir.path())?;
        assert_eq!(number, None, "{note}");
        assert_eq!(index::manifest(dir.path())?.1.as_ref(), Some(&note));
        for part in [lost, "is built again", "other folders"] {
            assert!(note.contains(part), "{lost} {text:?}: {note}");
        }
        assert!(dir.path().join("segments/1/chunks.jsonl").exists(), "nothing was removed");
        let index = write(dir.path(), [plain("a", 1, &["apples"])])?;
        assert_eq!(ids(&index), ["a__body__000"]);
        assert!(verify(dir.path())?.damages.is_empty());
        Ok::<_, IndexError>(())
    };
    for pointer in [None, Some(""), Some("seven"), Some("2\n")] {
        check("CURRENT", pointer)?;
    }
    check("generations/2/manifest.json", None)?;
    check("generations/2/manifest.json", Some("{}"))?;
    check("segments/2/segment.json", None)?;
    check("segments/2/segment.json", Some("{}"))
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
    let dir = folder();
    start(dir.path())?;
    make_unreadable(&dir.path().join("generations/2/manifest.json"));
    let error = open(dir.path()).expect_err("refused");
    assert!(matches!(error, IndexError::Io { .. } | IndexError::Link { .. }), "{error}");
    assert!(index::manifest(dir.path()).is_err());
    assert_eq!(generations(dir.path()), ["1", "2"]);
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

/// Writes another format into the manifest of a generation; the hashes fit.
fn as_format(root: &Path, number: u64, format: u32) {
    let folder = root.join(format!("generations/{number}"));
    let json = fs::read(folder.join("manifest.json")).expect("reads");
    let mut manifest: Value = serde_json::from_slice(&json).expect("JSON");
    manifest["format"] = format.into();
    let json = serde_json::to_vec_pretty(&manifest).expect("JSON");
    let hash = sha256(&json);
    fs::write(folder.join("manifest.json"), json).expect("written");
    fs::write(root.join("CURRENT"), format!("{number} {hash}\n")).expect("written");
}

#[test]
fn an_index_of_an_older_format_is_named_and_built_again() -> Result<(), IndexError> {
    for format in 1..=5 {
        let dir = folder();
        start(dir.path())?;
        fs::remove_dir_all(dir.path().join("generations/1")).expect("removed");
        as_format(dir.path(), 2, format);
        for error in [Index::open(dir.path()).err().expect("older"), verify(dir.path()).expect_err("older")] {
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
            assert!(writer.must_rewrite() && !writer.can_keep());
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
