//! The run log: one JSON object a line, appended by any number of processes, never rewritten.

use crate::{EvalError, Problem};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use types::RunRecord;

/// What a log holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunLog {
    /// Records with their line numbers, from 1, in file order.
    pub records: Vec<(usize, RunRecord)>,
    /// Lines that are no record, with the reason: torn ones, as a rule.
    pub skipped: Vec<Problem>,
}

/// Appends a record as one line in one write, under a lock that every writer of the log takes: a line longer
/// than what the system writes at once still stays whole. Folders are made where missing. After a torn last
/// line the new one starts on a line of its own.
///
/// # Errors
/// [`EvalError::Json`] or [`EvalError::Write`].
pub fn append(path: &Path, record: &RunRecord) -> Result<(), EvalError> {
    let mut line = serde_json::to_string(record).map_err(|source| EvalError::Json {
        what: "a run record",
        source,
    })?;
    line.push('\n');
    append_line(path, &line).map_err(|source| EvalError::Write {
        path: path.to_path_buf(),
        source,
    })
}

fn append_line(path: &Path, line: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .read(true)
        .open(path)?;
    match file.lock() {
        // Some file systems have no locks; there the single appending write has to do.
        Err(error) if error.kind() != io::ErrorKind::Unsupported => return Err(error),
        _ => {}
    }
    let torn = !ends_with_newline(&mut file)?;
    let mut bytes = Vec::with_capacity(line.len() + 1);
    if torn {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(line.as_bytes());
    // The lock goes with the file.
    file.write_all(&bytes)
}

/// Whether the file is empty or its last byte ends a line.
fn ends_with_newline(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0u8; 1];
    file.read_exact(&mut last)?;
    Ok(last[0] == b'\n')
}

/// Reads a log, of this system or of the earlier one with its six fields. A line that is no record is skipped
/// and named; blank lines are nothing.
///
/// # Errors
/// [`EvalError::Read`] when the file cannot be read.
pub fn read(path: &Path) -> Result<RunLog, EvalError> {
    let io = |source| EvalError::Read {
        path: path.to_path_buf(),
        source,
    };
    let mut reader = BufReader::new(File::open(path).map_err(io)?);
    let mut log = RunLog::default();
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(io)? == 0 {
            return Ok(log);
        }
        number += 1;
        let whole = line.ends_with(b"\n");
        let bytes = if number == 1 {
            line.strip_prefix(b"\xef\xbb\xbf".as_slice()).unwrap_or(&line)
        } else {
            &line
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<RunRecord>(bytes) {
            Ok(record) => log.records.push((number, record)),
            Err(error) => {
                let what = if whole {
                    "not a run record"
                } else {
                    "torn last line"
                };
                log.skipped.push(Problem {
                    line: number,
                    reason: format!("{what}: {error}"),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn record(id: &str, answer: &str) -> RunRecord {
        let mut record = RunRecord {
            query: "q".into(),
            query_id: Some(id.into()),
            ..RunRecord::default()
        };
        record.response.answer = answer.to_owned();
        record
    }

    #[test]
    fn several_writers_keep_their_lines_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("logs/run_log.jsonl");
        // Longer than a pipe's or a page's atomic size.
        let long = "word ".repeat(8_000);
        thread::scope(|scope| {
            for writer in 0..4 {
                let (path, long) = (&path, &long);
                scope.spawn(move || {
                    for n in 0..10 {
                        append(path, &record(&format!("{writer}-{n}"), long)).expect("appends");
                    }
                });
            }
        });
        let log = read(&path).expect("reads");
        assert_eq!((log.records.len(), log.skipped.len()), (40, 0));
        let mut ids: Vec<_> = log
            .records
            .iter()
            .filter_map(|(_, r)| r.query_id.clone())
            .collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 40);
        assert!(log.records.iter().all(|(_, r)| r.response.answer == long));
    }

    #[test]
    fn torn_and_foreign_lines_are_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.jsonl");
        append(&path, &record("1", "x")).expect("appends");
        let mut file = OpenOptions::new().append(true).open(&path).expect("opens");
        file.write_all(b"\n{\"other\":1}\n\xff\xfe\n{\"query\":\"torn")
            .expect("writes");
        drop(file);
        let log = read(&path).expect("reads");
        assert_eq!(log.records.len(), 1);
        let said: Vec<String> = log.skipped.iter().map(Problem::to_string).collect();
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[0].starts_with("line 3: not a run record"), "{said:?}");
        assert!(said[2].starts_with("line 5: torn last line"), "{said:?}");
        // The next record does not join the torn line.
        append(&path, &record("2", "y")).expect("appends");
        let log = read(&path).expect("reads");
        assert_eq!(log.records.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [1, 6]);
        assert!(read(&folder.path().join("none")).is_err());
    }

    #[test]
    fn the_earlier_form_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("old.jsonl");
        let line = r#"{"timestamp":"2026-01-02T03:04:05","query":"q","prompt_version":"v2","model":"m","retrieval":{"method":"hybrid","total_candidates":1,"above_threshold":1,"has_sufficient_evidence":true,"returned_chunks":[]},"response":{"answer":"x","citations":[],"confidence":"high","evidence_quality":"","no_evidence":false,"caveats":[]}}"#;
        fs::write(&path, format!("\u{feff}{line}\r\n{line}")).expect("writes");
        let log = read(&path).expect("reads");
        assert_eq!(
            (log.records.len(), log.skipped.len()),
            (2, 0),
            "{:?}",
            log.skipped
        );
        assert!(log.records[0].1.context.is_none());
    }
}
