//! The rows of a run.

use super::list::heading;
use crate::{sheet::Sheet, words::count};
use contract::{RunGold, RunRow, RunRows};

/// A table of rows; with `failed`, each with what is wrong.
pub(super) fn sheet(shown: &RunRows, failed: bool) -> Sheet {
    let mut sheet = Sheet::default();
    heading(&mut sheet, &shown.run);
    for note in &shown.notes {
        sheet.line(format!("note: {note}"));
    }
    if failed {
        for row in &shown.rows {
            sheet.heading(format!("{} ({}, {})", row.query_id, row.kind, row.mode));
            sheet.quote(&row.query);
            for failure in &row.failures {
                sheet.item(failure);
            }
            for gold in row.gold.iter().filter(|gold| !gold.in_answer) {
                sheet.item(self::gold(gold));
            }
        }
    } else {
        let rows = shown.rows.iter().map(cells).collect();
        sheet.table(
            &[
                "Query",
                "Mode",
                "Type",
                "Outcome",
                "Gold shown",
                "Gold lost by",
                "ms",
                "Failures",
            ],
            rows,
        );
    }
    sheet.heading(match shown.failed {
        0 => "No row failed.".to_owned(),
        failed => format!("{} failed.", count(failed as u64, "row")),
    });
    sheet
}

fn cells(row: &RunRow) -> Vec<String> {
    let lost: Vec<&str> = row
        .gold
        .iter()
        .filter_map(|gold| gold.lost_at.as_deref())
        .collect();
    let shown = row.gold.iter().filter(|gold| gold.in_answer).count();
    let outcome = match (row.outcome.as_deref(), row.confidence.as_str()) {
        (None, _) => "error".to_owned(),
        (Some("none"), _) => "refused".to_owned(),
        (Some(_), confidence) => format!("answered, {confidence}"),
    };
    vec![
        row.query_id.clone(),
        row.mode.clone(),
        row.kind.clone(),
        outcome,
        if row.gold.is_empty() {
            String::new()
        } else {
            format!("{shown} of {}", row.gold.len())
        },
        steps(&lost),
        row.latency_ms.map(|ms| format!("{ms:.0}")).unwrap_or_default(),
        row.failures.join("; "),
    ]
}

/// `retrieval, answer (2)`
fn steps(lost: &[&str]) -> String {
    let mut out: Vec<String> = Vec::new();
    for step in [
        "retrieval",
        "reranking",
        "before_context",
        "context",
        "refusal",
        "answer",
    ] {
        match lost.iter().filter(|own| **own == step).count() {
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
