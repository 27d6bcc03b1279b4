//! Earlier questions and their answers.

use super::{View, answer::Document, encoded};
use crate::{
    app::{App, Caller},
    extract::Asked,
    failed::Failed,
    operation::{Operation, Routes},
    state::answers,
};
use axum::{extract::State, response::Response, routing::get};
use maud::html;
use serde::Deserialize;

/// Answers that the list shows.
const SHOWN: usize = 100;

pub(super) fn routes() -> Routes {
    vec![Operation::get("/history", "Earlier questions").on_page().by(get(page))]
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Search {
    words: String,
}

async fn page(
    State(app): State<App>,
    caller: Caller,
    Asked(Search { words }): Asked<Search>,
) -> Result<Response, Failed> {
    let (tenant, own) = (caller.tenant(), words.clone());
    let all = app.state.read(move |c| answers::list(c, &tenant, own.trim(), SHOWN)).await?;
    let outcome = |text: &str| {
        let document = serde_json::from_str::<Document>(text);
        document.map_or(
            "unreadable",
            |document| if document.ask.no_evidence { "not answered" } else { "answered" },
        )
    };
    let view = View::new(&app, &caller, "/history", "History");
    Ok(view.page(&html! {
        h1 { "History" }
        form.search action="/history" role="search" {
            label { "Search " input type="search" name="words" dir="auto" value=(words); }
            button type="submit" { "Search" }
        }
        @if all.is_empty() {
            p { @if words.trim().is_empty() { "Nothing was asked here yet." } @else { "No question has these words." } }
        } @else {
            table {
                thead { tr { th scope="col" { "Question" } th scope="col" { "Result" } th scope="col" { "Grade" } th scope="col" { "Asked" } th scope="col" { "" } } }
                tbody {
                    @for saved in &all {
                        tr {
                            td { a href={ "/answer/" (encoded(&saved.id)) } dir="auto" { (saved.question) } }
                            td { (outcome(&saved.document)) }
                            td { @if let Some(grade) = saved.grade { (grade) " of 4" } }
                            td { time datetime=(saved.asked) { (saved.asked.get(..16).unwrap_or(&saved.asked).replace('T', " ")) } }
                            td { a href={ "/?question=" (encoded(&saved.question)) } { "Ask again" } }
                        }
                    }
                }
            }
        }
    }))
}
