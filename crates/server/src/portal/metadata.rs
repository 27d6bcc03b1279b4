//! The metadata of a paper, to be corrected: what is changed goes into the manifest beside it.

use super::{
    saved, upload,
    view::{View, check, encoded, problem},
};
use crate::{
    app::{App, Caller},
    extract::{Path, Sent},
    failed::Failed,
    operation::{Operation, Routes},
    routes::{own, papers},
    state::keys::Role,
};
use axum::{
    extract::State,
    response::Response,
    routing::{get, post},
};
use engine::{EngineError, indexer::MetadataChange, zotero};
use maud::{Markup, html};
use std::collections::BTreeMap;
use types::{Explain as _, SourceId, SourceMeta};

pub(super) fn routes() -> Routes {
    vec![
        Operation::get("/library/paper/{id}", "The metadata of a paper")
            .role(Role::Write)
            .on_page()
            .by(get(page)),
        Operation::post(
            "/library/paper/{id}/zotero",
            "The metadata of a paper, with what Zotero has filled in",
        )
        .role(Role::Write)
        .on_page()
        .by(post(from_zotero)),
        Operation::post("/library/paper/{id}/remove", "Deletes an uploaded paper")
            .role(Role::Write)
            .on_page()
            .by(post(remove)),
        Operation::post("/library/paper/{id}", "Corrects the metadata of a paper")
            .role(Role::Write)
            .on_page()
            .by(post(save)),
    ]
}

/// The fields of the form: name, label and lines.
const FIELDS: [(&str, &str, usize); 6] = [
    ("title", "Title", 2),
    ("authors", "Authors, one on each line", 4),
    ("year", "Year", 1),
    ("venue", "Journal or venue", 1),
    ("doi", "DOI", 1),
    ("tags", "Tags, separated by semicolons", 1),
];

/// What the form has, by name.
type Fields = BTreeMap<String, String>;

fn fields(meta: &SourceMeta) -> Fields {
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let year = meta.year.map(|year| year.to_string());
    let authors = meta.authors.join("\n");
    let values =
        [text(&meta.title), authors, text(&year), text(&meta.venue), text(&meta.doi), meta.tags.join("; ")];
    FIELDS.iter().zip(values).map(|((name, ..), value)| ((*name).to_owned(), value)).collect()
}

/// # Errors
/// When the year is none.
fn change(fields: &Fields) -> Result<MetadataChange, Failed> {
    // What the reader left as the form showed it is not sent: somebody else may have changed it since.
    let plain = |text: &String| text.replace('\r', "");
    let shown = |name: &str| fields.get(&format!("was_{name}")).map(plain);
    let text = |name: &str| fields.get(name).map(plain).filter(|text| shown(name).as_ref() != Some(text));
    let parts = |name: &str| text(name).map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    let wrong = |_| Failed::invalid("bad_metadata", "the year is a number from 1000 to 2999");
    let year = text("year").map(|year| if year.trim().is_empty() { Ok(0) } else { year.trim().parse() });
    let (title, authors, venue, doi, tags) =
        (text("title"), parts("authors"), text("venue"), text("doi"), parts("tags"));
    Ok(MetadataChange { title, authors, year: year.transpose().map_err(wrong)?, venue, doi, tags })
}

async fn page(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Response, Failed> {
    shown(&app, &caller, &id, None, None).await
}

/// The form with what Zotero knows; nothing is saved yet.
async fn from_zotero(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Sent(mut fields): Sent<Fields>,
) -> Result<Response, Failed> {
    check(&app, &caller, fields.get("token").map_or("", String::as_str))?;
    if !app.loopback {
        return Err(Failed::invalid(
            "zotero",
            "only a server that this machine alone reaches reads its Zotero",
        ));
    }
    let paper = own::paper_of(&app, &caller, &SourceId::from(id.as_str())).await?;
    let failed = match zotero::metadata(&paper.source.meta).await {
        Ok(Some(known)) => {
            let year = known.year.map(|year| year.to_string());
            let lines = |parts: Option<Vec<String>>, between| parts.map(|parts| parts.join(between));
            let known = [
                known.title,
                lines(known.authors, "\n"),
                year,
                known.venue,
                known.doi,
                lines(known.tags, "; "),
            ];
            let known = FIELDS.iter().zip(known);
            fields.extend(known.filter_map(|((name, ..), value)| Some(((*name).to_owned(), value?))));
            None
        }
        Ok(None) => Some(Failed::not_found("entry in Zotero with this DOI or title", &id)),
        Err(error) => Some(Failed::invalid(error.explain().code, error.to_string())),
    };
    shown(&app, &caller, &id, Some(&fields), failed.as_ref()).await
}

async fn save(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Sent(fields): Sent<Fields>,
) -> Result<Response, Failed> {
    check(&app, &caller, fields.get("token").map_or("", String::as_str))?;
    let saved = match change(&fields) {
        Ok(change) => papers::correct(&app, &caller.place(), &id, change).await,
        Err(failed) => Err(failed),
    };
    match saved {
        Ok(job) => Ok(upload::to_job(&job.id)),
        // What was typed is not lost.
        Err(failed) if failed.status.is_client_error() => {
            shown(&app, &caller, &id, Some(&fields), Some(&failed)).await
        }
        Err(failed) => Err(failed),
    }
}

async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Sent(fields): Sent<Fields>,
) -> Result<Response, Failed> {
    check(&app, &caller, fields.get("token").map_or("", String::as_str))?;
    Ok(upload::to_job(&papers::removed(&app, &caller.place(), id).await?.id))
}

/// The form with what was typed, else with what is known, where it is written, and why it was not.
async fn shown(
    app: &App,
    caller: &Caller,
    id: &str,
    typed: Option<&Fields>,
    failed: Option<&Failed>,
) -> Result<Response, Failed> {
    let source = SourceId::from(id);
    let paper = own::paper_of(app, caller, &source).await?;
    let settings = app.indexes.settings_of(&caller.place());
    let find = move || engine::indexer(&settings).manifest_place(&source);
    let place = app.disk.run(find).await.map_err(|error| Failed::from(EngineError::from(error)));
    let view = View::new(app, caller, "/library", "Metadata");
    let meta = &paper.source.meta;
    let mut response = view.page(&html! {
        h1 { "Metadata of a paper" }
        p.source dir="auto" { a href=(saved::page_address(&meta.source_id, 1, None, None)) { (meta.title.as_deref().unwrap_or(meta.source_id.as_str())) } }
        @if let (Some(failed), Ok(_)) = (failed, &place) { (problem(failed)) }
        @match &place {
            Ok(place) => {
                (form(&view, id, typed.unwrap_or(&fields(meta)), app.loopback))
                p.note { "What you change is written to " code { (place.shown) } ", where all else stays as it is; then the paper is indexed again. An empty field is read from the paper, or from a bibliography beside it." }
            },
            Err(failed) => (problem(failed)),
        }
        details {
            summary { "Delete this paper" }
            form action=(format!("/library/paper/{}/remove", encoded(id))) method="post" {
                (view.hidden())
                p.note { "Deletes its uploaded file from the server, and takes it out of the index." }
                button.quiet type="submit" { "Delete" }
            }
        }
        p { a href="/library" { "Back to the library" } }
    });
    if let Some(failed) = failed {
        *response.status_mut() = failed.status;
    }
    Ok(response)
}

fn form(view: &View<'_>, id: &str, fields: &Fields, has_zotero: bool) -> Markup {
    html! {
        form.fields action={ "/library/paper/" (encoded(id)) } method="post" {
            (view.hidden())
            @for (name, label, lines) in FIELDS {
                @let value = fields.get(name).map_or("", String::as_str);
                input type="hidden" name={ "was_" (name) } value=(fields.get(&format!("was_{name}")).map_or(value, String::as_str));
                label { (label) " " textarea name=(name) rows=(lines) maxlength="20000" dir="auto" { (value) } }
            }
            div.open {
                button type="submit" { "Save" }
                @if has_zotero { button.quiet type="submit" formaction=(format!("/library/paper/{}/zotero", encoded(id))) { "Fill in from Zotero" } }
            }
        }
    }
}
