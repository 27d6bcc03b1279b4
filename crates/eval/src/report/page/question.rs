//! One question, opened: its labels, its gold evidence stage by stage, and the answer of each mode.

use super::super::Evaluation;
use super::answer;
use crate::{GoldPath, Row, Score, metrics};
use maud::{Markup, html};

/// What the entry shows when it is open.
pub(super) fn body(evaluation: &Evaluation, rows: &[&Row]) -> Markup {
    let Some(first) = rows.first() else {
        return html! {};
    };
    html! {
        div class="open" {
            p {
                @match first.expected_no_evidence {
                    Some(true) => "The papers do not answer this question: a refusal is right.",
                    Some(false) => "The papers answer this question.",
                    None => "No label says whether the papers answer this question.",
                }
                @if !first.tags.is_empty() { " Tags: " (first.tags.join(", ")) "." }
            }
            (gold(rows))
            @for row in rows { (answer::body(evaluation, row)) }
            details class="data" {
                summary { "All scores" }
                (scores(rows))
            }
        }
    }
}

fn gold(rows: &[&Row]) -> Markup {
    let paths: Vec<_> = rows.iter().map(|row| row.gold_paths()).collect();
    let longest = paths.iter().max_by_key(|paths| paths.len());
    let Some(all) = longest.filter(|all| !all.is_empty()) else {
        return html! {};
    };
    html! {
        h4 { "Gold evidence, and where it was lost" }
        ul class="gold-list" {
            @for path in all.iter() {
                li {
                    q { (path.quote) } " " code { (path.source_id.as_str()) }
                    ul { @for row in rows { li { b { (row.mode) } ": " (course(row, path)) } } }
                }
            }
        }
    }
}

/// What became of a gold quote in one mode, stage by stage.
fn course(row: &Row, gold: &GoldPath) -> String {
    let paths = row.gold_paths();
    let found = paths
        .iter()
        .position(|path| path.quote == gold.quote && path.source_id == gold.source_id);
    let Some((at, path)) = found.and_then(|at| Some((at, paths.get(at)?))) else {
        return if row.no_evidence.is_some() {
            "in the answer"
        } else {
            "not known: there is no answer"
        }
        .to_owned();
    };
    let rank = row.gold_rank(at);
    let candidate = match rank {
        Some(Some(rank)) => format!("candidate {rank}"),
        Some(None) => "no candidate".to_owned(),
        None => "candidates not known".to_owned(),
    };
    let stage = |name: &str, has: Option<bool>| match has {
        Some(true) => format!("✓ {name}"),
        Some(false) => format!("✗ {name}"),
        None => format!("{name} not known"),
    };
    let answer = match (path.in_answer, row.no_evidence) {
        (false, Some(true)) => "✗ answer (refused)".to_owned(),
        (has, _) => stage("answer", Some(has)),
    };
    let stages = [
        candidate,
        stage("reranked", path.reranked),
        stage("context", path.in_context),
        answer,
    ];
    let lost = path
        .lost_at(rank, row.no_evidence == Some(true))
        .map(|lost| format!(" — lost {}", lost.place()))
        .unwrap_or_default();
    format!("{}{lost}", stages.join(" → "))
}

fn scores(rows: &[&Row]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="All scores" {
            table {
                thead { tr { th scope="col" { "Metric" } @for row in rows { th scope="col" { (row.mode) } } } }
                tbody {
                    @for spec in metrics::specs() {
                        tr {
                            th scope="row" { (spec.title) }
                            @for row in rows {
                                td {
                                    @match row.scores.get(spec.key) {
                                        Some(Score::Value(value)) => (format!("{value:.3}")),
                                        Some(Score::NotApplicable(reason)) => { "n/a: " (reason) }
                                        Some(Score::Error(reason)) => { "error: " (reason) }
                                        None => "not scored",
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
