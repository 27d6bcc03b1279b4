//! Reads a log of any size in two passes: the first notes where each record stands, the second reads the
//! records of one run, one at a time.

use super::earlier::{self, Scores};
use crate::{EvalError, Problem};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use types::{Mode, RunRecord};

/// Where the records of a log stand, by run.
#[derive(Clone, Debug, Default)]
pub struct LogIndex {
    path: PathBuf,
    /// The runs, in the order of their first line. Records without a run id form one group.
    pub runs: Vec<LogRun>,
    /// Lines that are not run records, with the reason; as a rule the torn last line.
    pub skipped: Vec<Problem>,
}

/// The records of one run, or those that belong to none.
#[derive(Clone, Debug, Default)]
pub struct LogRun {
    /// The run; `None` for logs of the earlier system and single questions.
    pub run_id: Option<String>,
    /// Records left out because a later one has the same query and mode.
    pub superseded: usize,
    /// [`super::RunHeader`] of the run, as JSON; the last one logged.
    pub header: Option<Value>,
    entries: Vec<Entry>,
}

impl LogRun {
    /// Records, one for each query and mode: the last.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// A record as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRecord {
    /// Its line, from 1.
    pub line: usize,
    /// The record. One of the earlier system has the mode that its scores tell of, where they do, and the
    /// guardrail actions that its caveats tell of.
    pub record: RunRecord,
    /// Whether the earlier system wrote it.
    pub earlier: bool,
}

/// Where one record stands.
#[derive(Clone, Copy, Debug)]
struct Entry {
    line: usize,
    offset: u64,
    length: usize,
    /// The mode that the scores of a record of the earlier system tell of.
    derived: Option<Mode>,
}

/// The part of a record that the first pass looks at.
#[derive(Deserialize)]
struct Line {
    query: String,
    #[serde(default)]
    run_id: Option<String>,
    #[serde(default)]
    query_id: Option<String>,
    #[serde(default)]
    mode: Option<Mode>,
    #[serde(default)]
    retrieval: Retrieval,
    #[serde(default)]
    run: Option<Value>,
    #[serde(rename = "response")]
    _response: IgnoredAny,
}

#[derive(Default, Deserialize)]
struct Retrieval {
    #[serde(default)]
    method: String,
    #[serde(default)]
    returned_chunks: Vec<Scores>,
}

impl Line {
    /// The mode that the scores tell of, where the record does not name it.
    fn derived(&self) -> Option<Mode> {
        if self.mode.is_some() || self.run_id.is_some() {
            return None;
        }
        earlier::mode_of(self.retrieval.returned_chunks.iter().copied())
    }
}

impl LogIndex {
    /// The first pass. A line that is no record is skipped and named; blank lines are nothing. Memory grows with
    /// the number of records, not with their size.
    ///
    /// # Errors
    /// [`EvalError::Read`] when the file cannot be read.
    pub fn open(path: &Path) -> Result<Self, EvalError> {
        let unreadable = |source| EvalError::Read {
            path: path.to_path_buf(),
            source,
        };
        let mut reader = BufReader::new(File::open(path).map_err(unreadable)?);
        let mut index = Self {
            path: path.to_path_buf(),
            ..Self::default()
        };
        let mut places = Places::default();
        let mut bytes = Vec::new();
        let (mut offset, mut line) = (0u64, 0usize);
        loop {
            bytes.clear();
            let length = reader.read_until(b'\n', &mut bytes).map_err(unreadable)?;
            if length == 0 {
                return Ok(index);
            }
            line += 1;
            let entry = Entry {
                line,
                offset,
                length,
                derived: None,
            };
            offset += length as u64;
            let text = without_mark(&bytes, line);
            if text.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match serde_json::from_slice::<Line>(text) {
                Ok(found) => index.add(found, entry, &mut places),
                Err(error) => index.skipped.push(problem(line, bytes.ends_with(b"\n"), &error)),
            }
        }
    }

    fn add(&mut self, found: Line, mut entry: Entry, places: &mut Places) {
        entry.derived = found.derived();
        let at = *places.runs.entry(found.run_id.clone()).or_insert_with(|| {
            self.runs.push(LogRun {
                run_id: found.run_id.clone(),
                ..LogRun::default()
            });
            self.runs.len() - 1
        });
        let mode = match found.mode.or(entry.derived) {
            Some(mode) => mode.to_string(),
            None => found.retrieval.method,
        };
        let name = found.query_id.unwrap_or_else(|| found.query.trim().to_owned());
        let run = &mut self.runs[at];
        if found.run.is_some() {
            run.header = found.run;
        }
        let next = run.entries.len();
        let slot = *places.slots.entry((at, name, mode)).or_insert(next);
        if slot < next {
            run.entries[slot] = entry;
            run.superseded += 1;
        } else {
            run.entries.push(entry);
        }
    }

    /// The second pass: reads the records of a run and hands them on one at a time.
    ///
    /// # Errors
    /// [`EvalError::Read`] when the file cannot be read. A record that cannot be read whole is handed on as a
    /// problem.
    pub fn records<'a>(
        &self,
        run: &'a LogRun,
    ) -> Result<impl Iterator<Item = Result<LogRecord, Problem>> + 'a, EvalError> {
        let unreadable = |source| EvalError::Read {
            path: self.path.clone(),
            source,
        };
        let mut file = File::open(&self.path).map_err(unreadable)?;
        let mut bytes = Vec::new();
        Ok(run.entries.iter().map(move |entry| {
            bytes.resize(entry.length, 0);
            let read = file
                .seek(SeekFrom::Start(entry.offset))
                .and_then(|_| file.read_exact(&mut bytes));
            read.map_err(|error| Problem {
                line: entry.line,
                reason: format!("the log changed while it was read: {error}"),
            })?;
            let record = serde_json::from_slice::<RunRecord>(without_mark(&bytes, entry.line));
            let record = record.map_err(|error| problem(entry.line, true, &error))?;
            Ok(completed(record, entry))
        }))
    }
}

/// Which run, query and mode stand where.
#[derive(Default)]
struct Places {
    runs: HashMap<Option<String>, usize>,
    slots: HashMap<(usize, String, String), usize>,
}

fn completed(mut record: RunRecord, entry: &Entry) -> LogRecord {
    let earlier = earlier::is_earlier(&record);
    if earlier {
        record.mode = entry.derived;
        record.guardrails = earlier::actions(&record.response.caveats);
    }
    LogRecord {
        line: entry.line,
        record,
        earlier,
    }
}

/// The line without a byte order mark, which only the first may have.
fn without_mark(bytes: &[u8], line: usize) -> &[u8] {
    match bytes.strip_prefix(b"\xef\xbb\xbf".as_slice()) {
        Some(rest) if line == 1 => rest,
        _ => bytes,
    }
}

fn problem(line: usize, whole: bool, error: &serde_json::Error) -> Problem {
    let what = if whole {
        "not a run record"
    } else {
        "torn last line"
    };
    Problem {
        line,
        reason: format!("{what}: {error}"),
    }
}
