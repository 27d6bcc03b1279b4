//! Does the jobs. Questions have workers of their own, so that they do not wait for papers.

use crate::{
    app::App,
    failed::Failed,
    indexes::Place,
    routes::{ragas, work::error_document},
    state::jobs::{self, Job, Kind, LEASE_MS},
};
use engine::{EngineError, indexer::IngestRequest};
use lab::evaluate_run::EvaluateRequest;
use serde_json::{Value, json, to_value};
use std::{future::Future, sync::Arc, time::Duration};
use tokio::{runtime::Handle, sync::futures::Notified, task::JoinSet};
use types::{Explain as _, Silent, Stop};

/// Workers that answer questions; the other one does the rest, one job after the other.
const QUICK: usize = 4;
/// How often a worker looks for jobs that another server left.
const LOOK: Duration = Duration::from_secs(2);

/// Works until the server stops; what is unfinished then is given back.
pub(crate) async fn run(app: App) {
    let mut workers = JoinSet::new();
    for at in 0..=QUICK {
        workers.spawn(work(App::clone(&app), at < QUICK));
    }
    while workers.join_next().await.is_some() {}
}

async fn work(app: App, quick: bool) {
    while !app.stop.is_requested() {
        let told = app.new_job.notified();
        match app.state.run_soon(move |c| jobs::lease(c, quick)).await {
            Ok((found, failed)) => {
                for id in failed {
                    let _ = app.events.send(Arc::from(id));
                }
                let Some(job) = found else {
                    wait(&app, told).await;
                    continue;
                };
                let task = tokio::spawn(one(App::clone(&app), job.clone()));
                if let Err(error) = task.await {
                    let failed = Failed::inside(&error);
                    log(&app, &job, &error.to_string());
                    end(&app, &job, Err(failed)).await;
                }
            }
            Err(error) => {
                (app.log)(&json!({"level": "error", "what": "jobs", "error": error.to_string()}));
                wait(&app, told).await;
            }
        }
    }
}

/// Waits until there may be a job.
async fn wait(app: &App, told: Notified<'_>) {
    tokio::select! {
        () = told => {}
        () = tokio::time::sleep(LOOK) => {}
        () = app.stop.requested() => {}
    }
}

/// One job, whose lease is prolonged while it is done.
async fn one(app: App, job: Job) {
    let stop = Stop::default();
    let done = {
        let work = async {
            match job.kind {
                Kind::Ingest => ingest(&app, &job, &stop).await,
                Kind::Evaluate => evaluate(&app, &job, &stop).await,
                Kind::Query => ragas::answer(&app, &job).await,
            }
        };
        held(&app, &job, &stop, work).await
    };
    match done {
        Held::Done(done) => {
            let code = done.as_ref().err().map(|failed: &Failed| failed.parts.code);
            (app.log)(&json!({
                "time": engine::timestamp(), "level": if code.is_some() { "warn" } else { "info" }, "what": "job",
                "job": job.id, "kind": job.kind, "tenant": job.tenant, "code": code
            }));
            end(&app, &job, done).await;
        }
        Held::Parked => {
            let (id, token) = (job.id.clone(), job.token);
            if let Err(error) = app.state.run(move |c| jobs::park(c, &id, token)).await {
                log(&app, &job, &error.to_string());
            }
        }
        Held::Lost => log(&app, &job, "another worker took the job"),
    }
}

fn log(app: &App, job: &Job, error: &str) {
    (app.log)(&json!({
        "time": engine::timestamp(), "level": "error", "what": "job", "job": job.id, "tenant": job.tenant, "error": error
    }));
}

enum Held {
    Done(Result<Value, Failed>),
    /// The server stops.
    Parked,
    /// Another worker has the job.
    Lost,
}

/// Work under a lease. Asked to stop, it has a moment to reach a safe point.
async fn held(app: &App, job: &Job, stop: &Stop, work: impl Future<Output = Result<Value, Failed>>) -> Held {
    tokio::pin!(work);
    let mut beat = tokio::time::interval(Duration::from_millis(LEASE_MS as u64 / 3));
    loop {
        tokio::select! {
            done = &mut work => return Held::Done(done),
            () = app.stop.requested() => {
                stop.request();
                // What was finished meanwhile is not done again.
                return match tokio::time::timeout(Duration::from_secs(5), work).await {
                    Ok(Ok(done)) => Held::Done(Ok(done)),
                    _ => Held::Parked,
                };
            }
            _ = beat.tick() => {
                let (id, token) = (job.id.clone(), job.token);
                if let Ok(false) = app.state.run_soon(move |c| jobs::prolong(c, &id, token)).await {
                    stop.request();
                    return Held::Lost;
                }
            }
        }
    }
}

async fn end(app: &App, job: &Job, done: Result<Value, Failed>) {
    let (name, done) = match done {
        Ok(value) => ("answer", Ok(value)),
        Err(failed) => ("error", Err(error_document(failed))),
    };
    let (id, token) = (job.id.clone(), job.token);
    if let Err(error) = app
        .state
        .run(move |c| jobs::finish(c, &id, token, &done, name))
        .await
    {
        log(app, job, &error.to_string());
    }
    let _ = app.events.send(Arc::from(job.id.as_str()));
}

fn place(job: &Job) -> Place {
    Place {
        tenant: job.tenant.clone(),
        collection: job.collection.clone(),
    }
}

/// Indexes the papers that were uploaded to a collection.
async fn ingest(app: &App, job: &Job, stop: &Stop) -> Result<Value, Failed> {
    let place = place(job);
    let request = IngestRequest {
        paths: vec![app.indexes.papers(&place)],
        passwords: Vec::new(),
        follow_links: false,
        retry_failed: false,
        prune_all: false,
        stop: stop.clone(),
    };
    let summary = loop {
        let (settings, request) = (app.indexes.settings_of(&place), request.clone());
        let work = move || engine::indexer(&settings).ingest(&request, &Silent);
        // On a thread of its own: it may take long, and must not take the place of a question.
        match tokio::task::spawn_blocking(work).await.map_err(Failed::inside)? {
            Ok(summary) => break summary,
            // `pipeline ingest` or another server writes the index.
            Err(error) if error.explain().code == "index_locked" => tokio::time::sleep(LOOK).await,
            Err(error) => {
                log(app, job, &error.to_string());
                return Err(EngineError::from(error).into());
            }
        }
    };
    if summary.sources > 0 {
        app.indexes.renew(&place).await?;
    }
    app.indexes.shown(&place, summary)
}

/// Scores a file of answers.
async fn evaluate(app: &App, job: &Job, stop: &Stop) -> Result<Value, Failed> {
    let name = job.request["answers"].as_str().unwrap_or_default();
    let request = EvaluateRequest {
        input: Some(app.indexes.folder_of(&job.tenant).join("answers").join(name)),
        format: None,
        run: None,
        maps: Vec::new(),
        ground_truth: None,
        queries: None,
        qrels: None,
        limit: None,
        model: None,
        output: None,
        min: Vec::new(),
        max: Vec::new(),
        against: None,
        max_cost: None,
        stop: stop.clone(),
    };
    let (scorer, runtime) = (app.scorer(&job.tenant).await?, Handle::current());
    let work = move || runtime.block_on(scorer.evaluate(&request, &Silent));
    let done = tokio::task::spawn_blocking(work)
        .await
        .map_err(Failed::inside)?
        .map_err(|error| {
            log(app, job, &error.to_string());
            Failed::from(error)
        })?;
    to_value(done).map_err(Failed::inside)
}
