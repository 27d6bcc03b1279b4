//! What failed, and at which stage.

use super::decision::{decision, word};
use super::question;
use super::{GOLD_IN_ANSWER, GOLD_IN_CONTEXT};
use crate::report::page::{Page, Question, Questions};
use crate::report::words::{NONE, beginning, listed, or_none};
use eval::report::{Evaluation, failures};
use eval::{FUNNEL_STAGES, FailureMode, Row, Score, metrics};
use std::collections::HashMap;
use types::Spent;

/// Figures of an answer in the list of questions.
const FIGURES: [&str; 4] = [GOLD_IN_CONTEXT, GOLD_IN_ANSWER, "faithful", "citation_precision"];

/// A stage whose language model failed, so that an offline method or nothing did its work.
const FALLBACKS: [(&str, &str); 2] =
    [(Spent::RERANK, "reranked by the fallback"), (Spent::GENERATE, "sentences chosen by the fallback")];

/// Failure modes, the way of the gold evidence, and the questions.
pub(super) fn add(page: &mut Page, evaluation: &Evaluation) {
    page.heading("What failed, and at which stage");
    funnel(page, evaluation);
    failure_modes(page, evaluation);
    for (stage, what) in FALLBACKS {
        let fell_back = |row: &&Row| row.fallbacks.iter().any(|own| own == stage);
        let n = evaluation.rows.iter().filter(fell_back).count();
        page.tally(n, "row", format!("of {}: {what}", evaluation.rows.len()));
    }
    page.heading("Questions");
    page.questions(questions(evaluation));
}

/// How much of the gold evidence each stage still has; nothing where no question has any.
pub(crate) fn funnel(page: &mut Page, evaluation: &Evaluation) {
    const TITLES: [&str; 4] =
        ["Candidates of retrieval", "Kept by the reranker", "In the context", "In the answer"];
    let stages: Vec<(&str, &str)> = FUNNEL_STAGES.into_iter().zip(TITLES).collect();
    let is_known = |(stage, _): &(&str, &str)| {
        evaluation.funnel.iter().any(|(_, funnel)| funnel.stages.get(stage).is_some())
    };
    let mut rows = page
        .rows(stages.into_iter().filter(is_known))
        .caption("Share of a question's gold quotes that each stage still has")
        .column("Gold evidence", |(_, title)| (*title).to_owned());
    for (mode, funnel) in evaluation.funnel.iter() {
        rows = rows.column(mode, |(stage, _)| {
            or_none(funnel.stages.get(stage), |share| {
                let interval = format!("[{:.2}, {:.2}]", share.ci_low, share.ci_high);
                format!("{:.3} {interval}, {} of {}", share.mean, share.found, funnel.quotes)
            })
        });
    }
    page.line("Shares are means over questions; counts are of gold quotes. Neighbours of the kept passages join the context.");
    for (mode, funnel) in evaluation.funnel.iter() {
        let what =
            format!("of mode {mode} could not be followed: the log lacks a stage, or the row is an error");
        page.tally(funnel.not_followed, "row", what);
    }
}

/// How many rows of each mode failed in which way; the ways that no row has are named alone.
pub(crate) fn failure_modes(page: &mut Page, evaluation: &Evaluation) {
    let counts = |mode: FailureMode| -> Vec<usize> {
        let by_mode = evaluation.failure_modes.iter();
        by_mode.map(|(_, counts)| counts.get(mode.key()).copied().unwrap_or_default()).collect()
    };
    let (some, none): (Vec<FailureMode>, Vec<FailureMode>) =
        FailureMode::ALL.into_iter().partition(|mode| counts(*mode).iter().any(|n| *n > 0));
    if !some.is_empty() {
        page.gap();
        let mut rows =
            page.rows(some).caption("Rows by failure mode").column("Failure mode", |mode| mode.title());
        for (at, mode) in evaluation.failure_modes.keys().enumerate() {
            rows = rows.column(mode, |one| counts(*one)[at].to_string());
        }
        rows.column("A row has it if", |mode| mode.definition().to_owned());
    }
    let none: Vec<String> = none.into_iter().map(|mode| mode.title().to_lowercase()).collect();
    if !none.is_empty() && !evaluation.rows.is_empty() {
        page.line(format!("No row has any of these: {}.", none.join(", ")));
    }
}

/// The decision of a row, why it failed, and where its evidence was lost: "refused: retrieval miss".
pub(crate) fn in_short(row: &Row) -> String {
    let mut reasons: Vec<String> = row.failure_modes.iter().map(|mode| mode.title().to_lowercase()).collect();
    if reasons.is_empty() {
        reasons = failures(row);
    }
    let (word, _) = word(row);
    if reasons.is_empty() { word } else { beginning(&format!("{word}: {}", reasons.join(", ")), 160) }
}

fn questions(evaluation: &Evaluation) -> Questions {
    let run = &evaluation.summary.run_id;
    Questions {
        figures: FIGURES.map(metrics::title).to_vec(),
        filters: FailureMode::ALL.map(|mode| (mode.key().to_owned(), mode.title().to_lowercase())).to_vec(),
        questions: by_question(&evaluation.rows)
            .into_iter()
            .map(|rows| question(evaluation, &rows))
            .collect(),
        elsewhere: format!("Each is shown whole in report.html and by: pipeline runs show {run} QUESTION"),
    }
}

/// Rows by question, in their order.
pub(crate) fn by_question(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut out: Vec<Vec<&Row>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for row in rows {
        let at = *places.entry(&row.query_id).or_insert_with(|| {
            out.push(Vec::new());
            out.len() - 1
        });
        out[at].push(row);
    }
    out
}

fn question(evaluation: &Evaluation, rows: &[&Row]) -> Question {
    let first = rows[0];
    // Modes that failed alike stand together.
    let mut failed: Vec<(String, Vec<String>)> = Vec::new();
    for row in rows.iter().filter(|row| !failures(row).is_empty()) {
        let what = in_short(row);
        match failed.iter_mut().find(|(own, _)| *own == what) {
            Some((_, modes)) => modes.push(row.mode.clone()),
            None => failed.push((what, vec![row.mode.clone()])),
        }
    }
    let failed: Vec<String> =
        failed.into_iter().map(|(what, modes)| format!("{}: {what}", listed(&modes))).collect();
    let figure = |row: &Row, key: &str| match row.scores.get(key) {
        Some(Score::Value(value)) => format!("{value:.2}"),
        Some(Score::NotApplicable(_)) | None => NONE.to_owned(),
        Some(Score::Error(_)) => "error".to_owned(),
    };
    let answers = rows.iter().map(|row| {
        let figures = FIGURES.map(|key| figure(row, key)).to_vec();
        (row.mode.clone(), decision(row), figures)
    });
    let modes =
        FailureMode::ALL.into_iter().filter(|mode| rows.iter().any(|row| row.failure_modes.contains(mode)));
    Question {
        id: first.query_id.clone(),
        kind: first.kind.clone(),
        text: first.query.clone(),
        answers: answers.collect(),
        failed: failed.join("; "),
        filters: modes.map(|mode| mode.key().to_owned()).collect(),
        body: question::body(evaluation, rows),
    }
}
