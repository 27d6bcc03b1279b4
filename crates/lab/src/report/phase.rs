//! The Phase report: an evaluation as a document in eight sections, from the log alone.
//!
//! Every cause that it gives is the stage that the row names; every advice is a setting that acts on that stage.

mod architecture;
mod cases;
mod enhancement;
mod lessons;

use crate::report::evaluation::{
    CARD, by_question, card, decision, four_numbers, head, limits, of_mode, query_set, verdict,
};
use crate::report::page::{Line, Page};
use crate::report::words::{NONE, beginning, count, value};
use eval::report::{Evaluation, write_files};
use eval::{EvalError, metrics};
use std::path::{Path, PathBuf};
use types::written::{MARK, marked};

/// Characters of the beginning of an answer in the table of questions.
const PREVIEW: usize = 80;

/// The blocks of the document.
pub fn page(evaluation: &Evaluation) -> Page {
    let mut page = Page::new();
    page.document(format!("Phase report: evaluation {}", evaluation.summary.run_id));
    head(&mut page, evaluation);
    page.verdict(verdict(evaluation).join(" "));
    page.heading("1. Pipeline architecture");
    architecture::add(&mut page, evaluation);
    page.heading("2. Query set design");
    queries(&mut page, evaluation);
    page.heading("3. Metrics");
    measures(&mut page, evaluation);
    page.heading("4. Summary results");
    four_numbers(&mut page, evaluation);
    page.gap();
    card(&mut page, evaluation);
    for limit in limits(evaluation).iter().chain(&evaluation.notes) {
        page.item(format!("Note: {}", limit.trim_end_matches('.')));
    }
    page.heading("5. Results by question");
    for mode in evaluation.summary.modes.keys() {
        page.subheading(format!("Mode {mode}"));
        results(&mut page, evaluation, mode);
    }
    page.heading("6. Failure cases");
    cases::add(&mut page, evaluation);
    page.heading("7. Enhancement analysis");
    enhancement::add(&mut page, evaluation);
    page.heading("8. Lessons learned");
    lessons::add(&mut page, evaluation);
    page
}

/// The document as Markdown.
pub fn markdown(evaluation: &Evaluation) -> String {
    marked(&page(evaluation).markdown())
}

/// Writes `phase-report.md` and `phase-report.html` into the folder of the run's reports.
///
/// # Errors
/// [`EvalError::Write`].
pub fn write(evaluation: &Evaluation, reports: &Path) -> Result<[PathBuf; 2], EvalError> {
    let run = &evaluation.summary.run_id;
    let html = page(evaluation).html(&format!("Phase report {run}"));
    let files = [("phase-report.md", markdown(evaluation)), ("phase-report.html", format!("{html}{MARK}\n"))];
    write_files(reports, run, files)
}

fn queries(page: &mut Page, evaluation: &Evaluation) {
    let set = &evaluation.provenance.query_set;
    let of = if set.is_empty() { String::new() } else { format!(" of {set}") };
    page.line(format!("The evaluation asks {}{of}.", count(by_question(&evaluation.rows).len(), "question")));
    page.append(query_set(&evaluation.rows));
    let gold = evaluation.funnel.iter().map(|(_, funnel)| (funnel.questions, funnel.quotes)).max();
    if let Some((questions, quotes)) = gold.filter(|(questions, _)| *questions > 0) {
        page.line(format!(
            "{} are labelled with {}, so that each stage can be checked for them.",
            count(questions, "question"),
            count(quotes, "gold quote")
        ));
    }
}

fn measures(page: &mut Page, evaluation: &Evaluation) {
    let extractive = evaluation.provenance.extractive();
    for key in CARD.into_iter().chain(["matched"]) {
        let title = metrics::title(key);
        let Some(column) = metrics::find(key) else {
            continue;
        };
        let spec = column.spec();
        let held = if extractive && spec.by_construction {
            " It holds by construction for copied sentences."
        } else {
            ""
        };
        page.item(
            Line::new().bold(title).text(format!(": {}.{held}", spec.texts()[0].trim_end_matches('.'))),
        );
    }
    let judge = evaluation.provenance.models.get("judge");
    page.line(match judge {
        Some(judge) => format!("Claims are judged by {judge}."),
        None => "The log does not name a judge.".to_owned(),
    });
}

/// The table of a mode: a line for each question.
fn results(page: &mut Page, evaluation: &Evaluation, mode: &str) {
    let flag = |value: Option<f64>| match value {
        Some(value) if value >= 0.5 => "yes",
        Some(_) => "NO",
        None => NONE,
    };
    page.rows(of_mode(evaluation, mode))
        .caption(format!("Questions in mode {mode}"))
        .column("ID", |row| row.query_id.clone())
        .column("Type", |row| row.kind.clone())
        .column("Confidence", |row| row.confidence.clone())
        .column("Cit. prec.", |row| {
            row.value("citation_precision").map_or_else(|| NONE.to_owned(), |p| value(Some(p), 2))
        })
        .column(metrics::title("faithful"), |row| flag(row.value("faithful")).to_owned())
        .column("No-ev. OK", |row| flag(row.value("no_evidence_accuracy")).to_owned())
        .column("Answer", |row| decision(row).words())
        .column("Preview", |row| beginning(&eval::strip_marks(&row.answer), PREVIEW));
}
