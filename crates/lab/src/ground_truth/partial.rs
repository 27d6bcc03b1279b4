//! What a run has finished, beside its output: one JSON object a line, so that a run that was stopped goes on.

use crate::draft::Dropped;
use crate::error::LabError;
use eval::Query;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};
use types::journal::Journal;

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
    journal: Journal,
    done: HashMap<String, Outcome>,
}

impl Partial {
    /// Opens or makes `OUTPUT.partial` and locks it. Drafts of a run with the same key are kept; a torn last line is cut off.
    /// With another key it starts anew. What the user should know of it is returned.
    ///
    /// # Errors
    /// When the file cannot be read or written, another process uses it, or it is something else.
    pub(super) fn open(output: &Path, key: &str) -> Result<(Self, Option<String>), LabError> {
        let mut path = OsString::from(output);
        path.push(".partial");
        let path = PathBuf::from(path);
        let cannot_write = || LabError::io("write", &path);
        let Some((mut journal, mut found)) = Journal::open(&path).map_err(cannot_write())? else {
            return Err(LabError::Message(format!(
                "{} is in use by another run; wait for it, or name another file with --output",
                path.display()
            )));
        };
        let head: Option<Head> = found.head();
        let foreign = !found.lines.is_empty() || !found.torn.is_empty() && !found.torn.starts_with(b"{");
        if head.is_none() && !found.sealed && foreign {
            return Err(LabError::Message(format!(
                "{} is no file of unfinished drafts; remove it, or name another file with --output",
                path.display()
            )));
        }
        let mut done = HashMap::new();
        let note = match head {
            Some(head) if head.key == key => {
                let lines = found.objects::<Line>().into_iter();
                done.extend(lines.map(|line| (line.draft, line.outcome)));
                journal.keep().map_err(cannot_write())?;
                found.warning(&path)
            }
            other => {
                let head = Head { key: key.to_owned() };
                let started = journal.restart().and_then(|()| journal.append(&head));
                started.map_err(cannot_write())?;
                let lost = !found.lines.is_empty() || !found.damaged.is_empty();
                let why = match other {
                    Some(_) => Some(
                        "the settings, the index, the questions or the arguments have changed since the drafts were written",
                    ),
                    None => lost.then_some("the first line of the unfinished drafts is damaged"),
                };
                why.map(|why| format!("starting over: {why}"))
            }
        };
        Ok((Self { journal, done }, note))
    }

    /// What came of a draft, if it is finished.
    pub(super) fn get(&self, draft: &str) -> Option<&Outcome> {
        self.done.get(draft)
    }

    /// Keeps what came of a draft.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn push(&mut self, draft: &str, outcome: &Outcome) -> Result<(), LabError> {
        let line = Line {
            draft: draft.to_owned(),
            outcome: outcome.clone(),
        };
        let written = self.journal.append(&line);
        written.map_err(LabError::io("write", &self.journal.path))
    }

    /// Ends the run: only an unfinished one goes on, so the file is removed.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub(super) fn finish(self) -> Result<(), LabError> {
        fs::remove_file(&self.journal.path).map_err(LabError::io("remove", &self.journal.path))
    }
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
            matches!(Partial::open(&output, "k"), Err(LabError::Message(reason)) if reason.contains("in use"))
        );
        drop(partial);
        let path = folder.path().join("set.jsonl.partial");
        let mut text = fs::read_to_string(&path).expect("reads");
        text.push_str("{\"draft\":\"direct-2\",\"drop");
        fs::write(&path, text.replacen("direct-1", "direct-9", 1)).expect("written");
        let (partial, warning) = Partial::open(&output, "k").expect("opens");
        assert!(partial.done.is_empty() && warning.is_some_and(|text| text.contains("damaged lines (2)")));
        drop(partial);
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
