//! `pipeline bench`.

mod answers_text;
mod beir_text;
mod guardrails_text;
mod passages_text;

use super::{App, interrupt};
use crate::{
    args::{Answers, Beir, Bench, Guardrails, ModesArg, Passages, RerankArg, Switch},
    printer::Outcome,
};
use anyhow::Result;
use lab::{
    bench_answers::{self, AnswersRequest},
    bench_beir::{self, BeirRequest, GateResult},
    bench_guardrails::{self, GuardrailsRequest},
    bench_passages::{self, PassagesRequest, Reranking},
};
use types::{Mode, Reporter};

/// Runs a benchmark.
pub(super) async fn run(app: &App, args: &Bench) -> Result<Outcome> {
    match args {
        Bench::Beir(args) => beir(app, args).await,
        Bench::Passages(args) => passages(app, args).await,
        Bench::Answers(args) => answers(app, args).await,
        Bench::Guardrails(args) => guardrails(app, args).await,
    }
}

/// Measures the guardrails on planted errors and prints the results.
async fn guardrails(app: &App, args: &Guardrails) -> Result<Outcome> {
    let request = GuardrailsRequest {
        answers: args.answers,
        seed: args.seed.unwrap_or(app.settings.eval.seed),
        stop: interrupt::discarding_stop(&app.reporter)?,
    };
    let done = bench_guardrails::run(&app.settings, &request, &app.reporter).await?;
    app.printer
        .result(&done.document(), || guardrails_text::text(&done))?;
    Ok(Outcome::Done)
}

/// Measures and prints the results; negative when a gate failed.
async fn beir(app: &App, args: &Beir) -> Result<Outcome> {
    let request = BeirRequest {
        folder: args.folder.clone(),
        split: args.split.clone(),
        modes: modes(app, args.mode),
        rerank: args.rerank == Switch::On,
        skip_same_id: args.skip_same_id,
        limit: args.limit,
        gates: args.results.gates.clone(),
        index: app.index.clone(),
        run_out: args.run_out.clone(),
        per_query: args.results.per_query.clone(),
        against: args.results.against.clone(),
        stop: interrupt::stop(&app.reporter)?,
    };
    let done = bench_beir::run(&app.settings, &request, &app.reporter).await?;
    app.printer.result(&done.document()?, || beir_text::text(&done))?;
    Ok(outcome(app, &done.gates))
}

/// The same for passages.
async fn passages(app: &App, args: &Passages) -> Result<Outcome> {
    let request = PassagesRequest {
        folder: args.folder.clone(),
        modes: modes(app, args.mode),
        reranking: match args.rerank {
            RerankArg::On => Reranking::On,
            RerankArg::Off => Reranking::Off,
            RerankArg::Both => Reranking::Both,
        },
        split_half: args.split_half,
        limit: args.limit,
        gates: args.results.gates.clone(),
        index: app.index.clone(),
        per_query: args.results.per_query.clone(),
        against: args.results.against.clone(),
        stop: interrupt::stop(&app.reporter)?,
    };
    let done = bench_passages::run(&app.settings, &request, &app.reporter).await?;
    app.printer
        .result(&done.document()?, || passages_text::text(&done))?;
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
        stop: interrupt::stop(&app.reporter)?,
    };
    let done = bench_answers::run(&app.settings, &request, &app.reporter).await?;
    app.printer
        .result(&done.document()?, || answers_text::text(&done))?;
    Ok(outcome(app, &done.gates))
}

fn modes(app: &App, asked: Option<ModesArg>) -> Vec<Mode> {
    asked.map_or_else(|| vec![app.settings.retrieve.mode], ModesArg::modes)
}

/// Warns of the gates that failed.
fn outcome(app: &App, gates: &[GateResult]) -> Outcome {
    let mut outcome = Outcome::Done;
    for gate in gates.iter().filter(|gate| !gate.passed) {
        app.reporter.warn(&format!("gate failed: {gate}"));
        outcome = Outcome::Negative;
    }
    outcome
}
