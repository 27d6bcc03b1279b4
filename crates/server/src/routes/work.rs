//! Work that outlives its request: uploads, and files of answers to score.

use crate::{
    app::{App, Caller},
    asked::{Deleted, check_cost},
    document::{Json, with_result},
    extract::{Asked, Path, Room, check_values, in_time, raw, unread},
    failed::Failed,
    indexes::Place,
    limits::{
        ANSWER_TIME, ANSWERS_BYTES, ANSWERS_COST, ANSWERS_VALUES, COST, JOBS, PAPERS, PART_TIME, ROWS,
        UPLOAD_BYTES, UPLOAD_FILES, UPLOAD_TIME,
    },
    name::Name,
    operation::{JSON, Operation, Routes},
    progress::Progress,
    state::{
        collections,
        jobs::{self, Job, Kind, Stage},
        keys::Role,
    },
    uploads,
};
use axum::{
    extract::{FromRequest as _, Multipart, Request, State},
    http::StatusCode,
    response::{IntoResponse as _, Response},
    routing::{delete, get, post},
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(crate) fn routes() -> Routes {
    vec![
        Operation::post("/v1/ingest", "Adds papers: uploads files and starts a job that indexes them")
            .role(Role::Write)
            .query::<IngestQuery>()
            .body_of("multipart/form-data", files_schema)
            .answers::<JobDocument>(202)
            .at_most(UPLOAD_BYTES, UPLOAD_TIME)
            .by(post(ingest)),
        Operation::get("/v1/jobs/{id}", "A job, and its result once it has one")
            .answers::<JobDocument>(200)
            .by(get(job)),
        Operation::delete("/v1/jobs/{id}", "Cancels a job, or deletes one that has ended")
            .role(Role::Write)
            .answers::<Deleted>(200)
            .by(delete(cancel)),
        Operation::post(
            "/v1/evaluate",
            "Starts a job that scores answers of any system, in any format of `pipeline score`",
        )
        .role(Role::Write)
        .body_of(JSON, answers_schema)
        .answers::<JobDocument>(202)
        .at_most(ANSWERS_BYTES, ANSWER_TIME)
        .by(post(evaluate)),
    ]
}

fn files_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "required": ["file"], "properties": {
        "file": {"type": "array", "minItems": 1, "items": {"type": "string", "contentMediaType": "application/octet-stream"},
            "description": "Papers: PDF, HTML, DOCX, JATS, Markdown, text, BEIR or a zip of these, each with its file name."}
    }})
}

fn answers_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"description": "A file of answers as `pipeline score` reads it, for example a list of objects with \
        user_input, response, retrieved_contexts and reference.", "type": ["array", "object"], "minProperties": 1, "minItems": 1})
}

/// A job.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct JobDocument {
    /// Its id.
    id: String,
    /// `ingest`, `evaluate`, `query` or `table`.
    kind: Kind,
    /// The collection.
    collection: Name,
    /// Where it stands.
    status: Stage,
    /// When it was started, RFC 3339 in UTC.
    created: String,
    /// When it ended; null before.
    finished: Option<String>,
    /// What came of it: the document that the command prints with `--format json`, for a table how many cells were asked; null before it
    /// is done.
    result: Option<Value>,
    /// Why it failed: the keys of an error; null unless it did.
    error: Option<Value>,
    /// How far a running job is; null before that is known, and for jobs that do not say it.
    progress: Option<Progress>,
}

impl From<Job> for JobDocument {
    fn from(job: Job) -> Self {
        Self {
            id: job.id,
            kind: job.kind,
            collection: job.collection,
            status: job.stage,
            created: job.created,
            finished: job.finished,
            result: None,
            error: job.error,
            progress: None,
        }
    }
}

/// Starts a job; the collection is added if it does not exist.
///
/// # Errors
/// When the tenant has too many unfinished jobs.
pub(crate) async fn start(app: &App, place: &Place, kind: Kind, request: Value) -> Result<Job, Failed> {
    let place = place.clone();
    let job = app
        .state
        .run(move |c| {
            let step = c.transaction()?;
            let Place { tenant, collection } = &place;
            collections::add(&step, tenant, collection)?;
            let id = jobs::add(&step, tenant, collection, kind, &request, JOBS)?;
            let job = id.as_ref().map(|id| jobs::find(&step, None, id)).transpose()?.flatten();
            step.commit()?;
            Ok(job)
        })
        .await?;
    app.new_job.notify_waiters();
    job.ok_or_else(|| {
        let message = format!("this tenant has reached its limit of {JOBS} unfinished jobs");
        Failed::busy("too_many_jobs", message, 10)
    })
}

pub(super) fn accepted(job: Job) -> Response {
    (StatusCode::ACCEPTED, Json(JobDocument::from(job))).into_response()
}

/// Where papers are.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct IngestQuery {
    /// The collection; `default` unless given.
    collection: Option<Name>,
    /// The tenant; that of the key unless given.
    company_id: Option<Name>,
}

impl IngestQuery {
    /// # Errors
    /// When the key is another tenant's.
    pub(super) fn place(self, caller: &Caller) -> Result<Place, Failed> {
        let tenant = self.company_id.unwrap_or_else(|| caller.tenant());
        caller.place_in(&tenant, &self.collection.unwrap_or_else(Name::of_default))
    }
}

async fn ingest(
    State(app): State<App>,
    caller: Caller,
    Asked(asked): Asked<IngestQuery>,
    request: Request,
) -> Result<Response, Failed> {
    let place = asked.place(&caller)?;
    Ok(accepted(upload(&app, &place, request).await?))
}

/// Takes the files of a form and starts the job that indexes them.
///
/// # Errors
/// When a file is none, is too large or comes too slowly, or there is no room.
pub(crate) async fn upload(app: &App, place: &Place, request: Request) -> Result<Job, Failed> {
    let papers = app.indexes.papers(place);
    let held = move || std::fs::read_dir(papers).into_iter().flatten().count();
    if app.disk.run(held).await >= PAPERS {
        let message = format!("the collection has reached its limit of {PAPERS} uploaded papers");
        return Err(Failed::full(message).hint("delete papers, or use another collection"));
    }
    let mut form = Multipart::from_request(request, app).await.map_err(|rejection| {
        Failed::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "no_form", rejection.body_text())
            .hint("upload with curl -F file=@paper.pdf")
    })?;
    let mut upload = uploads::Upload::new(app.indexes.papers(place));
    while let Some(mut field) =
        in_time(PART_TIME, form.next_field()).await?.map_err(|e| unread(e.status(), &e.body_text()))?
    {
        let Some(name) = field.file_name().map(str::to_owned) else {
            let failed = Failed::invalid("no_file", "a field of the form is not a file");
            return Err(failed
                .value(field.name().unwrap_or_default())
                .hint("upload with curl -F file=@paper.pdf"));
        };
        let disk = &app.disk;
        let begin = move || upload.begin(&name).map(|file| (upload, file));
        let mut file;
        (upload, file) = disk.run(begin).await?;
        while let Some(part) =
            in_time(PART_TIME, field.chunk()).await?.map_err(|e| unread(e.status(), &e.body_text()))?
        {
            file = disk.run(move || file.write(&part).map(|()| file)).await?;
        }
        upload.end(file)?;
        if upload.len() > UPLOAD_FILES {
            let message = format!("an upload has at most {UPLOAD_FILES} files");
            return Err(Failed::invalid("too_many_files", message).hint("upload them in several requests"));
        }
    }
    if upload.len() == 0 {
        return Err(
            Failed::invalid("no_file", "the form has no file").hint("upload with curl -F file=@paper.pdf")
        );
    }
    // On the disk before the job is, and the job before it is acknowledged.
    let files = app.disk.run(move || upload.keep()).await?;
    start(app, place, Kind::Ingest, json!({ "files": files })).await
}

async fn job(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Response, Failed> {
    let (job, progress, _) = job_of(&app, &caller, &id).await?;
    let has_result = job.has_result;
    let document = JobDocument { progress, ..JobDocument::from(job) };
    if !has_result {
        return Ok(Json(document).into_response());
    }
    let room = Room::take(&app, caller.shares())?;
    with_result(app, room, document, id)
}

/// A job of the caller, how far it is, and what its last event says.
///
/// # Errors
/// When there is no such job.
pub(crate) async fn job_of(
    app: &App,
    caller: &Caller,
    id: &str,
) -> Result<(Job, Option<Progress>, Value), Failed> {
    let (own, tenant) = (id.to_owned(), caller.shares().cloned());
    let found = app.state.read(move |c| {
        let job = jobs::find(c, tenant.as_ref(), &own)?;
        // Only the events of papers are few and short.
        let is_ingest = job.as_ref().is_some_and(|job| matches!(job.kind, Kind::Ingest | Kind::Table));
        let events = if is_ingest { jobs::events(c, &own, 0)? } else { Vec::new() };
        Ok((job, events))
    });
    let (job, events) = found.await?;
    let of = |event: &jobs::Event| serde_json::from_str(&event.data).ok();
    let progress = events.iter().find(|event| event.name == jobs::PROGRESS).and_then(of);
    let last = events.last().filter(|event| event.name != jobs::PROGRESS).and_then(of);
    let job = job.ok_or_else(|| Failed::not_found("job", id))?;
    Ok((job, progress.and_then(|of| serde_json::from_value(of).ok()), last.unwrap_or_default()))
}

async fn cancel(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Deleted>, Failed> {
    let (own, tenant) = (id.clone(), caller.shares().cloned());
    let deleted = app.state.run(move |c| jobs::delete(c, tenant.as_ref(), &own));
    let (tenant, request) = deleted.await?.ok_or_else(|| Failed::not_found("job", &id))?;
    if let (Ok(tenant), Some(name)) = (tenant.parse(), request["answers"].as_str()) {
        // It may be gone already.
        let _ = tokio::fs::remove_file(app.indexes.folder_of(&tenant).join("answers").join(name)).await;
    }
    // Who follows it sees that it is gone.
    let _ = app.events.send(id.into());
    Ok(Json(Deleted { deleted: 1 }))
}

async fn evaluate(
    State(app): State<App>,
    caller: Caller,
    _room: Room<ANSWERS_BYTES>,
    request: Request,
) -> Result<Response, Failed> {
    let place = caller.place();
    let bytes = raw(request).await?;
    let text = String::from_utf8(bytes.into())
        .map_err(|_| Failed::new(StatusCode::BAD_REQUEST, "bad_body", "the answers are not UTF-8"))?;
    // What has no answers is refused now and not by the job.
    let check = move || {
        check_values(text.as_bytes(), ANSWERS_VALUES)?;
        let costs = lab::evaluate_run::costs(&text)?;
        if costs.len() > ROWS {
            let failed = Failed::invalid("too_many_rows", format!("a file has at most {ROWS} answers"));
            return Err(failed.value(costs.len().to_string()).hint("send them in several requests"));
        }
        check_cost(costs.iter().copied().max().unwrap_or_default(), COST)?;
        check_cost(costs.iter().sum(), ANSWERS_COST)?;
        Ok(text)
    };
    let text = app.pool().run(check).await?;
    let folder = app.indexes.folder_of(&place.tenant).join("answers");
    let own = folder.clone();
    let name = app.disk.run(move || uploads::keep_text(&own, &text)).await?;
    let started = start(&app, &place, Kind::Evaluate, json!({ "answers": name })).await;
    if started.is_err() {
        // No job has it. It may be gone already.
        let _ = tokio::fs::remove_file(folder.join(&name)).await;
    }
    Ok(accepted(started?))
}
