//! `pipeline bench`.

mod answers;
mod beir;

use super::{App, gates, interrupt};
use crate::{
    args::{Answers, Beir, Bench, Modes},
    printer::Outcome,
};
use anyhow::Result;
use lab::{
    benchmark::{
        GateResult,
        answers::{self as bench_answers, AnswersRequest},
        beir::{self as bench_beir, BeirRequest},
    },
    eval::Remains,
};
use types::Mode;

/// Runs a benchmark.
pub(super) async fn run(app: &App, args: &Bench) -> Result<Outcome> {
    match args {
        Bench::Beir(args) => beir(app, args).await,
        Bench::Answers(args) => answers(app, args).await,
    }
}

/// Measures and prints the results; negative when a gate failed.
async fn beir(app: &App, args: &Beir) -> Result<Outcome> {
    let request = BeirRequest {
        folder: args.folder.clone(),
        split: args.split.clone(),
        modes: modes(app, args.mode.as_ref()),
        rerank: args.rerank,
        limit: args.limit,
        gates: args.results.gates.clone(),
        index: app.index.clone(),
        run_out: args.output.clone(),
        per_query: args.results.per_query.clone(),
        against: args.results.against.clone(),
        stop: interrupt::stop(&app.reporter, Remains::Work)?,
    };
    let done = bench_beir::run(&app.settings, &request, &app.reporter).await?;
    app.printer.listing(&done.document(), || beir::page(&done))?;
    Ok(outcome(app, &done.gates))
}

/// The same for answers.
async fn answers(app: &App, args: &Answers) -> Result<Outcome> {
    let request = AnswersRequest {
        folder: args.folder.clone(),
        queries: args.queries.clone(),
        mode: args.mode.unwrap_or(app.settings.retrieve.mode),
        own_paper: args.own_paper,
        baselines: args.baselines,
        limit: args.limit,
        gates: args.results.gates.clone(),
        index: app.index.clone(),
        per_query: args.results.per_query.clone(),
        against: args.results.against.clone(),
        features: args.features.clone(),
        stop: interrupt::stop(&app.reporter, Remains::Work)?,
    };
    let (done, gates) = bench_answers::run(&app.settings, &request, &app.reporter).await?;
    app.printer.listing(&done, || answers::page(&done))?;
    Ok(outcome(app, &gates))
}

fn modes(app: &App, asked: Option<&Modes>) -> Vec<Mode> {
    asked.map_or_else(|| vec![app.settings.retrieve.mode], |asked| asked.0.clone())
}

fn outcome(app: &App, gates: &[GateResult]) -> Outcome {
    gates::outcome(app, gates.iter().map(|gate| (gate, gate.passed)))
}
