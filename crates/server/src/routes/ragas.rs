//! The API of the Ragas evaluation service.

mod company;
mod scored;
mod tasks;

pub(crate) use tasks::answer;

use crate::{
    app::{App, Caller},
    asked::Deleted,
    document::Json,
    extract::{Asked, Path},
    failed::Failed,
    indexes::Place,
    limits::{ANSWER_BYTES, MODEL_TIME},
    name::Name,
    operation::{EVENTS, Operation, Routes},
    state::{
        jobs::{self, Job, Kind},
        keys::Role,
    },
};
use axum::{
    extract::State,
    routing::{delete, get, post},
};
use company::Company;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) fn routes() -> Routes {
    vec![
        Operation::get("/collections/{collection_id}/rag/status", "Whether a collection can be asked")
            .query::<Company>()
            .answers::<Status>(200)
            .by(get(status)),
        Operation::post(
            "/collections/{collection_id}/rag/initialize",
            "Indexes the papers that were uploaded to a collection",
        )
        .role(Role::Write)
        .body::<Company>()
        .answers::<tasks::Started>(202)
        .by(post(tasks::initialize)),
        Operation::post("/collections/{collection_id}/rag/query", "Starts to answer a question")
            .body::<tasks::QueryRequest>()
            .answers::<tasks::Started>(202)
            .by(post(tasks::query)),
        Operation::get(
            "/rag/stream/{task_id}",
            "The events of a task; a stream that was interrupted resumes after the event in Last-Event-ID",
        )
        .answers_text(EVENTS)
        .by(get(tasks::events)),
        Operation::post(
            "/collections/{collection_id}/rag/evaluate",
            "Scores an answer, and keeps the record",
        )
        .role(Role::Write)
        .body::<scored::EvaluateRequest>()
        .answers::<scored::Evaluated>(200)
        .at_most(ANSWER_BYTES, MODEL_TIME)
        .by(post(scored::evaluate)),
        Operation::get(
            "/collections/{collection_id}/rag/evaluation/summary",
            "Means of the records of a collection",
        )
        .query::<Company>()
        .answers::<scored::Summary>(200)
        .by(get(scored::summary)),
        Operation::get(
            "/collections/{collection_id}/rag/evaluation/records",
            "The newest records of a collection, the newest first",
        )
        .query::<scored::RecordsQuery>()
        .answers::<scored::Records>(200)
        .by(get(scored::list)),
        Operation::delete(
            "/collections/{collection_id}/rag/evaluation/records/{question_id}",
            "Deletes a record",
        )
        .role(Role::Write)
        .query::<Company>()
        .answers::<Deleted>(200)
        .by(delete(scored::delete)),
    ]
}

/// Whether a collection can be asked.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RagasStatus", deny_unknown_fields)]
struct Status {
    /// The collection.
    collection_id: Name,
    /// Its tenant.
    company_id: Name,
    /// `ready`, `initializing` while papers are indexed, or `not_initialized` without an index.
    #[serde(rename = "status")]
    state: &'static str,
    /// Papers of the index.
    documents: usize,
    /// Passages of the index.
    chunks: usize,
    /// The task that indexes papers; null without one.
    task_id: Option<String>,
}

/// The unfinished job that indexes papers of a collection.
async fn indexing(app: &App, place: &Place) -> Result<Option<Job>, Failed> {
    let own = place.clone();
    let find = move |c: &mut _| {
        let all = jobs::unfinished(c, &own.tenant, &own.collection, Kind::Ingest)?;
        Ok(all.into_iter().next())
    };
    Ok(app.state.read(find).await?)
}

async fn status(
    State(app): State<App>,
    caller: Caller,
    Path(collection): Path<Name>,
    Asked(asked): Asked<Company>,
) -> Result<Json<Status>, Failed> {
    let place = caller.existing(&app, &asked.company_id, &collection).await?;
    let job = indexing(&app, &place).await?;
    let info = match app.pipeline(&place).await {
        Ok(pipeline) => Some(pipeline.store().info().await.map_err(engine::EngineError::from)?),
        Err(failed) if failed.parts.code == "no_papers" => None,
        Err(failed) => return Err(failed),
    };
    let state = match (&job, &info) {
        (Some(_), _) => "initializing",
        (None, Some(_)) => "ready",
        (None, None) => "not_initialized",
    };
    Ok(Json(Status {
        collection_id: collection,
        company_id: asked.company_id,
        state,
        documents: info.as_ref().map_or(0, |info| info.sources),
        chunks: info.as_ref().map_or(0, |info| info.chunks),
        task_id: job.map(|job| job.id),
    }))
}
