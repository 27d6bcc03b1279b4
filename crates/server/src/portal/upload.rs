//! New papers: uploads, how far they are, and files that could not be read.

use super::view::{View, check, count, encoded, problem, shown};
use crate::{
    app::{App, Caller},
    extract::{Asked, Path, Sent},
    failed::Failed,
    limits::{UPLOAD_BYTES, UPLOAD_TIME},
    operation::{Operation, Routes},
    progress::Progress,
    routes::{papers, work},
    state::{
        jobs::{self, Kind},
        keys::Role,
    },
    uploads::ENDINGS,
};
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::{IntoResponse as _, Redirect, Response},
    routing::{get, post},
};
use engine::indexer::UnreadFile;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

/// Unfinished jobs that the page shows.
const JOBS: usize = 10;

pub(super) fn routes() -> Routes {
    vec![
        Operation::post("/library/upload", "Uploads papers")
            .role(Role::Write)
            .on_page()
            .at_most(UPLOAD_BYTES, UPLOAD_TIME)
            .by(post(upload)),
        Operation::post("/library/retry", "Reads a file again that could not be read, or deletes it")
            .role(Role::Write)
            .on_page()
            .by(post(retry)),
        Operation::get("/library/job/{id}", "How far an upload is").on_page().by(get(progress)),
    ]
}

/// The form for new papers.
pub(super) fn form(view: &View<'_>) -> Markup {
    let accepted = ENDINGS.map(|ending| format!(".{ending}")).join(",");
    html! {
        form.drop action=(format!("/library/upload?token={}", encoded(&view.token))) method="post" enctype="multipart/form-data" data-upload {
            label { "Add papers (PDF, HTML, DOCX, JATS, Markdown, text, or a zip of them) " input type="file" name="file" multiple required accept=(accepted); }
            button type="submit" { "Upload" }
            span.note data-drop hidden { "or drop files on this page" }
            progress aria-label="Bytes sent" hidden {}
            p.note role="status" {}
            details {
                summary { "Where metadata come from" }
                p.note {
                    "Title, authors, year and DOI are read from the paper. A " code { "manifest.csv" } ", or a bibliography of a reference manager ("
                    code { ".bib" } " or CSL-JSON), beside it on the disk of the server corrects them, and so does “Edit details” in the list, which writes the manifest."
                }
            }
        }
    }
}

/// Files that could not be read, why, and another try.
pub(super) fn unread(view: &View<'_>, failed: &[UnreadFile]) -> Markup {
    html! {
        details.failed open {
            summary { (count(failed.len(), "file")) " could not be read" }
            ul {
                @for file in failed {
                    li {
                        bdi { (file.file) } ": " span dir="auto" { (file.reason) }
                        @if let Some(day) = file.at.get(..10) { " " span.note { "(" (day) ")" } }
                        // A file without text is read again once OCR is on.
                        @if view.can_write && !file.at.is_empty() {
                            " "
                            form action="/library/retry" method="post" {
                                (view.hidden())
                                input type="hidden" name="file" value=(file.id);
                                button.quiet type="submit" aria-label=(format!("Retry {}", file.file)) { "Retry" }
                                " " button.quiet type="submit" name="what" value="remove" aria-label=(format!("Delete {}", file.file)) { "Delete" }
                            }
                        }
                    }
                }
            }
        }
    }
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
    Ok(to_job(&started.id))
}

/// The library with this job.
pub(super) fn to_job(id: &str) -> Response {
    Redirect::to(&format!("/library?job={}", encoded(id))).into_response()
}

#[derive(Deserialize)]
struct Again {
    file: String,
    /// `remove`; else it is read again.
    #[serde(default)]
    what: String,
    token: String,
}

async fn retry(
    State(app): State<App>,
    caller: Caller,
    Sent(Again { file, what, token }): Sent<Again>,
) -> Result<Response, Failed> {
    check(&app, &caller, &token)?;
    let place = caller.place();
    let job = if what == "remove" {
        papers::discard(&app, &place, &file).await
    } else {
        papers::retry(&app, &place, &file).await
    };
    Ok(to_job(&job?.id))
}

async fn progress(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Failed> {
    Ok(shown(StatusCode::OK, &job(&app, &caller, &id).await?))
}

/// The unfinished jobs of the library, and the one that was started last: a page that is loaded again shows them.
pub(super) async fn jobs(app: &App, caller: &Caller, last: &str) -> Result<Vec<Markup>, Failed> {
    let place = caller.place();
    let find = move |c: &mut _| jobs::unfinished(c, &place.tenant, &place.collection, Kind::Ingest);
    let unfinished = app.state.read(find).await?;
    let mut ids: Vec<String> = unfinished.into_iter().take(JOBS).map(|job| job.id).collect();
    if !last.is_empty() && !ids.iter().any(|id| id == last) {
        ids.insert(0, last.to_owned());
    }
    let mut out = Vec::new();
    for id in ids {
        out.push(job(app, caller, &id).await.unwrap_or_else(|failed| problem(&failed)));
    }
    Ok(out)
}

/// How far a job is; asks again while it runs.
async fn job(app: &App, caller: &Caller, id: &str) -> Result<Markup, Failed> {
    let (job, progress, last) = work::job_of(app, caller, id).await?;
    let text = |error: &Value, key: &str| error[key].as_str().map(str::to_owned);
    let error =
        job.error.as_ref().map(|error| (text(error, "message").unwrap_or_default(), text(error, "hint")));
    let address = format!("/library/job/{}", encoded(id));
    let again = (!job.stage.has_ended()).then_some("every 1s");
    Ok(html! {
        section.job aria-label="Indexing" hx-get=[again.map(|_| &address)] hx-trigger=[again] hx-swap="outerHTML" {
            @match (error, job.stage.has_ended()) {
                (Some((error, hint)), _) => p.problem role="status" { "Not indexed: " (error) @if let Some(hint) = hint { "; " (hint) } },
                (None, true) => (ended(&last)),
                (None, false) => (running(progress.as_ref(), id)),
            }
            @if let Some(progress) = progress.filter(|of| !of.files.is_empty()) { (files(&progress, job.stage.has_ended())) }
        }
    })
}

/// What a job does now: the stage, its count, and how long it may still take.
fn running(progress: Option<&Progress>, id: &str) -> Markup {
    let refresh = html! { " " a href={ "/library?job=" (encoded(id)) } { "Refresh" } };
    let Some(progress) = progress else {
        return html! { p { "Waiting to be indexed." (refresh) } };
    };
    let stage = match &*progress.stage {
        "reading" => "Reading",
        "embedding" => "Embedding",
        "writing" => "Writing the index",
        _ => "Looking at the files",
    };
    let left = progress.seconds_left.map(|seconds| match seconds {
        0..=90 => format!("about {seconds} s left"),
        _ => format!("about {} min left", seconds.div_ceil(60)),
    });
    html! {
        p {
            (stage)
            @if progress.done > 0 {
                ": " (progress.done)
                @if let Some(total) = progress.total.filter(|total| *total >= progress.done) { " of about " (total) }
                " " (progress.unit)
            }
            @if !progress.item.is_empty() { ", " (progress.item) }
            @if let Some(left) = left { ", " (left) }
            ". " (refresh)
        }
        @if let Some(total) = progress.total.filter(|total| *total > 0) {
            progress aria-label=(stage) max=(total) value=(progress.done.min(total)) {}
        }
    }
}

/// The files of an upload, each with its stage and count.
fn files(progress: &Progress, ended: bool) -> Markup {
    html! {
        ul.files {
            @for file in &progress.files {
                li {
                    bdi { (file.file) } ": "
                    @match &*file.stage {
                        "waiting" => { @if ended { "not read again" } @else { "waiting" } },
                        "reading" => { "reading page " (file.count) @if let Some(of) = file.of { " of " (of) } },
                        "read" => { (count(file.count as usize, "page")) " read" },
                        "embedding" => { "embedding " (count(file.count as usize, "text")) },
                        "embedded" => { (count(file.count as usize, "text")) " embedded" },
                        _ => "could not be read",
                    }
                }
            }
        }
    }
}

/// What a job came to, by its summary.
fn ended(summary: &Value) -> Markup {
    let number = |key: &str| summary[key].as_u64().unwrap_or_default();
    let unread = ["failed", "failed_before", "empty"].map(|key| summary[key].as_array().map_or(0, Vec::len));
    let unread: usize = unread.iter().sum();
    html! {
        p role="status" {
            "Indexed: " (number("added")) " added, " (number("changed")) " changed, " (number("unchanged")) " unchanged"
            @if unread > 0 { ", " (unread) " not read" }
            ". " a href="/library?sort=-added" { "Show the newest papers" }
        }
        @for file in ["failed", "failed_before"].iter().filter_map(|key| summary[key].as_array()).flatten() {
            @let name = file["path"].as_str().unwrap_or_default().rsplit('/').next().unwrap_or_default();
            p.problem { bdi { (name) } ": " span dir="auto" { (file["reason"].as_str().unwrap_or_default()) } }
        }
    }
}
