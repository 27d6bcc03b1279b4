//! What an unfinished run left, and which of it counts.

use crate::error::LabError;
use engine::settings::Settings;
use eval::{Resumed, runlog::LogIndex};
use std::collections::HashSet;
use types::Reporter;

/// Warns of what is not used. Of an unfinished run whose log is damaged, the rows without a record that can be read are
/// asked again.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn ask_again(
    settings: &Settings,
    resumed: &mut Resumed,
    reporter: &dyn Reporter,
) -> Result<(), LabError> {
    resumed.warn(reporter);
    if resumed.rows.is_empty() || !settings.log.file.exists() {
        return Ok(());
    }
    let log = LogIndex::open(&settings.log.file)?;
    let run = log.runs.iter().find(|run| run.run_id.as_ref() == Some(&resumed.run_id));
    let Some(warning) = log.warning(run, &[]) else {
        return Ok(());
    };
    let mut whole = HashSet::new();
    for found in run.into_iter().flat_map(|run| log.records(run)).flatten() {
        whole.insert((found.record.query_id, found.record.mode.map(|mode| mode.to_string())));
    }
    let before = resumed.rows.len();
    resumed
        .rows
        .retain(|row| row.pending || whole.contains(&(Some(row.query_id.clone()), Some(row.mode.clone()))));
    let again = before - resumed.rows.len();
    if again > 0 {
        reporter.warn(&format!("{warning}; questions that are asked again: {again}"));
    }
    Ok(())
}
