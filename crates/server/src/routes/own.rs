//! Questions, searches and papers: the documents of the commands.

use crate::{
    app::{App, Caller},
    asked::{Deleted, Filters, Limit, within},
    document::{Json, listed},
    extract::{Asked, Body, Path, Room, object},
    failed::Failed,
    guard::QUOTES_NOT_FOUND,
    indexes::Place,
    limits::{HITS_MOST, MODEL_TIME, PART_BYTES, QUESTION_BYTES, QUOTES_MOST},
    listen::STREAM_PATIENCE,
    operation::{EVENTS, Operation, PDF, PNG, Routes},
    shares::Share,
    state::{
        history,
        keys::{self, Role},
    },
    streamed::{self, Part},
};
use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
    routing::{delete, get, post},
};
use engine::{
    EngineError, Pipeline,
    documents::{Ask, Search},
    indexer::{SourceDetails, Sources},
    page::{Page, PageRequest, QuoteNote, highlighted, page as page_of, page_image as page_image_of},
    settings::Settings,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    future::pending,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{task::spawn_blocking, time::sleep};
use types::{Explain as _, Mode, SourceId, Stop, StopWhenDropped};

/// How often a stream looks whether its key is still valid, or for events that another server wrote.
pub(super) const LOOK: Duration = Duration::from_secs(5);

pub(crate) fn routes() -> Routes {
    vec![
        Operation::post("/v1/ask", "Answers a question; with Accept: text/event-stream as events")
            .body::<AskRequest>()
            .answers::<Ask>(200)
            .answers_text(EVENTS)
            .at_most(QUESTION_BYTES, MODEL_TIME)
            .by(post(ask)),
        Operation::post("/v1/search", "Searches, without an answer")
            .body::<SearchRequest>()
            .answers::<Search>(200)
            .by(post(search)),
        Operation::get("/v1/papers", "The papers").answers::<Sources>(200).by(get(sources)),
        Operation::get("/v1/sources", "The papers: the former address").answers::<Sources>(200).by(get(sources)),
        Operation::get("/v1/papers/{id}", "One paper: what is known of it, and its sections")
            .answers::<SourceDetails>(200)
            .by(get(paper)),
        Operation::get(
            "/v1/papers/{id}/pages/{page}",
            "A page of a paper: its text, its lines, and where a quote is printed",
        )
        .query::<Quote>()
        .answers::<Page>(200)
        .by(get(page)),
        Operation::get(
            "/v1/papers/{id}/pages/{page}/image",
            "The picture of a page, with a quote marked in yellow",
        )
        .query::<Quote>()
        .answers_file(PNG)
        .by(get(page_image)),
        Operation::post(
            "/v1/papers/{id}/highlights",
            "A copy of the PDF with quotes highlighted; the header quotes-not-found lists those whose place is not known",
        )
        .body::<Highlights>()
        .answers_file(PDF)
        .by(post(highlights)),
        Operation::get("/v1/history", "The questions that were asked, the newest first")
            .query::<Limit>()
            .answers::<History>(200)
            .by(get(asked_before)),
        Operation::delete("/v1/history", "Deletes the questions of the tenant")
            .role(Role::Write)
            .answers::<Deleted>(200)
            .by(delete(forget)),
    ]
}

/// A question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AskRequest {
    /// The question.
    #[schemars(length(min = 1, max = 10_000), regex(pattern = r"\S"))]
    query: String,
    /// `hybrid`, `vector` or `bm25`; that of the settings unless given.
    mode: Option<Mode>,
    /// Conditions that every passage must meet.
    #[serde(default, deserialize_with = "object")]
    filters: Filters,
    /// Whether the answer has the passages that it was written from.
    #[serde(default)]
    include_context: bool,
}

async fn ask(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Body(request): Body<AskRequest>,
) -> Result<Response, Failed> {
    let place = caller.place();
    let pipeline = app.pipeline(&place).await?;
    let turn = app.turn(&caller)?;
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    if accepted.flat_map(|value| value.split(',')).any(|kind| kind.trim().starts_with(EVENTS)) {
        let key = caller.key.map(|(key, _)| key);
        return Ok(ask_in_parts(app, place, pipeline, request, turn, key).into_response());
    }
    Ok(Json(answer(&app, &place, &pipeline, request).await?).into_response())
}

async fn answer(app: &App, place: &Place, pipeline: &Pipeline, request: AskRequest) -> Result<Value, Failed> {
    let since = Instant::now();
    let mode = request.mode.unwrap_or(app.settings.retrieve.mode);
    let answer = pipeline.ask(&request.query, mode, &request.filters.into()).await?;
    let answered = !answer.response().no_evidence;
    app.remember(place, "/v1/ask", &request.query, answered, since).await;
    let document = Ask::new(&answer.references, &answer.record, request.include_context);
    app.indexes.shown(place, document)
}

/// Returns once the key with this number is revoked.
pub(crate) async fn revoked(app: &App, key: Option<i64>) {
    let Some(key) = key else {
        return pending().await;
    };
    while app.state.read(move |c| keys::is_revoked(c, key)).await != Ok(true) {
        sleep(LOOK).await;
    }
}

/// Answers while the stages run. A client that goes away ends the work, and so does who revokes its key.
fn ask_in_parts(
    app: App,
    place: Place,
    pipeline: Arc<Pipeline>,
    request: AskRequest,
    turn: Share,
    key: Option<i64>,
) -> Response {
    let stop = app.stop.clone();
    streamed::parts(stop, STREAM_PATIENCE, move |parts| async move {
        let _turn = turn;
        let pipeline = streamed::watched(&pipeline, parts.clone());
        let answered = tokio::select! {
            answered = answer(&app, &place, &pipeline, request) => answered,
            () = revoked(&app, key) => return,
        };
        let (name, data) =
            answered.map_or_else(|failed| ("error", failed.document()), |data| ("answer", data));
        let _ = parts.send(Part { name, data });
    })
}

/// What is searched for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchRequest {
    /// The question, or words.
    #[schemars(length(min = 1, max = 10_000), regex(pattern = r"\S"))]
    query: String,
    /// `hybrid`, `vector` or `bm25`; that of the settings unless given.
    mode: Option<Mode>,
    /// Conditions that every passage must meet.
    #[serde(default, deserialize_with = "object")]
    filters: Filters,
    /// Hits at most, 1 to 100; 10 unless given.
    #[schemars(range(min = 1, max = 100))]
    count: Option<usize>,
    /// Whether each hit says where its scores come from.
    #[serde(default)]
    explain: bool,
}

async fn search(
    State(app): State<App>,
    caller: Caller,
    Body(request): Body<SearchRequest>,
) -> Result<Json<Value>, Failed> {
    let since = Instant::now();
    let count = within("count", request.count.unwrap_or(10), HITS_MOST)?;
    let place = caller.place();
    let pipeline = app.pipeline(&place).await?;
    let _turn = app.turn(&caller)?;
    let mode = request.mode.unwrap_or(app.settings.retrieve.mode);
    let found =
        pipeline.search(&request.query, mode, &request.filters.into(), count, request.explain).await?;
    let hits = &found.retrieved.retrieval.hits;
    let sources = hits.iter().map(|hit| hit.chunk().source_id.clone()).collect();
    let references = pipeline.references(sources).await?;
    app.remember(&place, "/v1/search", &request.query, !hits.is_empty(), since).await;
    let document = Search::new(&found, &references, pipeline.search_settings());
    app.indexes.shown(&place, document).map(Json)
}

async fn sources(State(app): State<App>, caller: Caller) -> Result<Json<Value>, Failed> {
    let place = caller.place();
    let settings = app.indexes.settings_of(&place);
    let _turn = app.turn(&caller)?;
    let read = move || engine::indexer(&settings).sources();
    let sources = app.pool().run(read).await.map_err(EngineError::from)?;
    app.indexes.shown(&place, Sources { sources }).map(Json)
}

async fn paper(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, Failed> {
    let found = paper_of(&app, &caller, &SourceId::from(id.as_str())).await?;
    app.indexes.shown(&caller.place(), found).map(Json)
}

/// What is known of a paper.
///
/// # Errors
/// When there is no such paper, or it cannot be read.
pub(crate) async fn paper_of(app: &App, caller: &Caller, id: &SourceId) -> Result<SourceDetails, Failed> {
    let settings = app.indexes.settings_of(&caller.place());
    let _turn = app.turn(caller)?;
    let source = id.clone();
    let read = move || engine::indexer(&settings).source(&source);
    app.pool().run(read).await.map_err(|error| no_paper(error.into(), id.as_str()))
}

pub(crate) fn no_paper(error: EngineError, id: &str) -> Failed {
    match error.explain().code {
        "unknown_source" => Failed::not_found("paper", id),
        _ => error.into(),
    }
}

/// What a page is looked up for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Quote {
    /// A quote as an answer has it.
    #[schemars(length(min = 1, max = 4_000))]
    quote: Option<String>,
}

async fn page(
    State(app): State<App>,
    caller: Caller,
    Path((id, number)): Path<(String, u32)>,
    Asked(Quote { quote }): Asked<Quote>,
) -> Result<Json<Page>, Failed> {
    looked_up(&app, &caller, id, number, quote, page_of).await.map(Json)
}

async fn page_image(
    State(app): State<App>,
    caller: Caller,
    Path((id, number)): Path<(String, u32)>,
    Asked(Quote { quote }): Asked<Quote>,
) -> Result<impl IntoResponse, Failed> {
    let (_, image) = looked_up(&app, &caller, id, number, quote, page_image_of).await?;
    Ok(([(header::CONTENT_TYPE, PNG)], image))
}

/// Quotes to highlight.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Highlights {
    /// The quotes, 1 to 500.
    #[schemars(length(min = 1, max = 500))]
    quotes: Vec<QuoteNote>,
}

async fn highlights(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Body(Highlights { quotes }): Body<Highlights>,
) -> Result<Response, Failed> {
    within("quotes", quotes.len(), QUOTES_MOST)?;
    pdf_with(&app, &caller, id, quotes).await
}

/// A PDF in which quotes are highlighted.
///
/// # Errors
/// When there is no such paper, it is not a PDF, or the PDF cannot be read or written.
pub(crate) async fn pdf_with(
    app: &App,
    caller: &Caller,
    id: String,
    quotes: Vec<QuoteNote>,
) -> Result<Response, Failed> {
    let name = format!("attachment; filename=\"{id}-quotes.pdf\"");
    let name = HeaderValue::from_str(&name).unwrap_or(HeaderValue::from_static("attachment"));
    let make = move |settings: &Settings, id: &SourceId, request: &PageRequest| {
        highlighted(settings, id, &quotes, request.stop.clone())
    };
    let (pdf, found) = looked_up(app, caller, id, 1, None, make).await?;
    let missing = found.iter().enumerate().filter(|(_, found)| !**found).map(|(at, _)| (at + 1).to_string());
    let missing = missing.collect::<Vec<_>>().join(", ");
    let headers =
        [(header::CONTENT_TYPE, HeaderValue::from_static(PDF)), (header::CONTENT_DISPOSITION, name)];
    let mut response = (headers, pdf).into_response();
    if let Some(missing) = HeaderValue::from_str(&missing).ok().filter(|missing| !missing.is_empty()) {
        response.headers_mut().insert(QUOTES_NOT_FOUND, missing);
    }
    Ok(response)
}

/// Looks a page of a paper up, which another process reads: it ends when the client leaves.
pub(crate) async fn looked_up<T: Send + 'static>(
    app: &App,
    caller: &Caller,
    id: String,
    page: u32,
    quote: Option<String>,
    look: impl FnOnce(&Settings, &SourceId, &PageRequest) -> Result<T, EngineError> + Send + 'static,
) -> Result<T, Failed> {
    let settings = app.indexes.settings_of(&caller.place());
    let message = "too many pages are being rendered, on the server or for this tenant; try again later";
    let permit = app.pages.take(caller.shares(), 1);
    let permit = permit.ok_or_else(|| Failed::busy("busy", message, 1))?;
    let source = SourceId::from(id.as_str());
    let stop = Stop::default();
    let request = PageRequest { page, quote, stop: stop.clone(), ..PageRequest::default() };
    let _ends = StopWhenDropped(stop);
    let work = spawn_blocking(move || {
        let _permit = permit;
        look(&settings, &source, &request)
    });
    let found = work.await.map_err(Failed::inside)?;
    found.map_err(|error| no_paper(error, &id))
}

/// Questions that were asked.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct History {
    /// The newest first.
    questions: Vec<history::Asked>,
}

async fn asked_before(
    State(app): State<App>,
    caller: Caller,
    room: Room<PART_BYTES>,
    Asked(limit): Asked<Limit>,
) -> Result<Response, Failed> {
    let (tenant, limit) = (caller.tenant(), limit.get()?);
    let read = move |c: &_, before, most| history::list(c, &tenant, before, most);
    let questions = Vec::new();
    listed(app, room, History { questions }, limit, read)
}

async fn forget(State(app): State<App>, caller: Caller) -> Result<Json<Deleted>, Failed> {
    let tenant = caller.tenant();
    let deleted = app.state.run(move |c| history::clear(c, &tenant)).await?;
    Ok(Json(Deleted { deleted }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_asks_with_a_key_sees_that_it_was_revoked() {
        let (_folder, app) = crate::app::testing::app();
        let name = crate::name::Name::of_default();
        let add = |c: &mut _| keys::add(c, &name, Role::Read, "");
        app.state.now(add).expect("made");
        let moment = Duration::from_millis(200);
        let ends = async || tokio::time::timeout(moment, revoked(&app, Some(1))).await.is_ok();
        assert!(!ends().await);
        app.state.now(|c| keys::revoke(c, 1)).expect("revoked");
        assert!(ends().await);
    }
}
