//! `pipeline bench`.

mod beir;

use super::{App, gates, interrupt};
use crate::{
    args::{Beir, Bench},
    printer::Outcome,
};
use anyhow::Result;
use lab::{
    benchmark::beir::{self as bench_beir, BeirRequest},
    eval::Remains,
};
use types::path_text::shown;

/// Measures and prints the results; negative when a gate failed.
pub(super) async fn run(app: &App, Bench::Beir(args): &Bench) -> Result<Outcome> {
    let Beir { folder, mode, rerank, split, limit, output, gates } = args.clone();
    let request = BeirRequest {
        folder,
        split,
        modes: mode.map_or_else(|| vec![app.settings.retrieve.mode], |asked| asked.0),
        rerank,
        limit,
        gates,
        index: app.index.clone(),
        run_out: output,
        stop: interrupt::stop(&app.reporter, Remains::Work)?,
    };
    let done = bench_beir::run(&app.settings, &request, &app.reporter).await?;
    if done.results.modes.values().count() > 1 {
        app.printer.listing(&done.document(), || beir::page(&done.results))?;
    } else {
        app.printer.document(&done.document(), &["gates", "config_hash", "models"])?;
    }
    for file in &done.run_files {
        app.reporter.remark(&format!("written: {}", shown(file)));
    }
    let gates = done.results.modes.values().flat_map(|mode| &mode.gates);
    Ok(gates::outcome(app, gates))
}
