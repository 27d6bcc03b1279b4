//! The papers: which there are, new ones, and what could not be read.

use super::{
    ask, form, saved,
    view::{View, check, count, encoded, problem, shown},
};
use crate::{
    app::{App, Caller},
    extract::{Asked, Path, Sent},
    failed::Failed,
    limits::{UPLOAD_BYTES, UPLOAD_TIME},
    operation::{Operation, Routes},
    routes::work,
    state::{
        jobs::{self, Job},
        keys::Role,
    },
};
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::{IntoResponse as _, Redirect, Response},
    routing::{get, post},
};
use engine::{
    EngineError, IndexerError,
    indexer::{FailedFile, Source},
    settings::Settings,
};
use maud::{Markup, html};
use serde::Deserialize;
use types::Explain as _;

pub(super) fn routes() -> Routes {
    vec![
        Operation::get("/library", "The papers").on_page().by(get(page)),
        Operation::post("/library/ask", "Asks some of the papers").on_page().by(post(ask)),
        Operation::post("/library/upload", "Uploads papers")
            .role(Role::Write)
            .on_page()
            .at_most(UPLOAD_BYTES, UPLOAD_TIME)
            .by(post(upload)),
        Operation::get("/library/job/{id}", "How far an upload is").on_page().by(get(progress)),
    ]
}

/// Papers that the list shows.
const SHOWN: usize = 1000;

/// Which papers, and in which order.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Shown {
    words: String,
    sort: String,
    /// The upload that was started last.
    job: String,
}

impl Shown {
    fn of(&self, mut all: Vec<Source>) -> Vec<Source> {
        let words = self.words.trim().to_lowercase();
        let text = |source: &Source| {
            let meta = &source.meta;
            let year = meta.year.map(|year| year.to_string());
            let known = [meta.title.clone(), meta.venue.clone(), year].into_iter().flatten();
            known
                .chain(meta.authors.clone())
                .chain(meta.tags.clone())
                .collect::<Vec<_>>()
                .join(" ")
                .to_lowercase()
        };
        all.retain(|source| words.split_whitespace().all(|word| text(source).contains(word)));
        match &*self.sort {
            "year" => all.sort_by_key(|source| std::cmp::Reverse(source.meta.year)),
            "author" => all.sort_by_cached_key(|source| source.meta.authors.first().cloned()),
            "added" => all.sort_by(|a, b| b.ingested.cmp(&a.ingested)),
            _ => all.sort_by_cached_key(name),
        }
        all
    }
}

/// The title of a paper, or its id.
fn name(source: &Source) -> String {
    let meta = &source.meta;
    meta.title.clone().unwrap_or_else(|| meta.source_id.to_string())
}

/// The papers, and the files that could not be read; none while there is no index.
///
/// # Errors
/// When the index cannot be read.
pub(super) async fn papers(app: &App, settings: Settings) -> Result<(Vec<Source>, Vec<FailedFile>), Failed> {
    let read = move || {
        let indexer = engine::indexer(&settings);
        match indexer.sources() {
            Err(error) if error.explain().code == "index_missing" => Ok((Vec::new(), Vec::new())),
            sources => Ok((sources?, indexer.stats(false)?.failed)),
        }
    };
    let found: Result<_, IndexerError> = app.pool().run(read).await;
    Ok(found.map_err(EngineError::from)?)
}

async fn page(
    State(app): State<App>,
    caller: Caller,
    Asked(asked): Asked<Shown>,
) -> Result<Response, Failed> {
    let view = View::new(&app, &caller, "/library", "Library");
    let settings = app.indexes.settings_of(&caller.place());
    let turn = app.turn(&caller)?;
    let (all, failed) = papers(&app, settings).await?;
    drop(turn);
    let total = all.len();
    let job = match &*asked.job {
        "" => None,
        id => Some(job(&app, &caller, id).await.unwrap_or_else(|failed| problem(&failed))),
    };
    let papers = asked.of(all);
    let sorts = [("", "title"), ("author", "author"), ("year", "year"), ("added", "last added")];
    Ok(view.page(&html! {
        h1 { "Library" }
        form.search action="/library" role="search" {
            label { "Search " input type="search" name="words" dir="auto" value=(asked.words); }
            label { "Sort by " select name="sort" { @for (value, name) in sorts { option value=(value) selected[asked.sort == value] { (name) } } } }
            button type="submit" { "Apply" }
        }
        @if caller.role >= Role::Write {
            form.drop action=(format!("/library/upload?token={}", encoded(&view.token))) method="post" enctype="multipart/form-data" {
                label { "Add papers (PDF, JATS, Markdown, text) " input type="file" name="file" multiple required; }
                button type="submit" { "Upload" }
            }
        }
        @if let Some(job) = job { (job) }
        @if !failed.is_empty() { (unread(&failed)) }
        form action="/library/ask" method="post" {
            (view.hidden())
            p.note { (papers.len()) " of " (count(total, "paper")) @if papers.len() > SHOWN { "; the first " (SHOWN) } ". " button.quiet type="submit" { "Ask the ticked papers" } @if view.can_write { " " button.quiet type="submit" formaction="/table" { "Table of the ticked papers" } } }
            table.papers {
                thead { tr { th scope="col" { span.unseen { "Ask" } } th scope="col" { "Paper" } th scope="col" { "Year" } th scope="col" { "Tags" } th scope="col" { "Passages" } } }
                tbody {
                    @for source in papers.iter().take(SHOWN) {
                        @let meta = &source.meta;
                        tr {
                            td { input type="checkbox" name="paper" value=(meta.source_id) aria-label=(format!("Ask {}", name(source))); }
                            td {
                                a href=(saved::page_address(&meta.source_id, 1, None, None)) dir="auto" { (name(source)) }
                                br; span.note dir="auto" { (saved::by(&meta.authors, None)) @if let Some(place) = meta.printed.place(meta.venue.as_deref()) { br; bdi { (place) } } }
                                @if meta.fictional { " " span.flag { "fictional sample paper" } }
                                @if source.paths.len() > 1 { " " span.note { "(" (source.paths.len()) " copies)" } }
                            }
                            td { @if let Some(year) = meta.year { (year) } }
                            td dir="auto" { (meta.tags.join(", ")) }
                            td { (source.chunks) }
                        }
                    }
                }
            }
        }
    }))
}

/// Files that could not be read, and why.
fn unread(failed: &[FailedFile]) -> Markup {
    html! {
        details.failed open {
            summary { (count(failed.len(), "file")) " could not be read" }
            ul { @for file in failed { li { span dir="auto" { (file.path.file_name().unwrap_or_default().to_string_lossy()) } ": " (file.reason) } } }
            p.note { "Upload a file again to try it again." }
        }
    }
}

/// The page with the question, for the papers that are ticked.
async fn ask(
    State(app): State<App>,
    caller: Caller,
    Sent(fields): Sent<Vec<(String, String)>>,
) -> Result<Response, Failed> {
    let of = |wanted: &'static str| {
        fields.iter().filter(move |(name, _)| name == wanted).map(|(_, value)| value.as_str())
    };
    check(&app, &caller, of("token").next().unwrap_or_default())?;
    let papers: Vec<&str> = of("paper").collect();
    let mut form = form::Form::default();
    form.papers = papers.join("\n");
    Ok(ask::page_with(&app, &caller, &form).await)
}

#[derive(Deserialize)]
struct Token {
    token: String,
}

async fn upload(
    State(app): State<App>,
    caller: Caller,
    Asked(Token { token }): Asked<Token>,
    request: Request,
) -> Result<Response, Failed> {
    check(&app, &caller, &token)?;
    let started = work::upload(&app, &caller.place(), request).await?;
    Ok(Redirect::to(&format!("/library?job={}", encoded(&started.id))).into_response())
}

async fn progress(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Failed> {
    Ok(shown(StatusCode::OK, &job(&app, &caller, &id).await?))
}

/// How far a job is; asks again while it runs.
async fn job(app: &App, caller: &Caller, id: &str) -> Result<Markup, Failed> {
    let (tenant, own) = (caller.shares().cloned(), id.to_owned());
    let found = app.state.read(move |c| {
        let job = jobs::find(c, tenant.as_ref(), &own)?;
        let events = jobs::events(c, &own, 0)?;
        Ok((job, events))
    });
    let (Some(Job { stage, error, .. }), events) = found.await? else {
        return Err(Failed::not_found("upload", id));
    };
    let error = error.as_ref().map(|error| error["message"].as_str().unwrap_or_default().to_owned());
    let last =
        events.iter().rev().find_map(|event| serde_json::from_str::<serde_json::Value>(&event.data).ok());
    let says = last.and_then(|data| Some(data["message"].as_str().or(data["stage"].as_str())?.to_owned()));
    let address = format!("/library/job/{}", encoded(id));
    let again = (!stage.has_ended()).then_some("every 1s");
    Ok(html! {
        section.job role="status" hx-get=[again.map(|_| &address)] hx-trigger=[again] hx-swap="outerHTML" {
            @match (error, stage.has_ended()) {
                (Some(error), _) => p.problem { "The upload was not indexed: " (error) },
                (None, true) => p { "The upload is indexed. " a href="/library?sort=added" { "Show the new papers" } },
                (None, false) => p { "Indexing" @if let Some(says) = says { ": " (says) } "… " a href={ "/library?job=" (encoded(id)) } { "Refresh" } },
            }
        }
    })
}
