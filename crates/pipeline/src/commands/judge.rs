//! `pipeline judge` and its commands.

use super::{App, interrupt};
use crate::{
    args::{Correct, Judge, JudgeCheck, JudgeCommand},
    clean::clean_json,
    printer::Outcome,
    words::count,
};
use anyhow::Result;
use lab::{
    eval::{OFFLINE_JUDGE, Remains},
    judge_check, judge_correct,
    judge_run::{self, JudgeRequest},
};
use std::path::{Path, PathBuf};
use types::{Reporter, path_text::shown};

/// Judges responses, or runs the subcommand; negative when a row has no verdict.
pub(super) async fn run(app: &App, args: &Judge) -> Result<Outcome> {
    match &args.command {
        Some(JudgeCommand::Check(args)) => check(app, args).await,
        Some(JudgeCommand::Correct(args)) => correct(app, args).await,
        None => judge(app, args).await,
    }
}

/// The file; `None` for `-`.
fn file(path: &Path) -> Option<PathBuf> {
    (path != Path::new("-")).then(|| path.to_path_buf())
}

async fn judge(app: &App, args: &Judge) -> Result<Outcome> {
    let remains = lab::remains(&app.settings);
    let request = JudgeRequest {
        input: args.input().and_then(file),
        output: file(&args.output),
        max_cost: args.how.cost.max_cost,
        stop: interrupt::stop(&app.reporter, remains)?,
    };
    let mut print = |line: &str| app.printer.raw(&(clean_json(line) + "\n"));
    let done = judge_run::run(&app.settings, &request, &app.reporter, &mut print).await?;
    let (rows, supported, errors) = (count(done.rows, "row"), done.supported, done.errors);
    let (not, judge) = (done.rows - supported - errors, &done.judge);
    app.reporter.remark(&format!(
        "{rows}: {supported} supported, {not} not, {errors} without a verdict; judge {judge}"
    ));
    if judge.starts_with("lexical") {
        app.reporter.remark(OFFLINE_JUDGE);
    }
    let why = request.output.as_deref().map(|path| format!("{} says why", shown(path)));
    Ok(outcome(app, errors, why.as_deref(), remains))
}

/// Checks the judge against labels; negative when a row has no verdict.
async fn check(app: &App, args: &JudgeCheck) -> Result<Outcome> {
    let remains = lab::remains(&app.settings);
    let stop = interrupt::stop(&app.reporter, remains)?;
    let (labelled, max_cost) = (&args.labelled, args.how.cost.max_cost);
    let done = judge_check::run(&app.settings, labelled, max_cost, &stop, &app.reporter).await?;
    app.printer.document(&done, &[])?;
    Ok(outcome(app, done.errors, done.first_error.as_deref(), remains))
}

/// Negative when rows are without a verdict.
fn outcome(app: &App, errors: usize, why: Option<&str>, remains: Remains) -> Outcome {
    if errors > 0 {
        let why = why.map_or_else(String::new, |why| format!(" ({why})"));
        let rows = count(errors, "row");
        app.reporter.warn(&format!("{rows} without a verdict{why}; {remains}"));
    }
    Outcome::of(errors == 0)
}

async fn correct(app: &App, args: &Correct) -> Result<Outcome> {
    let run = (args.log.as_ref(), args.run.as_str());
    let done = judge_correct::run(&app.settings, &args.labels, run, &app.reporter).await?;
    app.printer.document(&done, &[])
}
