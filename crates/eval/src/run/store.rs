//! Finished rows of an unfinished run, one JSON object a line, written at once and taken up by the next run.

use crate::{EvalError, Remains, Row};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::path::Path;
use types::journal::{Found, Journal};
use types::{Reporter, RunRecord};

/// Takes each finished row as soon as there is one.
pub trait RowSink {
    /// Stores a row.
    ///
    /// # Errors
    /// When it cannot be stored; the run goes on, and says so.
    fn append(&mut self, row: &Row) -> Result<(), EvalError>;

    /// Stores a row that waits only for its verdict, with its answer, so that a later run asks the judge alone.
    ///
    /// # Errors
    /// As [`Self::append`].
    fn append_pending(&mut self, row: &Row, _answer: &RunRecord) -> Result<(), EvalError> {
        self.append(row)
    }

    /// What the same command finds after a run that ended early.
    fn remains(&self) -> Remains {
        Remains::Work
    }
}

/// Keeps no row.
impl RowSink for Remains {
    fn append(&mut self, _row: &Row) -> Result<(), EvalError> {
        Ok(())
    }

    fn remains(&self) -> Remains {
        *self
    }
}

/// What must be the same for a run to be resumed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunKey {
    /// Hash of the settings that shape results.
    pub config_hash: String,
    /// [`crate::QuerySet::hash`].
    pub query_set_hash: String,
    /// The generation of the index.
    pub generation: String,
    /// Version of the binary.
    pub version: String,
}

/// The first line of the file.
#[derive(Serialize, Deserialize)]
struct Header {
    run_id: String,
    key: RunKey,
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

/// What an unfinished run left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resumed {
    /// The run to go on with: the unfinished one, or the new one where there was none.
    pub run_id: String,
    /// Its finished rows, each query and mode once, the last one counting.
    pub rows: Vec<Row>,
    /// The answers of those rows that wait only for a verdict.
    pub answers: Vec<RunRecord>,
    /// A warning that names damaged lines, if there are any. Their queries run again, as that of a torn last line does.
    pub damaged: Option<String>,
    /// Why earlier rows were not used, where there were any.
    pub discarded: Option<String>,
    /// Why no row is kept, where that is so.
    pub unkept: Option<String>,
}

impl Resumed {
    /// Warns of rows that are not used, and where none are kept.
    pub fn warn(&self, reporter: &dyn Reporter) {
        if let Some(reason) = &self.discarded {
            reporter.warn(&format!("starting over: {reason}"));
        }
        if let Some(damaged) = &self.damaged {
            reporter.warn(damaged);
        }
        if let Some(reason) = &self.unkept {
            reporter.warn(&unkept(reason));
        }
    }
}

/// The warning that a run leaves nothing to go on with.
pub(super) fn unkept(reason: impl Display) -> String {
    format!("the run cannot be resumed if it is stopped: {reason}; set log.reports to another folder")
}

/// A file of finished rows. Once it cannot be written, rows are no longer kept.
#[derive(Debug)]
pub struct PartialRows(Option<Journal>);

impl PartialRows {
    /// Opens or creates the file and locks it against other processes. Rows of an unfinished run with the same
    /// `key` are handed back and kept, a torn last line is cut off; with another key, or `fresh`, the file
    /// starts anew under `new_run_id`. Where it cannot be written, no row is kept, and [`Resumed::unkept`] says why.
    ///
    /// # Errors
    /// [`EvalError::Busy`] when another process holds the file, [`EvalError::Read`] or [`EvalError::Json`].
    pub fn open(
        path: &Path,
        key: &RunKey,
        new_run_id: &str,
        fresh: bool,
    ) -> Result<(Self, Resumed), EvalError> {
        let opened = Self::open_file(path, key, new_run_id, fresh);
        let Err(error @ EvalError::Write { .. }) = opened else {
            return opened;
        };
        let unkept = Some(error.to_string());
        let resumed = Resumed { unkept, ..new(new_run_id) };
        Ok((Self(None), resumed))
    }

    fn open_file(
        path: &Path,
        key: &RunKey,
        new_run_id: &str,
        fresh: bool,
    ) -> Result<(Self, Resumed), EvalError> {
        let unwritable = |source| EvalError::Write { path: path.to_path_buf(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(unwritable)?;
        }
        let opened = Journal::open(path).map_err(unwritable)?;
        let (mut journal, found) = opened.ok_or_else(|| EvalError::Busy { path: path.to_path_buf() })?;
        let empty = found.is_empty();
        let discarded = match read(found, path, key) {
            Ok(resumed) if !fresh => {
                journal.keep().map_err(unwritable)?;
                return Ok((Self(Some(journal)), resumed));
            }
            Ok(_) => Some("a fresh run was asked for".to_owned()),
            Err(_) if empty => None,
            Err(reason) => Some(reason),
        };
        let head = Header { run_id: new_run_id.to_owned(), key: key.clone() };
        journal.restart().and_then(|()| journal.append(&head)).map_err(unwritable)?;
        let resumed = Resumed { discarded, ..new(new_run_id) };
        Ok((Self(Some(journal)), resumed))
    }

    /// Ends the run: only an unfinished run resumes, so the file goes.
    ///
    /// # Errors
    /// [`EvalError::Write`] when it cannot be removed.
    pub fn finish(self) -> Result<(), EvalError> {
        let Some(journal) = self.0 else {
            return Ok(());
        };
        fs::remove_file(&journal.path).map_err(|source| EvalError::Write { path: journal.path, source })
    }
}

impl RowSink for PartialRows {
    fn append(&mut self, row: &Row) -> Result<(), EvalError> {
        self.write(row, None)
    }

    fn append_pending(&mut self, row: &Row, answer: &RunRecord) -> Result<(), EvalError> {
        self.write(row, Some(answer))
    }

    fn remains(&self) -> Remains {
        match self.0 {
            Some(_) => Remains::Work,
            None => Remains::Nothing,
        }
    }
}

impl PartialRows {
    fn write(&mut self, row: &Row, answer: Option<&RunRecord>) -> Result<(), EvalError> {
        let line = Stored { row, timings_ms: row.timings_ms.clone(), answer };
        let Some(journal) = &mut self.0 else {
            return Ok(());
        };
        let Err(source) = journal.append(&line) else {
            return Ok(());
        };
        let path = journal.path.clone();
        self.0 = None;
        Err(EvalError::Write { path, source })
    }
}

fn new(run_id: &str) -> Resumed {
    Resumed { run_id: run_id.to_owned(), ..Resumed::default() }
}

/// The rows of a file with this key, or why they cannot be used.
fn read(mut found: Found, path: &Path, key: &RunKey) -> Result<Resumed, String> {
    let head: Option<Header> = found.head();
    let head = head.ok_or("the file of unfinished rows has no readable head")?;
    if let Some(what) = difference(&head.key, key) {
        return Err(format!("the unfinished run {} had another {what}", head.run_id));
    }
    let mut rows: BTreeMap<(String, String), (Row, Option<RunRecord>)> = BTreeMap::new();
    for stored in found.objects::<Stored<Row, RunRecord>>() {
        let mut row = stored.row;
        row.timings_ms = stored.timings_ms;
        rows.insert((row.query_id.clone(), row.mode.clone()), (row, stored.answer));
    }
    let mut resumed = Resumed { damaged: found.warning(path), ..new(&head.run_id) };
    for (row, answer) in rows.into_values() {
        resumed.rows.push(row);
        resumed.answers.extend(answer);
    }
    Ok(resumed)
}

fn difference(old: &RunKey, new: &RunKey) -> Option<&'static str> {
    let parts = [
        (&old.config_hash, &new.config_hash, "configuration"),
        (&old.query_set_hash, &new.query_set_hash, "query set"),
        (&old.generation, &new.generation, "index generation"),
        (&old.version, &new.version, "binary version"),
    ];
    parts.into_iter().find(|(old, new, _)| old != new).map(|(_, _, what)| what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> RunKey {
        RunKey {
            config_hash: "c".into(),
            query_set_hash: "q".into(),
            generation: "7".into(),
            version: "0.1".into(),
        }
    }

    fn row(id: &str, mode: &str) -> Row {
        Row { query_id: id.into(), mode: mode.into(), ..Row::default() }
    }

    fn ids(resumed: &Resumed) -> Vec<String> {
        resumed.rows.iter().map(|r| format!("{}/{}", r.query_id, r.mode)).collect()
    }

    #[test]
    fn rows_survive_and_a_torn_line_is_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out/rows.partial.jsonl");
        let (mut store, resumed) = PartialRows::open(&path, &key(), "run-1", false).expect("opens");
        assert_eq!(resumed, Resumed { run_id: "run-1".into(), ..Resumed::default() });
        store.append(&row("D01", "hybrid")).expect("appends");
        store.append(&row("D02", "hybrid")).expect("appends");
        store.append(&row("D01", "hybrid")).expect("appends");
        drop(store);
        let whole = fs::read(&path).expect("reads");
        // Cut anywhere behind the header: what is whole is kept, nothing else, and the file can go on.
        let head = whole.iter().position(|b| *b == b'\n').expect("a header") + 1;
        for cut in head..=whole.len() {
            fs::write(&path, &whole[..cut]).expect("writes");
            let (mut store, resumed) = PartialRows::open(&path, &key(), "run-2", false).expect("opens");
            assert_eq!((resumed.run_id.as_str(), &resumed.discarded), ("run-1", &None));
            let complete = resumed.rows.len();
            store.append(&row("D03", "vector")).expect("appends");
            drop(store);
            let (_, again) = PartialRows::open(&path, &key(), "run-3", false).expect("opens");
            assert_eq!((again.rows.len(), again.damaged), (complete + 1, None), "cut at {cut}");
        }
        let (store, resumed) = PartialRows::open(&path, &key(), "run-4", false).expect("opens");
        assert_eq!(ids(&resumed), ["D01/hybrid", "D02/hybrid", "D03/vector"]);
        let second = PartialRows::open(&path, &key(), "run-5", false);
        assert!(matches!(second, Err(EvalError::Busy { .. })), "{second:?}");
        store.finish().expect("removes");
        assert!(!path.exists());
    }

    #[test]
    fn a_damaged_row_runs_again_with_a_warning() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.partial.jsonl");
        let (mut store, _) = PartialRows::open(&path, &key(), "run-1", false).expect("opens");
        store.append(&row("D01", "hybrid")).expect("appends");
        store.append(&row("D02", "hybrid")).expect("appends");
        drop(store);
        let whole = fs::read_to_string(&path).expect("reads");
        let check = |from: &str, to: &str, rows: &[&str], says: &str| {
            fs::write(&path, whole.replacen(from, to, 1)).expect("writes");
            let (_, resumed) = PartialRows::open(&path, &key(), "run-2", false).expect("opens");
            let said = [&resumed.damaged, &resumed.discarded].map(|said| said.clone().unwrap_or_default());
            assert!(ids(&resumed) == rows && said.concat().contains(says), "{resumed:?}");
        };
        check("D02", "D03", &["D01/hybrid"], "rows.partial.jsonl: damaged lines (3) are left out");
        check("crc32\":\"", "crc3z\":\"", &[], "no readable head");
        check("run-1", "run-9", &[], "no readable head");
    }

    #[test]
    fn the_answer_of_a_pending_row_survives_until_the_row_is_judged() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.partial.jsonl");
        let (mut store, _) = PartialRows::open(&path, &key(), "run-1", false).expect("opens");
        let pending = Row { pending: true, ..row("D01", "hybrid") };
        let answer = RunRecord { query: "Why?".into(), query_id: Some("D01".into()), ..RunRecord::default() };
        store.append_pending(&pending, &answer).expect("appends");
        drop(store);
        let (mut store, resumed) = PartialRows::open(&path, &key(), "run-2", false).expect("opens");
        assert_eq!((resumed.rows, resumed.answers), (vec![pending], vec![answer]));
        store.append(&row("D01", "hybrid")).expect("appends");
        drop(store);
        let (_, resumed) = PartialRows::open(&path, &key(), "run-3", false).expect("opens");
        assert_eq!((resumed.rows.len(), resumed.answers.len()), (1, 0));
    }

    #[test]
    fn another_key_never_resumes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.partial.jsonl");
        let check = |change: fn(&mut RunKey), fresh: bool, says: &str| {
            let _ = fs::remove_file(&path);
            let (mut store, _) = PartialRows::open(&path, &key(), "old", false).expect("opens");
            store.append(&row("D01", "hybrid")).expect("appends");
            drop(store);
            let mut other = key();
            change(&mut other);
            let (_, resumed) = PartialRows::open(&path, &other, "new", fresh).expect("opens");
            assert_eq!((resumed.run_id.as_str(), resumed.rows.len()), ("new", 0));
            assert!(resumed.discarded.as_deref().is_some_and(|d| d.contains(says)), "{resumed:?}");
        };
        check(|k| k.config_hash.push('x'), false, "configuration");
        check(|k| k.query_set_hash.push('x'), false, "query set");
        check(|k| k.generation.push('x'), false, "index generation");
        check(|k| k.version.push('x'), false, "binary version");
        check(|_| (), true, "fresh");
        fs::write(&path, "garbage").expect("writes");
        let (_, resumed) = PartialRows::open(&path, &key(), "new", false).expect("opens");
        assert!(resumed.discarded.is_some_and(|d| d.contains("no readable head")));
    }
}
