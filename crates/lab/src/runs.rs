//! The runs that the log has stored: lists, shows, compares, exports and judges them again.

mod compare;
mod export;
mod rejudge;
mod show;

pub use compare::{compare, compared, find};
pub use export::{ExportFormat, ExportRequest, export};
pub use rejudge::{RejudgeRequest, RunRejudged, dry_run, rejudge};
pub use show::{RunAnswer, RunQuestion, RunRows, Runs, ShowRequest, list, question, rows};

use crate::error::LabError;
use ::eval::{
    report::LogScoring,
    runlog::{LogIndex, LogRun, RunError, resolve},
    stored::StoredRun,
};
use engine::settings::{RefusalScores, Settings};
use std::path::{Path, PathBuf};
use types::Reporter;

/// The log of a request, or of the settings.
///
/// # Errors
/// When it cannot be read; a log that does not exist says how to make one.
pub(crate) fn open(settings: &Settings, log: Option<&PathBuf>) -> Result<LogIndex, LabError> {
    let path: &Path = log.unwrap_or(&settings.log.file);
    if path.as_os_str().is_empty() {
        return Err(LabError::Message(
            "the setting log.file is empty: no run is stored; name a log with --log".to_owned(),
        ));
    }
    if log.is_none() && !path.exists() {
        return Err(RunError::Empty { path: path.to_path_buf() }.into());
    }
    Ok(LogIndex::open(path)?)
}

/// A run, and the mode that a user named with it, as `RUN:MODE` or apart from it (`mode`), if any.
///
/// # Errors
/// When the log has no such run, or the run no such mode.
pub(crate) fn named<'a>(
    log: &'a LogIndex,
    wanted: &str,
    mode: Option<&str>,
) -> Result<(&'a LogRun, Option<String>), LabError> {
    let (run, with_it) = match resolve(log, wanted) {
        Ok(run) => (run, None),
        Err(error) => {
            let apart = wanted.rsplit_once(':');
            let found = apart.and_then(|(run, mode)| Some((resolve(log, run).ok()?, Some(mode))));
            found.ok_or(error)?
        }
    };
    for mode in with_it.iter().chain(&mode) {
        check_mode(run, mode)?;
    }
    Ok((run, mode.or(with_it).map(str::to_owned)))
}

/// # Errors
/// When the run has no such mode.
fn check_mode(run: &LogRun, mode: &str) -> Result<(), LabError> {
    let mut modes: Vec<&str> = Vec::new();
    for (_, own) in run.keys() {
        if !modes.contains(&own) {
            modes.push(own);
        }
    }
    if modes.contains(&mode) {
        return Ok(());
    }
    Err(LabError::Message(format!(
        "the run {} has no mode {mode:?}; its modes are {}",
        run.run_id.as_deref().unwrap_or_default(),
        modes.join(", ")
    )))
}

/// The stored form of a run. Damaged lines are named in a warning.
///
/// # Errors
/// When the log cannot be read.
pub(crate) async fn stored<'a>(
    settings: &Settings,
    log: &'a LogIndex,
    run: &'a LogRun,
    reporter: &dyn Reporter,
) -> Result<StoredRun<'a>, LabError> {
    let scoring = LogScoring {
        seed: settings.eval.seed,
        perfect_refusals: settings.eval.refusals == RefusalScores::Perfect,
        ..LogScoring::default()
    };
    let stored = StoredRun::read(log, run, scoring).await?;
    if let Some(warning) = stored.warning() {
        reporter.warn(&warning);
    }
    Ok(stored)
}
