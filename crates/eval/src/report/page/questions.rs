//! The grid of questions and metrics; each question opens.

use super::super::{Evaluation, failures};
use super::{outcome::outcome, question};
use crate::{FailureMode, Row, Score};
use maud::{Markup, html};

/// The metrics of the grid, with short titles.
const SHOWN: [(&str, &str); 4] = [
    ("gold_recall_context", "Gold in context"),
    ("gold_recall_answer", "Gold in answer"),
    ("token_f1", "F1"),
    ("faithful", "Faithful"),
];

/// The section.
pub(super) fn body(evaluation: &Evaluation) -> Markup {
    let questions = by_question(&evaluation.rows);
    let failing = questions.iter().filter(|rows| fails(rows)).count();
    let count = |mode: FailureMode| {
        questions
            .iter()
            .filter(|rows| rows.iter().any(|r| r.failure_modes.contains(&mode)))
            .count()
    };
    html! {
        p { "Open a question to see its answers with their quotes, its gold evidence and where it was lost." }
        @if evaluation.details.is_none() {
            p class="note" { "The log of this run was not read: quotes in their chunks, contexts and claims are missing." }
        }
        fieldset class="filter" {
            legend { "Show" }
            label { input type="radio" name="show" id="show-all" checked; " all " (questions.len()) }
            label { input type="radio" name="show" id="show-failing"; " that fail in some way, " (failing) }
            @for mode in FailureMode::ALL {
                @let n = count(mode);
                @if n > 0 {
                    label { input type="radio" name="show" id={ "show-" (mode.key()) }; " " (mode.title().to_lowercase()) ", " (n) }
                }
            }
        }
        div class="grid-head" aria-hidden="true" {
            span { "Question" }
            span class="line" { span { "Mode" } span { "Outcome" } @for (_, title) in SHOWN { span { (title) } } }
        }
        @for rows in &questions { (entry(evaluation, rows)) }
    }
}

/// Rows by question, in their order.
fn by_question(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut out: Vec<Vec<&Row>> = Vec::new();
    let mut places: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
    for row in rows {
        let at = *places.entry(&row.query_id).or_insert_with(|| {
            out.push(Vec::new());
            out.len() - 1
        });
        out[at].push(row);
    }
    out
}

fn fails(rows: &[&Row]) -> bool {
    rows.iter()
        .any(|row| !row.failure_modes.is_empty() || !failures(row).is_empty())
}

fn entry(evaluation: &Evaluation, rows: &[&Row]) -> Markup {
    let Some(first) = rows.first() else {
        return html! {};
    };
    let mut classes = vec!["q"];
    if fails(rows) {
        classes.push("failing");
    }
    let modes = FailureMode::ALL
        .into_iter()
        .filter(|mode| rows.iter().any(|row| row.failure_modes.contains(mode)));
    classes.extend(modes.map(FailureMode::key));
    html! {
        details class=(classes.join(" ")) {
            summary {
                span class="what" { b { (first.query_id) } " " span class="kind" { (first.kind) } " " (first.query) }
                span class="lines" { @for row in rows { (line(row)) } }
            }
            (question::body(evaluation, rows))
        }
    }
}

fn line(row: &Row) -> Markup {
    let (word, class) = outcome(row);
    html! {
        span class="line" {
            span class="mode" { (row.mode) }
            span class={ "outcome " (class) } { (word) }
            @for (key, title) in SHOWN {
                @let score = row.scores.get(key);
                span class={ "c " (tint(score)) } { span class="vh" { " " (title) " " } (short(score)) }
            }
        }
    }
}

/// A shade for a value; the number stands in it.
fn tint(score: Option<&Score>) -> &'static str {
    match score.and_then(Score::get) {
        Some(value) if value >= 0.75 => "v3",
        Some(value) if value >= 0.4 => "v2",
        Some(value) if value > 0.0 => "v1",
        Some(_) => "v0",
        None => "",
    }
}

fn short(score: Option<&Score>) -> String {
    match score {
        Some(Score::Value(value)) => format!("{value:.2}"),
        Some(Score::NotApplicable(_)) => "–".to_owned(),
        Some(Score::Error(_)) | None => "err".to_owned(),
    }
}
