//! Files that could not be read, remembered so that an unchanged one is not tried on every run.
//!
//! A failure is valid for as long as what it depends on stays the same: the bytes of the file and the reader's version,
//! and where the reader says so also limits and password. Failures that say nothing about the file are not remembered: a
//! reader that does not work, a disk that does not answer, a process that was ended from outside.

use crate::lists;
use ingest::ParseError;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

/// Name of the list in the index folder.
pub(crate) const FILE: &str = "failed.json";

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedFile {
    /// Where it lay.
    #[serde(with = "types::path_text")]
    pub path: PathBuf,
    /// Why, in words for people.
    pub reason: String,
    /// When it was tried last, RFC 3339 in UTC.
    pub at: String,
}

/// A failure as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FailureRecord {
    #[serde(flatten)]
    file: FailedFile,
    /// One of [`ReaderKeys`].
    reader: String,
}

/// What a failure depends on beside the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReaderKeys {
    /// The reader's version.
    pub(crate) version: String,
    /// Its version, limits, and whether there is a password.
    pub(crate) settings: String,
}

/// Failures by content hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FailedList {
    files: BTreeMap<String, FailureRecord>,
    reader: ReaderKeys,
    retry: bool,
}

/// The failures that an index folder remembers, by path; `None` when the list is not what was written.
pub(crate) fn remembered(index: &Path) -> Option<Vec<FailedFile>> {
    let records = lists::read::<BTreeMap<String, FailureRecord>>(index, FILE)?;
    let mut files: Vec<FailedFile> = records.into_values().map(|kept| kept.file).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Some(files)
}

impl FailedList {
    /// The list in an index folder. With `retry` nothing in it counts for this run.
    pub(crate) fn load(index: &Path, reader: ReaderKeys, retry: bool) -> Self {
        Self {
            // A list that is not what was written costs another try of its files.
            files: lists::read(index, FILE).unwrap_or_default(),
            reader,
            retry,
        }
    }

    /// Why the file with this content hash failed, if it would fail again.
    pub(crate) fn get(&self, hash: &str) -> Option<&str> {
        let kept = self.files.get(hash).filter(|_| !self.retry)?;
        let valid = kept.reader == self.reader.version || kept.reader == self.reader.settings;
        valid.then_some(kept.file.reason.as_str())
    }

    /// Remembers why the file at `path` with this content hash failed, unless that says nothing about the file.
    pub(crate) fn insert(&mut self, hash: &str, path: &Path, error: &ParseError, at: &str) {
        if is_transient(error) {
            return;
        }
        let reader = if error.depends_on_settings() { &self.reader.settings } else { &self.reader.version };
        let file = FailedFile { path: path.to_owned(), reason: error.to_string(), at: at.to_owned() };
        let reader = reader.clone();
        self.files.insert(hash.to_owned(), FailureRecord { file, reader });
    }

    /// Why the file with this content hash failed when it was read last, whether or not that counts for this run.
    pub(crate) fn last(&self, hash: &str) -> Option<&str> {
        self.files.get(hash).map(|kept| kept.file.reason.as_str())
    }

    /// Forgets the file with this content hash: it was read.
    pub(crate) fn forget(&mut self, hash: &str) {
        self.files.remove(hash);
    }

    /// Forgets files that are gone, and those of which `current` knows another content. The list stays as short as
    /// the list of files.
    pub(crate) fn tidy<'p>(&mut self, current: impl Iterator<Item = (&'p Path, &'p str)>) {
        let current: BTreeMap<&Path, &str> = current.collect();
        self.files.retain(|hash, FailureRecord { file, .. }| {
            let other = current.get(file.path.as_path()).is_some_and(|now| *now != hash);
            !other && file.path.try_exists().unwrap_or(true)
        });
    }

    /// Writes the list atomically; no file for an empty one.
    pub(crate) fn save(&self, index: &Path) -> io::Result<()> {
        if self.files.is_empty() && !index.join(FILE).exists() {
            return Ok(());
        }
        lists::write(index, FILE, &self.files)
    }
}

/// Whether the failure says nothing about the file, so that the next run tries again.
fn is_transient(error: &ParseError) -> bool {
    match error {
        ParseError::Worker { .. }
        | ParseError::Unreadable { .. }
        | ParseError::PasswordWrong
        | ParseError::Stopped => true,
        ParseError::Crashed { signal, .. } => ended_from_outside(signal),
        _ => false,
    }
}

/// Signals that a reader never causes itself: someone ended it, or the system did for lack of memory.
fn ended_from_outside(signal: &str) -> bool {
    let name = signal.split(':').next().unwrap_or(signal);
    ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn reader(version: &str, settings: &str) -> ReaderKeys {
        ReaderKeys { version: version.to_owned(), settings: format!("{version} {settings}") }
    }

    fn damaged() -> ParseError {
        ParseError::Damaged { detail: "no trailer".to_owned() }
    }

    fn slow() -> ParseError {
        ParseError::TimedOut { seconds: 60, page: None }
    }

    fn crashed(signal: &str) -> ParseError {
        ParseError::Crashed { signal: signal.to_owned(), page: Some(3) }
    }

    #[test]
    fn a_failure_is_valid_while_what_it_depends_on_stays() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut list = FailedList::load(dir.path(), reader("1", "60 s"), false);
        list.insert("bytes", &dir.path().join("a.pdf"), &damaged(), "now");
        list.insert("limits", &dir.path().join("b.pdf"), &slow(), "now");
        list.insert("password", &dir.path().join("c.pdf"), &ParseError::PasswordNeeded, "now");
        list.save(dir.path()).expect("written");
        let check = |keys: ReaderKeys, retry, want: [bool; 3]| {
            let list = FailedList::load(dir.path(), keys, retry);
            let seen = ["bytes", "limits", "password"].map(|hash| list.get(hash).is_some());
            assert_eq!(seen, want);
        };
        check(reader("1", "60 s"), false, [true, true, true]);
        check(reader("1", "90 s"), false, [true, false, false]);
        check(reader("2", "60 s"), false, [false, false, false]);
        check(reader("1", "60 s"), true, [false, false, false]);
        assert_eq!(remembered(dir.path()).map(|files| files.len()), Some(3));
        let stored = fs::read_to_string(dir.path().join(FILE)).expect("reads");
        for damaged in ["{", "", &stored.replace("no trailer", "no trailor")] {
            fs::write(dir.path().join(FILE), damaged).expect("written");
            check(reader("1", "60 s"), false, [false, false, false]);
            assert_eq!(remembered(dir.path()), None);
        }
        fs::remove_file(dir.path().join(FILE)).expect("removed");
        assert_eq!(remembered(dir.path()), Some(Vec::new()));
    }

    #[test]
    fn what_others_did_to_a_reader_is_not_remembered() {
        let check = |error: ParseError, kept: bool| {
            let mut list = FailedList::default();
            list.insert("h", Path::new("a.pdf"), &error, "now");
            assert_eq!(list.get("h").is_some(), kept, "{error}");
        };
        check(crashed("SIGSEGV"), true);
        check(crashed("SIGABRT"), true);
        check(crashed("exit code 3"), true);
        check(crashed("panic: SIGKILL"), true);
        check(slow(), true);
        check(damaged(), true);
        check(ParseError::OutOfMemory { limit_mib: 9, page: None }, true);
        check(crashed("SIGKILL: ended by another process, or by the system for lack of memory"), false);
        for signal in ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"] {
            check(crashed(signal), false);
        }
        check(ParseError::PasswordWrong, false);
        let detail = "gone".to_owned();
        check(ParseError::Unreadable { detail: detail.clone() }, false);
        check(ParseError::Worker { detail }, false);
    }

    #[test]
    fn files_that_are_gone_changed_or_read_are_forgotten() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = |name: &str| dir.path().join(name);
        let mut list = FailedList::default();
        for (hash, name) in [("1", "gone"), ("2", "changed"), ("3", "same"), ("4", "read")] {
            list.insert(hash, &path(name), &damaged(), "now");
            if name != "gone" {
                fs::write(path(name), name).expect("written");
            }
        }
        list.tidy([(path("changed").as_path(), "9"), (path("same").as_path(), "3")].into_iter());
        list.forget("4");
        let left: Vec<&str> = list.files.keys().map(String::as_str).collect();
        assert_eq!(left, ["3"]);
        list.forget("3");
        list.save(dir.path()).expect("nothing to write");
        assert!(!path(FILE).exists());
    }
}
