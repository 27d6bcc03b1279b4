//! Finished rows of an unfinished run, one JSON object a line, written at once and taken up by the next run.

use crate::{EvalError, Remains, Row};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::path::Path;
use types::RunRecord;
use types::digest::sha256_of_parts;
use types::journal::{Found, Journal};

/// The first line of the file.
#[derive(Serialize, Deserialize)]
struct Header {
    run_id: String,
}

/// A finished row with what its own JSON leaves out.
#[derive(Serialize, Deserialize)]
struct Stored<R, A> {
    row: R,
    #[serde(default)]
    timings_ms: BTreeMap<String, f64>,
    /// The answer of a row that waits for its verdict.
    #[serde(default = "no_answer", skip_serializing_if = "Option::is_none")]
    answer: Option<A>,
}

fn no_answer<A>() -> Option<A> {
    None
}

/// A finished row, with the answer of one that waits only for its verdict.
pub type Kept = (Row, Option<RunRecord>);

/// What an unfinished run left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resumed {
    /// The run to go on with: the unfinished one, or the new one where there was none.
    pub run_id: String,
    /// Its finished rows, each query and mode once, the last one counting.
    pub rows: Vec<Kept>,
    /// What of it is not used, and why no row is kept, where that is so.
    pub warnings: Vec<String>,
}

/// The warning that a run leaves nothing to go on with.
pub(super) fn unkept(reason: impl Display) -> String {
    format!("the run cannot be resumed if it is stopped: {reason}; set log.reports to another folder")
}

/// A file of finished rows, or what is left of a run that keeps none. Once the file cannot be written, rows are no longer
/// kept.
#[derive(Debug)]
pub struct PartialRows(Result<Journal, Remains>);

impl PartialRows {
    /// Keeps no row; `remains` is what the same command finds all the same.
    pub fn none(remains: Remains) -> Self {
        Self(Err(remains))
    }

    /// Opens or creates the file of the run in `folder` and locks it against other processes. `key` is all that must be the
    /// same for a run to be resumed: it names the file. Rows of an unfinished run are handed back and kept, a torn last line is
    /// cut off; with `fresh` the file starts anew under `new_run_id`. Where it cannot be written, no row is kept, and a warning
    /// says why.
    ///
    /// # Errors
    /// [`EvalError::Busy`] when another process holds the file.
    pub fn open(
        folder: &Path,
        key: &[&str],
        new_run_id: &str,
        fresh: bool,
    ) -> Result<(Self, Resumed), EvalError> {
        let mut name = sha256_of_parts(&key.iter().map(|part| part.as_bytes()).collect::<Vec<_>>());
        name.truncate(12);
        match Self::open_file(&folder.join(format!("rows.partial.{name}.jsonl")), new_run_id, fresh) {
            Err(error @ EvalError::Write { .. }) => {
                Ok((Self::none(Remains::Nothing), new(new_run_id, Some(unkept(error)))))
            }
            opened => opened,
        }
    }

    fn open_file(path: &Path, new_run_id: &str, fresh: bool) -> Result<(Self, Resumed), EvalError> {
        let unwritable = |source| EvalError::Write { path: path.to_path_buf(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(unwritable)?;
        }
        let opened = Journal::open(path).map_err(unwritable)?;
        let (mut journal, found) = opened.ok_or_else(|| EvalError::Busy { path: path.to_path_buf() })?;
        let empty = found.is_empty();
        let why = match read(found, path) {
            Some(resumed) if !fresh => {
                journal.keep().map_err(unwritable)?;
                return Ok((Self(Ok(journal)), resumed));
            }
            Some(_) => Some("starting over: a fresh run was asked for"),
            None if empty => None,
            None => Some("starting over: the file of unfinished rows has no readable head"),
        };
        let head = Header { run_id: new_run_id.to_owned() };
        journal.restart().and_then(|()| journal.append(&head)).map_err(unwritable)?;
        Ok((Self(Ok(journal)), new(new_run_id, why.map(str::to_owned))))
    }

    /// Stores a row; one that waits only for its verdict with its answer, so that a later run asks the judge alone.
    ///
    /// # Errors
    /// When it cannot be stored; the run goes on, and says so.
    pub fn append(&mut self, row: &Row, answer: Option<&RunRecord>) -> Result<(), EvalError> {
        let Ok(journal) = &mut self.0 else {
            return Ok(());
        };
        let line = Stored { row, timings_ms: row.timings_ms.clone(), answer };
        let Err(source) = journal.append(&line) else {
            return Ok(());
        };
        let path = journal.path.clone();
        self.0 = Err(Remains::Nothing);
        Err(EvalError::Write { path, source })
    }

    /// What the same command finds after a run that ended early.
    pub fn remains(&self) -> Remains {
        self.0.as_ref().map_or_else(|remains| *remains, |_| Remains::Work)
    }

    /// Ends the run: only an unfinished run resumes, so the file goes.
    ///
    /// # Errors
    /// [`EvalError::Write`] when it cannot be removed.
    pub fn finish(self) -> Result<(), EvalError> {
        let Ok(journal) = self.0 else {
            return Ok(());
        };
        fs::remove_file(&journal.path).map_err(|source| EvalError::Write { path: journal.path, source })
    }
}

fn new(run_id: &str, warning: Option<String>) -> Resumed {
    Resumed { run_id: run_id.to_owned(), rows: Vec::new(), warnings: warning.into_iter().collect() }
}

/// What the file has; `None` if its first line cannot be read.
fn read(mut found: Found, path: &Path) -> Option<Resumed> {
    let head: Header = found.head()?;
    let mut rows: BTreeMap<(String, String), Kept> = BTreeMap::new();
    for stored in found.objects::<Stored<Row, RunRecord>>() {
        let row = Row { timings_ms: stored.timings_ms, ..stored.row };
        rows.insert((row.query_id.clone(), row.mode.clone()), (row, stored.answer));
    }
    Some(Resumed { rows: rows.into_values().collect(), ..new(&head.run_id, found.warning(path)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn open(folder: &Path, run_id: &str) -> (PartialRows, Resumed) {
        PartialRows::open(folder, &["c", "q"], run_id, false).expect("opens")
    }

    fn file(folder: &Path) -> PathBuf {
        fs::read_dir(folder).expect("reads").next().expect("a file").expect("reads").path()
    }

    fn row(id: &str, mode: &str) -> Row {
        Row { query_id: id.into(), mode: mode.into(), ..Row::default() }
    }

    fn ids(resumed: &Resumed) -> Vec<String> {
        resumed.rows.iter().map(|(row, _)| format!("{}/{}", row.query_id, row.mode)).collect()
    }

    #[test]
    fn rows_survive_and_a_torn_line_is_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("out");
        let (mut store, resumed) = open(&folder, "run-1");
        assert_eq!(resumed, Resumed { run_id: "run-1".into(), ..Resumed::default() });
        store.append(&row("D01", "hybrid"), None).expect("appends");
        store.append(&row("D02", "hybrid"), None).expect("appends");
        store.append(&row("D01", "hybrid"), None).expect("appends");
        drop(store);
        let path = file(&folder);
        let whole = fs::read(&path).expect("reads");
        // Cut anywhere behind the header: what is whole is kept, nothing else, and the file can go on.
        let head = whole.iter().position(|b| *b == b'\n').expect("a header") + 1;
        for cut in head..=whole.len() {
            fs::write(&path, &whole[..cut]).expect("writes");
            let (mut store, resumed) = open(&folder, "run-2");
            assert_eq!((resumed.run_id.as_str(), resumed.warnings.len()), ("run-1", 0));
            let complete = resumed.rows.len();
            store.append(&row("D03", "vector"), None).expect("appends");
            drop(store);
            let (_, again) = open(&folder, "run-3");
            assert_eq!((again.rows.len(), again.warnings.len()), (complete + 1, 0), "cut at {cut}");
        }
        let (store, resumed) = open(&folder, "run-4");
        assert_eq!(ids(&resumed), ["D01/hybrid", "D02/hybrid", "D03/vector"]);
        let second = PartialRows::open(&folder, &["c", "q"], "run-5", false);
        assert!(matches!(second, Err(EvalError::Busy { .. })), "{second:?}");
        store.finish().expect("removes");
        assert!(!path.exists());
    }

    #[test]
    fn a_damaged_row_runs_again_with_a_warning() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut store, _) = open(folder.path(), "run-1");
        store.append(&row("D01", "hybrid"), None).expect("appends");
        store.append(&row("D02", "hybrid"), None).expect("appends");
        drop(store);
        let path = file(folder.path());
        let whole = fs::read_to_string(&path).expect("reads");
        let check = |from: &str, to: &str, rows: &[&str], says: &str| {
            fs::write(&path, whole.replacen(from, to, 1)).expect("writes");
            let (_, resumed) = open(folder.path(), "run-2");
            assert!(ids(&resumed) == rows && resumed.warnings.concat().contains(says), "{resumed:?}");
        };
        check("D02", "D03", &["D01/hybrid"], ".jsonl: damaged lines (3) are left out");
        check("crc32\":\"", "crc3z\":\"", &[], "no readable head");
        check("run-1", "run-9", &[], "no readable head");
    }

    #[test]
    fn the_answer_of_a_pending_row_survives_until_the_row_is_judged() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut store, _) = open(folder.path(), "run-1");
        let pending = Row { pending: true, ..row("D01", "hybrid") };
        let answer = RunRecord { query: "Why?".into(), query_id: Some("D01".into()), ..RunRecord::default() };
        store.append(&pending, Some(&answer)).expect("appends");
        drop(store);
        let (mut store, resumed) = open(folder.path(), "run-2");
        assert_eq!(resumed.rows, [(pending, Some(answer))]);
        store.append(&row("D01", "hybrid"), None).expect("appends");
        drop(store);
        let (_, resumed) = open(folder.path(), "run-3");
        assert_eq!(resumed.rows, [(row("D01", "hybrid"), None)]);
    }

    #[test]
    fn another_key_never_resumes() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut store, _) = open(folder.path(), "old");
        store.append(&row("D01", "hybrid"), None).expect("appends");
        drop(store);
        for (key, fresh, says) in
            [(["c", "x"], false, ""), (["cq", ""], false, ""), (["c", "q"], true, "fresh")]
        {
            let (_, resumed) = PartialRows::open(folder.path(), &key, "new", fresh).expect("opens");
            assert_eq!((resumed.run_id.as_str(), resumed.rows.len()), ("new", 0), "{key:?}");
            assert!(resumed.warnings.concat().contains(says), "{resumed:?}");
        }
    }
}
