//! `pipeline ingest`, and what it would do.

mod grouped;
mod plan;
mod summary;

use super::{App, interrupt};
use crate::{args::Ingest, printer::Outcome};
use anyhow::Result;
use engine::indexer::{IngestRequest, can_write_manifest};

/// Ingests and prints what was done; a file that fails makes the result negative.
pub(super) fn run(app: &App, args: &Ingest) -> Result<Outcome> {
    let request = IngestRequest {
        paths: args.paths.clone(),
        passwords: args.passwords.read()?,
        follow_links: args.follow_links,
        retry_failed: args.retry_failed,
        prune_all: args.prune_all,
        stop: interrupt::stop(&app.reporter)?,
    };
    let indexer = app.indexer();
    if args.dry_run {
        let plan = indexer.dry_run(&request, &app.reporter)?;
        app.printer
            .result(&serde_json::to_value(&plan)?, || plan::text(&plan, app.verbose))?;
        return Ok(if plan.has_failures() {
            Outcome::Negative
        } else {
            Outcome::Done
        });
    }
    if let Some(file) = &args.write_manifest {
        can_write_manifest(file, args.force)?;
    }
    let mut summary = indexer.ingest(&request, &app.reporter)?;
    if let Some(file) = &args.write_manifest {
        summary.manifest = Some(indexer.write_manifest(&args.paths, file, args.force)?);
    }
    app.printer.result(&serde_json::to_value(&summary)?, || {
        summary::text(&summary, app.verbose)
    })?;
    Ok(if summary.has_failures() {
        Outcome::Negative
    } else {
        Outcome::Done
    })
}
