//! A line of the run log as it is stored: its version, and the texts of its passages, which are beside the log, each once, in a
//! file that is named by its hash.
//!
//! A line has [`HASH`] in the place of the `text` of each passage of its `context`; the file is `texts/ab/abcd…` in the
//! folder of the log. A file is written before the line that names it, whole or not at all, so
//! that any number of processes may write the same text. What is read is compared with its hash.

use crate::{
    digest::{is_sha256, sha256},
    files::{read_bounded, write_atomic},
};
use serde_json::{Map, Value};
use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
};

/// The version of the lines that are written: 2 since each has all of its fields. Lines before have none.
pub const LOG_VERSION: u64 = 2;
/// The field of a passage that names its text: the SHA-256 of the text.
pub const HASH: &str = "text_sha256";
/// The folder beside a log.
const FOLDER: &str = "texts";
/// Most bytes of a text.
const MAX_TEXT: u64 = 16 << 20;
/// Bytes of text that are kept in memory.
const KEPT_BYTES: usize = 16 << 20;

/// Whether this version of the program can read a line.
///
/// # Errors
/// Why it cannot, and what to do.
pub fn check_version(line: &Map<String, Value>) -> Result<(), String> {
    match line.get("log_version").and_then(Value::as_u64) {
        Some(version) if version > LOG_VERSION => Err(format!(
            "its log_version is {version}, and this version reads up to {LOG_VERSION}; use the version that wrote it"
        )),
        _ => Ok(()),
    }
}

/// Why the text of a passage cannot be given.
#[derive(Debug, thiserror::Error)]
#[error("the text of passage {chunk_id} cannot be read: {}: {reason}", path.display())]
pub struct TextError {
    /// The passage.
    pub chunk_id: String,
    /// The file of its text.
    pub path: PathBuf,
    /// What is wrong.
    pub reason: String,
}

/// The texts beside one log, with a bounded memory of those read last.
#[derive(Debug)]
pub struct PassageTexts {
    folder: PathBuf,
    read: HashMap<String, String>,
    bytes: usize,
}

impl PassageTexts {
    /// The texts beside a log.
    pub fn beside(log: &Path) -> Self {
        Self { folder: log.with_file_name(FOLDER), read: HashMap::new(), bytes: 0 }
    }

    /// Stores the texts of the context of a record, and leaves their hashes in it.
    ///
    /// # Errors
    /// When a text cannot be written.
    pub fn take_out(&self, record: &mut Map<String, Value>) -> io::Result<()> {
        for passage in context(record) {
            if let Some(Value::String(text)) = passage.shift_remove("text") {
                passage.insert(HASH.to_owned(), self.store(&text)?.into());
            }
        }
        Ok(())
    }

    /// Gives the passages of a record their texts. A passage that has its text already keeps it.
    ///
    /// # Errors
    /// [`TextError`] for the first text that is missing or damaged; the record has no context then.
    pub fn put_back(&mut self, record: &mut Map<String, Value>) -> Result<(), TextError> {
        let mut put = |passage: &mut Map<String, Value>| {
            let Some(hash) = passage.shift_remove(HASH) else {
                return Ok(());
            };
            let hash = hash.as_str().unwrap_or_default();
            let text = self.text(hash).map_err(|reason| TextError {
                chunk_id: passage.get("chunk_id").and_then(Value::as_str).unwrap_or_default().to_owned(),
                path: self.path(hash),
                reason,
            })?;
            passage.insert("text".to_owned(), text.into());
            Ok(())
        };
        let done = context(record).try_for_each(&mut put);
        if done.is_err() {
            record.shift_remove("context");
        }
        done
    }

    fn path(&self, hash: &str) -> PathBuf {
        // What a log says is never a path.
        if is_sha256(hash) { self.folder.join(&hash[..2]).join(hash) } else { self.folder.clone() }
    }

    /// Writes a text unless it is there already, whole.
    fn store(&self, text: &str) -> io::Result<String> {
        let hash = sha256(text.as_bytes());
        let path = self.path(&hash);
        if fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes()) {
            return Ok(hash);
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        write_atomic(&path, &[text.as_bytes()])?;
        Ok(hash)
    }

    fn text(&mut self, hash: &str) -> Result<String, String> {
        if let Some(known) = self.read.get(hash) {
            return Ok(known.clone());
        }
        if !is_sha256(hash) {
            return Err(format!("{HASH} is not a SHA-256"));
        }
        let bytes = read_bounded(&self.path(hash), MAX_TEXT).map_err(|error| error.to_string())?;
        let text = Some(bytes)
            .filter(|bytes| sha256(bytes) == hash)
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .ok_or("its content does not match its name: it is damaged, or was changed")?;
        if self.bytes > KEPT_BYTES {
            self.read.clear();
            self.bytes = 0;
        }
        self.bytes += text.len();
        self.read.insert(hash.to_owned(), text.clone());
        Ok(text)
    }
}

/// The passages of the context of a record.
fn context(record: &mut Map<String, Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    let all = record.get_mut("context").and_then(Value::as_array_mut);
    all.into_iter().flatten().filter_map(Value::as_object_mut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(texts: &[&str]) -> Map<String, Value> {
        let passage = |text: &&str| json!({"chunk_id": "a__body__000", "text": text, "year": 2020});
        let context: Vec<Value> = texts.iter().map(passage).collect();
        let record = json!({"query": "q", "context": context});
        record.as_object().expect("an object").clone()
    }

    #[test]
    fn texts_are_stored_once_and_put_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log.jsonl");
        let mut texts = PassageTexts::beside(&log);
        let whole = record(&["one ✓\r\n", "two", "two", ""]);
        for _ in 0..2 {
            let mut small = whole.clone();
            texts.take_out(&mut small).expect("stores");
            let line = serde_json::to_string(&small).expect("JSON");
            assert!(!line.contains("two") && line.contains(&sha256(b"two")), "{line}");
            texts.put_back(&mut small).expect("reads");
            assert_eq!(
                Value::Object(small),
                json!({"query": "q", "context": [
                {"chunk_id": "a__body__000", "year": 2020, "text": "one ✓\r\n"},
                {"chunk_id": "a__body__000", "year": 2020, "text": "two"},
                {"chunk_id": "a__body__000", "year": 2020, "text": "two"},
                {"chunk_id": "a__body__000", "year": 2020, "text": ""}]})
            );
        }
        let files = |folder: &Path| fs::read_dir(folder).map_or(0, Iterator::count);
        let stored: usize = fs::read_dir(folder.path().join(FOLDER))
            .expect("a folder")
            .map(|part| files(&part.expect("an entry").path()))
            .sum();
        assert_eq!(stored, 3);
    }

    #[test]
    fn missing_damaged_and_hostile_names_are_told_and_healed() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log.jsonl");
        let whole = record(&["one"]);
        let mut small = whole.clone();
        PassageTexts::beside(&log).take_out(&mut small).expect("stores");
        let path = PassageTexts::beside(&log).path(&sha256(b"one"));
        let fails = |small: &Map<String, Value>, part: &str| {
            let mut read = small.clone();
            let error = PassageTexts::beside(&log).put_back(&mut read).expect_err("no text").to_string();
            assert!(error.contains("a__body__000") && error.contains(part), "{error}");
            assert!(!read.contains_key("context"), "nothing is made up");
        };
        fs::write(&path, "onf").expect("writes");
        fails(&small, "does not match its name");
        fs::remove_file(&path).expect("removes");
        fails(&small, &path.display().to_string());
        for name in ["../../log.jsonl", "", "zz"] {
            let mut hostile = small.clone();
            hostile["context"][0][HASH] = name.into();
            fails(&hostile, "is not a SHA-256");
        }
        // The next run that reads the passage writes the file again, also over a damaged one.
        fs::write(&path, "o").expect("writes");
        PassageTexts::beside(&log).take_out(&mut whole.clone()).expect("stores");
        PassageTexts::beside(&log).put_back(&mut small).expect("reads");
    }
}
