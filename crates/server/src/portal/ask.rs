//! The page with the question, and what answers it.

use super::{
    answer, examples,
    form::{Form, question, split},
    saved,
    view::{View, check, encoded, problem, shown, wants_part},
};
use crate::{
    app::{App, Caller},
    extract::{Asked, Sent},
    failed::Failed,
    indexes::Place,
    library::Library,
    limits::{MODEL_TIME, QUESTION_BYTES},
    listen::STREAM_PATIENCE,
    operation::{EVENTS, Operation, Routes},
    routes::own::revoked,
    shares::Share,
    state::answers::{self, Listed},
    streamed::{self, Part},
    versions,
};
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Redirect, Response},
    routing::{get, post},
};
use engine::{Pipeline, documents::Ask, show::notes_of};
use maud::{Markup, html};
use serde_json::{json, to_value};
use std::{collections::BTreeSet, sync::Arc, time::Instant};
use types::{Citation, Filter, RefusalReason};

pub(super) fn routes() -> Routes {
    vec![
        Operation::get("/", "The page with the question").on_page().by(get(page)),
        Operation::get("/examples", "Questions that the papers answer")
            .on_page()
            .at_most(QUESTION_BYTES, MODEL_TIME)
            .by(get(tried)),
        Operation::post("/ask", "Answers the question of the page")
            .on_page()
            .at_most(QUESTION_BYTES, MODEL_TIME)
            .by(post(ask)),
    ]
}

async fn page(State(app): State<App>, caller: Caller, Asked(form): Asked<Form>) -> Response {
    page_with(&app, &caller, &form).await
}

/// The page with the question, and its fields filled in. What is wrong with the library is said on it.
pub(super) async fn page_with(app: &App, caller: &Caller, form: &Form) -> Response {
    let view = View::new(app, caller, "/", "Ask");
    let library = match app.pipeline(&caller.place()).await {
        Ok(_) => examples(),
        Err(failed) if failed.parts.code == "no_papers" => {
            html! { p { "There are no papers yet. " a href="/library" { "Add some" } "." } }
        }
        Err(failed) => problem(&failed),
    };
    let content = html! {
        div.asking { h1 { "Ask your papers" } (question(&view, form)) div #steps {} }
        (split(&library, None))
    };
    view.page(&content)
}

/// What a library of these papers can be asked: loaded after the page, since each question is answered first.
fn examples() -> Markup {
    html! {
        div hx-get="/examples" hx-trigger="load" hx-swap="outerHTML" {
            p.note { a href="/examples" { "Questions to try" } }
        }
    }
}

async fn tried(State(app): State<App>, caller: Caller, headers: HeaderMap) -> Result<Response, Failed> {
    let questions = examples::of(&app, &caller).await?;
    let view = View::new(&app, &caller, "/", "Ask");
    let part = html! {
        @if !questions.is_empty() {
            section.examples aria-labelledby="examples" {
                h2 #examples { "Try one of these" }
                ul {
                    @for question in questions.iter() {
                        li {
                            form action="/ask" method="post" data-ask {
                                (view.hidden())
                                input type="hidden" name="question" value=(question);
                                button.example type="submit" dir="auto" { (question) }
                            }
                        }
                    }
                }
            }
        }
    };
    if wants_part(&headers) {
        return Ok(shown(StatusCode::OK, &part));
    }
    Ok(view.page(&html! { div.asking { h1 { "Ask your papers" } (question(&view, &Form::default())) div #steps {} } (split(&part, None)) }))
}

async fn ask(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Sent(form): Sent<Form>,
) -> Result<Response, Failed> {
    check(&app, &caller, &form.token)?;
    let filter = form.filter()?;
    let place = caller.place();
    let pipeline = app.pipeline(&place).await?;
    let turn = app.turn(&caller)?;
    let accepts = headers.get(header::ACCEPT).and_then(|kinds| kinds.to_str().ok());
    let library = versions::of(&app, &place, &pipeline).await?;
    let asking = Asking { app, caller, place, form, filter, library };
    if accepts.is_some_and(|kinds| kinds.starts_with(EVENTS)) {
        return Ok(in_parts(asking, pipeline, turn));
    }
    let id = asking.answer(&pipeline).await?;
    Ok(Redirect::to(&format!("/answer/{}", encoded(&id))).into_response())
}

/// Asks the question of a form and saves the answer; its id.
///
/// # Errors
/// When it cannot be asked.
pub(super) async fn asked(app: &App, caller: &Caller, form: Form) -> Result<String, Failed> {
    let (filter, place) = (form.filter()?, caller.place());
    let pipeline = app.pipeline(&place).await?;
    let _turn = app.turn(caller)?;
    let library = versions::of(app, &place, &pipeline).await?;
    let (app, caller) = (App::clone(app), caller.clone());
    Asking { app, caller, place, form, filter, library }.answer(&pipeline).await
}

struct Asking {
    app: App,
    caller: Caller,
    place: Place,
    form: Form,
    filter: Filter,
    /// The papers that there are.
    library: Arc<Library>,
}

impl Asking {
    /// Answers the question and saves the answer; its id.
    async fn answer(&self, pipeline: &Pipeline) -> Result<String, Failed> {
        let since = Instant::now();
        let Self { app, caller, place, form, filter, library } = self;
        let mode = form.mode()?.unwrap_or(app.settings.retrieve.mode);
        let changed;
        let pipeline = if form.as_written {
            let mut settings = pipeline.settings().clone();
            let question = &mut settings.question;
            (question.filters, question.spelling, question.abbreviations) = (false, false, false);
            changed = pipeline.with(&settings)?;
            &changed
        } else {
            pipeline
        };
        let answer = pipeline.ask(&form.question, mode, filter).await?;
        app.remember(place, "/ask", &form.question, !answer.response().no_evidence, since).await;
        let closest: Vec<_> =
            answer.closest.iter().map(|one| saved::Close::of(one, &answer.references)).collect();
        let response = answer.response();
        let new = Listed {
            asked: engine::timestamp(),
            question: form.question.clone(),
            refusal: response
                .no_evidence
                .then(|| response.refusal.as_ref().map(|why| why.reason))
                .map(reason),
            cited: cited(&response.citations),
            library: library.hash.clone(),
            ..Listed::default()
        };
        let ask = Ask::new(&answer.references, &answer.record, true);
        let notes: Vec<String> = notes_of(&answer.record).into_iter().map(|note| note.says).collect();
        let document = json!({ "ask": ask, "closest": closest, "form": form, "notes": notes });
        let mut document = app.indexes.shown(place, document)?;
        saved::order(&mut document)?;
        let (tenant, library) = (caller.tenant(), Arc::clone(library));
        let add = move |c: &mut _| answers::add(c, &tenant, &new, &document.to_string(), &library.text);
        Ok(app.state.run(add).await?)
    }
}

/// A reason by its name.
fn reason(reason: Option<RefusalReason>) -> String {
    to_value(reason).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The papers of these quotes, one on each line.
fn cited(citations: &[Citation]) -> String {
    let ids: BTreeSet<&str> = citations.iter().map(|citation| citation.source_id.as_str()).collect();
    ids.into_iter().collect::<Vec<_>>().join("\n")
}

/// Answers while the stages run. A reader who leaves ends the work.
fn in_parts(asking: Asking, pipeline: Arc<Pipeline>, turn: Share) -> Response {
    let stop = asking.app.stop.clone();
    streamed::parts(stop, STREAM_PATIENCE, move |parts| async move {
        let _turn = turn;
        let pipeline = streamed::watched(&pipeline, parts.clone());
        let key = asking.caller.key.as_ref().map(|(key, _)| *key);
        let answered = tokio::select! {
            answered = asking.answer(&pipeline) => answered,
            () = revoked(&asking.app, key) => return,
        };
        let shown = match answered {
            Ok(id) => answer::part(&asking.app, &asking.caller, &id).await.map(|markup| (id, markup)),
            Err(failed) => Err(failed),
        };
        let end = match shown {
            Ok((id, markup)) => {
                let address = format!("/answer/{}", encoded(&id));
                Part { name: "answer", data: json!({ "address": address, "html": markup.0 }) }
            }
            Err(failed) => Part { name: "error", data: json!({ "html": problem(&failed).0 }) },
        };
        let _ = parts.send(end);
    })
}
