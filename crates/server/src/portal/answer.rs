//! An answer that can be opened again: its sentences with their marks, its quotes, what was checked, and for a refusal what came
//! close.

use super::{
    form, paper,
    saved::{Answered, Document, Quoted, by, capital, load, load_text, page_address},
    view::{View, check, count, encoded, problem},
};
use crate::{
    app::{App, Caller},
    extract::{Asked, Path, Sent},
    failed::Failed,
    operation::{Operation, Routes},
    state::{
        answers::{self, Listed},
        evidence,
    },
    versions,
};
use axum::{
    extract::State,
    http::header,
    response::{IntoResponse as _, Redirect, Response},
    routing::{get, post},
};
use engine::show::{CitedText, cited_texts};
use maud::{Markup, html};
use serde::Deserialize;
use std::collections::BTreeMap;
use types::{Citation, SourceId};

/// Papers that are named as those that were asked; the others are counted.
const CHOSEN: usize = 12;

pub(super) fn routes() -> Routes {
    vec![
        Operation::get("/answer/{id}", "An answer").on_page().by(get(page)),
        Operation::get("/answer/{id}/json", "An answer as JSON").on_page().by(get(as_json)),
        Operation::post("/answer/{id}/grade", "Grades an answer").on_page().by(post(grade)),
    ]
}

#[derive(Deserialize)]
struct Shown {
    /// The citation whose page stands beside the answer, from 1.
    cite: Option<usize>,
    /// Another page of its paper.
    page: Option<u32>,
}

async fn page(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Asked(Shown { cite, page }): Asked<Shown>,
) -> Result<Response, Failed> {
    let (saved, document) = load(&app, &caller, &id).await?;
    let view = View::new(&app, &caller, "/", &saved.question);
    let quoted = cite.and_then(|cite| document.ask.citations.get(cite.checked_sub(1)?));
    let beside = match quoted {
        Some(quoted) => {
            let quote = Some(quoted.citation.relevant_quote.clone());
            let look = paper::Look { quote, answer: Some(id.clone()), cite };
            let page = page.unwrap_or_else(|| quoted.page_number());
            let beside = paper::beside(&app, &caller, &quoted.citation.source_id, page, &look).await;
            // The answer is there, whatever has become of its papers.
            Some(beside.unwrap_or_else(|failed| problem(&failed)))
        }
        None => None,
    };
    let about = about(&app, &caller, &saved, &document).await?;
    let content = html! {
        div.asking { (form::question(&view, &document.form)) div #steps {} }
        (form::split(&shown(&view, &saved, &document, &about), beside.as_ref()))
    };
    Ok(view.page(&content))
}

/// The answer as a part of a page.
pub(super) async fn part(app: &App, caller: &Caller, id: &str) -> Result<Markup, Failed> {
    let (saved, document) = load(app, caller, id).await?;
    let about = about(app, caller, &saved, &document).await?;
    Ok(shown(&View::new(app, caller, "/", ""), &saved, &document, &about))
}

/// What is known beside an answer.
struct About {
    /// What became of the papers that it cites.
    since: BTreeMap<SourceId, String>,
    /// The reader's tables of evidence.
    lists: Vec<String>,
}

async fn about(app: &App, caller: &Caller, saved: &Listed, document: &Document) -> Result<About, Failed> {
    let cited = document.ask.citations.iter().map(|quoted| &quoted.citation.source_id);
    let tenant = caller.tenant();
    Ok(About {
        since: versions::since(app, caller, &saved.library, cited).await,
        lists: app.state.read(move |c| evidence::lists(c, &tenant)).await?,
    })
}

async fn as_json(State(app): State<App>, caller: Caller, Path(id): Path<String>) -> Result<Response, Failed> {
    let (_, text) = load_text(&app, &caller, &id).await?;
    Ok(([(header::CONTENT_TYPE, crate::operation::JSON)], text).into_response())
}

fn shown(view: &View<'_>, saved: &Listed, document: &Document, about: &About) -> Markup {
    let Document { ask, .. } = document;
    html! {
        article.answer data-answer=(saved.id) {
            h2.asked dir="auto" { (saved.question) }
            (chosen(&document.form))
            @if ask.no_evidence { (refusal(document)) } @else { (sentences(&saved.id, ask)) }
            (trust(document))
            @if !ask.notes.is_empty() { (form::as_written(view, &document.form)) }
            @if !ask.citations.is_empty() { (quotes(view, &saved.id, ask, about)) }
            form action=(format!("/answer/{}/again", encoded(&saved.id))) method="post" {
                (view.hidden())
                button.quiet type="submit" { "Ask again, and compare" }
            }
            (grades(view, saved))
        }
    }
}

/// Which papers were asked, beside the answer; nothing where all were.
fn chosen(form: &form::Form) -> Markup {
    let Ok(filter) = form.filter() else { return html! {} };
    if filter.is_empty() {
        return html! {};
    }
    let papers = filter.sources.unwrap_or_default();
    let years = match (filter.year_from, filter.year_to) {
        (None, None) => None,
        (Some(from), None) => Some(format!("published in {from} or later")),
        (None, Some(to)) => Some(format!("published in {to} or earlier")),
        (Some(from), Some(to)) => Some(format!("published from {from} to {to}")),
    };
    html! {
        p.note.chosen {
            "Asked of "
            @if papers.is_empty() { "papers" } @else { (count(papers.len(), "paper")) }
            @for (at, tag) in filter.tags.iter().flatten().enumerate() { @if at == 0 { " with the tag " } @else { " or " } bdi { (tag) } }
            @if let Some(years) = years { ", " (years) }
            @if !papers.is_empty() { ": " }
            @for (at, id) in papers.iter().take(CHOSEN).enumerate() {
                @if at > 0 { ", " }
                a href=(page_address(id, 1, None, None)) { bdi { (id) } }
            }
            @if papers.len() > CHOSEN { " and " (papers.len() - CHOSEN) " more" }
            ". " a href="/library" { "Choose others" }
        }
    }
}

/// The sentences of an answer, each with the marks of its quotes.
fn sentences(id: &str, ask: &Answered) -> Markup {
    let citations: Vec<Citation> = ask.citations.iter().map(|quoted| quoted.citation.clone()).collect();
    let mut paragraphs: Vec<Vec<(String, Vec<usize>)>> = vec![Vec::new()];
    for CitedText { text, citations } in cited_texts(&ask.answer, &citations) {
        let mut lines = text.split('\n').peekable();
        while let Some(line) = lines.next() {
            let is_last = lines.peek().is_none();
            let marks = if is_last { citations.clone() } else { Vec::new() };
            if let Some(paragraph) =
                paragraphs.last_mut().filter(|_| !line.trim().is_empty() || !marks.is_empty())
            {
                paragraph.push((line.to_owned(), marks));
            }
            if !is_last {
                paragraphs.push(Vec::new());
            }
        }
    }
    html! {
        div.sentences dir="auto" {
            @for paragraph in paragraphs.iter().filter(|paragraph| !paragraph.is_empty()) {
                p {
                    @for (text, marks) in paragraph {
                        span.sentence { (text.trim_end()) }
                        @for at in marks { (mark(id, *at, &ask.citations[*at])) }
                    }
                }
            }
        }
    }
}

/// The number of a quote, which opens its page.
fn mark(id: &str, at: usize, quoted: &Quoted) -> Markup {
    let number = at + 1;
    let beside = format!("/answer/{}?cite={number}", encoded(id));
    html! {
        a.mark href=(beside) data-card=(format!("card-{number}"))
            hx-get=(quoted.address(id, number)) hx-target="#pane" hx-push-url=(beside)
            aria-label=(format!("Quote {number}: {}", quoted.name())) { (number) }
    }
}

/// The quotes, as a list and as cards.
fn quotes(view: &View<'_>, id: &str, ask: &Answered, About { since, lists }: &About) -> Markup {
    html! {
        section aria-labelledby="quotes" {
            h3 #quotes { "Quotes" }
            datalist #lists { @for list in lists { option value=(list) {} } }
            ol.quotes {
                @for (at, quoted) in ask.citations.iter().enumerate() {
                    li #{ "quote-" (at + 1) } {
                        (quote(quoted))
                        @if let Some(since) = since.get(&quoted.citation.source_id) { p.problem { (since) } }
                        div.open {
                            a href=(format!("/answer/{}?cite={}", encoded(id), at + 1))
                                hx-get=(quoted.address(id, at + 1)) hx-target="#pane"
                                hx-push-url=(format!("/answer/{}?cite={}", encoded(id), at + 1)) { "Open the page" }
                            button.quiet type="button" data-copy=(copied(quoted)) hidden { "Copy" }
                            form.keep hidden[!view.can_write] action="/evidence" method="post" hx-post="/evidence" hx-swap="outerHTML" {
                                (view.hidden())
                                input type="hidden" name="answer" value=(id);
                                input type="hidden" name="cite" value=(at + 1);
                                label { "in table " input name="table" size="12" maxlength="100" list="lists" value=(lists.first().map_or("Evidence", String::as_str)); }
                                button.quiet type="submit" { "Keep" }
                            }
                        }
                    }
                }
            }
        }
        p.note { "This answer as a file: " @for (format, name, _) in super::export::ANSWER { a href=(format!("/answer/{}/export/{format}", encoded(id))) { (name) } " " }
            @for (format, name, _) in &super::export::ANSWER[..3] { button.quiet type="button" data-fetch=(format!("/answer/{}/export/{format}", encoded(id))) hidden { "Copy as " (name) } " " }
        }
        @for (at, quoted) in ask.citations.iter().enumerate() {
            div.card #{ "card-" (at + 1) } popover="manual" role="tooltip" {
                (quote(quoted))
                p.note { (found(ask, quoted)) }
                p.note { (checked(ask, quoted)) }
            }
        }
    }
}

fn quote(quoted: &Quoted) -> Markup {
    html! {
        blockquote dir="auto" { (quoted.citation.shown_quote()) }
        p.source {
            cite dir="auto" { (quoted.name()) }
            @if !by(&quoted.authors, quoted.year).is_empty() { ", " span dir="auto" { (by(&quoted.authors, quoted.year)) } }
            @if let Some(published) = &quoted.published_in { ", " bdi { (published) } }
            @if !quoted.place().is_empty() { ". " span.place { (quoted.place()) } }
            @if quoted.fictional { " " span.flag { "fictional sample paper" } }
        }
    }
}

/// A quote as text to paste: with author, year and page.
fn copied(quoted: &Quoted) -> String {
    format!(
        "“{}” {}. {}. {}",
        quoted.citation.shown_quote(),
        by(&quoted.authors, quoted.year),
        quoted.name(),
        quoted.place()
    )
}

/// Why a passage was found.
fn found(ask: &Answered, quoted: &Quoted) -> String {
    let chunk = &quoted.citation.chunk_id;
    let place = ask.retrieval.returned_chunks.iter().position(|own| own.chunk_id == *chunk);
    let score = ask.context.iter().find(|own| own.chunk_id == *chunk).and_then(|own| own.rerank_score);
    let place = place.map(|at| {
        let of = &ask.retrieval.returned_chunks;
        let by = match (of[at].bm25_score > 0.0, of[at].vector_score > 0.0) {
            (true, true) => "by words and meaning",
            (true, false) => "by words",
            _ => "by meaning",
        };
        format!("Found {by}, place {} of {}", at + 1, of.len())
    });
    let place = place.unwrap_or_else(|| "Found beside a passage that matched".to_owned());
    score.map_or_else(|| format!("{place}."), |score| format!("{place}; relevance {score:.1} of 10."))
}

/// What was checked of a quote, and by what.
fn checked(ask: &Answered, quoted: &Quoted) -> String {
    let stands = if quoted.is_verified() {
        "Checked: the paper's text has these words, in this section and on this page."
    } else {
        "Not checked: the place of the quote in the paper is not known."
    };
    let claims: Vec<_> =
        ask.claims.iter().filter(|claim| claim.cited.contains(&quoted.citation.chunk_id)).collect();
    if claims.is_empty() {
        return stands.to_owned();
    }
    let supported = claims.iter().filter(|claim| claim.supported).count();
    format!("{stands} Of {} that cite the passage, it supports {supported}.", count(claims.len(), "claim"))
}

/// How far the answer can be trusted, and what was read out of the question.
fn trust(document: &Document) -> Markup {
    let ask = &document.ask;
    let notes = document.notes.as_ref().unwrap_or(&ask.notes);
    let total = ask.timings_ms.get("total").copied().unwrap_or_default();
    html! {
        @if !ask.no_evidence {
            p.trust {
                strong { "Confidence: " (ask.confidence) }
                @if let Some(probability) = ask.probability { " (estimated chance that this answers the question: " (format!("{:.0} %", 100.0 * probability)) ")" }
                ". " (ask.evidence_quality)
            }
        }
        @if !ask.caveats.is_empty() || !notes.is_empty() {
            ul.notes {
                @for caveat in &ask.caveats { li dir="auto" { (capital(caveat)) } }
                @for note in notes { li dir="auto" { (capital(note)) "." } }
            }
        }
        p.note {
            @if ask.no_evidence {} @else if ask.model == "extractive" { "Sentences copied from the papers; no language model. " } @else { "Written by " (ask.model) ". " }
            (format!("{:.1} s", total / 1000.0)) "."
            @if !ask.no_evidence { " A quote shows where a statement comes from, not that it is true." }
        }
    }
}

/// What was searched, what came close and what would help.
fn refusal(document: &Document) -> Markup {
    let ask = &document.ask;
    html! {
        p.refusal { strong { "The papers do not answer this." } @if let Some(refusal) = &ask.refusal { " " (capital(&refusal.detail)) "." } }
        p.note { (count(ask.retrieval.total_candidates, "passage")) " compared; " (ask.retrieval.above_threshold) " similar enough to be read." }
        @if !document.closest.is_empty() {
            h3 { "Closest passages" }
            ol.quotes {
                @for close in &document.closest {
                    li {
                        blockquote dir="auto" {
                            @for (text, is_match) in &close.parts { @if *is_match { mark { (text) } } @else { (text) } }
                        }
                        p.source {
                            cite dir="auto" { (close.title.as_deref().unwrap_or(close.source_id.as_str())) }
                            ". " (capital(close.section.as_str())) ", p. " (close.page) ". "
                            a href=(page_address(&close.source_id, close.page, None, None)) { "Open the page" }
                        }
                    }
                }
            }
        }
        p.note { "What may help: the words that the papers use, one fact in each question, or a paper that covers the topic." }
    }
}

/// The grade of an answer, 1 to 4, and a free word.
fn grades(view: &View<'_>, saved: &Listed) -> Markup {
    let grades = [(1, "wrong"), (2, "partly"), (3, "mostly"), (4, "right")];
    html! {
        form.grade action=(format!("/answer/{}/grade", encoded(&saved.id))) method="post" {
            (view.hidden())
            fieldset {
                legend { "Is this answer right?" }
                @for (grade, name) in grades {
                    label { input type="radio" name="grade" value=(grade) checked[saved.grade == Some(grade)] data-key=(grade); " " (grade) " " (name) }
                }
            }
            label { "What is right or wrong about it? " input name="note" maxlength="2000" dir="auto" value=(saved.note); }
            button.quiet type="submit" { "Save" }
        }
    }
}

#[derive(Deserialize)]
struct Graded {
    #[serde(default)]
    grade: Option<u8>,
    #[serde(default)]
    note: String,
    token: String,
}

async fn grade(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Sent(Graded { grade, note, token }): Sent<Graded>,
) -> Result<Response, Failed> {
    check(&app, &caller, &token)?;
    if grade.is_some_and(|grade| !(1..=4).contains(&grade)) {
        return Err(Failed::invalid("grade", "a grade is 1, 2, 3 or 4"));
    }
    let (tenant, own) = (caller.tenant(), id.clone());
    let note: String = note.chars().take(2000).collect();
    if !app.state.run(move |c| answers::grade(c, &tenant, &own, grade, &note)).await? {
        return Err(Failed::not_found("answer", &id));
    }
    Ok(Redirect::to(&format!("/answer/{}", encoded(&id))).into_response())
}
