//! Appends to the log.

use super::repeated;
use crate::EvalError;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use types::files::open_in_place;
use types::packed::Packer;
use types::{RunRecord, sealed};

/// Appends a whole record as one line with its checksum in one write, under a lock that every writer of the log takes: a line longer
/// than what the system writes at once still stays whole. Folders are made where missing. After a torn last
/// line the new one starts on a line of its own.
///
/// # Errors
/// [`EvalError::Json`] or [`EvalError::Write`].
pub fn append(path: &Path, record: &RunRecord) -> Result<(), EvalError> {
    append_line(path, record)
}

/// Writes the records of one run in one process. The text of a chunk stands in the first record that has it; see
/// [`types::packed`].
#[derive(Debug)]
pub struct RunWriter {
    path: PathBuf,
    packer: Packer,
}

impl RunWriter {
    /// A writer that has written nothing yet. `by` must differ from that of every other process that writes the same run.
    pub fn new(path: &Path, by: impl Into<String>) -> Self {
        Self {
            path: path.to_path_buf(),
            packer: Packer::new(by),
        }
    }

    /// Appends a record as [`append`] does, in its small form.
    ///
    /// # Errors
    /// As [`append`].
    pub fn append(&mut self, record: &RunRecord) -> Result<(), EvalError> {
        let mut packing = self.packer.pack(record).map_err(not_json)?;
        repeated::leave_out(&mut packing.record).map_err(not_json)?;
        append_line(&self.path, &packing.record)?;
        self.packer.written(packing);
        Ok(())
    }
}

fn not_json(source: serde_json::Error) -> EvalError {
    EvalError::Json {
        what: "a run record",
        source,
    }
}

fn append_line(path: &Path, record: &impl Serialize) -> Result<(), EvalError> {
    let line = sealed::seal(b"", record).map_err(not_json)? + "\n";
    write_line(path, &line).map_err(|source| EvalError::Write {
        path: path.to_path_buf(),
        source,
    })
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
