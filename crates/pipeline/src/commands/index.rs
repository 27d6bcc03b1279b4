//! `pipeline index`.

use super::App;
use crate::{args::IndexCommand, printer::Outcome};
use anyhow::Result;

/// Runs one of the commands; `verify` ends negative when something is wrong.
pub(super) fn run(app: &App, args: &IndexCommand) -> Result<Outcome> {
    let (indexer, print) = (app.indexer(), app.printer);
    match args {
        IndexCommand::Stats { sources } => print.document(&indexer.stats(*sources)?, &[]),
        IndexCommand::Compact { all } => print.document(&indexer.compact(*all)?, &[]),
        IndexCommand::Verify { no_sources } => {
            let report = indexer.verify(!no_sources, &app.reporter)?;
            print.document(&report, &[])?;
            Ok(Outcome::of(report.ok))
        }
    }
}
