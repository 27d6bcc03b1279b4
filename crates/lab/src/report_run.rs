//! A run log, or the results of the earlier system, become a report.

use crate::{error::LabError, judging::judge_alone};
use engine::{
    chat_models::ChatModels,
    settings::{Loaded, RefusalScores},
};
use eval::{
    QuerySet,
    report::{self, Evaluation, LogScoring, phase2},
    runlog::{LATEST, LogIndex, resolve},
};
use std::path::{Path, PathBuf};
use types::Reporter;

/// Which part of which log.
#[derive(Clone, Debug, Default)]
pub struct ReportRequest {
    /// The log; the settings' own when `None`.
    pub log: Option<PathBuf>,
    /// The run, as [`eval::runlog::resolve`] reads it; the latest when `None`.
    pub run: Option<String>,
    /// The query set that the questions come from, for what a log does not hold.
    pub queries: Option<PathBuf>,
    /// The most that calls to language models may cost, in US dollars.
    pub max_cost: Option<f64>,
}

/// Builds the report of a run from a log. A run of one mode is compared with the run of the other mode that asked the same
/// questions with the same settings, if the log has one.
///
/// # Errors
/// When the log or the query set cannot be read, the run is not in the log, or none of its questions is in the
/// query set.
pub async fn report(
    loaded: &Loaded,
    request: &ReportRequest,
    reporter: &dyn Reporter,
) -> Result<Evaluation, LabError> {
    let settings = &loaded.settings;
    let path = request.log.as_ref().unwrap_or(&settings.log.file);
    let set = request.queries.as_deref().map(crate::query_set::load).transpose()?;
    if phase2::detect(path)? {
        return earlier_report(path, request, set.as_ref(), settings.eval.seed);
    }
    let log = LogIndex::open(path)?;
    let run = resolve(&log, request.run.as_deref().unwrap_or(LATEST))?;
    let models = ChatModels::new(settings)?.with_budget(request.max_cost);
    let judge = judge_alone(settings, &models, reporter)?;
    let scoring = LogScoring {
        set: set.as_ref(),
        judge: Some(&*judge),
        seed: settings.eval.seed,
        perfect_refusals: settings.eval.refusals == RefusalScores::Perfect,
    };
    let mut evaluation = report::from_log(&log, run, &scoring).await?;
    if let Some(warning) = evaluation.warning(&log, run) {
        reporter.warn(&warning);
    }
    let beside = report::beside(&log, run);
    if let Some(other) = beside {
        evaluation = evaluation.joined(report::from_log(&log, other, &scoring).await?);
        evaluation.read_log(&log, other);
    }
    evaluation.read_log(&log, run);
    Ok(evaluation)
}

/// The report of an `evaluation_report.json`.
fn earlier_report(
    path: &Path,
    request: &ReportRequest,
    set: Option<&QuerySet>,
    seed: u64,
) -> Result<Evaluation, LabError> {
    if let Some(run) = &request.run {
        return Err(LabError::Message(format!(
            "{} is an evaluation_report.json of the earlier system, which has no run {run:?}\nhint: leave out --run",
            path.display()
        )));
    }
    let scoring = LogScoring { set, seed, ..LogScoring::default() };
    Ok(phase2::read(path, &scoring)?)
}
