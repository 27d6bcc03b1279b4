//! The rows of a run.

use super::list::heading;
use crate::{
    page::Page,
    words::{beginning, count},
};
use lab::{
    eval::LostAt,
    runs::{RunGold, RunRow, RunRows},
};
use std::collections::BTreeMap;
use types::AnswerOutcome;

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
            .column("ms", |of| of.latency_ms.map(|ms| format!("{ms:.0}")).unwrap_or_default())
            .column("Failures", |of| beginning(&of.failures.join("; "), 48));
    }
    page.heading(match shown.failed {
        0 => "No row failed.".to_owned(),
        failed => format!("{} failed.", count(failed, "row")),
    });
    page
}

fn outcome(row: &RunRow) -> String {
    match (row.outcome, row.confidence.as_str()) {
        (None, _) => "error".to_owned(),
        (Some(AnswerOutcome::None), _) => "refused".to_owned(),
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
    let mut lost: BTreeMap<LostAt, usize> = BTreeMap::new();
    for step in row.gold.iter().filter_map(|gold| gold.lost_at) {
        *lost.entry(step).or_default() += 1;
    }
    let each = lost.into_iter().map(|(step, n)| {
        let step = step.as_str().replace('_', " ");
        if n == 1 { step } else { format!("{step} ({n})") }
    });
    each.collect::<Vec<_>>().join(", ")
}

/// Where a gold quote was lost, or that it was not.
pub(super) fn gold(gold: &RunGold) -> String {
    let rank = match gold.rank {
        Some(rank) => format!("candidate {rank}"),
        None => "no candidate".to_owned(),
    };
    let step = match gold.lost_at {
        None if gold.in_answer => "shown by the answer".to_owned(),
        Some(LostAt::Retrieval) => "lost by retrieval: no candidate has it".to_owned(),
        Some(LostAt::Reranking) => format!("lost by reranking: {rank} has it, the context does not"),
        Some(LostAt::Refusal) => format!("in the context ({rank}), but the question was refused"),
        Some(LostAt::Answer) => format!("in the context ({rank}), but not in the answer"),
        Some(LostAt::Context) => format!("kept by the reranker ({rank}), but not in the context"),
        Some(LostAt::BeforeContext) => "not in the context".to_owned(),
        None => "not in the answer; the context was not logged".to_owned(),
    };
    format!("{step}: {}: \"{}\"", gold.source_id, gold.quote)
}
