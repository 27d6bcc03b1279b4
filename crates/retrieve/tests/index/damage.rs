//! Files that changed behind the index's back.

use crate::common::{folder, plain, settings, write};
use retrieve::{Index, IndexError, IndexWriter, SourceEntry, verify};
use std::{fs, path::Path};
use types::Span;

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
    let path = root.join(file);
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
    let beside = [
        "generations/1/manifest.json",
        "generations/1/manifest.copy.json",
        "segments/1/segment.json",
        "segments/1/segment.copy.json",
    ];
    for file in files.iter().map(String::as_str).chain(beside) {
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
    fs::remove_file(dir.path().join("segments/1/chunks.off")).expect("removes");
    assert_eq!(index.verify().len(), 1);
    Ok(())
}

#[test]
fn verify_from_outside_names_the_one_changed_file() -> Result<(), IndexError> {
    let dir = folder();
    let mut paths = start(dir.path())?;
    let of_generation = ["manifest.json", "manifest.copy.json", "manifest.sha256"];
    paths.extend(of_generation.map(|file| format!("generations/1/{file}")));
    paths.extend(["segment.json", "segment.copy.json"].map(|file| format!("segments/1/{file}")));
    paths.extend(["CURRENT", "checked.json", types::INDEX_MARKER].map(str::to_owned));
    let check = |path: &str, what: &str| {
        let found = verify(dir.path()).expect("an index");
        let named: Vec<&str> = found.damages.iter().map(|d| d.file.as_str()).collect();
        assert_eq!(named, [path], "{what}: {:?}", found.damages);
        // The list of checked files is a cache: the rest is checked without it.
        assert_eq!(found.index.is_some(), path == "checked.json", "{path}");
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
        if path == types::INDEX_MARKER || path == "checked.json" {
            // Earlier versions wrote none; what was checked is only remembered.
            assert!(verify(dir.path())?.damages.is_empty());
        } else {
            check(path, "gone");
        }
        fs::write(&at, &whole).expect("writes");
    }
    fs::write(dir.path().join("segments/1/tantivy/stray"), "x").expect("writes");
    check("segments/1/tantivy/stray", "a file that nobody wrote");
    Ok(())
}

#[test]
fn verify_needs_an_index_and_its_generation() -> Result<(), IndexError> {
    let dir = folder();
    assert!(matches!(verify(dir.path()), Err(IndexError::Missing { .. })));
    start(dir.path())?;
    fs::rename(dir.path().join("generations/1"), dir.path().join("generations/3")).expect("renames");
    let found = verify(dir.path())?;
    assert_eq!(found.damages[0].file, "CURRENT", "{:?}", found.damages);
    fs::rename(dir.path().join("generations/3"), dir.path().join("generations/1")).expect("renames");
    let pointer = fs::read_to_string(dir.path().join("CURRENT")).expect("reads");
    let old = pointer.split_whitespace().next().expect("a number").to_owned();
    fs::write(dir.path().join("CURRENT"), old).expect("writes");
    assert!(
        verify(dir.path())?.damages.is_empty(),
        "a pointer without a hash, as earlier versions wrote it"
    );
    Ok(())
}

/// What was written as it was handed over, and yet contradicts itself.
#[test]
fn verify_reads_the_content_too() -> Result<(), IndexError> {
    let check = |spoil: fn(&mut SourceEntry), part: &str, file: &str| -> Result<(), IndexError> {
        let dir = folder();
        let mut entry = plain("a", 1, &["apples and pears", "more apples", "bread"]);
        spoil(&mut entry);
        write(dir.path(), [entry, plain("b", 2, &["buns"])])?;
        let found = verify(dir.path())?;
        let said: Vec<String> = found
            .damages
            .iter()
            .map(|d| format!("{} {}", d.file, d.reason))
            .collect();
        assert_eq!(said.is_empty(), part.is_empty(), "{said:?}");
        assert!(
            said.iter().all(|s| s.contains(part) && s.contains(file)),
            "{said:?}"
        );
        Ok(())
    };
    check(|_| {}, "", "")?;
    check(
        |e| e.chunks[1].span.end += 1,
        "a__body__001 spans 12 bytes and holds 11",
        "chunks.jsonl",
    )?;
    check(|e| e.chunks[1].page_start = 9, "pages 9 to 2", "chunks.jsonl")?;
    check(
        |e| e.chunks[2].chunk_id = "c__body__000".into(),
        "c__body__000",
        "chunks.jsonl",
    )?;
    check(
        |e| {
            let twice = e.chunks[0].sentences[0];
            e.chunks[0].sentences.push(twice);
        },
        "sentence 1 of chunk a__body__000",
        "chunks.jsonl",
    )?;
    check(
        |e| e.chunks[1].span = Span::new(0, 11),
        "not the same text",
        "chunks.jsonl",
    )?;
    check(|e| e.windows[0][0].end = 3, "leave out text", "windows.rows")?;
    check(
        |e| e.window_vectors[0].fill(0.0),
        "vector 0 has length 0",
        "windows.f32",
    )?;
    check(|e| e.sentence_vectors[0].fill(0.0), "", "")?;
    let without_windows = |e: &mut SourceEntry| {
        e.windows[0].clear();
        e.window_vectors.remove(0);
    };
    check(without_windows, "", "")
}

#[test]
fn a_damaged_source_is_not_kept() -> Result<(), IndexError> {
    let dir = folder();
    start(dir.path())?;
    change(dir.path(), "segments/1/windows.f32", |bytes| bytes[5] ^= 1);
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    let error = writer.begin()?.keep(&"a".into()).expect_err("damaged");
    assert!(error.to_string().contains("windows.f32"), "{error}");
    Ok(())
}

#[test]
fn a_file_of_another_length_does_not_open() -> Result<(), IndexError> {
    let dir = folder();
    for file in start(dir.path())? {
        // Text has no length of its own: its last chunk is read when it is wanted.
        if file == "segments/1/chunks.jsonl" {
            continue;
        }
        let mut last = None;
        change(dir.path(), &file, |bytes| last = bytes.pop());
        let error = Index::open(dir.path()).expect_err(&file);
        assert!(error.to_string().contains(&file), "{error}");
        change(dir.path(), &file, |bytes| bytes.extend(last));
    }
    for text in ["", "{}", "[1, 2", r#"{"format": 2}"#] {
        fs::write(dir.path().join("generations/1/manifest.json"), text).expect("writes");
        assert!(
            matches!(Index::open(dir.path()), Err(IndexError::Damaged { .. })),
            "{text:?}"
        );
    }
    Ok(())
}
