//! A run log becomes a report.

use crate::{
    chat_models::ChatModels,
    error::EngineError,
    eval_run,
    natives::Natives,
    pool::ComputePool,
    settings::{Loaded, RefusalScores},
    stages,
};
use eval::{
    QuerySet,
    report::{self, Evaluation, LogScoring},
    runlog::{LogIndex, LogRun},
};
use std::path::{Path, PathBuf};
use types::Reporter;

/// Which part of which log.
#[derive(Clone, Debug, Default)]
pub struct ReportRequest {
    /// The log; the settings' own when `None`.
    pub log: Option<PathBuf>,
    /// The run; the latest when `None`.
    pub run: Option<String>,
    /// The query set that the questions come from, for what a log does not hold.
    pub queries: Option<PathBuf>,
    /// The most that calls to language models may cost, in US dollars.
    pub max_cost: Option<f64>,
}

/// Builds the report of a run from a log.
///
/// # Errors
/// When the log or the query set cannot be read, the run is not in the log, or none of its questions is in the
/// query set.
pub async fn report(
    loaded: &Loaded,
    request: &ReportRequest,
    reporter: &dyn Reporter,
) -> Result<Evaluation, EngineError> {
    let settings = &loaded.settings;
    let path = request.log.as_ref().unwrap_or(&settings.log.file);
    let log = LogIndex::open(path)?;
    let run = choose(&log.runs, request.run.as_deref(), path)?;
    let set = request.queries.as_deref().map(QuerySet::load).transpose()?;
    let support = || stages::support_alone(settings, &Natives::find(settings), reporter);
    let models = ChatModels::new(settings)?.with_budget(request.max_cost);
    let judge = eval_run::judge(settings, &models, support, &ComputePool::new(), reporter)?;
    let scoring = LogScoring {
        set: set.as_ref(),
        judge: Some(&*judge),
        seed: settings.eval.seed,
        perfect_refusals: settings.eval.refusals == RefusalScores::Perfect,
    };
    let mut evaluation = report::from_log(&log, run, &scoring).await?;
    evaluation.read_log(&log, run)?;
    evaluation.help = eval_run::settings_help()?;
    // A run without a header logged a hash of its settings only: they are shown where they are the same.
    if run.header.is_none() && evaluation.provenance.config_hash == settings.config_hash() {
        evaluation.provenance.architecture = eval_run::architecture(&loaded.layers);
    }
    Ok(evaluation)
}

pub(crate) fn choose<'a>(
    runs: &'a [LogRun],
    run: Option<&str>,
    path: &Path,
) -> Result<&'a LogRun, EngineError> {
    const SHOWN: usize = 10;
    let found = match run {
        Some(run) => runs.iter().find(|found| found.run_id.as_deref() == Some(run)),
        // Single questions belong to no run: they are reported only when there is no run at all.
        None => runs
            .iter()
            .rev()
            .find(|found| found.run_id.is_some())
            .or_else(|| runs.last()),
    };
    found.ok_or_else(|| {
        let ids: Vec<&str> = runs.iter().filter_map(|found| found.run_id.as_deref()).collect();
        let path = path.display();
        let wanted = run.map_or_else(
            || format!("{path} holds no record"),
            |run| format!("{path} holds no run {run:?}"),
        );
        let latest: Vec<&str> = ids.iter().rev().take(SHOWN).copied().collect();
        let held = match ids.len() {
            0 => "it holds no run at all".to_owned(),
            n if n > SHOWN => format!("the latest of its {n} runs are {}", latest.join(", ")),
            _ => format!("its runs are {}", latest.join(", ")),
        };
        EngineError::Message(format!("{wanted}; {held}"))
    })
}
