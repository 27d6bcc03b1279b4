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
    routes::{own, work},
    state::keys::Role,
};
use axum::{
    extract::State,
    response::Response,
    routing::{get, post},
};
use engine::{EngineError, indexer::MetadataChange};
use maud::{Markup, html};
use std::collections::BTreeMap;
use types::{SourceId, SourceMeta};

pub(super) fn routes() -> Routes {
    vec![
        Operation::get("/library/paper/{id}", "The metadata of a paper")
            .role(Role::Write)
            .on_page()
            .by(get(page)),
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
    let text = |name: &str| fields.get(name).cloned();
    let parts = |name: &str| text(name).map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    let wrong = |_| Failed::invalid("bad_metadata", "the year is a number from 1000 to 2999");
    let year = text("year").map(|year| if year.trim().is_empty() { Ok(0) } else { year.trim().parse() });
    let (title, authors, venue, doi, tags) =
        (text("title"), parts("authors"), text("venue"), text("doi"), parts("tags"));
    Ok(MetadataChange { title, authors, year: year.transpose().map_err(wrong)?, venue, doi, tags })
}

async fn page(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Response, Failed> {
    let paper = own::paper_of(&app, &caller, &SourceId::from(id.as_str())).await?;
    shown(&app, &caller, &id, &fields(&paper.source.meta), None).await
}

async fn save(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Sent(fields): Sent<Fields>,
) -> Result<Response, Failed> {
    check(&app, &caller, fields.get("token").map_or("", String::as_str))?;
    let saved = match change(&fields) {
        Ok(change) => work::correct(&app, &caller.place(), &id, change).await,
        Err(failed) => Err(failed),
    };
    match saved {
        Ok(job) => Ok(upload::to_job(&job.id)),
        // What was typed is not lost.
        Err(failed) if failed.status.is_client_error() => {
            shown(&app, &caller, &id, &fields, Some(&failed)).await
        }
        Err(failed) => Err(failed),
    }
}

/// The form with these values, where they are written, and why they were not.
async fn shown(
    app: &App,
    caller: &Caller,
    id: &str,
    fields: &Fields,
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
                (form(&view, id, fields))
                p.note { "What you change is written to " code { (place.shown) } ", where all else stays as it is; then the paper is indexed again. An empty field is read from the paper, or from a bibliography beside it." }
            },
            Err(failed) => (problem(failed)),
        }
        p { a href="/library" { "Back to the library" } }
    });
    if let Some(failed) = failed {
        *response.status_mut() = failed.status;
    }
    Ok(response)
}

fn form(view: &View<'_>, id: &str, fields: &Fields) -> Markup {
    html! {
        form.fields action={ "/library/paper/" (encoded(id)) } method="post" {
            (view.hidden())
            @for (name, label, lines) in FIELDS {
                label { (label) " " textarea name=(name) rows=(lines) maxlength="20000" dir="auto" { (fields.get(name).map_or("", String::as_str)) } }
            }
            button type="submit" { "Save" }
        }
    }
}
