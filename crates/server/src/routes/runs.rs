//! The runs of evaluations that the log has stored.

use crate::{
    app::{App, Caller},
    asked::Limit,
    document::Json,
    extract::{Asked, Path},
    failed::Failed,
    operation::{Operation, Routes},
};
use axum::{extract::State, routing::get};
use engine::settings::Settings;
use lab::{
    LabError,
    runs::{RunQuestion, RunRows, Runs, ShowRequest},
};
use serde_json::Value;
use tokio::{runtime::Handle, task::spawn_blocking};
use types::{Explain as _, Silent};

pub(crate) fn routes() -> Routes {
    vec![
        Operation::get("/v1/runs", "The stored evaluations, the newest last")
            .query::<Limit>()
            .answers::<Runs>(200)
            .by(get(runs)),
        Operation::get("/v1/runs/{id}", "The rows of a stored evaluation")
            .answers::<RunRows>(200)
            .by(get(run)),
        Operation::get("/v1/runs/{id}/{query}", "A question of a stored evaluation through all stages")
            .answers::<RunQuestion>(200)
            .by(get(run_question)),
    ]
}

async fn run(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Json<Value>, Failed> {
    let rows = rows_of(&app, &caller, id).await?;
    app.indexes.shown(&caller.place(), rows).map(Json)
}

async fn run_question(
    State(app): State<App>,
    caller: Caller,
    Path((id, query)): Path<(String, String)>,
) -> Result<Json<Value>, Failed> {
    let question = question_of(&app, &caller, id, query).await?;
    app.indexes.shown(&caller.place(), question).map(Json)
}

/// The rows of a stored run.
///
/// # Errors
/// When there is no such run, or it cannot be read.
pub(crate) async fn rows_of(app: &App, caller: &Caller, run: String) -> Result<RunRows, Failed> {
    of_run(app, caller, run, None, |handle, settings, request| {
        handle.block_on(lab::runs::rows(settings, request, &Silent))
    })
    .await
}

/// A question of a stored run.
///
/// # Errors
/// As [`rows_of`], and when the run has no such question.
pub(crate) async fn question_of(
    app: &App,
    caller: &Caller,
    run: String,
    query: String,
) -> Result<RunQuestion, Failed> {
    let own = query.clone();
    of_run(app, caller, run, Some(query), move |handle, settings, request| {
        handle.block_on(lab::runs::question(settings, request, &own, &Silent))
    })
    .await
}

async fn of_run<T: Send + 'static>(
    app: &App,
    caller: &Caller,
    run: String,
    query: Option<String>,
    show: impl FnOnce(&Handle, &Settings, &ShowRequest) -> Result<T, LabError> + Send + 'static,
) -> Result<T, Failed> {
    let settings = app.indexes.settings_of(&caller.place());
    let _turn = app.turn(caller)?;
    let (handle, request) = (Handle::current(), ShowRequest { run: run.clone(), ..ShowRequest::default() });
    let shown = spawn_blocking(move || show(&handle, &settings, &request)).await.map_err(Failed::inside)?;
    shown.map_err(|error| match (&error, query) {
        (LabError::Message(_), Some(query)) => Failed::not_found("question", &query),
        _ if error.explain().code == "eval_run" => Failed::not_found("run", &run),
        _ => error.into(),
    })
}

async fn runs(
    State(app): State<App>,
    caller: Caller,
    Asked(limit): Asked<Limit>,
) -> Result<Json<Value>, Failed> {
    let runs = runs_of(&app, &caller, limit.get()?).await?;
    app.indexes.shown(&caller.place(), runs).map(Json)
}

/// The newest stored runs; none before the first.
///
/// # Errors
/// When the log cannot be read.
pub(crate) async fn runs_of(app: &App, caller: &Caller, limit: usize) -> Result<Runs, Failed> {
    let settings = app.indexes.settings_of(&caller.place());
    let _turn = app.turn(caller)?;
    let read = move || {
        if settings.log.file.is_file() {
            return lab::runs::list(&settings, None, limit, &Silent);
        }
        Ok(Runs { log: settings.log.file, total: 0, runs: Vec::new() })
    };
    Ok(app.pool().run(read).await?)
}
