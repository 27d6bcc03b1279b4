//! The run log.

use crate::{error::EngineError, settings::Settings};
use eval::runlog::{self, RunWriter};
use std::path::Path;
use types::{RunRecord, digest};

/// Appends a record to the log that the settings name, whole and in one write; no log, no work.
///
/// # Errors
/// When the log cannot be written.
pub fn append(settings: &Settings, record: &RunRecord) -> Result<(), EngineError> {
    match file(settings)? {
        Some(file) => Ok(runlog::append(file, record)?),
        None => Ok(()),
    }
}

/// Where this process logs a run; nowhere, if the settings name no log.
pub(crate) struct RunLog(Option<RunWriter>);

impl RunLog {
    /// A writer for the records of this run.
    ///
    /// # Errors
    /// When the folder of the log cannot be created.
    pub(crate) fn new(settings: &Settings, run_id: &str) -> Result<Self, EngineError> {
        let process = std::process::id().to_le_bytes();
        let now = jiff::Timestamp::now().as_nanosecond().to_le_bytes();
        let mut by = digest::sha256_of_parts(&[run_id.as_bytes(), &process, &now]);
        by.truncate(8);
        Ok(Self(file(settings)?.map(|file| RunWriter::new(file, by))))
    }

    /// Appends a record: a text that this process has logged for the run is not repeated.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub(crate) fn append(&mut self, record: &RunRecord) -> Result<(), EngineError> {
        match &mut self.0 {
            Some(writer) => Ok(writer.append(record)?),
            None => Ok(()),
        }
    }
}

/// The log that the settings name; its folder exists afterwards.
fn file(settings: &Settings) -> Result<Option<&Path>, EngineError> {
    let file = &settings.log.file;
    if file.as_os_str().is_empty() {
        return Ok(None);
    }
    if let Some(folder) = file.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
    }
    Ok(Some(file))
}
