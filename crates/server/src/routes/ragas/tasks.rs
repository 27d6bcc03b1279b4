//! Tasks of a collection: its papers are indexed, its questions answered; and the events of a task.

use super::company::Company;
use crate::{
    app::{App, Caller},
    asked::within,
    document::Json,
    extract::{Body, Path},
    failed::Failed,
    indexes::Place,
    limits::PASSAGES_MOST,
    name::Name,
    routes::{own::LOOK, work},
    state::{
        jobs::{self, Job, Kind},
        keys,
    },
    streamed,
};
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response, sse::Event},
};
use futures::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{collections::VecDeque, convert::Infallible, path::Path as FilePath, sync::Arc, time::Instant};
use tokio::sync::{broadcast, mpsc::unbounded_channel};
use types::{Filter, MAX_QUESTION_CHARS, check_chars};

/// Characters of an excerpt.
const EXCERPT: usize = 300;
/// Passages of an answer, unless the client says how many.
const TOP_K: usize = 5;

/// A task that was started.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RagasStarted", deny_unknown_fields)]
pub(super) struct Started {
    /// Its id.
    task_id: String,
    /// The collection.
    collection_id: Name,
    /// `queued` or `running`.
    status: &'static str,
    /// Where its events are.
    stream_url: String,
}

fn started(job: &Job) -> Response {
    let started = Started {
        task_id: job.id.clone(),
        collection_id: job.collection.clone(),
        status: job.stage.into(),
        stream_url: format!("/rag/stream/{}", job.id),
    };
    (StatusCode::ACCEPTED, Json(started)).into_response()
}

pub(super) async fn initialize(
    State(app): State<App>,
    caller: Caller,
    Path(collection): Path<Name>,
    Body(asked): Body<Company>,
) -> Result<Response, Failed> {
    let place = caller.existing(&app, &asked.company_id, &collection).await?;
    let job = super::indexing(&app, &place).await?;
    let papers = app.indexes.papers(&place);
    let job = match job {
        Some(job) => job,
        None if !app.disk.run(move || papers.is_dir()).await => {
            let failed =
                Failed::new(StatusCode::NOT_FOUND, "no_papers", "no papers were uploaded to the collection");
            return Err(failed.value(collection.as_str()).hint("upload papers with POST /v1/ingest"));
        }
        None => work::start(&app, &place, Kind::Ingest, json!({})).await?,
    };
    Ok(started(&job))
}

/// A question to a collection.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "RagasQueryRequest")]
pub(super) struct QueryRequest {
    /// The tenant.
    company_id: Name,
    /// The question.
    #[schemars(length(min = 1, max = 10_000), regex(pattern = r"\S"))]
    query: String,
    /// Candidates, from which the answer is written, 1 to 50; 5 unless given.
    #[schemars(range(min = 1, max = 50))]
    top_k: Option<usize>,
    /// Whether candidates have excerpts; true unless given.
    include_context: Option<bool>,
}

pub(super) async fn query(
    State(app): State<App>,
    caller: Caller,
    Path(collection): Path<Name>,
    Body(asked): Body<QueryRequest>,
) -> Result<Response, Failed> {
    let place = caller.existing(&app, &asked.company_id, &collection).await?;
    let top_k = within("top_k", asked.top_k.unwrap_or(TOP_K), PASSAGES_MOST)?;
    if asked.query.trim().is_empty() {
        return Err(Failed::invalid("empty_question", "the question is empty").hint("give at least one word"));
    }
    check_chars(&asked.query, MAX_QUESTION_CHARS)
        .map_err(|length| Failed::invalid("long_question", format!("the question {length}")))?;
    let request =
        QueryJob { query: asked.query, top_k, include_context: asked.include_context.unwrap_or(true) };
    Ok(started(&work::start(&app, &place, Kind::Query, json!(request)).await?))
}

/// What a job that answers a question is asked, as it is stored.
#[derive(Debug, Deserialize, Serialize)]
struct QueryJob {
    query: String,
    top_k: usize,
    include_context: bool,
}

/// A passage that the answer was written from.
#[derive(Debug, Serialize)]
struct Candidate {
    filename: String,
    source_id: String,
    chunk_id: String,
    section: &'static str,
    page: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
}

/// Answers the question of a job, and tells of the stages as they end.
pub(crate) async fn answer(app: &App, job: &Job) -> Result<Value, Failed> {
    let since = Instant::now();
    let place = Place { tenant: job.tenant.clone(), collection: job.collection.clone() };
    let request = QueryJob::deserialize(&job.request).map_err(Failed::inside)?;
    let (question, top_k) = (request.query.as_str(), request.top_k);
    let (to, mut from) = unbounded_channel();
    let pipeline = app.pipeline(&place).await?.reading(top_k)?;
    let pipeline = streamed::watched(&pipeline, to);
    let asked = async {
        let answer = pipeline.ask(question, app.settings.retrieve.mode, &Filter::default()).await;
        drop(pipeline);
        answer
    };
    let told = async {
        while let Some(part) = from.recv().await {
            app.tell(job, part.name, part.data).await;
        }
    };
    let (answer, ()) = tokio::join!(asked, told);
    let answer = answer?;
    let response = answer.response();
    let context = answer.record.context.iter().flatten().take(top_k);
    let candidates: Vec<Candidate> = context
        .map(|passage| {
            let path = answer.references.get(&passage.source_id).path;
            let name =
                path.as_deref().and_then(FilePath::file_name).map(|name| name.to_string_lossy().into_owned());
            Candidate {
                filename: name.unwrap_or_else(|| passage.source_id.to_string()),
                source_id: passage.source_id.to_string(),
                chunk_id: passage.chunk_id.to_string(),
                section: passage.section.as_str(),
                page: passage.page_start,
                excerpt: request.include_context.then(|| passage.text.chars().take(EXCERPT).collect()),
            }
        })
        .collect();
    app.remember(&place, "rag/query", question, !response.no_evidence, since).await;
    Ok(json!({
        "task_id": job.id,
        "collection_id": job.collection,
        "query": question,
        "answer": response.answer,
        "no_evidence": response.no_evidence,
        "confidence": response.confidence,
        "candidates": candidates,
        "citations": response.citations,
    }))
}

/// Sends the events of a job, those that were and those that will be.
struct Follower {
    app: App,
    id: String,
    after: i64,
    waiting: VecDeque<jobs::Event>,
    /// Whether the job has ended, so that no further events come.
    ended: bool,
    told: broadcast::Receiver<Arc<str>>,
    /// The number of the key, with which the stream ends.
    key: Option<i64>,
}

pub(super) async fn events(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Failed> {
    // Before the events are read, so that none is missed.
    let told = app.events.subscribe();
    let (own, tenant) = (id.clone(), caller.shares().cloned());
    let found = app.state.read(move |c| jobs::find(c, tenant.as_ref(), &own));
    let found = found.await?;
    if found.is_none() {
        return Err(Failed::not_found("task", &id));
    }
    let after = match headers.get("last-event-id") {
        None => 0,
        Some(value) => {
            let number = value.to_str().ok().and_then(|text| text.trim().parse().ok());
            number.ok_or_else(|| Failed::invalid("last_event_id", "Last-Event-ID is not a valid number"))?
        }
    };
    let follower = Follower {
        app,
        id,
        after,
        waiting: VecDeque::new(),
        ended: false,
        told,
        key: caller.key.map(|(key, _)| key),
    };
    Ok(streamed::events(stream::unfold(follower, next)))
}

async fn next(mut follower: Follower) -> Option<(Result<Event, Infallible>, Follower)> {
    loop {
        if let Some(event) = follower.waiting.pop_front() {
            follower.after = event.seq;
            let event = Event::default().id(event.seq.to_string()).event(event.name).data(event.data);
            return Some((Ok(event), follower));
        }
        if follower.ended || follower.app.stop.is_requested() {
            return None;
        }
        let (id, after, key) = (follower.id.clone(), follower.after, follower.key);
        let read = move |c: &mut rusqlite::Connection| {
            let step = c.transaction()?;
            if let Some(key) = key
                && keys::is_revoked(&step, key)?
            {
                return Ok((true, Vec::new()));
            }
            let job = jobs::find(&step, None, &id)?;
            Ok((job.is_none_or(|job| job.stage.has_ended()), jobs::events(&step, &id, after)?))
        };
        let (ended, events) = follower.app.state.read(read).await.ok()?;
        (follower.ended, follower.waiting) = (ended, events.into());
        if ended || !follower.waiting.is_empty() {
            continue;
        }
        let own = async {
            while let Ok(id) = follower.told.recv().await {
                if *id == *follower.id {
                    break;
                }
            }
        };
        tokio::select! {
            () = own => {}
            () = tokio::time::sleep(LOOK) => {}
            () = follower.app.stop.requested() => return None,
        }
    }
}
