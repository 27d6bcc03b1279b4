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
use serde::Deserialize;
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

/// What the form has.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    title: String,
    /// One on each line.
    authors: String,
    year: String,
    venue: String,
    doi: String,
    /// Separated by semicolons.
    tags: String,
    token: String,
}

impl From<&SourceMeta> for Fields {
    fn from(meta: &SourceMeta) -> Self {
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        Self {
            title: text(&meta.title),
            authors: meta.authors.join("\n"),
            year: meta.year.map(|year| year.to_string()).unwrap_or_default(),
            venue: text(&meta.venue),
            doi: text(&meta.doi),
            tags: meta.tags.join("; "),
            token: String::new(),
        }
    }
}

impl Fields {
    /// # Errors
    /// When the year is none.
    fn change(&self) -> Result<MetadataChange, Failed> {
        let parts = |text: &str| text.split([';', '\n']).map(|part| part.trim().to_owned()).collect();
        let year = match self.year.trim() {
            "" => 0,
            year => year.parse().map_err(|_| {
                Failed::invalid("bad_metadata", "the year is a number from 1000 to 2999").value(year)
            })?,
        };
        Ok(MetadataChange {
            title: Some(self.title.clone()),
            authors: Some(parts(&self.authors)),
            year: Some(year),
            venue: Some(self.venue.clone()),
            doi: Some(self.doi.clone()),
            tags: Some(parts(&self.tags)),
        })
    }
}

async fn page(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Response, Failed> {
    let paper = own::paper_of(&app, &caller, &SourceId::from(id.as_str())).await?;
    shown(&app, &caller, &id, &Fields::from(&paper.source.meta), None).await
}

async fn save(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Sent(fields): Sent<Fields>,
) -> Result<Response, Failed> {
    check(&app, &caller, &fields.token)?;
    let saved = match fields.change() {
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
        @if let Some(failed) = failed { (problem(failed)) }
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
            label { "Title " textarea name="title" rows="2" maxlength="20000" dir="auto" { (fields.title) } }
            label { "Authors, one on each line " textarea name="authors" rows="4" dir="auto" { (fields.authors) } }
            label { "Year " input name="year" inputmode="numeric" size="5" value=(fields.year); }
            label { "Journal or venue " input name="venue" size="40" dir="auto" value=(fields.venue); }
            label { "DOI " input name="doi" size="40" value=(fields.doi); }
            label { "Tags, separated by semicolons " input name="tags" size="40" dir="auto" value=(fields.tags); }
            button type="submit" { "Save" }
        }
    }
}
