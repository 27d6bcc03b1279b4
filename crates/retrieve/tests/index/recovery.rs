//! Indexes that lost their pointer, their manifest or a generation, and those of an older format.

use crate::common::{folder, generations, ids, plain, settings, write};
use retrieve::{Index, IndexError, IndexWriter, verify};
use serde_json::Value;
use std::{fs, path::Path};

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

#[test]
fn a_damaged_manifest_is_read_from_its_copy() -> Result<(), IndexError> {
    let dir = folder();
    start(dir.path())?;
    let manifest = dir.path().join("generations/2/manifest.json");
    let text = fs::read_to_string(&manifest).expect("reads");
    fs::write(&manifest, text.replace("On a", "On z")).expect("written");
    let said = Index::open(dir.path()).expect_err("damaged").to_string();
    assert!(
        said.contains("manifest.json") && said.contains("pipeline ingest"),
        "{said}"
    );
    let writer = IndexWriter::open(dir.path(), settings())?;
    assert_eq!((writer.note(), writer.must_rewrite()), (None, true));
    assert_eq!(writer.damages()[0].file, "manifest.json");
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
    assert!(dir.path().join("generations/1/chunks.jsonl").exists());
    Ok(())
}

/// Turns an index into one of format 1, which had no checksums of records and no copy of the manifest.
fn as_format_1(root: &Path, number: u64) {
    let folder = root.join("generations").join(number.to_string());
    let path = folder.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).expect("reads")).expect("JSON");
    manifest["format"] = 1.into();
    let files = manifest["files"].as_object_mut().expect("an object");
    files.retain(|name, _| Path::new(name).extension().is_none_or(|e| e != "crc"));
    for file in files.values_mut() {
        file.as_object_mut().expect("an object").remove("crc32");
    }
    fs::write(&path, serde_json::to_vec_pretty(&manifest).expect("JSON")).expect("written");
    for name in ["chunks.crc", "windows.crc", "sentences.crc", "manifest.copy.json"] {
        fs::remove_file(folder.join(name)).expect("removed");
    }
    // Earlier versions wrote the hash into both places.
    let hash = sha256(&path);
    fs::write(folder.join("manifest.sha256"), format!("{hash}\n")).expect("written");
    fs::write(root.join("CURRENT"), format!("{number} {hash}\n")).expect("written");
    fs::remove_file(root.join(types::INDEX_MARKER)).expect("removed");
}

fn sha256(path: &Path) -> String {
    use sha2::Digest;
    use std::fmt::Write;
    let digest = sha2::Sha256::digest(fs::read(path).expect("reads"));
    digest.iter().fold(String::new(), |mut out, byte| {
        write!(out, "{byte:02x}").expect("writes to a string");
        out
    })
}

#[test]
fn an_index_of_the_older_format_is_named_and_taken_over() -> Result<(), IndexError> {
    let dir = folder();
    start(dir.path())?;
    as_format_1(dir.path(), 2);
    for error in [
        Index::open(dir.path()).expect_err("older"),
        verify(dir.path()).expect_err("older"),
    ] {
        assert!(matches!(error, IndexError::Format { found: 1, .. }), "{error}");
        assert!(error.to_string().contains("pipeline ingest"), "{error}");
    }
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    assert!(writer.must_rewrite() && writer.damages().is_empty());
    let mut generation = writer.begin()?;
    generation.keep(&"a".into())?;
    generation.keep(&"b".into())?;
    generation.commit(None)?;
    drop(writer);
    assert!(dir.path().join(types::INDEX_MARKER).exists());
    assert!(verify(dir.path())?.damages.is_empty());
    assert_eq!(ids(&Index::open(dir.path())?), ["a__body__000", "b__body__000"]);
    Ok(())
}

#[test]
fn damage_in_the_older_format_is_not_taken_over() -> Result<(), IndexError> {
    let dir = folder();
    start(dir.path())?;
    as_format_1(dir.path(), 2);
    let path = dir.path().join("generations/2/windows.f32");
    let mut bytes = fs::read(&path).expect("reads");
    bytes[5] ^= 1;
    fs::write(&path, bytes).expect("written");
    let mut writer = IndexWriter::open(dir.path(), settings())?;
    assert!(writer.is_damaged(&"a".into()) && writer.is_damaged(&"b".into()));
    assert!(writer.has_text(&"a".into()));
    let held = writer.begin()?.held(&"a".into()).expect("held");
    assert_eq!((held.chunks.len(), held.windows[0].len()), (1, 0));
    assert!(held.sentences[0].is_some() && held.has_all_chunks());
    Ok(())
}
