//! Two runs, or two modes of one.

use super::{named, open, stored};
use crate::error::LabError;
use ::eval::{
    EvalError,
    runlog::RunError,
    stored::{RunComparison, StoredRun, compare_modes},
};
use engine::settings::Settings;
use std::path::PathBuf;
use types::Reporter;

/// Compares `RUN` or `RUN:MODE` with another. Without modes, each mode that both runs have is compared with the same mode; two
/// runs of one mode each are compared whatever their modes.
///
/// # Errors
/// When the log has no such run, or the two have no mode or no question in common.
pub async fn compare(
    settings: &Settings,
    log: Option<&PathBuf>,
    (first, second): (&str, &str),
    reporter: &dyn Reporter,
) -> Result<RunComparison, LabError> {
    let log = open(settings, log)?;
    let (one, first_mode) = named(&log, first, None)?;
    let (other, second_mode) = named(&log, second, None)?;
    let one = stored(settings, &log, one, reporter).await?;
    let other = stored(settings, &log, other, reporter).await?;
    compared((&one, first_mode.as_deref()), (&other, second_mode.as_deref()), settings.eval.seed)
}

/// Compares two stored runs; see [`compare`].
///
/// # Errors
/// When the two have no mode or no question in common.
pub fn compared(
    (first, first_mode): (&StoredRun<'_>, Option<&str>),
    (second, second_mode): (&StoredRun<'_>, Option<&str>),
    seed: u64,
) -> Result<RunComparison, LabError> {
    let (own, other) = (first.modes(), second.modes());
    let pairs: Vec<(&str, &str)> = match (first_mode, second_mode) {
        (Some(one), Some(other)) => vec![(one, other)],
        (Some(mode), None) => other.contains(&mode).then_some((mode, mode)).into_iter().collect(),
        (None, Some(mode)) => own.contains(&mode).then_some((mode, mode)).into_iter().collect(),
        (None, None) if own.len() == 1 && other.len() == 1 => vec![(own[0], other[0])],
        (None, None) => {
            let shared = own.iter().filter(|mode| other.contains(mode));
            shared.map(|mode| (*mode, *mode)).collect()
        }
    };
    if pairs.is_empty() {
        return Err(LabError::Message(format!(
            "the runs have no mode in common ({} and {}); name one of each, as in RUN:{}",
            own.join(", "),
            other.join(", "),
            own.first().unwrap_or(&"hybrid")
        )));
    }
    let each = pairs.into_iter().map(|(one, other)| compare_modes((first, one), (second, other), seed));
    Ok(RunComparison { comparisons: each.collect::<Result<_, EvalError>>()? })
}

/// The id of the run that a word names, with its mode if it names one; `None` if the log has no such run.
///
/// # Errors
/// When the settings name no log, the log cannot be read, or several runs are meant.
pub fn find(settings: &Settings, wanted: &str) -> Result<Option<String>, LabError> {
    if !settings.log.file.exists() {
        return Ok(None);
    }
    let log = open(settings, None)?;
    match named(&log, wanted, None) {
        Ok((run, mode)) => {
            let id = run.run_id.clone().unwrap_or_default();
            Ok(Some(match mode {
                Some(mode) => format!("{id}:{mode}"),
                None => id,
            }))
        }
        Err(LabError::Eval(EvalError::Run(RunError::Unknown { .. } | RunError::Empty { .. }))) => Ok(None),
        Err(error) => Err(error),
    }
}
