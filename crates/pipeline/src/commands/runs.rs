//! `pipeline runs`.

use super::{App, calls, interrupt};
use crate::{
    args::{Compare, Export, Format, Rejudge, Runs, RunsCommand, Show},
    page::Page,
    printer::Outcome,
    words::{count, value},
};
use anyhow::{Context, Result};
use lab::{
    eval::{Row, report::failures},
    runs::{self, ExportFormat, ExportRequest, RejudgeRequest, RunRows, ShowRequest},
};
use std::path::PathBuf;
use types::{Mode, Reporter, path_text::shown};

/// What of a question only JSON has: it is in the row and in the record of its answer.
const WITHOUT: [&str; 10] = [
    "modes",
    "cluster",
    "candidates_key",
    "missed_gold",
    "unsupported_raw",
    "config_hash",
    "source",
    "filters",
    "text_sha256",
    "evidence_quality",
];
/// What of a comparison only JSON has.
pub(super) const COMPARED_WITHOUT: [&str; 5] = ["modes", "metric", "p_holm", "won", "lost"];

/// Runs the command.
pub(super) async fn run(app: &App, args: &Runs) -> Result<Outcome> {
    match &args.command {
        None => list(app, args.log.as_ref(), args.limit),
        Some(RunsCommand::Show(args)) => show(app, args).await,
        Some(RunsCommand::Compare(args)) => compare(app, args).await,
        Some(RunsCommand::Rejudge(args)) => rejudge(app, args).await,
        Some(RunsCommand::Export(args)) => export(app, args).await,
    }
}

fn list(app: &App, log: Option<&PathBuf>, limit: usize) -> Result<Outcome> {
    let found = runs::list(&app.settings, log, limit, &app.reporter)?;
    app.printer.document(&found, &[])?;
    Ok(Outcome::Done)
}

async fn show(app: &App, args: &Show) -> Result<Outcome> {
    let request = ShowRequest {
        log: args.log.clone(),
        run: args.run.clone(),
        mode: args.mode.map(|mode| mode.to_string()),
        failed: args.failed,
    };
    if let Some(query) = &args.query {
        let question = runs::question(&app.settings, &request, query, &app.reporter).await?;
        return app.printer.document(&question, &WITHOUT);
    }
    let rows = runs::rows(&app.settings, &request, &app.reporter).await?;
    app.printer.page(&rows, || page(&rows))
}

/// A table of rows.
fn page(shown: &RunRows) -> Page {
    let mut page = Page::new();
    page.heading(format!(
        "Run {}: {}, {} failed",
        shown.run.run_id,
        count(shown.run.rows, "row"),
        shown.failed
    ));
    for note in &shown.notes {
        page.line(format!("note: {note}"));
    }
    let outcome = |row: &&Row| match row.no_evidence {
        None => "error".to_owned(),
        Some(true) => "refused".to_owned(),
        Some(false) => format!("answered, {}", row.confidence),
    };
    page.rows(&shown.rows)
        .column("Question", |row| row.query_id.clone())
        .column("Mode", |row| row.mode.clone())
        .column("Type", |row| row.kind.clone())
        .column("Outcome", outcome)
        .column("Gold shown", |row| value(row.value("gold_recall_answer"), 2))
        .column("Lost at", |row| {
            row.lost_at.map_or_else(String::new, |stage| stage.as_str().replace('_', " "))
        })
        .column("Failures", |row| failures(row).join("; "));
    page
}

async fn compare(app: &App, args: &Compare) -> Result<Outcome> {
    let sides = (args.first.as_str(), args.second.as_str());
    let compared = runs::compare(&app.settings, args.log.as_ref(), sides, &app.reporter).await?;
    app.printer.document(&compared, &COMPARED_WITHOUT)?;
    Ok(Outcome::Done)
}

/// Negative if the judge gave no verdict on a row.
async fn rejudge(app: &App, args: &Rejudge) -> Result<Outcome> {
    let request = RejudgeRequest {
        log: args.log.clone(),
        run: args.run.clone(),
        name: args.name.clone(),
        fresh: args.fresh,
        max_cost: args.cost.max_cost,
    };
    let stop = interrupt::stop(&app.reporter, lab::eval::Remains::Work)?;
    if args.dry_run {
        let planned = runs::dry_run(&app.loaded, &request, &app.reporter, &stop).await?;
        let head = format!("{} of {}", count(planned.rows, "stored answer"), args.run);
        return calls::print(app, &planned, head);
    }
    let done = runs::rejudge(&app.loaded, &request, &app.reporter, &stop).await?;
    app.printer.document(&done, &COMPARED_WITHOUT)?;
    if done.failed > 0 {
        let rows = count(done.failed, "row");
        app.reporter
            .warn(&format!("{rows} without a verdict; run the same command again to retry only those"));
    }
    Ok(Outcome::of(done.failed == 0))
}

async fn export(app: &App, args: &Export) -> Result<Outcome> {
    let format = match args.format {
        Format::Csv => ExportFormat::Csv,
        Format::Jsonl => ExportFormat::Jsonl,
        Format::Trec => ExportFormat::Trec,
        Format::Ragas => ExportFormat::Ragas,
        Format::Phase2 => ExportFormat::Phase2,
        // Its own list of formats has no other.
        _ => ExportFormat::Html,
    };
    let request = ExportRequest {
        log: args.log.clone(),
        run: args.run.clone(),
        format,
        mode: args.mode.map(|mode: Mode| mode.to_string()),
        output: args.output.clone(),
    };
    if let Some(text) = runs::export(&app.settings, &request, &app.reporter).await? {
        let text = String::from_utf8(text).context("an export is not UTF-8")?;
        app.printer.export(&text, format.is_json())?;
    } else if let Some(path) = &args.output {
        app.reporter.note(&format!("written: {}", shown(path)));
    }
    Ok(Outcome::Done)
}
