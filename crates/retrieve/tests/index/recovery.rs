//! Indexes that lost their pointer, their manifest or a generation, and those of an older format.

use crate::common::{add, folder, generations, ids, plain, segments, settings, write};
use retrieve::{Index, IndexError, IndexWriter, verify};
use serde_json::Value;
use std::{fs, path::Path};
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
    for pointer in [None, Some(""), Some("seven"), Some("9\n")] {
        let dir = folder();
        start(dir.path())?;
        let path = dir.path().join("CURRENT");
        match pointer {
            Some(text) => fs::write(&path, text).expect("written"),
            None => fs::remove_file(&path).expect("removed"),
        }
        let said = Index::open(dir.path()).expect_err("lost").to_string();
        assert!(said.contains("pipeline ingest"), "{pointer:?}: {said}");
        assert_eq!(retrieve::manifest(dir.path())?.0.map(|m| m.generation), Some(2));
        let (number, note) = open(dir.path())?;
        assert_eq!(number, Some(2), "{note}");
        assert!(note.contains("generation 2 was taken over"), "{note}");
        assert_eq!(generations(dir.path()), ["1", "2"], "nothing was removed");
        assert_eq!(ids(&Index::open(dir.path())?).len(), 2);
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
    assert!(
        matches!(error, IndexError::NoGeneration { number: 2, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("pipeline ingest"), "{error}");
    let (number, note) = open(dir.path())?;
    assert_eq!(number, Some(1));
    assert!(
        note.contains("generation 2, which CURRENT names, is missing"),
        "{note}"
    );
    assert_eq!(ids(&Index::open(dir.path())?), ["a__body__000"]);

    fs::remove_dir_all(dir.path().join("generations/1")).expect("removed");
    let (number, note) = open(dir.path())?;
    assert_eq!(number, None);
    assert!(
        note.contains("generation 1") && note.contains("is built again"),
        "{note}"
    );
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
    for unreadable in [&["manifest.json", "manifest.copy.json"][..], &["manifest.sha256"]] {
        let dir = folder();
        start(dir.path())?;
        // Otherwise the hash in the pointer suffices.
        fs::write(dir.path().join("CURRENT"), "2\n").expect("written");
        for file in unreadable {
            make_unreadable(&dir.path().join("generations/2").join(file));
        }
        let error = open(dir.path()).expect_err("refused");
        assert!(
            matches!(error, IndexError::Io { .. } | IndexError::Link { .. }),
            "{unreadable:?}: {error}"
        );
        assert!(retrieve::manifest(dir.path()).is_err(), "{unreadable:?}");
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
    assert!(
        matches!(error, IndexError::Io { .. } | IndexError::Link { .. }),
        "{error}"
    );
    assert_eq!(segments(dir.path()), held, "nothing was removed");
    Ok(())
}

#[test]
fn a_damaged_manifest_is_read_from_its_copy() -> Result<(), IndexError> {
    let dir = folder();
    start(dir.path())?;
    let manifest = dir.path().join("generations/2/manifest.json");
    let text = fs::read_to_string(&manifest).expect("reads");
    fs::write(&manifest, text.replace("chunker 1", "chunker 2")).expect("written");
    let said = Index::open(dir.path()).expect_err("damaged").to_string();
    assert!(
        said.contains("manifest.json") && said.contains("pipeline ingest"),
        "{said}"
    );
    let writer = IndexWriter::open(dir.path(), settings())?;
    assert_eq!((writer.note(), writer.must_rewrite()), (None, true));
    assert_eq!(writer.damages()[0].file, "generations/2/manifest.json");
    assert_eq!(writer.manifest().map(|m| m.sources.len()), Some(2));
    drop(writer);
    // Without the copy too, the generation before has to do.
    fs::remove_file(dir.path().join("generations/2/manifest.copy.json")).expect("removed");
    let (number, note) = open(dir.path())?;
    assert_eq!(number, Some(1), "{note}");
    assert!(note.contains("the manifest of generation 2 is damaged"), "{note}");
    Ok(())
}

#[test]
fn generations_without_a_manifest_are_left_alone() -> Result<(), IndexError> {
    let dir = folder();
    write(dir.path(), [plain("a", 1, &["apples"])])?;
    for name in ["manifest.json", "manifest.copy.json"] {
        fs::write(dir.path().join("generations/1").join(name), "{}").expect("written");
    }
    let error = IndexWriter::open(dir.path(), settings()).expect_err("refused");
    assert!(matches!(error, IndexError::Unrecoverable { .. }), "{error}");
    assert!(dir.path().join("segments/1/chunks.jsonl").exists());
    Ok(())
}

#[test]
fn a_damaged_record_of_a_segment_is_read_from_its_copy() -> Result<(), IndexError> {
    let dir = folder();
    write(dir.path(), [plain("a", 1, &["apples"])])?;
    add(dir.path(), [plain("b", 2, &["bread"])])?;
    let record = dir.path().join("segments/1/segment.json");
    let text = fs::read_to_string(&record).expect("reads");
    fs::write(&record, text.replace("On a", "On z")).expect("written");
    let said = Index::open(dir.path()).expect_err("damaged").to_string();
    assert!(
        said.contains("segments/1/segment.json") && said.contains("pipeline ingest"),
        "{said}"
    );
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    assert_eq!((writer.note(), writer.must_rewrite()), (None, true));
    assert_eq!(writer.manifest().map(|m| m.sources.len()), Some(2));
    let mut generation = writer.begin()?;
    generation.keep(&"a".into())?;
    generation.keep(&"b".into())?;
    generation.commit()?;
    drop(writer);
    assert!(verify(dir.path())?.damages.is_empty());
    let index = Index::open(dir.path())?;
    assert_eq!(ids(&index), ["a__body__000", "b__body__000"]);
    // The intact segment was kept, the other one copied.
    let numbers: Vec<u64> = index.manifest().segments.iter().map(|s| s.segment).collect();
    assert_eq!(numbers, [2, 3]);
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
    let (_, note) = retrieve::manifest(dir.path())?;
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
    assert_eq!(ids(&Index::open(dir.path())?), ["a__body__000", "b__body__000"]);
    Ok(())
}

/// Turns an index of one segment into one of an older format, whose generations held everything themselves. Format 1
/// had no checksums of records and no copy of the manifest.
fn as_format(root: &Path, number: u64, format: u32) {
    let folder = root.join("generations").join(number.to_string());
    let segment = root.join("segments").join(number.to_string());
    let read =
        |path: &Path| -> Value { serde_json::from_slice(&fs::read(path).expect("reads")).expect("JSON") };
    let (mut manifest, record) = (
        read(&folder.join("manifest.json")),
        read(&segment.join("segment.json")),
    );
    assert_eq!(manifest["segments"].as_array().map(Vec::len), Some(1));
    for name in ["segment.json", "segment.copy.json"] {
        fs::remove_file(segment.join(name)).expect("removed");
    }
    for entry in fs::read_dir(&segment).expect("lists") {
        let path = entry.expect("an entry").path();
        fs::rename(&path, folder.join(path.file_name().expect("a name"))).expect("moved");
    }
    fs::remove_dir_all(root.join("segments")).expect("removed");
    fs::remove_file(root.join("checked.json")).expect("removed");
    let fields = manifest.as_object_mut().expect("an object");
    fields.remove("segments");
    fields.insert("format".to_owned(), format.into());
    fields.insert("fields".to_owned(), "text".into());
    for name in ["sources", "files"] {
        fields.insert(name.to_owned(), record[name].clone());
    }
    for source in manifest["sources"].as_array_mut().expect("a list") {
        source.as_object_mut().expect("an object").remove("terms");
    }
    if format == 1 {
        let files = manifest["files"].as_object_mut().expect("an object");
        files.retain(|name, _| Path::new(name).extension().is_none_or(|e| e != "crc"));
        for file in files.values_mut() {
            file.as_object_mut().expect("an object").remove("crc32");
        }
        for name in ["chunks.crc", "windows.crc", "sentences.crc", "manifest.copy.json"] {
            fs::remove_file(folder.join(name)).expect("removed");
        }
    }
    let json = serde_json::to_vec_pretty(&manifest).expect("JSON");
    let copies = ["manifest.json", "manifest.copy.json"];
    for name in &copies[..format as usize] {
        fs::write(folder.join(name), &json).expect("written");
    }
    // Earlier versions wrote the hash into both places.
    let hash = sha256(&json);
    fs::write(folder.join("manifest.sha256"), format!("{hash}\n")).expect("written");
    fs::write(root.join("CURRENT"), format!("{number} {hash}\n")).expect("written");
    fs::remove_file(root.join(types::INDEX_MARKER)).expect("removed");
}

#[test]
fn an_index_of_an_older_format_is_named_and_taken_over() -> Result<(), IndexError> {
    for format in [1, 2] {
        let dir = folder();
        start(dir.path())?;
        as_format(dir.path(), 2, format);
        for error in [
            Index::open(dir.path()).expect_err("older"),
            verify(dir.path()).expect_err("older"),
        ] {
            assert!(
                matches!(error, IndexError::Format { found, .. } if found == u64::from(format)),
                "{error}"
            );
            assert!(error.to_string().contains("pipeline ingest"), "{error}");
        }
        assert_eq!(
            retrieve::manifest(dir.path())?.0.map(|m| m.sources.len()),
            Some(2)
        );
        let mut writer = IndexWriter::open(dir.path(), settings())?;
        assert!(
            writer.must_rewrite() && writer.damages().is_empty(),
            "{:?}",
            writer.damages()
        );
        let mut generation = writer.begin()?;
        generation.keep(&"a".into())?;
        generation.keep(&"b".into())?;
        generation.commit()?;
        assert!(!writer.must_rewrite());
        drop(writer);
        assert!(dir.path().join(types::INDEX_MARKER).exists());
        assert!(verify(dir.path())?.damages.is_empty());
        let index = Index::open(dir.path())?;
        assert_eq!(ids(&index), ["a__body__000", "b__body__000"]);
        assert_eq!(
            (index.manifest().format, segments(dir.path())),
            (5, vec!["3".to_owned()])
        );
        drop(index);
        // The next change finds nothing of the old format.
        add(dir.path(), [plain("c", 3, &["cheese"])])?;
        add(dir.path(), [plain("d", 4, &["dates"])])?;
        assert_eq!(generations(dir.path()), ["4", "5"]);
    }
    Ok(())
}

#[test]
fn of_damage_in_an_older_format_what_is_proven_intact_is_taken_over() -> Result<(), IndexError> {
    for format in [1, 2] {
        let dir = folder();
        start(dir.path())?;
        as_format(dir.path(), 2, format);
        let path = dir.path().join("generations/2/windows.f32");
        let mut bytes = fs::read(&path).expect("reads");
        bytes[5] ^= 1;
        fs::write(&path, bytes).expect("written");
        let mut writer = IndexWriter::open(dir.path(), settings())?;
        // Only checksums of records tell which vector it is.
        assert!(writer.is_damaged(&"a".into()));
        assert_eq!(writer.is_damaged(&"b".into()), format == 1);
        assert!(writer.has_text(&"a".into()));
        let held = writer.begin()?.reusable(&"a".into()).expect("held");
        assert_eq!((held.chunks.len(), held.windows[0].len()), (1, 0));
        assert!(held.sentences[0].is_some() && held.has_all_chunks());
    }
    Ok(())
}

/// A disk that changes a byte changes no time. Small files are compared all the same.
#[test]
fn damage_of_a_small_file_that_changed_no_time_is_found_and_mended() -> Result<(), IndexError> {
    let dir = folder();
    write(dir.path(), [plain("a", 1, &["apples"])])?;
    add(dir.path(), [plain("b", 2, &["bread"])])?;
    let name = "segments/1/windows.f32";
    let path = dir.path().join(name);
    let mut bytes = fs::read(&path).expect("reads");
    bytes[5] ^= 1;
    fs::write(&path, bytes).expect("written");
    pretend_checked(dir.path(), name);
    let error = Index::open(dir.path()).expect_err("damaged").to_string();
    assert!(error.contains(name), "{error}");
    pretend_checked(dir.path(), name);
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    assert_eq!(writer.damages()[0].file, name);
    let mut generation = writer.begin()?;
    assert!(generation.keep(&"a".into()).is_err());
    drop(generation);
    let mut generation = writer.begin()?;
    generation.keep(&"b".into())?;
    generation.add(plain("a", 1, &["apples"]))?;
    generation.commit()?;
    drop(writer);
    assert!(verify(dir.path())?.damages.is_empty());
    Ok(())
}

/// Writes down that a file was compared with its hash just as it is now.
fn pretend_checked(root: &Path, name: &str) {
    use std::os::unix::fs::MetadataExt;
    let path = root.join("checked.json");
    let mut list: Value = serde_json::from_slice(&fs::read(&path).expect("reads")).expect("JSON");
    let meta = fs::metadata(root.join(name)).expect("there");
    let stamp = &mut list["files"][name];
    stamp["modified"] = (meta.mtime() * 1_000_000_000 + meta.mtime_nsec()).into();
    stamp["changed"] = (meta.ctime() * 1_000_000_000 + meta.ctime_nsec()).into();
    stamp["number"] = meta.ino().into();
    stamp["checked"] = (meta.ctime() * 1_000_000_000 + 9_000_000_000).into();
    list["sha256"] = sha256(&serde_json::to_vec(&list["files"]).expect("JSON")).into();
    fs::write(&path, serde_json::to_vec(&list).expect("JSON")).expect("written");
}
