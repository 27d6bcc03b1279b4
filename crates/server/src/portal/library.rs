//! The papers: which there are, new ones, and what could not be read.

use super::{View, answer, check, encoded, paper, shown};
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
    EngineError,
    indexer::{FailedFile, Source},
};
use maud::{Markup, html};
use serde::Deserialize;

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

async fn page(
    State(app): State<App>,
    caller: Caller,
    Asked(asked): Asked<Shown>,
) -> Result<Response, Failed> {
    let view = View::new(&app, &caller, "/library", "Library");
    let settings = app.indexes.settings_of(&caller.place());
    let turn = app.turn(&caller)?;
    let read = move || {
        let indexer = engine::indexer(&settings);
        Ok::<_, engine::IndexerError>((indexer.sources()?, indexer.stats(false)?.failed))
    };
    let (all, failed) = app.pool().run(read).await.map_err(EngineError::from)?;
    drop(turn);
    let count = all.len();
    let papers = asked.of(all);
    let sorts = [("", "title"), ("author", "author"), ("year", "year"), ("added", "last added")];
    Ok(view.page(&html! {
        h1 { "Library" }
        form.search action="/library" role="search" {
            label { "Words " input type="search" name="words" dir="auto" value=(asked.words); }
            label { "Order " select name="sort" { @for (value, name) in sorts { option value=(value) selected[asked.sort == value] { (name) } } } }
            button type="submit" { "Show" }
        }
        @if caller.role >= Role::Write {
            form.drop action=(format!("/library/upload?token={}", encoded(&view.token))) method="post" enctype="multipart/form-data" data-drop {
                label { "Add papers (PDF, JATS, Markdown, text; or drop them here) " input type="file" name="file" multiple required; }
                button type="submit" { "Upload" }
                progress max="1" value="0" hidden {}
            }
        }
        @if !asked.job.is_empty() { (job(&app, &caller, &asked.job).await?) }
        @if !failed.is_empty() { (unread(&failed)) }
        form action="/library/ask" method="post" {
            (view.hidden())
            p.note { (papers.len()) " of " (count) " papers. " button.quiet type="submit" { "Ask the ticked papers" } }
            table.papers {
                thead { tr { th scope="col" { span.unseen { "Ask" } } th scope="col" { "Paper" } th scope="col" { "Year" } th scope="col" { "Tags" } th scope="col" { "Passages" } } }
                tbody {
                    @for source in &papers {
                        @let meta = &source.meta;
                        tr {
                            td { input type="checkbox" name="paper" value=(meta.source_id) aria-label=(format!("Ask {}", name(source))); }
                            td {
                                a href=(paper::address(&meta.source_id, 1, None, None)) dir="auto" { (name(source)) }
                                br; span.note dir="auto" { (answer::by(&meta.authors, None)) @if let Some(place) = meta.printed.place(meta.venue.as_deref()) { ". " (place) } }
                                @if meta.fictional { " " span.flag { "fictional sample paper" } }
                                @if source.paths.len() > 1 { " " span.note { "(" (source.paths.len()) " copies)" } }
                            }
                            td { @if let Some(year) = meta.year { (year) } }
                            td { (meta.tags.join(", ")) }
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
            summary { (failed.len()) " files could not be read" }
            ul { @for file in failed { li { span dir="auto" { (file.path.file_name().unwrap_or_default().to_string_lossy()) } ": " (file.reason) } } }
            p.note { "Upload a file again to try it again." }
        }
    }
}

/// The papers that are ticked, as conditions of the question.
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
    Ok(Redirect::to(&format!("/?papers={}", encoded(&papers.join("\n")))).into_response())
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
                (None, false) => p { "Indexing" @if let Some(says) = says { ": " (says) } "…" },
            }
        }
    })
}
