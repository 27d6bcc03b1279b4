//! `pipeline ingest`, and what it would do.

use super::{App, stop_on_ctrl_c, thousands};
use crate::{args::Ingest, printer::Outcome};
use anyhow::Result;
use engine::ingest_run::{Action, Change, DryRun, Entry, IngestRequest, IngestSummary, dry_run, ingest};
use std::fmt::{Display, Write};

/// Lines of one kind that people are shown; scripts get all.
const SHOWN: usize = 40;

/// Ingests and prints what was done; says no when a file failed.
pub(super) fn run(app: &App, args: &Ingest) -> Result<Outcome> {
    let request = IngestRequest {
        paths: args.paths.clone(),
        passwords: args.passwords.clone(),
        retry_failed: args.retry_failed,
        prune_all: args.prune_all,
        stop: stop_on_ctrl_c()?,
    };
    if args.dry_run {
        let plan = dry_run(&app.settings, &request, &app.reporter)?;
        app.printer
            .result(&serde_json::to_value(&plan)?, || plan_text(&plan))?;
        return Ok(if plan.has_failures() {
            Outcome::Negative
        } else {
            Outcome::Done
        });
    }
    let summary = ingest(&app.settings, &request, &app.reporter)?;
    app.printer
        .result(&serde_json::to_value(&summary)?, || text(&summary))?;
    Ok(if summary.has_failures() {
        Outcome::Negative
    } else {
        Outcome::Done
    })
}

fn text(s: &IngestSummary) -> String {
    let mut out = String::new();
    list(&mut out, "failed", &s.failed, |f| {
        format!("{}: {}", f.path, f.reason)
    });
    list(&mut out, "failed", &s.failed_before, |f| {
        format!(
            "{}: {} (in an earlier run; --retry-failed tries again)",
            f.path, f.reason
        )
    });
    list(&mut out, "skipped", &s.skipped, |f| {
        format!("{}: {}", f.path, f.reason)
    });
    list(&mut out, "empty", &s.empty, |path| {
        format!("{path}: no text to index")
    });
    list(&mut out, "same", &s.duplicates, |d| {
        format!("{}: the bytes of {}", d.path, d.same_as)
    });
    list(&mut out, "same", &s.same_paper, |d| {
        format!("{}: same paper as {}", d.path, d.same_as)
    });
    list(&mut out, "removed", &s.removed, |id| {
        format!("{id}: its file or record is gone")
    });
    list(&mut out, "note", &s.warnings, Clone::clone);
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
    let stages = &s.stages;
    let _ = writeln!(
        out,
        "parsed {} ({} reused), cut {} ({} reused), embedded {} of {} texts",
        stages.parse.done,
        stages.parse.reused,
        stages.chunk.done,
        stages.chunk.reused,
        thousands(stages.embed.done),
        thousands(stages.embed.total())
    );
    if s.texts_read > 0 {
        let _ = writeln!(out, "read {} texts that are no PDFs", s.texts_read);
    }
    if s.embedded_texts > 0 {
        let rate = s.embedded_texts as f64 / s.embed_seconds.max(1e-3);
        let _ = writeln!(
            out,
            "embedding and writing took {:.1} s ({rate:.0} texts/s)",
            s.embed_seconds
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

/// Writes one line for each item, as far as people read; the rest is counted.
fn list<T, D: Display>(out: &mut String, label: &str, items: &[T], line: impl Fn(&T) -> D) {
    for item in items.iter().take(SHOWN) {
        let _ = writeln!(out, "{label:<9}{}", line(item));
    }
    if items.len() > SHOWN {
        let more = items.len() - SHOWN;
        let _ = writeln!(out, "{label:<9}… and {more} more (--format json lists all)");
    }
}

fn plan_text(plan: &DryRun) -> String {
    let mut out = String::new();
    let mut counts = Vec::new();
    for (action, count) in &plan.counts {
        let word = word(*action);
        counts.push(format!("{count} {word}"));
        // What costs nothing is counted, not listed.
        if *action != Action::Keep {
            let entries: Vec<&Entry> = plan.entries.iter().filter(|e| e.action == *action).collect();
            list(&mut out, word, &entries, |entry| entry_text(entry));
        }
    }
    list(&mut out, "note", &plan.warnings, Clone::clone);
    let _ = writeln!(out, "would do: {} (nothing was written)", counts.join(", "));
    out
}

fn entry_text(entry: &Entry) -> String {
    let mut text = entry.path.clone();
    if let Some(id) = &entry.source_id {
        let _ = write!(text, " as {id}");
    }
    if !entry.why.is_empty() {
        let why: Vec<&str> = entry.why.iter().map(|w| reason(*w)).collect();
        let _ = write!(text, ": other {}", why.join(", "));
    }
    if let Some(detail) = &entry.detail {
        let _ = write!(text, ": {detail}");
    }
    text
}

fn word(action: Action) -> &'static str {
    match action {
        Action::Add => "add",
        Action::Change => "change",
        Action::Move => "move",
        Action::Keep => "keep",
        Action::Remove => "remove",
        Action::Duplicate | Action::SamePaper => "same",
        Action::FailedBefore | Action::Unreadable => "failed",
        Action::Skipped => "skip",
    }
}

fn reason(change: Change) -> &'static str {
    match change {
        Change::Content => "content",
        Change::Settings => "settings",
        Change::Metadata => "metadata",
    }
}
