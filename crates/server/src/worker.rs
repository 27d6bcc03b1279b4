//! Does the jobs. Questions have workers of their own, so that they do not wait for papers.

use crate::{
    app::App,
    failed::Failed,
    indexes::Place,
    progress::{Progress, Watcher},
    routes::{ragas, tables},
    state::jobs::{self, Job, Kind, LEASE},
};
use engine::{EngineError, indexer, indexer::IngestRequest};
use lab::evaluate_run::{Evaluate, EvaluateRequest};
use rusqlite::Connection;
use serde_json::{Value, json, to_value};
use std::{convert::Infallible, future::Future, mem::take, sync::Arc, time::Duration};
use tokio::{runtime::Handle, sync::futures::Notified, task::JoinSet};
use types::{Explain as _, Silent, Stop, path_text};

/// Workers that answer questions; the other one does the rest, one job after the other.
const QUICK: usize = 4;
/// How often a worker looks for jobs that another server left.
const LOOK: Duration = Duration::from_secs(2);
/// How often a job says how far it is.
const TOLD: Duration = Duration::from_millis(500);

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
        let leases = Arc::clone(&app.leases);
        match app.state.run_soon(move |c| jobs::lease(c, &leases, quick)).await {
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
                    app.log_job(&job, &error.to_string());
                    end(&app, &job, Err(failed)).await;
                }
            }
            Err(error) => {
                app.error("jobs", &error);
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
                Kind::Ingest => ingest(&app, &job, &stop).await.map(|done| Some(done.to_string())),
                Kind::Evaluate => evaluate(&app, &job, &stop).await.map(Some),
                Kind::Query => ragas::answer(&app, &job).await.map(|done| Some(done.to_string())),
                Kind::Table => tables::fill(&app, &job, &stop).await,
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
        Held::Unfinished => {
            let (id, token) = (job.id.clone(), job.token);
            if let Err(error) = app.state.run(move |c| jobs::park(c, &id, token)).await {
                app.log_job(&job, &error.to_string());
            }
        }
        Held::Lost => app.log_job(&job, "another worker took the job"),
    }
}

enum Held {
    Done(Result<String, Failed>),
    /// It goes on when others had their turn, or after the stop of the server.
    Unfinished,
    /// Another worker has the job.
    Lost,
}

/// Work under a lease. Asked to stop, it has a moment to reach a safe point.
async fn held(
    app: &App,
    job: &Job,
    stop: &Stop,
    work: impl Future<Output = Result<Option<String>, Failed>>,
) -> Held {
    tokio::pin!(work);
    let mut beat = tokio::time::interval(LEASE / 3);
    loop {
        tokio::select! {
            done = &mut work => return done.transpose().map_or(Held::Unfinished, Held::Done),
            () = app.stop.requested() => {
                stop.request();
                // What was finished meanwhile is not done again.
                return match tokio::time::timeout(Duration::from_secs(5), work).await {
                    Ok(Ok(Some(done))) => Held::Done(Ok(done)),
                    _ => Held::Unfinished,
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

async fn end(app: &App, job: &Job, done: Result<String, Failed>) {
    let done = done.map_err(Failed::document);
    let (id, token, kind) = (job.id.clone(), job.token, job.kind);
    let finish = move |c: &mut Connection| {
        // The result of a file of answers is not kept twice.
        let url = || json!({"result_url": format!("/v1/jobs/{id}")}).to_string();
        let told = (kind == Kind::Evaluate).then(url);
        jobs::finish(c, &id, token, &done, told.as_deref())
    };
    if let Err(error) = app.state.run(finish).await {
        app.log_job(job, &error.to_string());
    }
    let _ = app.events.send(Arc::from(job.id.as_str()));
}

fn place(job: &Job) -> Place {
    Place { tenant: job.tenant.clone(), collection: job.collection.clone() }
}

/// Indexes the papers that were uploaded to a collection.
async fn ingest(app: &App, job: &Job, stop: &Stop) -> Result<Value, Failed> {
    let (place, deleted) = (place(job), job.request["deleted"] == true);
    // One file, wherever it is; else all that was uploaded.
    let named = job.request["path"].as_str().map(path_text::decode);
    if named.as_ref().is_some_and(|path| !path.exists()) {
        return Err(Failed::not_found("file", "it was moved or deleted"));
    }
    let request = IngestRequest {
        retry_failed: named.is_some(),
        paths: vec![named.unwrap_or_else(|| app.indexes.papers(&place))],
        // The last one, too.
        prune_all: deleted,
        stop: stop.clone(),
        ..IngestRequest::default()
    };
    let files: Vec<String> = serde_json::from_value(job.request["files"].clone()).unwrap_or_default();
    let watcher = Watcher::new(&files);
    let summary = loop {
        let (settings, request, seen) = (app.indexes.settings_of(&place), request.clone(), watcher.clone());
        let work = move || {
            let own = engine::indexer(&settings);
            match own.ingest(&request, &seen) {
                // What was deleted is out of the index already.
                Err(indexer::IndexerError::NothingFound { .. }) if deleted => {
                    let mut nothing = indexer::IngestSummary::default();
                    nothing.sources = own.sources()?.len();
                    Ok(nothing)
                }
                done => done,
            }
        };
        // On a thread of its own: it may take long, and must not take the place of a question.
        let done = tokio::select! {
            done = tokio::task::spawn_blocking(work) => done,
            never = tell(app, job, &watcher) => match never {},
        };
        match done.map_err(Failed::inside)? {
            Ok(summary) => break summary,
            // `pipeline ingest` or another server writes the index.
            Err(error) if error.explain().code == "index_locked" => tokio::time::sleep(LOOK).await,
            Err(error) => {
                app.log_job(job, &error.to_string());
                return Err(EngineError::from(error).into());
            }
        }
    };
    say(app, job, &watcher.now()).await;
    if summary.sources > 0 || deleted {
        app.indexes.renew(&place).await?;
    }
    app.indexes.shown(&place, summary)
}

/// Says how far a job is for as long as it is awaited.
async fn tell(app: &App, job: &Job, watcher: &Watcher) -> Infallible {
    let mut told = Progress::default();
    loop {
        tokio::time::sleep(TOLD).await;
        let now = watcher.now();
        if now != told {
            say(app, job, &now).await;
            told = now;
        }
    }
}

async fn say(app: &App, job: &Job, progress: &Progress) {
    let (id, token, data) = (job.id.clone(), job.token, json!(progress).to_string());
    if let Err(error) = app.state.run_soon(move |c| jobs::progress(c, &id, token, &data)).await {
        app.error("progress not saved", &error);
    }
    let _ = app.events.send(Arc::from(job.id.as_str()));
}

/// Scores a file of answers.
async fn evaluate(app: &App, job: &Job, stop: &Stop) -> Result<String, Failed> {
    let name = job.request["answers"].as_str().unwrap_or_default();
    let request = EvaluateRequest {
        input: Some(app.indexes.folder_of(&job.tenant).join("answers").join(name)),
        stop: stop.clone(),
        ..EvaluateRequest::default()
    };
    let (scorer, runtime) = (app.scorer(&job.tenant).await?, Handle::current());
    let work = move || {
        let done = runtime.block_on(scorer.evaluate(&request, &Silent));
        done.map(written)
    };
    let done = tokio::task::spawn_blocking(work).await.map_err(Failed::inside)?;
    let done = done.map_err(|error| {
        app.log_job(job, &error.to_string());
        Failed::from(error)
    })?;
    done.map_err(Failed::inside)
}

/// The document as JSON, written row by row: as values, all rows would take many times their length in memory.
fn written(mut document: Evaluate) -> serde_json::Result<String> {
    const ROWS: &str = "\"results\":{";
    let rows = take(&mut document.results);
    let mut text = to_value(document)?.to_string();
    let at = text.find(ROWS).map_or(text.len(), |at| at + ROWS.len());
    let end = text.split_off(at);
    for (at, (id, row)) in rows.into_iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.extend([json!(id).to_string(), ":".to_owned(), to_value(row)?.to_string()]);
    }
    Ok(text + &end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app::testing::app, routes::work, state::jobs::ResultRead, uploads};
    use std::sync::Mutex;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_long_result_is_kept_once_and_read_in_parts() {
        let (_folder, app) = app();
        let place = Place::default_of("ac".parse().expect("a name"));
        let row = |at: usize| json!({"user_input": format!("q{at}"), "response": "Two miles.", "retrieved_contexts": ["They walked two miles."]});
        let rows: Vec<Value> = (0..700).map(row).collect();
        let answers = app.indexes.folder_of(&place.tenant).join("answers");
        let name = uploads::keep_text(&answers, &json!(rows).to_string()).expect("kept");
        let request = json!({ "answers": name });
        let job = work::start(&app, &place, Kind::Evaluate, request).await.expect("started");
        let (leased, _) = app.state.run(|c| jobs::lease(c, &Mutex::default(), false)).await.expect("leased");
        one(App::clone(&app), leased.expect("a job")).await;
        let id = job.id.clone();
        let read = move |c: &mut Connection| {
            let first = jobs::result_part(c, &id, &mut ResultRead::default())?;
            let (mut whole, read) = (Vec::new(), &mut ResultRead::default());
            while let part @ [_, ..] = &jobs::result_part(c, &id, read)?[..] {
                whole.extend_from_slice(part);
            }
            Ok((first.len(), whole, jobs::events(c, &id, 0)?))
        };
        let (first, whole, events) = app.state.read(read).await.expect("read");
        let result: Evaluate = serde_json::from_slice(&whole).expect("a document");
        assert_eq!((first, result.results.iter().count()), (crate::limits::PART_BYTES, 700));
        let as_one = to_value(&result).expect("JSON").to_string();
        assert_eq!(as_one, String::from_utf8(whole).expect("UTF-8"));
        let [told] = &events[..] else { panic!("{events:?}") };
        assert_eq!(told.data, format!("{{\"result_url\":\"/v1/jobs/{}\"}}", job.id));
    }
}
