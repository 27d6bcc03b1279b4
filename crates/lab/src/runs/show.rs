//! Lists runs, and shows one of them or one of its questions.

use super::{named, open, stored};
use crate::error::LabError;
use ::eval::{
    Row,
    report::failures,
    stored::{RunInfo, StoredRun, listed},
};
use engine::{documents::Ask, settings::Settings, show::References};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use types::{
    Reporter,
    words::{NAMED, first_of},
};

/// What to show.
#[derive(Clone, Debug, Default)]
pub struct ShowRequest {
    /// The log; the settings' own when `None`.
    pub log: Option<PathBuf>,
    /// The run, or `RUN:MODE`.
    pub run: String,
    /// The mode; all of them when `None`.
    pub mode: Option<String>,
    /// Only rows that failed; not for a question.
    pub failed: bool,
}

/// What `runs` prints: the runs of a log, the newest last.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Runs {
    /// The log.
    pub log: PathBuf,
    /// Runs in the log.
    pub total: usize,
    /// The newest of them.
    pub runs: Vec<RunInfo>,
}

/// What `runs show RUN` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunRows {
    /// The run.
    pub run: RunInfo,
    /// What was left out, assumed or read differently.
    pub notes: Vec<String>,
    /// Rows that failed, of all rows of the modes shown.
    pub failed: usize,
    /// The rows, in the order of the run; with `--failed`, those that failed.
    pub rows: Vec<Row>,
}

/// What `runs show RUN QUERY` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunQuestion {
    /// The run.
    pub run: RunInfo,
    /// The right answer, if the run logged its labels.
    pub reference_answer: Option<String>,
    /// What became of the question in each mode.
    pub answers: Vec<RunAnswer>,
}

/// A question in one mode.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunAnswer {
    /// The scores and verdicts.
    pub row: Row,
    /// The answer, with candidates and context.
    pub answer: Ask,
}

/// The newest runs of the log, at most `limit` of them, the newest last.
///
/// # Errors
/// When the log cannot be read.
pub fn list(
    settings: &Settings,
    log: Option<&PathBuf>,
    limit: usize,
    reporter: &dyn Reporter,
) -> Result<Runs, LabError> {
    let log = open(settings, log)?;
    if let Some(warning) = log.warning(None, &[]) {
        reporter.warn(&warning);
    }
    let runs: Vec<_> = log.runs.iter().filter(|run| run.run_id.is_some()).collect();
    let newest = &runs[runs.len().saturating_sub(limit)..];
    let each = newest.iter().map(|run| listed(&log, run, settings.eval.seed));
    Ok(Runs { log: log.path().to_path_buf(), total: runs.len(), runs: each.collect() })
}

/// The rows of a run.
///
/// # Errors
/// When the log has no such run, the run no such mode, or a record cannot be read whole.
pub async fn rows(
    settings: &Settings,
    request: &ShowRequest,
    reporter: &dyn Reporter,
) -> Result<RunRows, LabError> {
    let log = open(settings, request.log.as_ref())?;
    let (run, mode) = named(&log, &request.run, request.mode.as_deref())?;
    let stored = stored(settings, &log, run, reporter).await?;
    let rows =
        || stored.evaluation.rows.iter().filter(|row| mode.as_ref().is_none_or(|mode| row.mode == *mode));
    let chosen = rows().filter(|row| !request.failed || !failures(row).is_empty());
    Ok(RunRows {
        run: stored.info(),
        notes: stored.evaluation.notes.clone(),
        failed: rows().filter(|row| !failures(row).is_empty()).count(),
        rows: chosen.cloned().collect(),
    })
}

/// Everything about one question of a run.
///
/// # Errors
/// As [`rows`], and when the run has no such question.
pub async fn question(
    settings: &Settings,
    request: &ShowRequest,
    query: &str,
    reporter: &dyn Reporter,
) -> Result<RunQuestion, LabError> {
    let log = open(settings, request.log.as_ref())?;
    let (run, mode) = named(&log, &request.run, request.mode.as_deref())?;
    let run = stored(settings, &log, run, reporter).await?;
    let rows = || run.evaluation.rows.iter();
    let Some(first) = rows().find(|row| row.query_id == query) else {
        return Err(unknown(&run, query));
    };
    let mut answers = Vec::new();
    run.each::<LabError>(
        |row| row.query_id == query && mode.as_ref().is_none_or(|mode| row.mode == *mode),
        |row, found| {
            let references = References::of_context(found.record.context.as_deref().unwrap_or_default());
            answers.push(RunAnswer { row: row.clone(), answer: Ask::new(&references, &found.record, true) });
            Ok(())
        },
    )?;
    let reference_answer = run.query(first).and_then(|labels| labels.reference_answer.clone());
    Ok(RunQuestion { run: run.info(), reference_answer, answers })
}

fn unknown(run: &StoredRun<'_>, query: &str) -> LabError {
    let mut ids: Vec<&str> = Vec::new();
    for row in &run.evaluation.rows {
        if !ids.contains(&row.query_id.as_str()) {
            ids.push(&row.query_id);
        }
    }
    LabError::Message(format!(
        "the log has no readable record of the question {query:?} of the run {}; its {} questions are {}",
        run.id(),
        ids.len(),
        first_of(&ids, NAMED)
    ))
}
