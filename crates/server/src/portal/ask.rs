//! The page with the question, and what answers it.

use super::{View, answer, check, encoded, examples, problem, shown, wants_part};
use crate::{
    app::{App, Caller},
    extract::{Asked, Sent},
    failed::Failed,
    indexes::Place,
    limits::{MODEL_TIME, QUESTION_BYTES},
    listen::STREAM_PATIENCE,
    operation::{EVENTS, Operation, Routes},
    routes::own::revoked,
    shares::Share,
    state::answers::{self, Listed},
    streamed::{self, Part},
};
use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Redirect, Response},
    routing::{get, post},
};
use engine::{Pipeline, documents::Ask};
use maud::{Markup, html};
use serde::{Deserialize, Serialize};
use serde_json::{json, to_value};
use std::{collections::BTreeSet, sync::Arc, time::Instant};
use types::{Citation, Filter, Mode, RefusalReason};

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

/// The question of a form, and where to search.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct Form {
    pub(super) question: String,
    /// `hybrid`, `vector` or `bm25`; empty for that of the settings.
    mode: String,
    year_from: String,
    year_to: String,
    /// Ids of papers, one on each line; empty for all.
    pub(super) papers: String,
    /// Whether nothing is taken from its words: no filter, no other spelling, no long form of an abbreviation.
    as_written: bool,
    #[serde(skip_serializing)]
    pub(super) token: String,
}

impl Form {
    /// Its fields but the question, for another form.
    fn hidden(&self) -> Markup {
        let Self { mode, year_from, year_to, papers, .. } = self;
        html! {
            @for (name, value) in [("mode", mode), ("year_from", year_from), ("year_to", year_to), ("papers", papers)] {
                @if !value.is_empty() { input type="hidden" name=(name) value=(value); }
            }
        }
    }

    /// The retrieval mode that the reader chose.
    ///
    /// # Errors
    /// When there is no such mode.
    fn mode(&self) -> Result<Option<Mode>, Failed> {
        let wrong = |_| Failed::invalid("mode", "a mode is hybrid, vector or bm25").value(self.mode.as_str());
        (!self.mode.is_empty()).then(|| self.mode.parse().map_err(wrong)).transpose()
    }

    /// The conditions that the reader chose.
    ///
    /// # Errors
    /// When a year is none.
    fn filter(&self) -> Result<Filter, Failed> {
        let year = |text: &str| {
            let text = text.trim();
            let wrong =
                |_| Failed::invalid("filter", "a year must be a number of at most four digits").value(text);
            (!text.is_empty()).then(|| text.parse::<u16>().map_err(wrong)).transpose()
        };
        let papers: Vec<_> =
            self.papers.lines().map(str::trim).filter(|id| !id.is_empty()).map(Into::into).collect();
        Ok(Filter {
            sources: (!papers.is_empty()).then_some(papers),
            year_from: year(&self.year_from)?,
            year_to: year(&self.year_to)?,
            ..Filter::default()
        })
    }
}

async fn page(State(app): State<App>, caller: Caller, Asked(form): Asked<Form>) -> Result<Response, Failed> {
    page_with(&app, &caller, &form).await
}

/// The page with the question, and its fields filled in.
///
/// # Errors
/// None so far: what is wrong with the library is said on the page.
pub(super) async fn page_with(app: &App, caller: &Caller, form: &Form) -> Result<Response, Failed> {
    let view = View::new(app, caller, "/", "Ask");
    let library = match app.pipeline(&caller.place()).await {
        Ok(_) => examples(),
        Err(failed) if failed.parts.code == "index_missing" => {
            html! { p { "There are no papers yet. " a href="/library" { "Add some" } "." } }
        }
        Err(failed) => problem(&failed),
    };
    let content = html! {
        div.asking { h1 { "Ask your papers" } (question(&view, form)) div #steps {} }
        (split(&library, None))
    };
    Ok(view.page(&content))
}

/// An answer, and the page of a paper beside it.
pub(super) fn split(answer: &Markup, beside: Option<&Markup>) -> Markup {
    html! {
        div.split {
            div #answer { (answer) }
            aside #pane aria-label="Page of the paper" { @if let Some(beside) = beside { (beside) } }
        }
    }
}

/// The form with the question.
pub(super) fn question(view: &View<'_>, form: &Form) -> Markup {
    let modes =
        [("", "as set"), ("hybrid", "words and meaning"), ("vector", "meaning only"), ("bm25", "words only")];
    html! {
        form.question #ask action="/ask" method="post" data-ask {
            (view.hidden())
            label.unseen for="question" { "Question" }
            textarea #question name="question" rows="2" required maxlength="10000" dir="auto" placeholder="What do you want to know?" { (form.question) }
            button type="submit" { "Ask" }
            button.quiet type="button" data-stop hidden { "Stop" }
            details open[!form.filter().unwrap_or_default().is_empty()] {
                summary { "Where to search" }
                div.fields {
                    label { "Search by " select name="mode" {
                        @for (value, name) in modes {
                            option value=(value) selected[form.mode == value] { (name) }
                        }
                    } }
                    label { "Published from " input name="year_from" inputmode="numeric" size="5" value=(form.year_from); }
                    label { "to " input name="year_to" inputmode="numeric" size="5" value=(form.year_to); }
                    label { "Only these papers (one ID per line) " textarea name="papers" rows="2" { (form.papers) } }
                }
            }
        }
    }
}

/// Asks the question again as it is written.
pub(super) fn as_written(view: &View<'_>, form: &Form) -> Markup {
    html! {
        form action="/ask" method="post" data-ask {
            (view.hidden()) (form.hidden())
            input type="hidden" name="question" value=(form.question);
            input type="hidden" name="as_written" value="true";
            button.quiet type="submit" { "Search the exact words instead" }
        }
    }
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
    let asking = Asking { app, caller, place, form, filter };
    if accepts.is_some_and(|kinds| kinds.starts_with(EVENTS)) {
        return Ok(in_parts(asking, pipeline, turn));
    }
    let id = asking.answer(&pipeline).await?;
    Ok(Redirect::to(&format!("/answer/{}", encoded(&id))).into_response())
}

struct Asking {
    app: App,
    caller: Caller,
    place: Place,
    form: Form,
    filter: Filter,
}

impl Asking {
    /// Answers the question and saves the answer; its id.
    async fn answer(&self, pipeline: &Pipeline) -> Result<String, Failed> {
        let since = Instant::now();
        let Self { app, caller, place, form, filter } = self;
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
            answer.closest.iter().map(|one| answer::Close::of(one, &answer.references)).collect();
        let response = answer.response();
        let new = Listed {
            asked: engine::timestamp(),
            question: form.question.clone(),
            refusal: response
                .no_evidence
                .then(|| response.refusal.as_ref().map(|why| why.reason))
                .map(reason),
            cited: cited(&response.citations),
            ..Listed::default()
        };
        let ask = Ask::new(&answer.references, &answer.record, true);
        let mut document =
            app.indexes.shown(place, json!({ "ask": ask, "closest": closest, "form": form }))?;
        answer::order(&mut document)?;
        let tenant = caller.tenant();
        Ok(app.state.run(move |c| answers::add(c, &tenant, &new, &document.to_string())).await?)
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
