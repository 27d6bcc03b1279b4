//! A run log becomes a report.

use crate::{error::EngineError, eval_run, settings::Loaded};
use eval::{
    QuerySet,
    report::{self, Evaluation, LogGroup},
    runlog,
};
use std::path::{Path, PathBuf};

/// Which part of which log.
#[derive(Clone, Debug, Default)]
pub struct ReportRequest {
    /// The log; the settings' own when `None`.
    pub log: Option<PathBuf>,
    /// The run; the latest when `None`.
    pub run: Option<String>,
    /// The query set that the questions come from, for what a log does not hold.
    pub queries: Option<PathBuf>,
}

/// Builds the report of a run from a log.
///
/// # Errors
/// When the log or the query set cannot be read, or the run is not in it.
pub async fn report(loaded: &Loaded, request: &ReportRequest) -> Result<Evaluation, EngineError> {
    let settings = &loaded.settings;
    let path = request.log.as_ref().unwrap_or(&settings.log.file);
    let log = runlog::read(path)?;
    let groups = report::groups(&log);
    let group = choose(&groups, request.run.as_deref(), path)?;
    let set = request.queries.as_deref().map(QuerySet::load).transpose()?;
    let judge = eval_run::judge(settings, None)?;
    let mut evaluation = report::from_log(&log, group, set.as_ref(), Some(&*judge), settings.eval.seed).await;
    // The log keeps a hash of its settings, not the settings: they are shown only where they are the same.
    if evaluation.provenance.config_hash == settings.config_hash() {
        evaluation.provenance.architecture = eval_run::architecture(&loaded.layers);
    }
    Ok(evaluation)
}

fn choose<'a>(groups: &'a [LogGroup], run: Option<&str>, path: &Path) -> Result<&'a LogGroup, EngineError> {
    let found = match run {
        Some(run) => groups.iter().find(|group| group.run_id.as_deref() == Some(run)),
        // Single questions belong to no run: they are reported only when there is no run at all.
        None => groups
            .iter()
            .rev()
            .find(|group| group.run_id.is_some())
            .or_else(|| groups.last()),
    };
    found.ok_or_else(|| {
        let runs: Vec<&str> = groups
            .iter()
            .filter_map(|group| group.run_id.as_deref())
            .collect();
        let wanted = run.map_or_else(|| "no record".to_owned(), |run| format!("no run {run:?}"));
        let held = if runs.is_empty() {
            "it holds no run".to_owned()
        } else {
            format!("it holds {}", runs.join(", "))
        };
        EngineError::Message(format!("{wanted} is in {}; {held}", path.display()))
    })
}
