//! A stored run: its questions by outcome, and one of them through all stages.

use super::label;
use crate::{
    app::{App, Caller},
    extract::{Asked, Path},
    failed::Failed,
    portal::{
        saved::{capital, page_address},
        view::{View, count, encoded},
    },
    routes::runs::{question_of, rows_of},
};
use axum::{extract::State, response::Response};
use lab::{
    eval::{
        Row,
        report::{failures, guardrail_name},
    },
    report::evaluation::word,
    runs::RunAnswer,
};
use maud::{Markup, html};
use serde::Deserialize;
use std::collections::BTreeMap;
use types::Origin;

/// Rows of a run, and candidates of a question, that a page shows.
const ROWS: usize = 500;
const CANDIDATES: usize = 40;

/// Which rows of a run.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Which {
    outcome: String,
}

pub(super) async fn rows(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    Asked(which): Asked<Which>,
) -> Result<Response, Failed> {
    let shown = rows_of(&app, &caller, id).await?;
    let mut outcomes = BTreeMap::<String, usize>::new();
    for row in &shown.rows {
        *outcomes.entry(word(row).0).or_default() += 1;
    }
    let holds = |row: &&Row| which.outcome.is_empty() || word(row).0 == which.outcome;
    let rows: Vec<&Row> = shown.rows.iter().filter(holds).collect();
    let view = View::new(&app, &caller, "/evaluation", "Run");
    let run = &shown.run.run_id;
    Ok(view.page(&html! {
        p.note { a href="/evaluation" { "Evaluation" } }
        h1 { "Run " bdi { (label(&shown.run)) } }
        p.note { @if let Some(started) = &shown.run.started { (started.get(..16).unwrap_or(started).replace('T', " ")) ". " } (shown.failed) " of " (count(shown.rows.len(), "row")) " failed." }
        @if !shown.notes.is_empty() { details { summary { (count(shown.notes.len(), "note")) " on the log" } @for note in &shown.notes { p.note { (capital(note)) } } } }
        form.search action={ "/evaluation/run/" (encoded(run)) } {
            label { "Outcome " select name="outcome" {
                option value="" { "any" }
                @for (outcome, number) in &outcomes { option value=(outcome) selected[*outcome == which.outcome] { (outcome) " (" (number) ")" } }
            } }
            button type="submit" { "Apply" }
        }
        @if rows.len() > ROWS { p.note { "The first " (ROWS) " of " (rows.len()) "." } }
        table {
            thead { tr { th scope="col" { "Question" } th scope="col" { "Mode" } th scope="col" { "Outcome" } th scope="col" { "Evidence lost at" } th scope="col" { "Failures" } } }
            tbody {
                @for row in rows.iter().take(ROWS) {
                    tr {
                        td { a href=(format!("/evaluation/run/{}/{}", encoded(run), encoded(&row.query_id))) dir="auto" { (row.query) } br; span.note { bdi { (row.query_id) } } }
                        td { (row.mode) }
                        td { (outcome(row)) }
                        td { @if let Some(stage) = row.lost_at { (stage.as_str().replace('_', " ")) } }
                        td { (failures(row).join("; ")) }
                    }
                }
            }
        }
    }))
}

/// The decision of a row, and whether it is right, in words.
fn outcome(row: &Row) -> Markup {
    let (word, right) = word(row);
    html! { (word) @match right { Some(true) => { " ✓" span.unseen { " right" } } Some(false) => { " ✗" span.unseen { " wrong" } } None => {} } }
}

pub(super) async fn question(
    State(app): State<App>,
    caller: Caller,
    Path((id, query)): Path<(String, String)>,
) -> Result<Response, Failed> {
    let shown = question_of(&app, &caller, id, query).await?;
    let view = View::new(&app, &caller, "/evaluation", "A question of a run");
    let first = shown.answers.first().map(|answer| &answer.row);
    Ok(view.page(&html! {
        p.note { a href="/evaluation" { "Evaluation" } " › " a href={ "/evaluation/run/" (encoded(&shown.run.run_id)) } { "Run " bdi { (label(&shown.run)) } } }
        @if let Some(row) = first {
            h1 dir="auto" { (row.query) }
            p.note { bdi { (row.query_id) } ", " (row.kind) @if row.expected_no_evidence == Some(true) { "; a refusal is right" } }
        }
        @if let Some(reference) = &shown.reference_answer { h2 { "Reference answer" } blockquote dir="auto" { (reference) } }
        @for answer in &shown.answers { (stages(answer)) }
    }))
}

/// What became of a question in one mode, stage by stage.
fn stages(RunAnswer { row, answer }: &RunAnswer) -> Markup {
    html! {
        section aria-label=(row.mode) {
            h2 { (capital(&row.mode)) ": " (outcome(row)) }
            (candidates(row, answer))
            h3 { "Answer" }
            blockquote dir="auto" { (row.answer) }
            p.note {
                @if !row.confidence.is_empty() { "Confidence: " (row.confidence) ". " }
                @if let Some(probability) = row.probability { "Estimated probability that it answers: " (format!("{probability:.2}")) ". " }
                @if let Some(refusal) = &answer.refusal { (capital(&refusal.detail)) "." }
            }
            @if !answer.citations.is_empty() {
                ol { @for cited in &answer.citations { li { q dir="auto" { (cited.citation.shown_quote()) } " " a href=(page_address(&cited.citation.source_id, cited.citation.page_start.unwrap_or(1), Some(&cited.citation.relevant_quote), None)) { bdi { (cited.citation.source_id) } } } } }
            }
            h3 { "Checks" }
            @let failed = failures(row);
            @if failed.is_empty() && row.guardrails.is_empty() && answer.claims.is_empty() { p { "Nothing was changed or found wrong." } }
            ul {
                @for failure in &failed { li.problem { (capital(failure)) } }
                @for action in &row.guardrails { li { (guardrail_name(action.guardrail)) " " (action.action) ": " span dir="auto" { (action.subject) } " (" (action.reason) ")" } }
                @for claim in &answer.claims { li { (if claim.supported { "Supported: " } else { "Not supported: " }) span dir="auto" { (claim.claim) } @if let Some(reason) = &claim.reason { " (" (reason) ")" } } }
            }
            (gold(row))
        }
    }
}

/// The candidates with their scores, those that were read marked, and the neighbours that were added.
fn candidates(row: &Row, answer: &engine::documents::Ask) -> Markup {
    let context = answer.context.as_deref().unwrap_or_default();
    let all = &answer.retrieval.returned_chunks;
    let is_gold = |rank: usize| row.gold_ranks.contains(&Some(rank));
    html! {
        h3 { "Candidates: " (all.len()) " of " (count(answer.retrieval.total_candidates, "passage")) " compared" }
        @if all.len() > CANDIDATES { p.note { "The first " (CANDIDATES) "." } }
        table {
            thead { tr { th scope="col" { "Rank" } th scope="col" { "Passage" } th scope="col" { "BM25" } th scope="col" { "Vector" } th scope="col" { "Fused" } th scope="col" { "Reranked, 0 to 10" } } }
            tbody {
                @for (at, chunk) in all.iter().take(CANDIDATES).enumerate() {
                    @let read = context.iter().find(|own| own.chunk_id == chunk.chunk_id);
                    tr {
                        td data-column="Rank" { (at + 1) @if is_gold(at + 1) { " " mark { "gold" } } }
                        td { bdi { (chunk.source_id) } ", " (chunk.section) br; span.note dir="auto" { (chunk.text_preview) } }
                        td data-column="BM25" { (format!("{:.2}", chunk.bm25_score)) }
                        td data-column="Vector" { (format!("{:.3}", chunk.vector_score)) }
                        td data-column="Fused" { (format!("{:.3}", chunk.combined_score)) }
                        td data-column="Reranked" { @match read { Some(read) => { @if let Some(score) = read.rerank_score { (format!("{score:.1}")) ", " } "read" }, None => "not read" } }
                    }
                }
            }
        }
        @let expanded: Vec<_> = context.iter().filter(|own| own.origin == Origin::Expanded).collect();
        @if !expanded.is_empty() {
            h3 { "Neighbours that were read too" }
            ul { @for own in expanded { li { bdi { (own.source_id) } ", " (own.section.as_str()) ", p. " (own.page_start) } } }
        }
        @for search in &answer.further_searches { p.note { "Searched also for “" bdi { (search.query) } "”: " (search.found) " found, " (search.new) " new." } }
    }
}

/// The gold evidence, and which stage lost it.
fn gold(row: &Row) -> Markup {
    let known = |has: Option<bool>| match has {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not logged",
    };
    html! {
        @if !row.gold.is_empty() {
            h3 { "Gold evidence" }
            table {
                thead { tr { th scope="col" { "Quote" } th scope="col" { "Candidate" } th scope="col" { "Kept by the reranker" } th scope="col" { "In the context" } th scope="col" { "In the answer" } th scope="col" { "Lost" } } }
                tbody {
                    @for (at, gold) in row.gold.iter().enumerate() {
                        @let rank = row.gold_ranks.get(at).copied();
                        tr {
                            td { q dir="auto" { (gold.quote) } " " span.note { bdi { (gold.source_id) } } }
                            td data-column="Candidate" { @match rank { Some(Some(rank)) => { "rank " (rank) }, Some(None) => "no", None => "not logged" } }
                            td data-column="Kept by the reranker" { (known(gold.reranked)) }
                            td data-column="In the context" { (known(gold.in_context)) }
                            td data-column="In the answer" { (known(Some(gold.in_answer))) }
                            td data-column="Lost" { @if let Some(stage) = gold.lost_at(rank, row.no_evidence == Some(true)) { (stage.described()) } }
                        }
                    }
                }
            }
        }
    }
}
