//! `pipeline runs`.

pub(super) mod compare;
mod list;
mod question;
mod rows;

use super::{App, calls, interrupt};
use crate::{
    args::{Compare, Export, Format, Rejudge, Runs, RunsCommand, Show},
    page::Page,
    printer::Outcome,
    words::count,
};
use anyhow::{Context, Result};
use lab::runs::{self, ExportFormat, ExportRequest, RejudgeRequest, ShowRequest, Shown};
use std::path::PathBuf;
use types::{Mode, Reporter, path_text::shown};

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
    app.printer.page(&found, || list::page(&found))?;
    Ok(Outcome::Done)
}

async fn show(app: &App, args: &Show) -> Result<Outcome> {
    let request = ShowRequest {
        log: args.log.clone(),
        run: args.run.clone(),
        query: args.query.clone(),
        mode: args.mode.map(|mode| mode.to_string()),
        failed: args.failed,
        queries: args.queries.clone(),
    };
    match runs::show(&app.loaded, &request, &app.reporter).await? {
        Shown::Rows(rows) => app.printer.page(&*rows, || rows::page(&rows, args.failed))?,
        Shown::Question(question) => app.printer.page(&*question, || question::page(&question))?,
    }
    Ok(Outcome::Done)
}

async fn compare(app: &App, args: &Compare) -> Result<Outcome> {
    let sides = (args.first.as_str(), args.second.as_str());
    let compared = runs::compare(&app.settings, args.log.as_ref(), sides, &app.reporter).await?;
    app.printer.page(&compared, || compare::page(&compared.comparisons))?;
    Ok(Outcome::Done)
}

/// Negative if the judge gave no verdict on a row.
async fn rejudge(app: &App, args: &Rejudge) -> Result<Outcome> {
    let request = RejudgeRequest {
        log: args.log.clone(),
        run: args.run.clone(),
        queries: args.queries.clone(),
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
    app.printer.page(&done, || {
        let mut page = Page::new();
        list::add(&mut page, &done.run, &done.modes);
        let rows = count(done.run.rows, "row");
        page.line(format!("{rows}, {} resumed, {} failed", done.resumed, done.failed));
        page.append(compare::page(&done.comparisons));
        page
    })?;
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
        Format::Junit => ExportFormat::Junit,
        Format::Trec => ExportFormat::Trec,
        Format::Ragas => ExportFormat::Ragas,
        Format::Html => ExportFormat::Html,
        Format::Phase2 => ExportFormat::Phase2,
        Format::Markdown | Format::Text | Format::Json => ExportFormat::Markdown,
    };
    let request = ExportRequest {
        log: args.log.clone(),
        run: args.run.clone(),
        format,
        mode: args.mode.map(|mode: Mode| mode.to_string()),
        output: args.output.clone(),
        queries: args.queries.clone(),
    };
    let (written, text) = runs::export(&app.settings, &request, &app.reporter).await?;
    for path in &written {
        app.reporter.note(&format!("written: {}", shown(path)));
    }
    if written.is_empty() {
        let text = String::from_utf8(text).context("an export is not UTF-8")?;
        app.printer.export(&text, format.is_json())?;
    }
    Ok(Outcome::Done)
}
