//! Files that changed behind the index's back.

use crate::common::{Failed, add, folder, open, plain, settings, write};
use index::{IndexError, IndexWriter, verify};
use std::{fs, path::Path};
use types::StoreWriter as _;

fn start(root: &Path) -> Result<Vec<String>, IndexError> {
    let index = write(
        root,
        [plain("a", 1, &["apples and pears", "more apples"]), plain("b", 2, &["bread", "butter", "buns"])],
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
    let path = root.join(file);
    let mut bytes = fs::read(&path).expect("reads");
    change(&mut bytes);
    // A new file: the old one may still be mapped.
    fs::remove_file(&path).expect("removes");
    fs::write(&path, bytes).expect("writes");
}

#[test]
fn verify_names_the_one_changed_file() -> Result<(), Failed> {
    let dir = folder();
    let mut paths = start(dir.path())?;
    assert!(paths.len() >= 14, "{paths:?}");
    let beside = ["generations/1/manifest.json", "segments/1/segment.json", "CURRENT"];
    paths.extend(beside.map(str::to_owned));
    let check = |path: &str, what: &str| {
        let found = verify(dir.path()).expect("an index");
        let [damage] = found.damages.as_slice() else { panic!("{path}, {what}: {:?}", found.damages) };
        // A pointer with another hash is one to another manifest.
        let is_named = damage.file == path || path == "CURRENT" && damage.file.ends_with("manifest.json");
        assert!(is_named, "{path}, {what}: {damage:?}");
    };
    for path in &paths {
        let at = dir.path().join(path);
        let whole = fs::read(&at).expect("reads");
        let put = |bytes: &[u8]| {
            fs::remove_file(&at).expect("removes");
            fs::write(&at, bytes).expect("writes");
        };
        // The last byte of the small files is a line feed, which does not matter in two of them.
        let last = whole.len() - 2;
        for place in [0, last / 3, last / 2, last] {
            for mask in [0x01, 0x10, 0x80] {
                let mut bytes = whole.clone();
                bytes[place] ^= mask;
                put(&bytes);
                check(path, &format!("byte {place} ^ {mask:#x}"));
            }
        }
        put(&whole[..whole.len() / 2]);
        check(path, "cut in half");
        put(&whole);
        assert!(verify(dir.path())?.damages.is_empty(), "{path} is as it was");
        fs::remove_file(&at).expect("removes");
        check(path, "gone");
        fs::write(&at, &whole).expect("writes");
    }
    Ok(())
}

#[test]
fn verify_needs_an_index_and_its_generation() -> Result<(), Failed> {
    let dir = folder();
    assert!(matches!(verify(dir.path()), Err(IndexError::Missing { .. })));
    start(dir.path())?;
    fs::rename(dir.path().join("generations/1"), dir.path().join("generations/3")).expect("renames");
    let found = verify(dir.path())?;
    assert_eq!(found.damages[0].file, "CURRENT", "{:?}", found.damages);
    Ok(())
}

#[test]
fn of_a_damaged_index_nothing_is_kept() -> Result<(), Failed> {
    let dir = folder();
    start(dir.path())?;
    add(dir.path(), [plain("c", 3, &["cheese"])])?;
    change(dir.path(), "segments/2/windows.f32", |bytes| bytes[5] ^= 1);
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    assert!(writer.must_rewrite() && !writer.can_keep());
    assert!(writer.note().is_some_and(|note| note.contains("windows.f32")), "{:?}", writer.note());
    assert_eq!(writer.manifest().map(|known| known.sources.len()), Some(3), "what is to be built again");
    let error = writer.begin()?.keep(&"a".into()).expect_err("damaged");
    assert!(error.to_string().contains("windows.f32"), "{error}");
    Ok(())
}

#[test]
fn a_file_of_another_length_does_not_open() -> Result<(), Failed> {
    let dir = folder();
    for file in start(dir.path())? {
        // Text has no length of its own: its last chunk is read when it is wanted.
        if file == "segments/1/chunks.jsonl" {
            continue;
        }
        let mut last = None;
        change(dir.path(), &file, |bytes| last = bytes.pop());
        let error = open(dir.path()).err().expect(&file);
        assert!(error.to_string().contains(&file), "{error}");
        change(dir.path(), &file, |bytes| bytes.extend(last));
    }
    for text in ["", "{}", "[1, 2", r#"{"format": 2}"#] {
        fs::write(dir.path().join("generations/1/manifest.json"), text).expect("writes");
        assert!(matches!(open(dir.path()), Err(IndexError::Damaged { .. })), "{text:?}");
    }
    Ok(())
}
