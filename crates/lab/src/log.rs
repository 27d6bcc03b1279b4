//! The run log.

use crate::error::LabError;
use engine::settings::Settings;
use eval::runlog::{self, RunWriter};
use std::path::Path;
use types::{RunRecord, digest};

/// Appends a record to the log that the settings name, whole and in one write; no log, no work.
///
/// # Errors
/// When the log cannot be written.
pub fn append(settings: &Settings, record: &RunRecord) -> Result<(), LabError> {
    match file(settings) {
        Some(file) => Ok(runlog::append(file, record)?),
        None => Ok(()),
    }
}

/// The warning that an answer or a run is not in the log, which changes no result.
pub fn unwritten(error: &LabError) -> String {
    format!("not in the run log: {error}; set log.file to another file, or to \"\" for no log")
}

/// Where this process logs a run; nowhere, if the settings name no log.
pub(crate) struct RunLog(Option<RunWriter>);

impl RunLog {
    /// A writer for the records of this run.
    pub(crate) fn new(settings: &Settings, run_id: &str) -> Self {
        let process = std::process::id().to_le_bytes();
        let now = jiff::Timestamp::now().as_nanosecond().to_le_bytes();
        let mut by = digest::sha256_of_parts(&[run_id.as_bytes(), &process, &now]);
        by.truncate(8);
        Self(file(settings).map(|file| RunWriter::new(file, by)))
    }

    /// Appends a record: a text that this process has logged for the run is not repeated.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub(crate) fn append(&mut self, record: &RunRecord) -> Result<(), LabError> {
        match &mut self.0 {
            Some(writer) => Ok(writer.append(record)?),
            None => Ok(()),
        }
    }
}

/// The log that the settings name.
fn file(settings: &Settings) -> Option<&Path> {
    Some(settings.log.file.as_path()).filter(|file| !file.as_os_str().is_empty())
}
