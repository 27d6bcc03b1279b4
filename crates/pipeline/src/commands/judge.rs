//! `pipeline judge` and its commands.

use super::{App, interrupt};
use crate::{
    args::{Correct, Judge, JudgeCheck, JudgeCommand},
    clean::clean_json,
    page::Page,
    printer::Outcome,
    words::{count, interval, value},
};
use anyhow::Result;
use lab::{
    eval::{
        OFFLINE_JUDGE, Remains,
        agreement::{Confusion, Estimate},
    },
    judge_check::{self, CheckRequest},
    judge_correct::{self, CorrectRequest},
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
        input: args.input.as_deref().and_then(file),
        output: file(&args.output),
        max_cost: args.how.cost.max_cost,
        stop: interrupt::stop(&app.reporter, remains)?,
    };
    let mut print = |line: &str| app.printer.raw(&(clean_json(line) + "\n"));
    let done = judge_run::run(&app.settings, &request, &app.reporter, &mut print).await?;
    let (rows, faithful, errors) = (count(done.rows, "row"), done.faithful, done.errors);
    let (not, judge) = (done.rows - faithful - errors, &done.judge);
    app.reporter.remark(&format!(
        "{rows}: {faithful} faithful, {not} not, {errors} without a verdict; judge {judge}"
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
    let request = CheckRequest {
        labelled: args.labelled.clone(),
        max_cost: args.how.cost.max_cost,
        stop: interrupt::stop(&app.reporter, remains)?,
    };
    let done = judge_check::run(&app.settings, &request, &app.reporter).await?;
    app.printer.page(&done, || checked(&done))?;
    Ok(outcome(app, done.errors, done.first_error.as_deref(), remains))
}

fn checked(done: &judge_check::JudgeCheck) -> Page {
    let mut page = Page::new();
    let (rows, judge, counts) = (count(done.rows, "labelled row"), &done.judge, &done.confusion);
    page.line(format!("{rows}, judged by {judge}"));
    page.fact("balanced accuracy", estimated(done.balanced_accuracy));
    page.fact("Cohen's kappa", estimated(done.kappa));
    page.gap();
    page.line(against(counts));
    page.tally(done.unlabelled, "row", "without a label, left out");
    page
}

/// Labels against verdicts.
fn against(counts: &Confusion) -> String {
    format!(
        "labels against verdicts: {} supported and {} unsupported judged right, {} supported and {} unsupported judged wrong",
        counts.true_supported, counts.true_unsupported, counts.false_unsupported, counts.false_supported
    )
}

/// `0.640 [0.602, 0.681]`.
fn estimated(of: Estimate) -> String {
    format!("{} {}", value(of.value, 3), interval(of.low, of.high)).trim_end().to_owned()
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
    let (labels, log, run) = (args.labels.clone(), args.log.clone(), args.run.clone());
    let request = CorrectRequest { labels, log, run };
    let done = judge_correct::run(&app.settings, &request, &app.reporter).await?;
    app.printer.listing(&done, || corrected(&done))
}

fn corrected(done: &judge_correct::JudgeCorrected) -> Page {
    let mut page = Page::new();
    let (run, mode, rows, labels) = (&done.run_id, &done.mode, done.rows, done.labels);
    page.line(format!("{run} ({mode}): {rows} judged answers, {labels} labels"));
    page.heading("share of faithful answers");
    page.fact("  judge, uncorrected", format!("{:.3}", done.uncorrected));
    page.fact("  labels alone", estimated(done.labels_alone));
    page.fact("  judge and labels", estimated(done.corrected));
    page.gap();
    page.line(format!("{}; kappa {}", against(&done.confusion), value(done.kappa, 3)));
    page.line(format!("weight of the judge's scores: {:.2} (0: ignored)", done.lambda));
    page
}
