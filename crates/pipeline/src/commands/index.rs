//! `pipeline index`.

use super::App;
use crate::words::{LINES, rest, thousands};
use crate::{args::IndexCommand, printer::Outcome};
use anyhow::Result;
use engine::indexer::{CompactReport, Finding, IndexStats, VerifyReport};
use std::fmt::Write;

/// Runs one of the commands; `verify` ends negative when something is wrong.
pub(super) fn run(app: &App, args: &IndexCommand) -> Result<Outcome> {
    let mut outcome = Outcome::Done;
    match args {
        IndexCommand::Stats { sources } => {
            let stats = app.indexer().stats(*sources)?;
            app.printer
                .result(&serde_json::to_value(&stats)?, || stats_text(&stats))?;
        }
        IndexCommand::Verify { no_sources } => {
            let report = app.indexer().verify(!no_sources, &app.reporter)?;
            app.printer
                .result(&serde_json::to_value(&report)?, || verify_text(&report))?;
            if !report.ok {
                outcome = Outcome::Negative;
            }
        }
        IndexCommand::Compact { all } => {
            let report = app.indexer().compact(*all)?;
            app.printer
                .result(&serde_json::to_value(&report)?, || compact_text(&report))?;
        }
    }
    Ok(outcome)
}

fn stats_text(s: &IndexStats) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "generation {}: {} papers, {} chunks, {} windows, {} sentences, {} tokens",
        s.generation,
        s.sources,
        thousands(s.chunks as u64),
        thousands(s.windows as u64),
        thousands(s.sentences as u64),
        thousands(s.tokens)
    );
    let config: Vec<String> = s
        .config
        .iter()
        .map(|(key, value)| format!("{key} {value}"))
        .collect();
    let _ = writeln!(
        out,
        "made with  {} ({} dimensions), reader {}, chunker {}, {}",
        s.embedder_id,
        s.dimension,
        s.parser,
        s.chunker,
        config.join(", ")
    );
    if s.text_segments > 1 || s.dead_chunks > 0 {
        let _ = writeln!(
            out,
            "segments   {}, with {} chunks of removed papers; `pipeline index compact` merges them",
            s.text_segments,
            thousands(s.dead_chunks as u64)
        );
    }
    if let (Some(oldest), Some(newest)) = (&s.oldest_ingest, &s.newest_ingest) {
        let _ = writeln!(out, "ingested   {oldest} to {newest}");
    }
    let languages: Vec<String> = s
        .languages
        .iter()
        .map(|(name, n)| format!("{name} {n}"))
        .collect();
    let _ = writeln!(out, "languages  {}", languages.join(", "));
    let _ = writeln!(
        out,
        "\n{:<14} {:>7} {:>8} {:>12}",
        "section", "papers", "chunks", "tokens"
    );
    for section in &s.sections {
        let _ = writeln!(
            out,
            "{:<14} {:>7} {:>8} {:>12}",
            section.section.as_str(),
            section.sources,
            thousands(section.chunks as u64),
            thousands(section.tokens)
        );
    }
    let _ = writeln!(out, "\non disk    {}", bytes(s.total_bytes));
    for (name, size) in [
        ("text", s.bytes.text),
        ("window vectors", s.bytes.windows),
        ("sentence vectors", s.bytes.sentences),
        ("text index", s.bytes.lexical),
        ("graph", s.bytes.graph),
        ("manifest", s.bytes.manifest),
        ("other generations", s.bytes.other_generations),
        ("parsed documents", s.cache.document_bytes),
        ("cached vectors", s.cache.vector_bytes),
    ] {
        if size > 0 {
            let _ = writeln!(out, "  {name:<19} {:>12}", bytes(size));
        }
    }
    for file in s.failed.iter().take(LINES) {
        let _ = writeln!(
            out,
            "failed     {}: {} ({})",
            types::path_text::shown(&file.path),
            file.reason,
            file.at
        );
    }
    out.push_str(&rest("failed     ", s.failed.len()));
    for source in s.by_source.iter().flatten() {
        let _ = writeln!(
            out,
            "{:<40} {:>4} chunks {:>6} sentences {:>8} tokens  {}  {}",
            source.source_id,
            source.chunks,
            thousands(source.sentences as u64),
            thousands(source.tokens),
            source.ingested,
            source.path
        );
    }
    out
}

fn verify_text(r: &VerifyReport) -> String {
    let mut out = String::new();
    let mut list = |kind: &str, findings: &[Finding]| {
        for (i, finding) in findings.iter().take(LINES).enumerate() {
            let _ = writeln!(out, "{kind:<8} {}: {}", finding.item, finding.reason);
            // Once for findings with the same fix.
            if findings.get(i + 1).is_none_or(|next| next.hint != finding.hint) {
                let _ = writeln!(out, "         hint: {}", finding.hint);
            }
        }
        out.push_str(&rest(&format!("{kind:<9}"), findings.len()));
    };
    list("damaged", &r.damaged);
    list("stale", &r.stale);
    for note in &r.notes {
        let _ = writeln!(out, "note     {note}");
    }
    if let Some(recall) = r.graph_recall {
        let _ = writeln!(
            out,
            "the approximate vector index finds {recall:.3} of the ten nearest passages"
        );
    }
    let generation = r
        .generation
        .map_or_else(|| "no generation".to_owned(), |n| format!("generation {n}"));
    let _ = writeln!(
        out,
        "{generation}: {} files, {}, {} papers, {} chunks: {}",
        r.files,
        bytes(r.bytes),
        r.sources,
        thousands(r.chunks as u64),
        if r.ok {
            "intact and up to date".to_owned()
        } else {
            format!("{} damaged, {} stale", r.damaged.len(), r.stale.len())
        }
    );
    out
}

fn compact_text(r: &CompactReport) -> String {
    let mut out = String::new();
    for removed in &r.removed {
        let _ = writeln!(out, "removed  {} ({})", removed.name, bytes(removed.bytes));
    }
    if r.cache_bytes > 0 {
        let _ = writeln!(out, "removed  unneeded cache entries ({})", bytes(r.cache_bytes));
    }
    for generation in &r.in_use {
        let _ = writeln!(
            out,
            "kept     generation {generation}: another process has it open"
        );
    }
    if r.unfinished_bytes > 0 {
        let _ = writeln!(
            out,
            "kept     {} from an unfinished run; ingest again to finish it, or remove it with --all",
            bytes(r.unfinished_bytes)
        );
    }
    let _ = writeln!(
        out,
        "freed {}; the index now takes {}",
        bytes(r.freed_bytes),
        bytes(r.total_bytes)
    );
    out
}

/// `1.5 MiB`.
fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{count} B")
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}
