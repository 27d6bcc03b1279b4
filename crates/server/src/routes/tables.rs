//! Tables over papers: questions that are asked of each paper, by a job.

use crate::{
    app::{App, Caller},
    asked::Deleted,
    document::Json,
    extract::{Body, Path},
    failed::Failed,
    indexes::Place,
    limits::{CELLS, COLUMNS, TABLE_TIME},
    operation::{Operation, Routes},
    routes::work,
    state::{
        jobs::{self, Job, Kind},
        keys::Role,
        tables::{self, Listed, Table},
    },
    versions,
};
use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
    routing::{delete, get, post},
};
use engine::{
    Pipeline,
    per_paper::{Cell, Column, PaperRow, PaperTable},
    show::Reference,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    slice::from_ref,
    time::{Duration, Instant},
};
use types::{Filter, MAX_QUESTION_CHARS, SourceId, Stop, check_chars};

/// Characters of the name of a table.
pub(crate) const NAME_MOST: usize = 100;

pub(crate) fn routes() -> Routes {
    vec![
        Operation::get("/v1/tables", "The tables over papers, the newest first")
            .answers::<Tables>(200)
            .by(get(list)),
        Operation::post("/v1/tables", "Makes a table and starts a job that asks each paper its questions")
            .role(Role::Write)
            .body::<NewTable>()
            .answers::<Started>(202)
            .by(post(make)),
        Operation::get("/v1/tables/{id}", "A table: what each paper says so far")
            .answers::<PaperTable>(200)
            .by(get(table)),
        Operation::delete("/v1/tables/{id}", "Deletes a table")
            .role(Role::Write)
            .answers::<Deleted>(200)
            .by(delete(remove)),
    ]
}

/// The tables of a tenant.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Tables {
    /// The newest first.
    tables: Vec<Listed>,
}

/// A table to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewTable {
    /// Its name.
    name: String,
    /// What each paper is asked, as `Sample size: How many people took part?` or only the question.
    questions: Vec<String>,
    /// The papers; all unless given.
    #[serde(default)]
    papers: Vec<SourceId>,
}

/// A table whose papers are being asked.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StartedTable", deny_unknown_fields)]
struct Started {
    /// The id of the table.
    table: String,
    /// The id of the job.
    job: String,
}

async fn list(State(app): State<App>, caller: Caller) -> Result<Json<Tables>, Failed> {
    let tenant = caller.tenant();
    Ok(Json(Tables { tables: app.state.read(move |c| tables::list(c, &tenant)).await? }))
}

async fn make(
    State(app): State<App>,
    caller: Caller,
    Body(NewTable { name, questions, papers }): Body<NewTable>,
) -> Result<Response, Failed> {
    let (table, job) = add(&app, &caller, &name, &papers, &questions).await?;
    Ok((StatusCode::ACCEPTED, Json(Started { table, job })).into_response())
}

async fn table(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, Failed> {
    let (.., table) = load(&app, &caller, &id).await?;
    app.indexes.shown(&caller.place(), table).map(Json)
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Deleted>, Failed> {
    let listed = find(&app, &caller, &id).await?.listed;
    stop(&app, &caller, &listed).await?;
    let tenant = caller.tenant();
    Ok(Json(Deleted { deleted: app.state.run(move |c| tables::delete(c, &tenant, &id)).await? }))
}

/// Makes a table and starts its job; the ids of both.
///
/// # Errors
/// When the name or a question is empty or too long, or there are too many.
pub(crate) async fn add(
    app: &App,
    caller: &Caller,
    name: &str,
    papers: &[SourceId],
    questions: &[String],
) -> Result<(String, String), Failed> {
    let name: String = name.trim().chars().take(NAME_MOST).collect();
    if name.is_empty() {
        return Err(Failed::invalid("name", "a table needs a name"));
    }
    let columns = columns_of(questions)?;
    let place = caller.place();
    check_cells(papers_of(&*app.pipeline(&place).await?, papers).await?.len(), columns.len())?;
    let (tenant, papers) = (caller.tenant(), papers.to_vec());
    let make = move |c: &mut rusqlite::Connection| {
        let step = c.transaction()?;
        let id = tables::add(&step, &tenant, &name, &papers)?;
        for column in &columns {
            id.as_ref().map(|id| tables::add_column(&step, id, column)).transpose()?;
        }
        step.commit()?;
        Ok(id)
    };
    let id = app.state.run(make).await?;
    let id = id.ok_or_else(|| Failed::full("there are too many tables").hint("delete some first"))?;
    let job = ask(app, caller, &id).await?;
    Ok((id, job))
}

/// Adds a question to a table, and asks it.
///
/// # Errors
/// As [`add`].
pub(crate) async fn add_question(app: &App, caller: &Caller, id: &str, line: &str) -> Result<(), Failed> {
    let (_, numbers, table) = load(app, caller, id).await?;
    check_cells(table.papers.len(), numbers.len() + 1)?;
    let columns = columns_of(&[line.to_owned()])?;
    let own = id.to_owned();
    app.state
        .run(move |c| columns.iter().try_for_each(|one| tables::add_column(c, &own, one).map(drop)))
        .await?;
    ask(app, caller, id).await.map(drop)
}

fn columns_of(lines: &[String]) -> Result<Vec<Column>, Failed> {
    let columns: Vec<Column> = lines.iter().map(|line| Column::parse(line)).collect();
    for column in &columns {
        check_chars(&column.question, MAX_QUESTION_CHARS)
            .map_err(|message| Failed::invalid("question", message))?;
        if column.question.is_empty() {
            return Err(Failed::invalid("question", "a question is empty"));
        }
    }
    Ok(columns)
}

fn check_cells(papers: usize, columns: usize) -> Result<(), Failed> {
    if columns <= COLUMNS && papers * columns <= CELLS {
        return Ok(());
    }
    let message = format!("a table has at most {COLUMNS} questions and {CELLS} cells");
    Err(Failed::full(message).hint("choose fewer papers, or make another table"))
}

/// A table of the caller, as it is kept.
///
/// # Errors
/// When there is none.
pub(crate) async fn find(app: &App, caller: &Caller, id: &str) -> Result<Table, Failed> {
    let (tenant, own) = (caller.tenant(), id.to_owned());
    let found = app.state.read(move |c| tables::get(c, &tenant, &own)).await?;
    found.ok_or_else(|| Failed::not_found("table", id))
}

/// A table of the caller, the numbers of its columns, and what each of its papers says.
///
/// # Errors
/// When there is none, or the index cannot be read.
pub(crate) async fn load(
    app: &App,
    caller: &Caller,
    id: &str,
) -> Result<(Listed, Vec<i64>, PaperTable), Failed> {
    let Table { listed, columns, mut cells } = find(app, caller, id).await?;
    let pipeline = app.pipeline(&caller.place()).await?;
    let papers = papers_of(&pipeline, &listed.papers).await?;
    let library = versions::of(app, &caller.place(), &pipeline).await?;
    let row = |paper: &Reference| {
        let source = &paper.meta.source_id;
        let cell = |(number, _): &(i64, Column)| {
            let kept = cells.remove(&(*number, source.clone()));
            // What a paper said before it changed is asked again.
            let kept = kept.filter(|(version, _)| !library.is_known() || version == library.version(source));
            kept.map_or(Cell::NotAsked {}, |(_, cell)| cell)
        };
        PaperRow::new(paper, columns.iter().map(cell).collect())
    };
    let papers = papers.iter().map(row).collect();
    let (numbers, columns) = columns.into_iter().unzip();
    let model = pipeline.models().get("generator").cloned().unwrap_or_default();
    let table = PaperTable { columns, papers, model, config_hash: pipeline.config_hash().to_owned() };
    Ok((listed, numbers, table))
}

/// These papers, as far as there are such; all if none is named.
async fn papers_of(pipeline: &Pipeline, chosen: &[SourceId]) -> Result<Vec<Reference>, Failed> {
    let chosen: BTreeSet<&SourceId> = chosen.iter().collect();
    let mut papers = pipeline.papers(&Filter::default()).await?;
    papers.retain(|paper| chosen.is_empty() || chosen.contains(&paper.meta.source_id));
    Ok(papers)
}

/// Starts the job that asks what is not asked yet or failed, unless there is one; its id.
///
/// # Errors
/// When there is no such table, or the tenant has too many jobs.
pub(crate) async fn ask(app: &App, caller: &Caller, id: &str) -> Result<String, Failed> {
    let listed = find(app, caller, id).await?.listed;
    if job_of(app, caller, &listed).await?.is_some_and(|job| !job.stage.has_ended()) {
        return Ok(listed.job);
    }
    let job = work::start(app, &caller.place(), Kind::Table, json!({ "table": id })).await?;
    let (id, own) = (id.to_owned(), job.id.clone());
    app.state.run(move |c| tables::asks(c, &id, &own)).await?;
    Ok(job.id)
}

/// Ends the job of a table; what was asked stays.
///
/// # Errors
/// When the state cannot be written.
pub(crate) async fn stop(app: &App, caller: &Caller, listed: &Listed) -> Result<(), Failed> {
    let (tenant, job) = (caller.shares().cloned(), listed.job.clone());
    app.state.run(move |c| jobs::delete(c, tenant.as_ref(), &job)).await?;
    Ok(())
}

/// The job that asks the papers of a table, or asked them last.
///
/// # Errors
/// When the state cannot be read.
pub(crate) async fn job_of(app: &App, caller: &Caller, listed: &Listed) -> Result<Option<Job>, Failed> {
    let (tenant, job) = (caller.shares().cloned(), listed.job.clone());
    Ok(app.state.read(move |c| jobs::find(c, tenant.as_ref(), &job)).await?)
}

/// Asks papers of a table what they were not asked yet, for a while; `None` if there is more.
///
/// # Errors
/// When no question can succeed.
pub(crate) async fn fill(app: &App, job: &Job, stop: &Stop) -> Result<Option<String>, Failed> {
    let place = Place { tenant: job.tenant.clone(), collection: job.collection.clone() };
    let (tenant, id) = (job.tenant.clone(), job.request["table"].as_str().unwrap_or_default().to_owned());
    let Some(table) = app.state.read(move |c| tables::get(c, &tenant, &id)).await? else {
        return Ok(Some(json!({ "asked": 0 }).to_string()));
    };
    let pipeline = app.pipeline(&place).await?;
    let (papers, since) = (papers_of(&pipeline, &table.listed.papers).await?, Instant::now());
    let library = versions::of(app, &place, &pipeline).await?;
    if !library.is_known() {
        // The index that was written meanwhile is opened soon.
        tokio::time::sleep(Duration::from_secs(1)).await;
        return Ok(None);
    }
    let (mode, all) = (app.settings.retrieve.mode, Filter::default());
    for (number, column) in &table.columns {
        for paper in &papers {
            let source = &paper.meta.source_id;
            let version = library.version(source);
            if table.cells.get(&(*number, source.clone())).is_some_and(|(asked, _)| asked == version) {
                continue;
            }
            if stop.is_requested() || since.elapsed() > TABLE_TIME {
                return Ok(None);
            }
            let asked = pipeline.ask_of_paper(paper, from_ref(column), mode, &all);
            let (row, _) = asked.await?;
            let cell = serde_json::to_string(&row.cells[0]).map_err(Failed::inside)?;
            let (number, source, version) = (*number, source.clone(), version.to_owned());
            app.state.run_soon(move |c| tables::put(c, number, &source, &version, &cell)).await?;
        }
    }
    let asked = papers.len() * table.columns.len();
    Ok(Some(json!({ "asked": asked }).to_string()))
}
