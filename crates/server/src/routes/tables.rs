//! Tables over papers: questions that are asked of each paper, by a job.

use crate::{
    app::{App, Caller},
    asked::Deleted,
    document::Json,
    extract::{Body, Path},
    failed::Failed,
    indexes::Place,
    limits::{CELLS, COLUMNS, JOBS, TABLE_TIME},
    operation::{Operation, Routes},
    progress::Progress,
    state::{
        jobs::{self, Job},
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
    sync::Arc,
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
    let _turn = app.turn(&caller)?;
    let (_, table) = load(&app, &caller, &id).await?;
    let (indexes, place) = (Arc::clone(&app.indexes), caller.place());
    app.pool().run(move || indexes.shown(&place, table)).await.map(Json)
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Deleted>, Failed> {
    find(&app, &caller, &id).await?;
    let tenant = caller.tenant();
    Ok(Json(Deleted { deleted: app.state.run(move |c| tables::delete(c, &tenant, &id)).await? }))
}

/// Makes a table and starts its job; the ids of both.
///
/// # Errors
/// When the name or a question is empty or too long, there are too many, or a paper is not there.
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
    // An error if one of them is not there.
    let chosen = (!papers.is_empty()).then(|| papers.to_vec());
    let chosen = Filter { sources: chosen, ..Filter::default() };
    let found = app.pipeline(&place).await?.papers(&chosen).await?;
    check_cells(found.len(), columns.len())?;
    // By their full ids.
    let chosen = found.into_iter().filter(|_| !papers.is_empty()).map(|paper| paper.meta.source_id.clone());
    let (tenant, papers) = (caller.tenant(), chosen.collect::<Vec<_>>());
    let id = app.state.run(move |c| tables::add(c, &tenant, &name, &papers, &columns)).await?;
    let id = id.ok_or_else(|| Failed::full("there are too many tables").hint("delete some first"))?;
    let job = ask(app, caller, &id).await?;
    Ok((id, job))
}

/// Adds a question to a table, and asks it.
///
/// # Errors
/// As [`add`].
pub(crate) async fn add_question(app: &App, caller: &Caller, id: &str, line: &str) -> Result<(), Failed> {
    let Table { listed, columns, .. } = find(app, caller, id).await?;
    let papers = papers_of(&*app.pipeline(&caller.place()).await?, &listed.papers).await?;
    check_cells(papers.len(), columns.len() + 1)?;
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
        // A question without a name is its own.
        let name = Some(&*column.name).filter(|name| *name != column.question).unwrap_or_default();
        check_chars(&column.question, MAX_QUESTION_CHARS)
            .and_then(|()| check_chars(name, NAME_MOST))
            .map_err(|message| Failed::invalid("question", message).value(&*column.name))?;
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

/// A table of the caller, without its cells.
///
/// # Errors
/// When there is none.
pub(crate) async fn find(app: &App, caller: &Caller, id: &str) -> Result<Table, Failed> {
    let (tenant, own) = (caller.tenant(), id.to_owned());
    let found = app.state.read(move |c| tables::get(c, &tenant, &own)).await?;
    found.ok_or_else(|| Failed::not_found("table", id))
}

/// A table of the caller, and what each of its papers says.
///
/// # Errors
/// When there is none, or the index cannot be read.
pub(crate) async fn load(app: &App, caller: &Caller, id: &str) -> Result<(Table, PaperTable), Failed> {
    let (kept, own) = (find(app, caller, id).await?, id.to_owned());
    let mut cells = app.state.read(move |c| tables::cells(c, &own)).await?;
    let pipeline = app.pipeline(&caller.place()).await?;
    let papers = papers_of(&pipeline, &kept.listed.papers).await?;
    let library = versions::of(app, &caller.place(), &pipeline).await?;
    let rows = move || {
        let row = |paper: &Reference| {
            let source = &paper.meta.source_id;
            let cell = |(number, _): &(i64, Column)| {
                let said = cells.remove(&(*number, source.clone()));
                // What a paper said before it changed is asked again.
                let is_of_now = |version: &str| !library.is_known() || version == library.version(source);
                said.filter(|(version, _)| is_of_now(version)).map_or(Cell::NotAsked {}, |(_, cell)| cell)
            };
            PaperRow::new(paper, kept.columns.iter().map(cell).collect())
        };
        let papers = papers.iter().map(row).collect();
        let columns = kept.columns.iter().map(|(_, column)| column.clone()).collect();
        let model = pipeline.models().get("generator").cloned().unwrap_or_default();
        let table = PaperTable::new(columns, papers, model, pipeline.config_hash().to_owned());
        (kept, table)
    };
    Ok(app.pool().run(rows).await)
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
    find(app, caller, id).await?;
    let (place, id) = (caller.place(), id.to_owned());
    let job = app.state.run(move |c| tables::ask(c, &place, &id)).await?;
    app.new_job.notify_waiters();
    job.ok_or_else(|| {
        let message = format!("this tenant has reached its limit of {JOBS} unfinished jobs");
        Failed::busy("too_many_jobs", message, 10)
    })
}

/// Asks papers of a table what they were not asked yet, for a while; `None` if there is more.
///
/// # Errors
/// When no question can succeed.
pub(crate) async fn fill(app: &App, job: &Job, stop: &Stop) -> Result<Option<String>, Failed> {
    let place = Place { tenant: job.tenant.clone(), collection: job.collection.clone() };
    let (tenant, id) = (job.tenant.clone(), job.request["table"].as_str().unwrap_or_default().to_owned());
    let read = move |c: &mut _| Ok((tables::get(c, &tenant, &id)?, tables::cells(c, &id)?));
    let (Some(table), cells) = app.state.read(read).await? else {
        return Ok(Some(json!({ "asked": 0 }).to_string()));
    };
    let pipeline = app.pipeline(&place).await?;
    let (papers, since) = (papers_of(&pipeline, &table.listed.papers).await?, Instant::now());
    check_cells(papers.len(), table.columns.len())?;
    let library = versions::of(app, &place, &pipeline).await?;
    if !library.is_known() {
        // The index that was written meanwhile is opened soon.
        tokio::time::sleep(Duration::from_secs(1)).await;
        return Ok(None);
    }
    let (mode, all) = (app.settings.retrieve.mode, Filter::default());
    let mut missing: Vec<_> =
        table.columns.iter().flat_map(|column| papers.iter().map(move |paper| (column, paper))).collect();
    missing.retain(|((number, _), paper)| {
        let source = &paper.meta.source_id;
        cells.get(&(*number, source.clone())).is_none_or(|(asked, _)| asked != library.version(source))
    });
    let (stage, unit, done) = ("asking".to_owned(), "cells".to_owned(), table.told.done);
    let total = Some(done + missing.len() as u64);
    let mut progress = Progress { stage, unit, done, total, ..Progress::default() };
    for ((number, column), paper) in missing {
        if stop.is_requested() || since.elapsed() > TABLE_TIME {
            return Ok(None);
        }
        let (mut row, _) = pipeline.ask_of_paper(paper, from_ref(column), mode, &all).await?;
        if let Cell::Failed { error } = &mut row.cells[0] {
            // It may name the address of a model.
            app.log_job(job, error);
            "this question could not be answered; ask again".clone_into(error);
        }
        progress.done += 1;
        let cell = serde_json::to_string(&row.cells[0]).map_err(Failed::inside)?;
        let (number, source) = (*number, row.source_id);
        let (id, token, data) = (job.id.clone(), job.token, json!(progress).to_string());
        let version = library.version(&source).to_owned();
        let put = move |c: &mut rusqlite::Connection| {
            tables::put(c, number, &source, &version, &cell)?;
            jobs::progress(c, &id, token, &data)
        };
        app.state.run_soon(put).await?;
        // Nobody may listen.
        let _ = app.events.send(Arc::from(job.id.as_str()));
    }
    Ok(Some(json!({ "asked": progress.done }).to_string()))
}
