//! `pipeline ingest`.

use super::{App, stop_on_ctrl_c};
use crate::{args::Ingest, printer::Outcome};
use anyhow::Result;
use engine::ingest_run::{IngestRequest, IngestSummary, ingest};
use std::fmt::Write;

/// Ingests and prints what was done; says no when a file failed.
pub(super) fn run(app: &App, args: &Ingest) -> Result<Outcome> {
    let request = IngestRequest {
        paths: args.paths.clone(),
        passwords: args.passwords.clone(),
        retry_failed: args.retry_failed,
        stop: stop_on_ctrl_c()?,
    };
    let summary = ingest(&app.settings, &request, &app.reporter)?;
    app.printer
        .result(&serde_json::to_value(&summary)?, || text(&summary))?;
    Ok(if summary.has_failures() {
        Outcome::No
    } else {
        Outcome::Done
    })
}

fn text(s: &IngestSummary) -> String {
    let mut out = String::new();
    for failure in &s.failed {
        let _ = writeln!(out, "failed   {}: {}", failure.path, failure.reason);
    }
    for failure in &s.failed_before {
        let _ = writeln!(
            out,
            "failed   {}: {} (in an earlier run; --retry-failed tries again)",
            failure.path, failure.reason
        );
    }
    for path in &s.empty {
        let _ = writeln!(out, "empty    {path}: no text to index");
    }
    for duplicate in &s.duplicates {
        let _ = writeln!(
            out,
            "same     {}: the bytes of {}",
            duplicate.path, duplicate.same_as
        );
    }
    for source in &s.removed {
        let _ = writeln!(out, "removed  {source}: its file is gone");
    }
    for warning in &s.warnings {
        let _ = writeln!(out, "note     {warning}");
    }
    let failed = s.failed.len() + s.failed_before.len();
    let _ = writeln!(
        out,
        "{} files: {} added, {} changed, {} unchanged, {} removed, {failed} failed",
        s.found,
        s.added,
        s.changed,
        s.unchanged,
        s.removed.len(),
    );
    if let Some(rate) = s.pages_per_second {
        let _ = writeln!(
            out,
            "read {} pages in {:.1} s ({rate:.0} pages/s)",
            s.pages_read, s.read_seconds
        );
    }
    if s.embedded_texts > 0 {
        let rate = s.embedded_texts as f64 / s.embed_seconds.max(1e-3);
        let _ = writeln!(
            out,
            "embedded {} windows and sentences in {:.1} s ({rate:.0}/s)",
            s.embedded_texts, s.embed_seconds
        );
    }
    let mib = |bytes: Option<u64>| bytes.map_or_else(|| "?".to_owned(), |b| format!("{}", b >> 20));
    let _ = writeln!(
        out,
        "index: generation {}, {} papers, {} chunks; {:.1} s in all, peak memory {} MiB, of a worker {} MiB",
        s.generation,
        s.sources,
        s.chunks,
        s.seconds,
        mib(s.peak_bytes),
        mib(s.worker_peak_bytes)
    );
    out
}
