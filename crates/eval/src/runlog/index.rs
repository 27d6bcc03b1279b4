//! Reads a log in one pass, which notes where the record of each row is. Records are made of their lines when they are asked
//! for, with the texts of their passages.

use super::earlier::{self, Scores};
use super::lost::Lost;
use crate::{EvalError, Problem, QuerySet};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use types::files::check_regular;
use types::run_log::{PassageTexts, check_version};
use types::sealed::{self, Seal};
use types::{Mode, RunRecord};

/// The records of a log, by run.
#[derive(Clone, Debug, Default)]
pub struct LogIndex {
    path: PathBuf,
    bytes: Vec<u8>,
    /// The runs, in the order of their first line. Records without a run id form one group.
    pub runs: Vec<LogRun>,
    /// Lines that are left out and name no run of the log, with the reason; as a rule the torn last line.
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
    /// When its first record was written, as that says it.
    pub first_timestamp: String,
    /// Its lines that cannot be read, as far as no later line has the same query and mode.
    pub damaged: Vec<Problem>,
    entries: Vec<Entry>,
}

impl LogRun {
    /// Records, one for each query and mode: the last.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether a record of this query and mode stands behind a line.
    pub(super) fn has_later(&self, query: &str, mode: &str, line: usize) -> bool {
        let same = |entry: &&Entry| entry.query == query && entry.mode == mode;
        self.entries.iter().find(same).is_some_and(|entry| entry.line > line)
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// For each record, the id of its query (its question, where it has no id) and its mode.
    pub fn keys(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|entry| (entry.query.as_str(), entry.mode.as_str()))
    }

    /// When it began: its header says it, or its first record; empty in logs that do not.
    pub fn started(&self) -> String {
        let header = self.header.as_ref().and_then(|header| header.get("started")?.as_str());
        header.unwrap_or(&self.first_timestamp).to_owned()
    }

    /// The questions of the run with their labels; `None` if its header does not have them.
    ///
    /// # Errors
    /// [`EvalError::QuerySet`] when the labels are wrong.
    pub fn labels(&self) -> Result<Option<QuerySet>, EvalError> {
        let header = self.header.as_ref();
        let Some(labels) = header.and_then(|header| header.get("labels")?.as_array()) else {
            return Ok(None);
        };
        let set = header.and_then(|header| header.pointer("/provenance/query_set")?.as_str());
        let lines: Vec<String> = labels.iter().map(ToString::to_string).collect();
        let name = set.unwrap_or("the query set of the run");
        (!lines.is_empty()).then(|| QuerySet::parse(name, &lines.join("\n"))).transpose()
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
    /// Why it has no context, where a text of its passages is missing or damaged.
    pub without_text: Option<Problem>,
}

/// Where one record stands.
#[derive(Clone, Debug)]
struct Entry {
    line: usize,
    place: Range<usize>,
    /// The id of its query; its question, where the record has no id.
    query: String,
    /// Its mode; the method of its retrieval, where nothing tells the mode.
    mode: String,
    /// The mode that the scores of a record of the earlier system tell of.
    derived: Option<Mode>,
}

/// The part of a record that the pass looks at.
#[derive(Deserialize)]
struct Line {
    query: String,
    #[serde(default)]
    timestamp: String,
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
    /// Reads a log. A line that is no record, or is damaged, is skipped and named; blank lines are nothing.
    ///
    /// # Errors
    /// [`EvalError::Read`] when the file cannot be read.
    pub fn open(path: &Path) -> Result<Self, EvalError> {
        let unreadable = |source| EvalError::Read { path: path.to_path_buf(), source };
        let mut file = File::open(path).map_err(unreadable)?;
        check_regular(&file).map_err(unreadable)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        let mut index = Self { path: path.to_path_buf(), ..Self::default() };
        let mut places = Places::default();
        let mut lost = Vec::new();
        // A byte order mark stands before the first line.
        let mut end = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        for (at, text) in bytes[end..].split_inclusive(|byte| *byte == b'\n').enumerate() {
            let place = end..end + text.len();
            end = place.end;
            if text.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let damaged = sealed::check(b"", text) == Seal::Damaged;
            let reason = match serde_json::from_slice::<Line>(text) {
                _ if damaged => sealed::DAMAGED.to_owned(),
                Ok(found) => {
                    index.add(found, (at + 1, place), &mut places);
                    continue;
                }
                Err(error) => problem(at + 1, text.ends_with(b"\n"), &error).reason,
            };
            lost.push(Lost::new(at + 1, &reason, text));
        }
        index.assign(lost);
        index.bytes = bytes;
        Ok(index)
    }

    fn add(&mut self, found: Line, (line, place): (usize, Range<usize>), places: &mut Places) {
        let derived = found.derived();
        let at = *places.runs.entry(found.run_id.clone()).or_insert_with(|| {
            self.runs.push(LogRun {
                run_id: found.run_id.clone(),
                first_timestamp: found.timestamp.clone(),
                ..LogRun::default()
            });
            self.runs.len() - 1
        });
        let mode = match found.mode.or(derived) {
            Some(mode) => mode.to_string(),
            None => found.retrieval.method,
        };
        let name = found.query_id.unwrap_or_else(|| found.query.trim().to_owned());
        let run = &mut self.runs[at];
        run.header = found.run.or(run.header.take());
        let next = run.entries.len();
        let slot = *places.slots.entry((at, name.clone(), mode.clone())).or_insert(next);
        let entry = Entry { line, place, query: name, mode, derived };
        if slot < next {
            run.entries[slot] = entry;
            run.superseded += 1;
        } else {
            run.entries.push(entry);
        }
    }

    /// The records of a run, one at a time. A record that cannot be read is handed on as a problem.
    pub fn records<'a>(&'a self, run: &'a LogRun) -> impl Iterator<Item = Result<LogRecord, Problem>> + 'a {
        let mut reader = self.reader(run);
        (0..run.len()).map(move |at| reader.get(at))
    }

    /// Reads records of a run in any order.
    pub fn reader<'a>(&'a self, run: &'a LogRun) -> RunReader<'a> {
        RunReader { log: self, run, texts: PassageTexts::beside(&self.path) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The records of a run, and the texts that were read last.
pub struct RunReader<'a> {
    log: &'a LogIndex,
    run: &'a LogRun,
    texts: PassageTexts,
}

impl RunReader<'_> {
    /// A record by its number, from 0 and below [`LogRun::len`].
    ///
    /// # Errors
    /// What is wrong with its line.
    pub fn get(&mut self, at: usize) -> Result<LogRecord, Problem> {
        let Some(entry) = self.run.entries.get(at) else {
            return Err(Problem::whole(format!("the run has no record {at}")));
        };
        let line = entry.line;
        let named = |reason: String| Problem::at(line, reason);
        let not_a_record = |error: serde_json::Error| problem(line, true, &error);
        let mut fields: Map<String, Value> =
            serde_json::from_slice(&self.log.bytes[entry.place.clone()]).map_err(not_a_record)?;
        check_version(&fields).map_err(named)?;
        let texts = self.texts.put_back(&mut fields);
        let mut record: RunRecord = serde_json::from_value(Value::Object(fields)).map_err(not_a_record)?;
        let earlier = earlier::is_earlier(&record);
        if earlier {
            record.mode = entry.derived;
            record.guardrails = earlier::actions(&record.response.caveats);
        }
        let without_text = texts.err().map(|error| named(format!("{error}; what needs its passages is n/a")));
        Ok(LogRecord { line, record, earlier, without_text })
    }
}

/// Which run, query and mode stand where.
#[derive(Default)]
struct Places {
    runs: HashMap<Option<String>, usize>,
    slots: HashMap<(usize, String, String), usize>,
}

fn problem(line: usize, whole: bool, error: &serde_json::Error) -> Problem {
    let what = if whole { "not a run record" } else { "torn last line" };
    Problem::at(line, format!("{what}: {error}"))
}
