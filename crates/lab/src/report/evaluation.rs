//! The report of an evaluation: the verdict, the card's metrics, four numbers that can differ, what failed and at which
//! stage; the rest is folded away.
//!
//! Every sentence about a result is computed from the numbers beside it; no cause is asserted.

mod answer;
mod card;
mod decision;
mod failed;
mod question;
mod rest;
mod settings;
mod time;
mod verdict;

pub(crate) use card::{CARD, card, four_numbers};
pub(crate) use decision::decision;
pub use decision::word;
pub(crate) use failed::{by_question, failure_modes, funnel};
pub use rest::controls;
pub(crate) use rest::{better_by_id, guardrail_actions, query_set, removed_terms};
pub(crate) use verdict::{limits, verdict};

use crate::report::page::Page;
use crate::report::words::{count, listed};
use eval::{
    EvalError, GateResult, Row,
    report::{Evaluation, write_files},
};
use std::path::{Path, PathBuf};
use types::written::{MARK, marked};

/// The rows of a mode.
pub(crate) fn of_mode<'a>(evaluation: &'a Evaluation, mode: &str) -> impl Iterator<Item = &'a Row> {
    evaluation.rows.iter().filter(move |row| row.mode == mode)
}

/// Metrics in words for readers who know none of them.
pub(crate) const GOLD_IN_CONTEXT: &str = "gold_recall_context";
pub(crate) const GOLD_IN_ANSWER: &str = "gold_recall_answer";

/// The blocks of the report.
pub fn page(evaluation: &Evaluation) -> Page {
    let mut page = Page::new();
    page.document(format!("Evaluation report {}", evaluation.summary.run_id));
    head(&mut page, evaluation);
    first(&mut page, evaluation);
    failed::add(&mut page, evaluation);
    if let Some(run) = &evaluation.controls {
        page.heading("Can the questions detect a bad system?");
        controls(&mut page, run);
    }
    rest::add(&mut page, evaluation);
    page
}

/// Where the results come from, in a few lines.
pub(crate) fn head(page: &mut Page, evaluation: &Evaluation) {
    let from = &evaluation.provenance;
    let roles = ["embedding", "reranker", "generator"].into_iter();
    let models = roles.filter_map(|role| Some(format!("{role} {}", from.models.get(role)?)));
    let asked = count(by_question(&evaluation.rows).len(), "question");
    let modes: Vec<String> = evaluation.summary.modes.keys().map(str::to_owned).collect();
    page.fact("Corpus", from.corpus.as_str());
    let index = Some(&from.generation).filter(|generation| !generation.is_empty());
    page.fact("Index", index.map_or_else(String::new, |generation| format!("generation {generation}")));
    page.fact("Questions", format!("{} {asked}, mode {}", from.query_set, listed(&modes)));
    page.fact("Models", models.collect::<Vec<_>>().join(", "));
    page.fact("Judge", from.models.get("judge").map_or("", String::as_str));
    page.fact("Date", minute(&evaluation.started));
    page.fact("Version", from.version.as_str());
    page.fact("Settings", from.config_hash.as_str());
}

/// `2026-01-02 03:04 UTC` of an RFC 3339 time.
fn minute(time: &str) -> String {
    match (time.get(..10), time.get(11..16)) {
        (Some(day), Some(minute)) => format!("{day} {minute} UTC"),
        _ => time.to_owned(),
    }
}

/// The verdict, the card, the four numbers, and what to keep in mind.
fn first(page: &mut Page, evaluation: &Evaluation) {
    let [decisions, losses] = verdict(evaluation);
    page.gap();
    page.verdict(decisions);
    page.line(losses);
    page.gap();
    four_numbers(page, evaluation);
    page.line("Coverage: answerable questions that were answered. Unanswerable accuracy: unanswerable ones that were refused. Matched: answers that state the reference, as far as that was checked.");
    page.gap();
    card(page, evaluation);
    page.gap();
    if let Some(sentence) = verdict::same_candidates(evaluation) {
        page.line(sentence);
    }
    let limits = limits(evaluation);
    if !limits.is_empty() || !evaluation.notes.is_empty() {
        page.heading("What to keep in mind");
        for limit in limits {
            page.item(limit);
        }
        for note in &evaluation.notes {
            page.item(format!("Note: {note}."));
        }
    }
}

/// The report as Markdown.
pub fn markdown(evaluation: &Evaluation) -> String {
    marked(&page(evaluation).markdown())
}

/// The report as one page of HTML that loads nothing.
pub fn html(evaluation: &Evaluation) -> String {
    let title = format!("Evaluation report {}", evaluation.summary.run_id);
    format!("{}{MARK}\n", page(evaluation).html(&title))
}

/// A run on half a page, for a comment on a pull request: whether the gates passed, the verdict and the first tables.
pub fn pull_request(evaluation: &Evaluation, gates: &[GateResult]) -> Page {
    let mut page = Page::new();
    page.document("Evaluation");
    self::gates(&mut page, gates);
    page.heading("Verdict");
    first(&mut page, evaluation);
    let from = &evaluation.provenance;
    let run = &evaluation.summary.run_id;
    page.line(format!("Query set {}, settings {}, run {run}.", from.query_set, from.config_hash));
    page
}

/// Which gates passed.
pub fn gates(page: &mut Page, gates: &[GateResult]) {
    if gates.is_empty() {
        return;
    }
    let failed = gates.iter().filter(|gate| !gate.passed).count();
    let (word, n) = if failed == 0 { ("Passed", gates.len()) } else { ("Failed", failed) };
    page.line(crate::report::page::Line::new().bold(word).text(format!(": {n} of {} gates.", gates.len())));
    page.rows(gates)
        .column("Gate", |gate| gate.gate.clone())
        .column("Result", |gate| if gate.passed { "passed" } else { "failed" }.to_owned());
}

/// Writes `report.md`, `report.html`, `eval.json` and `rows.jsonl` into a folder of `reports` that is named after the run,
/// each whole or not at all.
///
/// # Errors
/// [`EvalError::Write`] or [`EvalError::Json`].
pub fn write(evaluation: &Evaluation, reports: &Path) -> Result<[PathBuf; 4], EvalError> {
    let files = [
        ("report.md", self::markdown(evaluation)),
        ("report.html", html(evaluation)),
        ("eval.json", evaluation.json_text()?),
        ("rows.jsonl", evaluation.rows_jsonl()?),
    ];
    write_files(reports, &evaluation.summary.run_id, files)
}
