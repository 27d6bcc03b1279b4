//! The rows of a run.

use super::list::heading;
use crate::{
    page::Page,
    words::{beginning, count},
};
use contract::{RunGold, RunRow, RunRows};

/// A table of rows; with `failed`, each with what is wrong.
pub(super) fn page(shown: &RunRows, failed: bool) -> Page {
    let mut page = Page::new();
    heading(&mut page, &shown.run);
    for note in &shown.notes {
        page.line(format!("note: {note}"));
    }
    if failed {
        for row in &shown.rows {
            page.heading(format!("{} ({}, {})", row.query_id, row.kind, row.mode));
            page.quote(&row.query);
            for failure in &row.failures {
                page.item(failure.as_str());
            }
            for gold in row.gold.iter().filter(|gold| !gold.in_answer) {
                page.item(self::gold(gold));
            }
        }
    } else {
        page.rows(&shown.rows)
            .column("Query", |of| of.query_id.clone())
            .column("Mode", |of| of.mode.clone())
            .column("Type", |of| of.kind.clone())
            .column("Outcome", |of| outcome(of))
            .column("Gold shown", |of| gold_shown(of))
            .column("Gold lost by", |of| steps(of))
            .column("ms", |of| {
                of.latency_ms.map(|ms| format!("{ms:.0}")).unwrap_or_default()
            })
            .column("Failures", |of| beginning(&of.failures.join("; "), 48));
    }
    page.heading(match shown.failed {
        0 => "No row failed.".to_owned(),
        failed => format!("{} failed.", count(failed, "row")),
    });
    page
}

fn outcome(row: &RunRow) -> String {
    match (row.outcome.as_deref(), row.confidence.as_str()) {
        (None, _) => "error".to_owned(),
        (Some("none"), _) => "refused".to_owned(),
        (Some(_), confidence) => format!("answered, {confidence}"),
    }
}

fn gold_shown(row: &RunRow) -> String {
    let shown = row.gold.iter().filter(|gold| gold.in_answer).count();
    match row.gold.len() {
        0 => String::new(),
        all => format!("{shown} of {all}"),
    }
}

/// `retrieval, answer (2)`
fn steps(row: &RunRow) -> String {
    let lost = row.gold.iter().filter_map(|gold| gold.lost_at.as_deref());
    let mut out: Vec<String> = Vec::new();
    for step in [
        "retrieval",
        "reranking",
        "before_context",
        "context",
        "refusal",
        "answer",
    ] {
        match lost.clone().filter(|own| *own == step).count() {
            0 => {}
            1 => out.push(step.replace('_', " ")),
            n => out.push(format!("{} ({n})", step.replace('_', " "))),
        }
    }
    out.join(", ")
}

/// Where a gold quote was lost, or that it was not.
pub(super) fn gold(gold: &RunGold) -> String {
    let rank = match gold.rank {
        Some(rank) => format!("candidate {rank}"),
        None => "no candidate".to_owned(),
    };
    let step = match gold.lost_at.as_deref() {
        None if gold.in_answer => "shown by the answer".to_owned(),
        Some("retrieval") => "lost by retrieval: no candidate has it".to_owned(),
        Some("reranking") => format!("lost by reranking: {rank} has it, the context does not"),
        Some("refusal") => format!("in the context ({rank}), but the question was refused"),
        Some("answer") => format!("in the context ({rank}), but not in the answer"),
        Some("context") => format!("kept by the reranker ({rank}), but not in the context"),
        Some(_) => "not in the context".to_owned(),
        None => "not in the answer; the context was not logged".to_owned(),
    };
    format!("{step}: {}: \"{}\"", gold.source_id, gold.quote)
}
