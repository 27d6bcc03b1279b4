//! The API of the Ragas evaluation service.

use crate::{
    app::{App, Caller},
    asked::{limit_of, within},
    extract::{Asked, Body, Path},
    failed::Failed,
    indexes::Place,
    limits::{ANSWER_BYTES, ANSWER_TIME, PASSAGES_MOST},
    name::Name,
    operation::{EVENTS, Operation, Routes},
    routes::work,
    state::{
        jobs::{self, Job, Kind},
        keys::Role,
        records::{self, Scores},
    },
    streamed,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response, sse::Event},
    routing::{get, post},
};
use futures::stream;
use lab::{
    eval::{Score, rows::Format},
    evaluate_run::{EvaluateRow, read_answer},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json, to_value};
use std::{
    collections::{BTreeMap, VecDeque},
    convert::Infallible,
    path::Path as FilePath,
    time::{Duration, Instant},
};
use tokio::sync::{broadcast, mpsc::unbounded_channel};
use types::Filter;

/// Characters of an excerpt.
const EXCERPT: usize = 300;
/// Passages of an answer, unless the client says how many.
const TOP_K: usize = 5;
/// How often a stream looks for events that another server wrote.
const LOOK: Duration = Duration::from_secs(5);

pub(crate) fn routes() -> Routes {
    vec![
        (
            Operation::get(
                "/collections/{collection_id}/rag/status",
                "Whether a collection can be asked",
            )
            .role(Role::Read)
            .query::<Company>()
            .answers::<Status>(200),
            get(status),
        ),
        (
            Operation::post(
                "/collections/{collection_id}/rag/initialize",
                "Indexes the papers that were uploaded to a collection",
            )
            .role(Role::Write)
            .body::<Company>()
            .answers::<Started>(202),
            post(initialize),
        ),
        (
            Operation::post(
                "/collections/{collection_id}/rag/query",
                "Starts to answer a question",
            )
            .role(Role::Read)
            .body::<QueryRequest>()
            .answers::<Started>(202),
            post(query),
        ),
        (
            Operation::get(
                "/rag/stream/{task_id}",
                "The events of a task; resumed behind Last-Event-ID",
            )
            .role(Role::Read)
            .answers_text(EVENTS),
            get(events),
        ),
        (
            Operation::post(
                "/collections/{collection_id}/rag/evaluate",
                "Scores an answer, and keeps the record",
            )
            .role(Role::Write)
            .body::<EvaluateRequest>()
            .answers::<Evaluated>(200)
            .at_most(ANSWER_BYTES, ANSWER_TIME),
            post(evaluate),
        ),
        (
            Operation::get(
                "/collections/{collection_id}/rag/evaluation/summary",
                "Means of the records of a collection",
            )
            .role(Role::Read)
            .query::<Company>()
            .answers::<Summary>(200),
            get(summary),
        ),
        (
            Operation::get(
                "/collections/{collection_id}/rag/evaluation/records",
                "The newest records of a collection, the newest first",
            )
            .role(Role::Read)
            .query::<RecordsQuery>()
            .answers::<Records>(200),
            get(list),
        ),
    ]
}

/// Whose collection is meant.
#[derive(Debug, Deserialize, JsonSchema)]
struct Company {
    /// The tenant.
    company_id: Name,
}

/// Whether a collection can be asked.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Status {
    /// The collection.
    collection_id: Name,
    /// Its tenant.
    company_id: Name,
    /// `ready`, `initializing` while papers are indexed, or `not_initialized` without an index.
    status: &'static str,
    /// Papers of the index.
    documents: usize,
    /// Passages of the index.
    chunks: usize,
    /// The task that indexes papers; null without one.
    task_id: Option<String>,
}

async fn status(
    State(app): State<App>,
    caller: Caller,
    Path(collection): Path<Name>,
    Asked(asked): Asked<Company>,
) -> Result<Json<Status>, Failed> {
    let place = caller.existing(&app, &asked.company_id, &collection).await?;
    let own = place.clone();
    let job = app
        .state
        .run(move |c| jobs::unfinished(c, &own.tenant, &own.collection, Kind::Ingest))
        .await?;
    let info = match app.pipeline(&place).await {
        Ok(pipeline) => Some(pipeline.store().info().await.map_err(engine::EngineError::from)?),
        Err(failed) if failed.parts.code == "no_papers" => None,
        Err(failed) => return Err(failed),
    };
    let status = match (&job, &info) {
        (Some(_), _) => "initializing",
        (None, Some(_)) => "ready",
        (None, None) => "not_initialized",
    };
    Ok(Json(Status {
        collection_id: collection,
        company_id: asked.company_id,
        status,
        documents: info.as_ref().map_or(0, |info| info.sources),
        chunks: info.as_ref().map_or(0, |info| info.chunks),
        task_id: job.map(|job| job.id),
    }))
}

/// A task that was started.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Started {
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
        status: job.stage.as_str(),
        stream_url: format!("/rag/stream/{}", job.id),
    };
    (StatusCode::ACCEPTED, Json(started)).into_response()
}

async fn initialize(
    State(app): State<App>,
    caller: Caller,
    Path(collection): Path<Name>,
    Body(asked): Body<Company>,
) -> Result<Response, Failed> {
    let place = caller.existing(&app, &asked.company_id, &collection).await?;
    let own = place.clone();
    let job = app
        .state
        .run(move |c| jobs::unfinished(c, &own.tenant, &own.collection, Kind::Ingest))
        .await?;
    let job = match job {
        Some(job) => job,
        None => work::start(&app, &place, Kind::Ingest, json!({})).await?,
    };
    Ok(started(&job))
}

/// A question to a collection.
#[derive(Debug, Deserialize, JsonSchema)]
struct QueryRequest {
    /// The tenant.
    company_id: Name,
    /// The question.
    query: String,
    /// Candidates, from which the answer is written, 1 to 50; 5 unless given.
    #[schemars(range(min = 1, max = 50))]
    top_k: Option<usize>,
    /// Whether candidates have excerpts; true unless given.
    include_context: Option<bool>,
}

async fn query(
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
    let request = json!({"query": asked.query, "top_k": top_k, "include_context": asked.include_context.unwrap_or(true)});
    Ok(started(&work::start(&app, &place, Kind::Query, request).await?))
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
    let place = Place {
        tenant: job.tenant.clone(),
        collection: job.collection.clone(),
    };
    let question = job.request["query"].as_str().unwrap_or_default();
    let top_k = job.request["top_k"].as_u64().unwrap_or(TOP_K as u64) as usize;
    let (to, mut from) = unbounded_channel();
    let pipeline = app.pipeline(&place).await?.reading(top_k)?;
    let pipeline = streamed::watched(&pipeline, to);
    let asked = async {
        let answer = pipeline
            .ask(question, app.settings.retrieve.mode, &Filter::default())
            .await;
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
    let excerpts = job.request["include_context"].as_bool().unwrap_or(true);
    let context = answer.record.context.iter().flatten().take(top_k);
    let candidates: Vec<Candidate> = context
        .map(|passage| {
            let path = answer.references.get(&passage.source_id).path;
            let name = path
                .as_deref()
                .and_then(FilePath::file_name)
                .map(|name| name.to_string_lossy().into_owned());
            Candidate {
                filename: name.unwrap_or_else(|| passage.source_id.to_string()),
                source_id: passage.source_id.to_string(),
                chunk_id: passage.chunk_id.to_string(),
                section: passage.section.as_str(),
                page: passage.page_start,
                excerpt: excerpts.then(|| passage.text.chars().take(EXCERPT).collect()),
            }
        })
        .collect();
    app.remember(&place, "rag/query", question, !response.no_evidence, since)
        .await;
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
    told: broadcast::Receiver<std::sync::Arc<str>>,
}

async fn events(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, Failed> {
    // Before the events are read, so that none is missed.
    let told = app.events.subscribe();
    let (own, tenant) = (id.clone(), caller.key.map(|(_, tenant)| tenant));
    let found = app
        .state
        .run(move |c| jobs::find(c, tenant.as_ref(), &own))
        .await?;
    if found.is_none() {
        return Err(Failed::not_found("task", &id));
    }
    let after = match headers.get("last-event-id") {
        None => 0,
        Some(value) => {
            let number = value.to_str().ok().and_then(|text| text.trim().parse().ok());
            number.ok_or_else(|| Failed::invalid("last_event_id", "Last-Event-ID is no number"))?
        }
    };
    let follower = Follower {
        app,
        id,
        after,
        waiting: VecDeque::new(),
        ended: false,
        told,
    };
    Ok(streamed::events(stream::unfold(follower, next)))
}

async fn next(mut follower: Follower) -> Option<(Result<Event, Infallible>, Follower)> {
    loop {
        if let Some(event) = follower.waiting.pop_front() {
            follower.after = event.seq;
            let event = Event::default()
                .id(event.seq.to_string())
                .event(event.name)
                .data(event.data);
            return Some((Ok(event), follower));
        }
        if follower.ended || follower.app.stop.is_requested() {
            return None;
        }
        let (id, after) = (follower.id.clone(), follower.after);
        let read = move |c: &mut rusqlite::Connection| {
            let step = c.transaction()?;
            let job = jobs::find(&step, None, &id)?;
            Ok((
                job.is_none_or(|job| job.stage.has_ended()),
                jobs::events(&step, &id, after)?,
            ))
        };
        let (ended, events) = follower.app.state.run(read).await.ok()?;
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

/// An answer of any system.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct EvaluateRequest {
    /// The tenant.
    company_id: Name,
    /// The question.
    question: String,
    /// The answer.
    answer: String,
    /// The passages that it was written from.
    contexts: Vec<String>,
    /// The files that were retrieved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retrieved_resumes: Option<Vec<String>>,
    /// The files that answer the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected_resumes: Option<Vec<String>>,
    /// The right answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ground_truth: Option<String>,
}

/// The scores of an answer, 0 to 1; null where a score cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Metrics {
    /// Share of what answers the question that was retrieved; needs `expected_resumes` or `ground_truth`.
    context_recall: Option<f64>,
    /// Share of the claims that a passage supports.
    faithfulness: Option<f64>,
    /// Whether the answer addresses the question.
    answer_relevance: Option<f64>,
}

impl From<&Scores> for Metrics {
    fn from(scores: &Scores) -> Self {
        Self {
            context_recall: scores.context_recall,
            faithfulness: scores.faithfulness,
            answer_relevance: scores.answer_relevance,
        }
    }
}

/// What an evaluation found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Evaluated {
    /// The id of the record.
    question_id: String,
    /// The scores.
    metrics: Metrics,
    /// Whether a rule of automatic failure applies.
    auto_fail: bool,
    /// Why, one reason for each rule that applies.
    failure_reasons: Vec<String>,
}

fn scores(row: &EvaluateRow) -> Scores {
    let value = |key: &str| row.metrics.get(key).and_then(Score::get);
    Scores {
        context_recall: value("context_recall"),
        faithfulness: value("faithfulness"),
        answer_relevance: value("answer_relevance"),
        rag_score: value("rag_score"),
        auto_fail: value("auto_fail"),
        hallucination: value("hallucination"),
    }
}

async fn evaluate(
    State(app): State<App>,
    caller: Caller,
    Path(collection): Path<Name>,
    Body(asked): Body<EvaluateRequest>,
) -> Result<Json<Evaluated>, Failed> {
    let place = caller.place_in(&asked.company_id, &collection)?;
    let sample = read_answer(Format::RagasService, &to_value(&asked).map_err(Failed::inside)?)?;
    let _turn = app.indexes.turn()?;
    let scorer = app.scorer().await?;
    let row = scorer.score(&sample).await;
    let scores = scores(&row);
    let why = |key: &str| match row.metrics.get(key)? {
        Score::Value(_) => None,
        Score::NotApplicable(reason) | Score::Error(reason) => {
            Some((key.to_owned(), format!("N/A: {reason}")))
        }
    };
    let evaluated = Evaluated {
        question_id: String::new(),
        metrics: Metrics::from(&scores),
        auto_fail: row.auto_fail,
        failure_reasons: row.failure_reasons.clone(),
    };
    let record = Record {
        question_id: String::new(),
        collection_id: collection,
        company_id: asked.company_id,
        question: asked.question,
        answer: asked.answer,
        contexts: asked.contexts,
        retrieved_resumes: asked.retrieved_resumes.unwrap_or_default(),
        expected_resumes: asked.expected_resumes,
        ground_truth: asked.ground_truth,
        metrics: evaluated.metrics,
        not_measured: ["context_recall", "faithfulness", "answer_relevance"]
            .into_iter()
            .filter_map(why)
            .collect(),
        auto_fail: row.auto_fail,
        failure_reasons: row.failure_reasons,
        status: if row.auto_fail { "failed" } else { "passed" }.to_owned(),
        judge: scorer.judge().to_owned(),
        timestamp: engine::timestamp(),
    };
    let add = move |c: &mut rusqlite::Connection| {
        records::add(c, &place.tenant, &place.collection, &scores, |id| {
            let record = Record {
                question_id: id.to_owned(),
                ..record
            };
            to_value(record).unwrap_or_default()
        })
    };
    let kept = app.state.run(add).await?;
    let question_id = kept["question_id"].as_str().unwrap_or_default().to_owned();
    Ok(Json(Evaluated {
        question_id,
        ..evaluated
    }))
}

/// A record of an evaluation.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Record {
    /// Its id, `q_001` for the first of a collection.
    question_id: String,
    /// The collection.
    collection_id: Name,
    /// The tenant.
    company_id: Name,
    /// The question.
    question: String,
    /// The answer.
    answer: String,
    /// The passages that it was written from.
    contexts: Vec<String>,
    /// The files that were retrieved.
    retrieved_resumes: Vec<String>,
    /// The files that answer the question; null if they were not given.
    expected_resumes: Option<Vec<String>>,
    /// The right answer; null if it was not given.
    ground_truth: Option<String>,
    /// The scores.
    metrics: Metrics,
    /// By metric without a value: why.
    not_measured: BTreeMap<String, String>,
    /// Whether a rule of automatic failure applies.
    auto_fail: bool,
    /// Why, one reason for each rule that applies.
    failure_reasons: Vec<String>,
    /// `failed` if a rule of automatic failure applies, else `passed`.
    status: String,
    /// What judged: `lexical`, `nli`, or the language model.
    judge: String,
    /// When, RFC 3339 in UTC.
    timestamp: String,
}

/// The records of a collection in numbers.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Summary {
    /// The collection.
    collection_id: Name,
    /// Records.
    total_questions: usize,
    /// Mean of each score over the records that have it; null if none has.
    avg_metrics: Metrics,
    /// Share of records that fail automatically; null without a record that a rule could be checked for.
    failure_rate: Option<f64>,
    /// Share of records whose answer mentions what no passage has.
    hallucination_rate: Option<f64>,
    /// Mean of 0.4 × context_recall + 0.4 × faithfulness + 0.2 × answer_relevance over the records that have all three.
    rag_score: Option<f64>,
}

async fn summary(
    State(app): State<App>,
    caller: Caller,
    Path(collection): Path<Name>,
    Asked(asked): Asked<Company>,
) -> Result<Json<Summary>, Failed> {
    let place = caller.existing(&app, &asked.company_id, &collection).await?;
    let (total, means) = app
        .state
        .run(move |c| records::summary(c, &place.tenant, &place.collection))
        .await?;
    Ok(Json(Summary {
        collection_id: collection,
        total_questions: total,
        avg_metrics: Metrics::from(&means),
        failure_rate: means.auto_fail,
        hallucination_rate: means.hallucination,
        rag_score: means.rag_score,
    }))
}

/// Which records.
#[derive(Debug, Deserialize, JsonSchema)]
struct RecordsQuery {
    /// The tenant.
    company_id: Name,
    /// The newest so many, 1 to 1000; 50 unless given.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

/// Records of a collection.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Records {
    /// The collection.
    collection_id: Name,
    /// Records that the collection has.
    total: usize,
    /// The newest first.
    records: Vec<Record>,
}

async fn list(
    State(app): State<App>,
    caller: Caller,
    Path(collection): Path<Name>,
    Asked(asked): Asked<RecordsQuery>,
) -> Result<Json<Records>, Failed> {
    let limit = limit_of(asked.limit)?;
    let place = caller.existing(&app, &asked.company_id, &collection).await?;
    let (total, kept) = app
        .state
        .run(move |c| {
            let (total, _) = records::summary(c, &place.tenant, &place.collection)?;
            Ok((total, records::list(c, &place.tenant, &place.collection, limit)?))
        })
        .await?;
    let records = kept
        .into_iter()
        .map(serde_json::from_value)
        .collect::<Result<_, _>>();
    Ok(Json(Records {
        collection_id: collection,
        total,
        records: records.map_err(Failed::inside)?,
    }))
}
