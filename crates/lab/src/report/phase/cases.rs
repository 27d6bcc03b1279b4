//! Section 6: one case for each way in which rows failed, with the stage that caused it and what the passage said.

use crate::report::evaluation::{decision, failure_modes, funnel, of_mode, removed_terms};
use crate::report::page::{Line, Page};
use crate::report::words::{count, value};
use eval::report::{Evaluation, failures};
use eval::{FailureMode, LostAt, Row};
use types::words::first_of;

/// Cases that are analysed; the others are counted.
const CASES: usize = 6;
/// Ids of a case that are named.
const IDS: usize = 12;

/// A way of failing: its name, what it means, and the rows that have it.
struct Case<'a> {
    title: String,
    meaning: String,
    /// The stage that loses evidence where rows fail so.
    stage: Option<LostAt>,
    rows: Vec<&'a Row>,
}

pub(super) fn add(page: &mut Page, evaluation: &Evaluation) {
    for mode in evaluation.summary.modes.keys() {
        let n = |is: fn(&Row) -> bool| of_mode(evaluation, mode).filter(|row| is(row)).count();
        let unfaithful = n(|row| row.value("faithful").is_some_and(|v| v < 0.5));
        let wrong = n(|row| row.value("no_evidence_accuracy").is_some_and(|v| v < 0.5));
        page.line(format!(
            "Out of {} in mode {mode}, {} failed in some way: {} unfaithful, {} to answer or refuse wrong.",
            count(n(|_| true), "question"),
            n(|row| !failures(row).is_empty()),
            count(unfaithful, "answer"),
            count(wrong, "decision"),
        ));
    }
    funnel(page, evaluation);
    failure_modes(page, evaluation);
    let cases = cases(evaluation);
    let mut shown: Vec<&str> = Vec::new();
    for (at, case) in cases.iter().take(CASES).enumerate() {
        // The question that says most about it, and that no case before has: with a missed quote or an unsupported claim.
        let says_little = |row: &Row| row.unsupported.is_empty() && row.lost_gold().next().is_none();
        let row =
            case.rows.iter().min_by_key(|row| (shown.contains(&row.query_id.as_str()), says_little(row)));
        if let Some(row) = row {
            shown.push(&row.query_id);
            show(page, at + 1, case, row);
        }
    }
    page.tally(cases.len().saturating_sub(CASES), "more way", "of failing: see the table of each question");
    page.subheading("Terms that the entity check removed");
    removed_terms(page, evaluation);
}

/// The ways of failing: those that have a rule, the most frequent first, then the rows that failed otherwise.
fn cases(evaluation: &Evaluation) -> Vec<Case<'_>> {
    let mut out: Vec<Case<'_>> = FailureMode::ALL
        .into_iter()
        .map(|mode| Case {
            title: mode.title(),
            meaning: mode.definition().to_owned(),
            stage: match mode {
                FailureMode::RetrievalMiss => Some(LostAt::Retrieval),
                FailureMode::RerankingMiss => Some(LostAt::Reranking),
                FailureMode::SelectionMiss => Some(LostAt::Answer),
                FailureMode::RefusalDespiteEvidence => Some(LostAt::Refusal),
                _ => None,
            },
            rows: evaluation.rows.iter().filter(|row| row.failure_modes.contains(&mode)).collect(),
        })
        .filter(|case| !case.rows.is_empty())
        .collect();
    out.sort_by_key(|case| std::cmp::Reverse(case.rows.len()));
    for row in evaluation.rows.iter().filter(|row| !failures(row).is_empty() && row.failure_modes.is_empty())
    {
        let why = failures(row).into_iter().next().unwrap_or_else(|| "the answer is wrong".to_owned());
        match out.iter_mut().find(|case| case.meaning == why) {
            Some(case) => case.rows.push(row),
            None => out.push(Case {
                title: if row.no_evidence == Some(true) { "Refusal" } else { "Answer" }.to_owned(),
                meaning: why,
                stage: None,
                rows: vec![row],
            }),
        }
    }
    out
}

fn show(page: &mut Page, number: usize, case: &Case<'_>, row: &Row) {
    page.subheading(format!("6.{number} {}: {} ({}, mode {})", row.query_id, case.title, row.kind, row.mode));
    page.fact("Query", row.query.as_str());
    page.fact("Decision", decision(row).text(format!(", confidence {}", row.confidence)));
    page.fact("Citation precision", value(row.value("citation_precision"), 2));
    let verdict = row.value("faithful").map(|v| if v >= 0.5 { "faithful" } else { "UNFAITHFUL" });
    page.fact("Judge's verdict", verdict.unwrap_or("none"));
    page.fact("Failure mode", format!("{}: {}", case.title.to_lowercase(), case.meaning));
    let said = || failures(row).into_iter().next().unwrap_or_default();
    page.fact("Cause by stage", case.stage.map_or_else(said, |stage| stage.described().to_owned()));
    let lost = row.lost_gold();
    for (path, _) in lost.filter(|(_, lost)| case.stage.is_none() || *lost == case.stage).take(2) {
        page.fact(
            "The passage said",
            Line::new().quoted(path.quote.as_str()).text(format!(" ({})", path.source_id)),
        );
    }
    for claim in row.unsupported.iter().take(2) {
        let text = Line::new().quoted(claim.claim.as_str()).text(format!(" ({})", claim.reason));
        page.fact(
            "Not supported",
            if claim.claim.is_empty() { Line::from(claim.reason.as_str()) } else { text },
        );
    }
    page.fact("The answer said", crate::report::words::beginning(&eval::strip_marks(&row.answer), 300));
    page.fact("Affected", affected(&case.rows));
}

/// "5 rows: D01 (hybrid), D01 (vector)".
fn affected(rows: &[&Row]) -> String {
    let named = rows.iter().map(|row| format!("{} ({})", row.query_id, row.mode));
    format!("{}: {}", count(rows.len(), "row"), first_of(named, IDS))
}
