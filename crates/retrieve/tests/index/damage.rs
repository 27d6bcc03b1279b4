//! Files that changed behind the index's back.

use crate::common::{axis, folder, plain, settings, write};
use retrieve::{Index, IndexError, IndexWriter, SearchSettings};
use std::{fs, path::Path};
use types::{ChunkStore, Mode};

fn start(root: &Path) -> Result<Vec<String>, IndexError> {
    let index = write(
        root,
        [
            plain("a", 1, &["apples and pears", "more apples"]),
            plain("b", 2, &["bread", "butter", "buns"]),
        ],
    )?;
    Ok(index
        .manifest()
        .files
        .iter()
        .filter(|(_, file)| file.bytes > 0)
        .map(|(name, _)| name.clone())
        .collect())
}

fn change(root: &Path, file: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let path = root.join("generations/1").join(file);
    let mut bytes = fs::read(&path).expect("reads");
    change(&mut bytes);
    // A new file: the old one may still be mapped.
    fs::remove_file(&path).expect("removes");
    fs::write(&path, bytes).expect("writes");
}

#[test]
fn verify_names_the_changed_file() -> Result<(), IndexError> {
    let dir = folder();
    let files = start(dir.path())?;
    assert!(files.len() >= 14, "{files:?}");
    let index = Index::open(dir.path())?;
    let flip = |bytes: &mut Vec<u8>| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
    };
    for file in files.iter().map(String::as_str).chain(["manifest.json"]) {
        change(dir.path(), file, flip);
        let damages = index.verify();
        assert_eq!(
            damages.iter().map(|d| d.file.as_str()).collect::<Vec<_>>(),
            [file]
        );
        change(dir.path(), file, flip);
        change(dir.path(), file, |bytes| bytes.push(b'\n'));
        assert_eq!(index.verify().len(), 1, "{file}");
        change(dir.path(), file, |bytes| bytes.truncate(bytes.len() - 1));
        assert!(index.verify().is_empty(), "{file} is as it was");
    }
    fs::remove_file(dir.path().join("generations/1/chunks.off")).expect("removes");
    assert_eq!(index.verify().len(), 1);
    Ok(())
}

#[test]
fn a_damaged_source_is_not_kept() -> Result<(), IndexError> {
    let dir = folder();
    start(dir.path())?;
    change(dir.path(), "windows.f32", |bytes| bytes[5] ^= 1);
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    let error = writer.begin()?.keep(&"a".into()).expect_err("damaged");
    assert!(error.to_string().contains("windows.f32"), "{error}");
    Ok(())
}

#[test]
fn a_file_of_another_length_does_not_open() -> Result<(), IndexError> {
    let dir = folder();
    for file in start(dir.path())? {
        // Text has no length of its own; its offsets have.
        if file.starts_with("tantivy/") || file == "chunks.jsonl" || file == "ids.txt" {
            continue;
        }
        change(dir.path(), &file, |bytes| bytes.truncate(bytes.len() - 1));
        let error = Index::open(dir.path()).expect_err(&file);
        assert!(error.to_string().contains(&file), "{error}");
        change(dir.path(), &file, |bytes| bytes.push(0));
    }
    for text in ["", "{}", "[1, 2", r#"{"format": 1}"#] {
        fs::write(dir.path().join("generations/1/manifest.json"), text).expect("writes");
        assert!(
            matches!(Index::open(dir.path()), Err(IndexError::Damaged { .. })),
            "{text:?}"
        );
    }
    Ok(())
}

#[test]
fn damaged_numbers_and_text_never_panic() -> Result<(), IndexError> {
    let dir = folder();
    let settings = SearchSettings {
        threshold: -1.0,
        ..SearchSettings::default()
    };
    for file in start(dir.path())? {
        if file.starts_with("tantivy/") {
            continue; // tantivy trusts its files
        }
        let length = fs::metadata(dir.path().join("generations/1").join(&file))
            .expect("there")
            .len() as usize;
        for at in (0..length).step_by(length.div_ceil(24)) {
            for mask in [0x01, 0x80, 0xff] {
                change(dir.path(), &file, |bytes| bytes[at] ^= mask);
                if let Ok(index) = Index::open(dir.path()) {
                    let _ = index.explain("apples bread", Some(&axis()), Mode::Hybrid, &settings, None);
                    for id in ["a__body__000", "b__body__002"] {
                        let _ = index.neighbours(&id.into(), 3);
                        if let Some(chunk) = index.chunk(&id.into()) {
                            let _ = index.sentence_similarities(&chunk, &axis());
                        }
                    }
                    let _ = index.sentence_vector(&"b".into(), 1);
                }
                change(dir.path(), &file, |bytes| bytes[at] ^= mask);
            }
        }
    }
    assert!(Index::open(dir.path())?.verify().is_empty());
    Ok(())
}
