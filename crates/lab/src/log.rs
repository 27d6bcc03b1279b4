//! The run log.

use crate::error::LabError;
use engine::settings::Settings;
use eval::runlog;
use types::RunRecord;

/// Appends a record to the log that the settings name, in one write; no log, no work.
///
/// # Errors
/// When the log cannot be written.
pub fn append(settings: &Settings, record: &RunRecord) -> Result<(), LabError> {
    let file = &settings.log.file;
    if file.as_os_str().is_empty() {
        return Ok(());
    }
    Ok(runlog::append(file, record)?)
}

/// The warning that an answer or a run is not in the log, which changes no result.
pub fn unwritten(error: &LabError) -> String {
    format!("not in the run log: {error}; set log.file to another file, or to \"\" for no log")
}
