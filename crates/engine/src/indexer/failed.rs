//! Files that could not be read, remembered so that an unchanged one is not tried on every run.
//!
//! A failure is valid for as long as what it depends on stays the same: the bytes of the file and the reader's version,
//! and where the reader says so also limits and password. Failures that say nothing about the file are not remembered: a
//! reader that does not work, a disk that does not answer, a process that was ended from outside.

use crate::indexer::cache::{Cache, FAILURE};
use ingest::ParseError;
use serde::{Deserialize, Serialize};
use std::{
    io,
    path::{Path, PathBuf},
};

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
    /// One of [`crate::indexer::keys::ReaderKeys`].
    reader: String,
}

impl Cache {
    /// The files that could not be read, by path.
    pub(crate) fn failed_files(&self) -> Vec<FailedFile> {
        let records = self.every(FAILURE).into_iter();
        let file = |body: Vec<u8>| Some(serde_json::from_slice::<FailureRecord>(&body).ok()?.file);
        let mut files: Vec<FailedFile> = records.filter_map(file).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    }

    /// Why the file with this content could not be read, if it would fail again.
    pub(crate) fn failure(&self, content: &str) -> Option<String> {
        let body = self.get(FAILURE, content.as_bytes()).pop().filter(|_| !self.retry)?;
        let FailureRecord { file, reader } = serde_json::from_slice(&body).ok()?;
        (reader == self.reader.version || reader == self.reader.settings).then_some(file.reason)
    }

    /// Remembers why the file at `path` with this content failed, unless that says nothing about the file.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub(crate) fn put_failure(
        &self,
        content: &str,
        path: &Path,
        error: &ParseError,
        at: &str,
    ) -> io::Result<()> {
        if is_transient(error) {
            return Ok(());
        }
        let reader = if error.depends_on_settings() { &self.reader.settings } else { &self.reader.version };
        let file = FailedFile { path: path.to_owned(), reason: error.to_string(), at: at.to_owned() };
        let record = FailureRecord { file, reader: reader.clone() };
        self.put(FAILURE, content.as_bytes(), path, &serde_json::to_vec(&record)?)
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
    use crate::indexer::keys::ReaderKeys;
    use std::fs;
    use types::Document;

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
        let cache = Cache::open(dir.path(), reader("1", "60 s"), false).expect("opens");
        let put = |content: &str, error: &ParseError| {
            let path = dir.path().join(content);
            cache.put_failure(content, &path, error, "now").expect("written");
        };
        put("bytes", &damaged());
        put("limits", &slow());
        put("password", &ParseError::PasswordNeeded);
        let check = |keys: ReaderKeys, retry, want: [bool; 3]| {
            let cache = Cache::open(dir.path(), keys, retry).expect("opens");
            let seen = ["bytes", "limits", "password"].map(|content| cache.failure(content).is_some());
            assert_eq!(seen, want);
        };
        check(reader("1", "60 s"), false, [true, true, true]);
        check(reader("1", "90 s"), false, [true, false, false]);
        check(reader("2", "60 s"), false, [false, false, false]);
        check(reader("1", "60 s"), true, [false, false, false]);
        assert_eq!(cache.failed_files().len(), 3);
    }

    #[test]
    fn what_others_did_to_a_reader_is_not_remembered() {
        let check = |error: ParseError, kept: bool| {
            let cache = Cache::in_memory();
            cache.put_failure("h", Path::new("a.pdf"), &error, "now").expect("written");
            assert_eq!(cache.failure("h").is_some(), kept, "{error}");
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
        let cache = Cache::in_memory();
        for (content, name) in [("1", "gone"), ("2", "changed"), ("3", "same"), ("4", "read")] {
            cache.put_failure(content, &path(name), &damaged(), "now").expect("written");
            if name != "gone" {
                fs::write(path(name), name).expect("written");
            }
        }
        cache.note(&[(path("changed").as_path(), "9")]).expect("noted");
        cache.put_document(Some(&path("read")), "4", &Document::default()).expect("written");
        cache.prune(None, None, false).expect("pruned");
        let left: Vec<PathBuf> = cache.failed_files().into_iter().map(|file| file.path).collect();
        assert_eq!(left, [path("same")]);
    }
}
