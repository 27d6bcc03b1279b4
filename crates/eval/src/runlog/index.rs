//! Reads a log of any size in two passes: the first notes where each record is, the second reads the records of one run,
//! one at a time, with the texts of their passages.

use super::Place;
use super::earlier::{self, Scores};
use super::lost::Lost;
use crate::{EvalError, Problem, QuerySet};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use types::files::check_regular;
use types::run_log::{PassageTexts, check_version};
use types::sealed::{self, Seal};
use types::{Mode, RunRecord};

/// Most bytes of a line: a record takes some 100 KB, a header with the labels of 100,000 questions 50 MB.
const MAX_LINE: u64 = 64 << 20;

/// Where the records of a log stand, by run.
#[derive(Clone, Debug, Default)]
pub struct LogIndex {
    path: PathBuf,
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
    /// [`super::RunHeader`] of the run, as JSON, without the labels of its questions; the last one logged.
    pub header: Option<Value>,
    /// When its first record was written, as that says it.
    pub first_timestamp: String,
    /// Its lines that cannot be read, as far as no later line has the same query and mode.
    pub damaged: Vec<Problem>,
    labels: Option<Place>,
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
        self.entries.iter().find(same).is_some_and(|entry| entry.place.line > line)
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// For each record, the id of its query (its question, where it has no id) and its mode.
    pub fn keys(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|entry| (entry.query.as_str(), entry.mode.as_str()))
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
    place: Place,
    /// The id of its query; its question, where the record has no id.
    query: String,
    /// Its mode; the method of its retrieval, where nothing tells the mode.
    mode: String,
    /// The mode that the scores of a record of the earlier system tell of.
    derived: Option<Mode>,
}

/// The part of a record that the first pass looks at.
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
    /// The first pass. A line that is no record, or is damaged, is skipped and named; blank lines are nothing. Memory grows with
    /// the number of records, not with their size.
    ///
    /// # Errors
    /// [`EvalError::Read`] when the file cannot be read.
    pub fn open(path: &Path) -> Result<Self, EvalError> {
        let unreadable = |source| EvalError::Read { path: path.to_path_buf(), source };
        let file = File::open(path).map_err(unreadable)?;
        check_regular(&file).map_err(unreadable)?;
        let mut reader = BufReader::new(file);
        let mut index = Self { path: path.to_path_buf(), ..Self::default() };
        let mut places = Places::default();
        let mut bytes = Vec::new();
        let (mut offset, mut line) = (0u64, 0usize);
        let mut lost = Vec::new();
        loop {
            bytes.clear();
            let mut start = (&mut reader).take(MAX_LINE);
            let length = start.read_until(b'\n', &mut bytes).map_err(unreadable)?;
            if length == 0 {
                index.assign(lost);
                return Ok(index);
            }
            line += 1;
            let place = Place { line, offset, length };
            offset += length as u64;
            if length as u64 == MAX_LINE && !bytes.ends_with(b"\n") {
                offset += reader.skip_until(b'\n').map_err(unreadable)? as u64;
                let reason =
                    format!("not read: it has more than {} MiB, the limit of a line", MAX_LINE >> 20);
                index.skipped.push(Problem::at(line, reason));
                continue;
            }
            let text = without_mark(&bytes, line);
            if text.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let damaged = sealed::check(b"", text) == Seal::Damaged;
            let reason = match serde_json::from_slice::<Line>(text) {
                _ if damaged => sealed::DAMAGED.to_owned(),
                Ok(found) => {
                    index.add(found, place, &mut places);
                    continue;
                }
                Err(error) => problem(line, bytes.ends_with(b"\n"), &error).reason,
            };
            lost.push(Lost::new(line, &reason, text));
        }
    }

    fn add(&mut self, found: Line, place: Place, places: &mut Places) {
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
        if let Some(mut header) = found.run {
            // The labels of many questions: read again when they are asked for.
            let labels = header.as_object_mut().and_then(|header| header.shift_remove("labels"));
            run.labels = labels.map(|_| place).or(run.labels);
            run.header = Some(header);
        }
        let next = run.entries.len();
        let slot = *places.slots.entry((at, name.clone(), mode.clone())).or_insert(next);
        let entry = Entry { place, query: name, mode, derived };
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
    /// [`EvalError::Read`] when the file cannot be read. A record that cannot be read is handed on as a problem.
    pub fn records<'a>(
        &self,
        run: &'a LogRun,
    ) -> Result<impl Iterator<Item = Result<LogRecord, Problem>> + 'a, EvalError> {
        let mut reader = self.reader(run)?;
        Ok((0..run.len()).map(move |at| reader.get(at)))
    }

    /// Reads records of a run in any order.
    ///
    /// # Errors
    /// [`EvalError::Read`] when the file cannot be opened.
    pub fn reader<'a>(&self, run: &'a LogRun) -> Result<RunReader<'a>, EvalError> {
        Ok(RunReader { run, file: self.file()?, texts: PassageTexts::beside(&self.path) })
    }

    /// The questions of a run with their labels; `None` if its header does not have them.
    ///
    /// # Errors
    /// [`EvalError::Read`] when the file cannot be read, [`EvalError::QuerySet`] when the labels are wrong.
    pub fn labels(&self, run: &LogRun) -> Result<Option<QuerySet>, EvalError> {
        #[derive(Deserialize)]
        struct Labels {
            run: Header,
        }
        #[derive(Deserialize)]
        struct Header {
            labels: Vec<Value>,
        }
        let Some(place) = run.labels else {
            return Ok(None);
        };
        let bytes = read(&mut self.file()?, place).map_err(|source| self.unreadable(source))?;
        let found: Labels = serde_json::from_slice(without_mark(&bytes, place.line))
            .map_err(|error| self.unreadable(error.into()))?;
        if found.run.labels.is_empty() {
            return Ok(None);
        }
        let set = run
            .header
            .as_ref()
            .and_then(|header| header.pointer("/provenance/query_set"))
            .and_then(Value::as_str);
        let lines: Vec<String> = found.run.labels.iter().map(ToString::to_string).collect();
        QuerySet::parse(set.unwrap_or("the query set of the run"), &lines.join("\n")).map(Some)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn file(&self) -> Result<File, EvalError> {
        File::open(&self.path).map_err(|source| self.unreadable(source))
    }

    fn unreadable(&self, source: io::Error) -> EvalError {
        EvalError::Read { path: self.path.clone(), source }
    }
}

/// The records of a run in an open log, and the texts that were read last.
pub struct RunReader<'a> {
    run: &'a LogRun,
    file: File,
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
        let place = entry.place;
        let problem = |reason: String| Problem::at(place.line, reason);
        let bytes = read(&mut self.file, place)
            .map_err(|error| problem(format!("the log changed while it was read: {error}")))?;
        let not_a_record = |error: serde_json::Error| self::problem(place.line, true, &error);
        let mut fields: Map<String, Value> =
            serde_json::from_slice(without_mark(&bytes, place.line)).map_err(not_a_record)?;
        check_version(&fields).map_err(problem)?;
        let texts = self.texts.put_back(&mut fields);
        let record = serde_json::from_value(Value::Object(fields)).map_err(not_a_record)?;
        let without_text =
            texts.err().map(|error| problem(format!("{error}; what needs its passages is n/a")));
        Ok(completed(record, entry, without_text))
    }
}

fn read(file: &mut File, place: Place) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; place.length];
    file.seek(SeekFrom::Start(place.offset))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Which run, query and mode stand where.
#[derive(Default)]
struct Places {
    runs: HashMap<Option<String>, usize>,
    slots: HashMap<(usize, String, String), usize>,
}

fn completed(mut record: RunRecord, entry: &Entry, without_text: Option<Problem>) -> LogRecord {
    let earlier = earlier::is_earlier(&record);
    if earlier {
        record.mode = entry.derived;
        record.guardrails = earlier::actions(&record.response.caveats);
    }
    LogRecord { line: entry.place.line, record, earlier, without_text }
}

/// The line without a byte order mark, which only the first may have.
fn without_mark(bytes: &[u8], line: usize) -> &[u8] {
    match bytes.strip_prefix(b"\xef\xbb\xbf".as_slice()) {
        Some(rest) if line == 1 => rest,
        _ => bytes,
    }
}

fn problem(line: usize, whole: bool, error: &serde_json::Error) -> Problem {
    let what = if whole { "not a run record" } else { "torn last line" };
    Problem::at(line, format!("{what}: {error}"))
}
