//! What a run has finished, beside its output: one JSON object a line, so that a run that was stopped goes on.

use crate::error::EngineError;
use draft::Dropped;
use eval::Query;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    ffi::OsString,
    fs::{self, File, TryLockError},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use types::files::open_in_place;

/// What came of a draft.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// A row.
    Row(Box<Query>),
    /// Nothing, and why.
    Dropped(Dropped),
}

#[derive(Serialize, Deserialize)]
struct Head {
    key: String,
}

#[derive(Serialize, Deserialize)]
struct Line {
    draft: String,
    #[serde(flatten)]
    outcome: Outcome,
}

/// The file.
#[derive(Debug)]
pub(super) struct Partial {
    path: PathBuf,
    file: File,
    done: HashMap<String, Outcome>,
}

impl Partial {
    /// Opens or makes `OUTPUT.partial` and locks it. Drafts of a run with the same key are kept; a torn last line is cut off.
    /// With another key it starts anew, and the reason is returned.
    ///
    /// # Errors
    /// When the file cannot be read or written, another process uses it, or it is something else.
    pub(super) fn open(output: &Path, key: &str) -> Result<(Self, Option<String>), EngineError> {
        let mut path = OsString::from(output);
        path.push(".partial");
        let path = PathBuf::from(path);
        let cannot = |action: &'static str| EngineError::io(action, &path);
        let mut file = open_in_place(&path).map_err(cannot("write"))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(EngineError::Message(format!(
                "{} is in use by another run; wait for it, or name another file with --output",
                path.display()
            )));
        }
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.read_to_end(&mut bytes))
            .map_err(cannot("read"))?;
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let mut lines = bytes[..whole]
            .split(|b| *b == b'\n')
            .filter(|line| !line.is_empty());
        let head: Option<Head> = lines.next().and_then(|line| serde_json::from_slice(line).ok());
        if head.is_none() && (whole > 0 || !bytes.is_empty() && !bytes.starts_with(b"{")) {
            return Err(EngineError::Message(format!(
                "{} is no file of unfinished drafts; remove it, or name another file with --output",
                path.display()
            )));
        }
        let mut done = HashMap::new();
        let mut discarded = None;
        match head {
            Some(head) if head.key == key => {
                for line in lines {
                    let Ok(line) = serde_json::from_slice::<Line>(line) else {
                        continue;
                    };
                    done.insert(line.draft, line.outcome);
                }
                file.set_len(whole as u64).map_err(cannot("write"))?;
            }
            other => {
                discarded = other.map(|_| {
                    "the settings, the index, the questions or the arguments have changed since the drafts were written".to_owned()
                });
                file.set_len(0).map_err(cannot("write"))?;
                append(&mut file, &path, &Head { key: key.to_owned() })?;
            }
        }
        Ok((Self { path, file, done }, discarded))
    }

    /// What came of a draft, if it is finished.
    pub(super) fn get(&self, draft: &str) -> Option<&Outcome> {
        self.done.get(draft)
    }

    /// Keeps what came of a draft.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn push(&mut self, draft: &str, outcome: &Outcome) -> Result<(), EngineError> {
        let line = Line {
            draft: draft.to_owned(),
            outcome: outcome.clone(),
        };
        append(&mut self.file, &self.path, &line)
    }

    /// Ends the run: only an unfinished one goes on, so the file is removed.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub(super) fn finish(self) -> Result<(), EngineError> {
        fs::remove_file(&self.path).map_err(EngineError::io("remove", &self.path))
    }
}

fn append(file: &mut File, path: &Path, line: &impl Serialize) -> Result<(), EngineError> {
    let mut bytes = serde_json::to_vec(line)
        .map_err(|error| EngineError::Message(format!("a draft cannot be written as JSON: {error}")))?;
    bytes.push(b'\n');
    file.write_all(&bytes).map_err(EngineError::io("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finished_drafts_are_kept_and_torn_lines_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let output = folder.path().join("set.jsonl");
        let (mut partial, discarded) = Partial::open(&output, "k").expect("opens");
        assert_eq!(discarded, None);
        partial
            .push("direct-1", &Outcome::Dropped(Dropped::Quote))
            .expect("written");
        assert!(
            matches!(Partial::open(&output, "k"), Err(EngineError::Message(reason)) if reason.contains("in use"))
        );
        drop(partial);
        let path = folder.path().join("set.jsonl.partial");
        let mut text = fs::read_to_string(&path).expect("reads");
        text.push_str("{\"draft\":\"direct-2\",\"drop");
        fs::write(&path, &text).expect("written");
        let (partial, _) = Partial::open(&output, "k").expect("opens");
        assert_eq!(partial.get("direct-1"), Some(&Outcome::Dropped(Dropped::Quote)));
        assert_eq!(partial.get("direct-2"), None);
        drop(partial);
        let (partial, discarded) = Partial::open(&output, "other").expect("opens");
        assert!(discarded.is_some() && partial.get("direct-1").is_none());
        partial.finish().expect("removed");
        assert!(!path.exists());
        for foreign in ["a file of somebody\n", "a file of somebody"] {
            fs::write(&path, foreign).expect("written");
            assert!(Partial::open(&output, "k").is_err());
            assert_eq!(fs::read_to_string(&path).expect("reads"), foreign);
        }
    }
}
