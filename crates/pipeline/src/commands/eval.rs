//! `pipeline eval`.

mod against;
mod dry_run_text;
mod repeats;
mod retrieval;

use super::{App, baseline, interrupt};
use crate::{
    args::{Eval, EvalMode},
    printer::Outcome,
    words::count,
};
use anyhow::{Context, Result};
pub(super) use dry_run_text::calls_text;
use dry_run_text::dry_run_text;
use lab::{
    dry_run::dry_run,
    eval_run::{EvalRequest, Evaluated, evaluate},
};
use std::{fmt::Write, path::Path};
use types::{
    Mode, Reporter,
    path_text::shown,
    written::{refuse_foreign, write_output},
};

/// Runs, prints the results and where the report is; negative when a gate or the baseline failed, or a question got
/// no answer.
pub(super) async fn run(app: &App, args: &Eval) -> Result<Outcome> {
    let modes = match args.mode {
        EvalMode::Hybrid => vec![Mode::Hybrid],
        EvalMode::Vector => vec![Mode::Vector],
        EvalMode::Bm25 => vec![Mode::Bm25],
        EvalMode::Both => vec![Mode::Hybrid, Mode::Vector],
    };
    if args.retrieval.on {
        return retrieval::run(app, args, modes).await;
    }
    let request = EvalRequest {
        queries: args.queries.clone(),
        modes,
        limit: args.limit,
        fresh: args.fresh,
        min: args.gates.min.clone(),
        max: args.gates.max.clone(),
        controls: args.controls,
        baseline: args.baseline.clone(),
        write_baseline: args.write_baseline,
        max_cost: args.cost.max_cost,
        name: args.name.clone(),
        repeat: None,
    };
    check_junit(args.gates.junit.as_deref())?;
    let stop = interrupt::stop(&app.reporter)?;
    if args.dry_run {
        let planned = dry_run(&app.loaded, &request, &app.reporter, &stop).await?;
        app.printer.result(&planned, || dry_run_text(&planned))?;
        return Ok(Outcome::Done);
    }
    if let Some(times) = args.repeat {
        return repeats::run(app, &request, usize::from(times), &stop).await;
    }
    let against = args
        .against
        .as_deref()
        .map(|wanted| against::target(app, wanted))
        .transpose()?;
    let done = evaluate(&app.loaded, &request, &app.reporter, &stop).await?;
    let against = match against {
        Some(target) => Some(against::compare(app, &request, &done, target, &stop).await?),
        None => None,
    };
    let gates = done.gates.iter().map(|gate| contract::Gate {
        gate: gate.to_string(),
        passed: gate.passed,
    });
    let json = contract::Eval {
        evaluation: done.evaluation.json()?,
        gates: gates.collect(),
        baseline: done.baseline.as_ref().map(baseline::document).transpose()?,
        against,
    };
    app.printer.text_or_markdown(
        &json,
        || text(&done) + &json.against.as_ref().map_or_else(String::new, against::text),
        || done.markdown() + &json.against.as_ref().map_or_else(String::new, against::markdown),
    )?;
    write_junit(args.gates.junit.as_deref(), || done.junit())?;
    let failed: Vec<_> = done.gates.iter().filter(|gate| !gate.passed).collect();
    for gate in &failed {
        app.reporter.warn(&format!("gate failed: {gate}"));
    }
    let passed = done.baseline.as_ref().is_none_or(baseline::passes);
    if let (false, Some(result)) = (passed, &done.baseline) {
        app.reporter.warn(&baseline::failure(result));
    }
    Ok(if failed.is_empty() && passed && done.failed == 0 {
        Outcome::Done
    } else {
        Outcome::Negative
    })
}

/// Refuses a file of `--junit` that may not be replaced, before anything is asked.
pub(super) fn check_junit(path: Option<&Path>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    refuse_foreign(path).with_context(|| format!("cannot write {}", shown(path)))
}

/// Writes the file of `--junit`, if there is one.
pub(super) fn write_junit(path: Option<&Path>, xml: impl FnOnce() -> String) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    write_output(path, &[xml().as_bytes()]).with_context(|| format!("cannot write {}", shown(path)))
}

fn text(done: &Evaluated) -> String {
    let mut out = done.summary();
    if let Some(controls) = done.controls() {
        let _ = write!(out, "\n{controls}");
    }
    if let Some(result) = &done.baseline {
        let _ = write!(out, "\n{}", baseline::text(result));
    }
    let rows = count(done.evaluation.rows.len() as u64, "row");
    let _ = writeln!(out, "\n{rows}, {} resumed, {} failed", done.resumed, done.failed);
    let (cached, asked) = done.cached_calls;
    if cached + asked > 0 {
        let calls = count(cached + asked, "call");
        let _ = writeln!(
            out,
            "{calls} to language models, {cached} answered from the cache"
        );
    }
    if let Some(written) = &done.written {
        let _ = writeln!(out, "report: {}", written.markdown.display());
        let _ = writeln!(out, "page: {}", written.page.display());
    }
    out
}
