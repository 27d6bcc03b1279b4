//! The run log.

use crate::{error::EngineError, settings::Settings};
use types::RunRecord;

/// Appends a record to the log that the settings name, in one write; no log, no work.
///
/// # Errors
/// When the log cannot be written.
pub fn append(settings: &Settings, record: &RunRecord) -> Result<(), EngineError> {
    let file = &settings.log.file;
    if file.as_os_str().is_empty() {
        return Ok(());
    }
    if let Some(folder) = file.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(EngineError::io("create", folder))?;
    }
    Ok(eval::runlog::append(file, record)?)
}
