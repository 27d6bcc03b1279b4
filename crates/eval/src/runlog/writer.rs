//! Appends to the log.

use crate::EvalError;
use serde_json::{Map, Value};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use types::files::open_in_place;
use types::run_log::{LOG_VERSION, PassageTexts};
use types::{RunRecord, sealed};

/// Appends a record as one line with its checksum in one write, under a lock that every writer of the log takes: a line
/// longer than what the system writes at once still stays whole. The texts of its context go to the folder of texts
/// beside the log. Folders are made where missing. After a torn last line the new one starts on a line of its own.
///
/// # Errors
/// [`EvalError::Json`] or [`EvalError::Write`].
pub fn append(path: &Path, record: &RunRecord) -> Result<(), EvalError> {
    let not_json = |source| EvalError::Json { what: "a run record", source };
    let unwritten = |source| EvalError::Write { path: path.to_path_buf(), source };
    // Through text, so that a score is written with the digits of its own precision.
    let text = serde_json::to_string(record).map_err(not_json)?;
    let mut fields: Map<String, Value> = serde_json::from_str(&text).map_err(not_json)?;
    fields.insert("log_version".to_owned(), LOG_VERSION.into());
    PassageTexts::beside(path).take_out(&mut fields).map_err(unwritten)?;
    let line = sealed::seal(b"", &fields).map_err(not_json)? + "\n";
    write_line(path, &line).map_err(unwritten)
}

fn write_line(path: &Path, line: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = open_in_place(path)?;
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
