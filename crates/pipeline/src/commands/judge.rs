//! `pipeline judge` and its commands.

mod page;

use super::{App, interrupt};
use crate::{
    args::{Agreement, Correct, Judge, JudgeCommand, Label, Measure},
    clean::clean_json,
    printer::Outcome,
    words::count,
};
use anyhow::{Result, bail};
use lab::{
    eval::{OFFLINE_JUDGE, Remains},
    judge_agreement::{self, AgreementRequest},
    judge_label::{self, LabelReportRequest, LabelRequest},
    judge_report::{self, REPORT, ReportRequest, SCORES},
    judge_run::{self, JudgeRequest},
};
use std::path::{Path, PathBuf};
use types::{Reporter, files::write_atomic, path_text::shown};

/// Judges responses, or runs the subcommand; negative when a row has no verdict.
pub(super) async fn run(app: &App, args: &Judge) -> Result<Outcome> {
    match &args.command {
        Some(JudgeCommand::Label(args)) => label(app, args),
        Some(JudgeCommand::Measure(args)) => measure(app, args).await,
        Some(JudgeCommand::Correct(args)) => correct(app, args),
        Some(JudgeCommand::Agreement(args)) => agreement(app, args),
        None => judge(app, args).await,
    }
}

/// The file; `None` for `-`.
fn file(path: &Path) -> Option<PathBuf> {
    (path != Path::new("-")).then(|| path.to_path_buf())
}

async fn judge(app: &App, args: &Judge) -> Result<Outcome> {
    let output = file(&args.output);
    let remains = match &output {
        Some(_) => Remains::Work,
        None => lab::remains(&app.settings),
    };
    let request = JudgeRequest {
        input: args.input.as_deref().and_then(file),
        output,
        fresh: args.fresh,
        max_cost: args.cost.max_cost,
        stop: interrupt::stop(&app.reporter, remains)?,
    };
    let mut print = |line: &judge_run::JudgeLine| {
        let text = serde_json::to_string(line)? + "\n";
        app.printer.raw(&clean_json(&text))
    };
    let done = judge_run::run(&app.settings, &request, &app.reporter, &mut print).await?;
    let resumed = match done.resumed {
        0 => String::new(),
        resumed => format!(", {resumed} of them judged before"),
    };
    let (rows, faithful, errors) = (count(done.rows, "row"), done.faithful, done.errors);
    let (not, judge) = (done.rows - faithful - errors, &done.judge);
    app.reporter.remark(&format!(
        "{rows}{resumed}: {faithful} faithful, {not} not, {errors} without a verdict; judge {judge}"
    ));
    if judge.starts_with("lexical") {
        app.reporter.remark(OFFLINE_JUDGE);
    }
    Ok(outcome(app, errors, request.output.as_deref(), remains))
}

/// Measures judges; negative when a row has no verdict.
pub(super) async fn measure(app: &App, args: &Measure) -> Result<Outcome> {
    let remains = lab::remains(&app.settings);
    let request = ReportRequest {
        paths: args.paths.clone(),
        judges: args.judges.clone(),
        limit: args.limit,
        examples: args.examples,
        output: args.output_dir.clone(),
        max_cost: args.cost.max_cost,
        stop: interrupt::stop(&app.reporter, remains)?,
    };
    let done = judge_report::run(&app.settings, &request, &app.reporter).await?;
    app.printer.listing(&done, || judge_report::page(&done, true))?;
    if let Some(folder) = &request.output {
        let (scores, report) = (folder.join(SCORES), folder.join(REPORT));
        app.reporter.remark(&format!("written: {}, {}", shown(&scores), shown(&report)));
    }
    let sets = done.judges.iter().flat_map(|judge| &judge.sets);
    let scores = request.output.as_ref().map(|folder| folder.join(SCORES));
    Ok(outcome(app, sets.map(|set| set.errors).sum(), scores.as_deref(), remains))
}

/// Negative when rows are without a verdict; `file` says why.
fn outcome(app: &App, errors: usize, file: Option<&Path>, remains: Remains) -> Outcome {
    if errors > 0 {
        let why = file.map_or_else(String::new, |path| format!(" ({} says why)", shown(path)));
        let rows = count(errors, "row");
        app.reporter.warn(&format!("{rows} without a verdict{why}; {remains}"));
    }
    Outcome::of(errors == 0)
}

fn label(app: &App, args: &Label) -> Result<Outcome> {
    let output = file(&args.output);
    if let Some(path) = output.as_deref().filter(|path| path.exists()) {
        bail!("{} exists and may contain labels\nhint: name another file for --output", shown(path));
    }
    let request =
        LabelRequest { log: args.log.clone(), run: args.run.clone(), mode: args.mode, count: args.count };
    let lines = judge_label::label(&app.settings, &request, &app.reporter)?;
    let mut text = String::new();
    for line in &lines {
        text.push_str(&serde_json::to_string(line)?);
        text.push('\n');
    }
    let Some(path) = &output else {
        app.printer.raw(&clean_json(&text))?;
        return Ok(Outcome::Done);
    };
    write_atomic(path, &[text.as_bytes()])
        .map_err(|error| anyhow::anyhow!("cannot write {}: {error}", shown(path)))?;
    let (answers, path) = (count(lines.len(), "answer"), shown(path));
    app.reporter.remark(&format!(
        "{answers} written to {path}; set faithful to 1 or 0 on each line, then run: pipeline judge correct {path}"
    ));
    Ok(Outcome::Done)
}

fn correct(app: &App, args: &Correct) -> Result<Outcome> {
    let request = LabelReportRequest { labels: args.labels.clone(), log: args.log.clone() };
    let done = judge_label::label_report(&app.settings, &request, &app.reporter)?;
    app.printer.listing(&done, || page::labels(&done))?;
    Ok(Outcome::Done)
}

fn agreement(app: &App, args: &Agreement) -> Result<Outcome> {
    let request = AgreementRequest { files: args.files.clone(), field: args.field.clone() };
    let done = judge_agreement::run(&app.settings, &request)?;
    app.printer.listing(&done, || page::agreement(&done))?;
    Ok(Outcome::Done)
}
