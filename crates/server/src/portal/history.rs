//! Earlier questions and their answers.

use super::view::{View, check, encoded};
use crate::{
    app::{App, Caller},
    extract::{Asked, Sent},
    failed::Failed,
    operation::{Operation, Routes},
    state::{answers, keys::Role},
};
use axum::{
    extract::State,
    response::{Redirect, Response},
    routing::{get, post},
};
use maud::html;
use serde::Deserialize;

/// Answers that the list shows.
const SHOWN: usize = 100;

pub(super) fn routes() -> Routes {
    vec![
        Operation::get("/history", "Earlier questions").on_page().by(get(page)),
        Operation::post("/history/delete", "Deletes an answer").role(Role::Write).on_page().by(post(delete)),
    ]
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
    let view = View::new(&app, &caller, "/history", "History");
    Ok(view.page(&html! {
        h1 { "History" }
        form.search action="/history" role="search" {
            label { "Search " input type="search" name="words" dir="auto" value=(words); }
            button type="submit" { "Search" }
        }
        @if all.is_empty() {
            p { @if words.trim().is_empty() { "Nothing was asked here yet." } @else { "No questions match." } }
        } @else {
            @if all.len() == SHOWN { p.note { "The newest " (SHOWN) ". Search for older ones." } }
            table {
                thead { tr { th scope="col" { "Question" } th scope="col" { "Result" } th scope="col" { "Grade" } th scope="col" { "Asked" } th scope="col" { "" } } }
                tbody {
                    @for saved in &all {
                        tr {
                            td { a href={ "/answer/" (encoded(&saved.id)) } dir="auto" { (saved.question) } }
                            td { @if saved.refusal.is_some() { "not answered" } @else { "answered" } }
                            td { @if let Some(grade) = saved.grade { (grade) " of 4" } }
                            td { time datetime=(saved.asked) { (saved.asked.get(..16).unwrap_or(&saved.asked).replace('T', " ")) } }
                            td {
                                a href={ "/?question=" (encoded(&saved.question)) } { "Ask again" }
                                @if view.can_write {
                                    form action="/history/delete" method="post" {
                                        (view.hidden())
                                        input type="hidden" name="answer" value=(saved.id);
                                        button.quiet type="submit" aria-label=(format!("Delete: {}", saved.question)) { "Delete" }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }))
}

#[derive(Deserialize)]
struct Delete {
    answer: String,
    token: String,
}

async fn delete(
    State(app): State<App>,
    caller: Caller,
    Sent(Delete { answer, token }): Sent<Delete>,
) -> Result<Redirect, Failed> {
    check(&app, &caller, &token)?;
    let (tenant, id) = (caller.tenant(), answer.clone());
    if !app.state.run(move |c| answers::delete(c, &tenant, &id)).await? {
        return Err(Failed::not_found("answer", &answer));
    }
    Ok(Redirect::to("/history"))
}
