//! Earlier questions and their answers; a question asked again, and both answers side by side.

use super::{
    ask,
    saved::{Answered, Document, capital, load},
    view::{View, check, count, encoded},
};
use crate::{
    app::{App, Caller},
    extract::{Asked, Path, Sent},
    failed::Failed,
    limits::{MODEL_TIME, QUESTION_BYTES},
    operation::{Operation, Routes},
    state::{
        answers::{self, Listed},
        keys::Role,
    },
    versions,
};
use axum::{
    extract::State,
    response::{Redirect, Response},
    routing::{get, post},
};
use engine::show::cited_texts;
use maud::{Markup, html};
use serde::Deserialize;
use types::Citation;

/// Answers that the list shows.
const SHOWN: usize = 100;

pub(super) fn routes() -> Routes {
    vec![
        Operation::get("/history", "Earlier questions").on_page().by(get(page)),
        Operation::post("/history/delete", "Deletes an answer").role(Role::Write).on_page().by(post(delete)),
        Operation::post("/answer/{id}/again", "Asks a question again")
            .on_page()
            .at_most(QUESTION_BYTES, MODEL_TIME)
            .by(post(again)),
        Operation::get("/answer/{id}/since/{then}", "An answer beside an earlier one")
            .on_page()
            .by(get(then_and_now)),
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
                                form action=(format!("/answer/{}/again", encoded(&saved.id))) method="post" {
                                    (view.hidden())
                                    button.quiet type="submit" aria-label=(format!("Ask again: {}", saved.question)) { "Ask again" }
                                }
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

#[derive(Deserialize)]
struct Again {
    token: String,
}

/// Asks the question of an answer again, as it was asked, and leads to both answers.
async fn again(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Sent(Again { token }): Sent<Again>,
) -> Result<Redirect, Failed> {
    check(&app, &caller, &token)?;
    let (saved, document) = load(&app, &caller, &id).await?;
    let mut form = document.form;
    form.question = saved.question;
    let now = ask::asked(&app, &caller, form).await?;
    Ok(Redirect::to(&format!("/answer/{}/since/{}", encoded(&now), encoded(&id))))
}

async fn then_and_now(
    State(app): State<App>,
    caller: Caller,
    Path((id, then)): Path<(String, String)>,
) -> Result<Response, Failed> {
    let (now, then) = (load(&app, &caller, &id).await?, load(&app, &caller, &then).await?);
    let library = match versions::then(&app, &caller, &now.0.library).await? {
        Some(library) => versions::then(&app, &caller, &then.0.library).await?.map(|then| (library, then)),
        None => None,
    };
    let view = View::new(&app, &caller, "/history", "Then and now");
    Ok(view.page(&html! {
        h1 { "Then and now" }
        p.asked dir="auto" { (now.0.question) }
        div.sides {
            (side("Then", "gone", &then, &now.1.ask))
            (side("Now", "new", &now, &then.1.ask))
        }
        section {
            h2 { "The library between them" }
            @match &library {
                None => p { "Not known: the papers of one of these answers were not recorded." },
                Some((now, then)) if now.hash == then.hash => p { "Unchanged." },
                Some((now, then)) => ul {
                    @for (what, titles) in now.changes(then) {
                        @if !titles.is_empty() {
                            li {
                                (count(titles.len(), "paper")) " " (what) ":"
                                ul { @for title in titles.iter().take(SHOWN) { li dir="auto" { (title) } } }
                            }
                        }
                    }
                },
            }
        }
    }))
}

/// The sentences of an answer.
fn sentences(ask: &Answered) -> Vec<String> {
    let citations: Vec<Citation> = ask.citations.iter().map(|quoted| quoted.citation.clone()).collect();
    let texts = cited_texts(&ask.answer, &citations).into_iter();
    let lines =
        texts.flat_map(|part| part.text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>());
    // What is left between two marks is no sentence.
    lines.filter(|line| line.contains(char::is_alphanumeric)).collect()
}

/// One of two answers, with `word` at what the other one does not have.
fn side(title: &str, word: &str, (saved, document): &(Listed, Document), other: &Answered) -> Markup {
    let ask = &document.ask;
    let others = sentences(other);
    let has = |quote: &Citation| {
        let same =
            |one: &Citation| one.source_id == quote.source_id && one.relevant_quote == quote.relevant_quote;
        other.citations.iter().any(|quoted| same(&quoted.citation))
    };
    let tag = |is_same: bool| html! { span.flag.same[is_same] { (if is_same { "same" } else { word }) } " " };
    html! {
        section {
            h2 { (title) ": " a href={ "/answer/" (encoded(&saved.id)) } { (saved.asked.get(..16).unwrap_or(&saved.asked).replace('T', " ")) } }
            @if ask.no_evidence {
                p { (tag(other.no_evidence)) "Not answered" @if let Some(refusal) = &ask.refusal { ": " (refusal.detail) } "." }
            } @else {
                p { (tag(ask.confidence == other.confidence && !other.no_evidence)) "Confidence: " (ask.confidence) }
                h3 { "Sentences" }
                ul { @for text in sentences(ask) { li dir="auto" { (tag(others.contains(&text))) (text) } } }
                h3 { "Quotes" }
                ol {
                    @for (at, quoted) in ask.citations.iter().enumerate() {
                        li {
                            (tag(has(&quoted.citation)))
                            a href=(quoted.address(&saved.id, at + 1)) { q dir="auto" { (quoted.citation.shown_quote()) } } " "
                            span.note { bdi { (quoted.name()) } " " (capital(&quoted.place())) }
                        }
                    }
                }
            }
        }
    }
}
