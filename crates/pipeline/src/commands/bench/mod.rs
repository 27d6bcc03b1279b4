//! `pipeline bench`.

mod text;

use super::{App, block_on, interrupt};
use crate::{
    args::{Beir, BeirModeArg, Bench, Switch},
    printer::Outcome,
};
use anyhow::Result;
use engine::bench_beir::{self, BeirRequest};
use types::Reporter;

/// Runs a benchmark.
pub(super) fn run(app: &App, args: &Bench) -> Result<Outcome> {
    let Bench::Beir(args) = args;
    beir(app, args)
}

/// Measures and prints the results; negative when a gate failed.
fn beir(app: &App, args: &Beir) -> Result<Outcome> {
    let modes = args
        .mode
        .map_or_else(|| vec![app.settings.retrieve.mode], BeirModeArg::modes);
    let request = BeirRequest {
        folder: args.folder.clone(),
        split: args.split.clone(),
        modes,
        rerank: args.rerank == Switch::On,
        skip_same_id: args.skip_same_id,
        limit: args.limit,
        gates: args.gates.clone(),
        index: app.index.clone(),
        run_out: args.run_out.clone(),
        per_query: args.per_query.clone(),
        stop: interrupt::stop_flag(&app.reporter)?,
    };
    let done = block_on(bench_beir::run(&app.settings, &request, &app.reporter))??;
    app.printer.result(&done.document()?, || text::text(&done))?;
    let failed: Vec<_> = done.gates.iter().filter(|gate| !gate.passed).collect();
    for gate in &failed {
        app.reporter.warn(&format!("gate failed: {gate}"));
    }
    Ok(if failed.is_empty() {
        Outcome::Done
    } else {
        Outcome::Negative
    })
}
