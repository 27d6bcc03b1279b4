//! `pipeline index`.

use super::App;
use crate::{args::IndexCommand, printer::Outcome};
use anyhow::Result;

/// Runs one of the commands; `verify` ends negative when something is wrong.
pub(super) fn run(app: &App, args: &IndexCommand) -> Result<Outcome> {
    match args {
        IndexCommand::Stats { sources } => {
            let stats = app.indexer().stats(*sources)?;
            app.printer.document(&stats, &[])?;
        }
        IndexCommand::Verify { no_sources } => {
            let report = app.indexer().verify(!no_sources, &app.reporter)?;
            app.printer.document(&report, &[])?;
            return Ok(Outcome::of(report.ok));
        }
        IndexCommand::Compact { all } => {
            let report = app.indexer().compact(*all)?;
            app.printer.document(&report, &[])?;
        }
    }
    Ok(Outcome::Done)
}
