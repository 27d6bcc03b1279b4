//! `pipeline index`.

use super::App;
use crate::{
    args::IndexCommand,
    page::Page,
    printer::Outcome,
    words::{LINES, count, number},
};
use anyhow::Result;
use engine::indexer::{CompactReport, Finding, IndexStats, VerifyReport};
use types::path_text::shown;

/// Runs one of the commands; `verify` ends negative when something is wrong.
pub(super) fn run(app: &App, args: &IndexCommand) -> Result<Outcome> {
    match args {
        IndexCommand::Stats { sources } => {
            let stats = app.indexer().stats(*sources)?;
            app.printer.listing(&stats, || stats_page(&stats))?;
        }
        IndexCommand::Verify { no_sources } => {
            let report = app.indexer().verify(!no_sources, &app.reporter)?;
            app.printer.listing(&report, || verify_page(&report))?;
            return Ok(Outcome::of(report.ok));
        }
        IndexCommand::Compact { all } => {
            let report = app.indexer().compact(*all)?;
            app.printer.listing(&report, || compact_page(&report))?;
        }
    }
    Ok(Outcome::Done)
}

fn stats_page(s: &IndexStats) -> Page {
    let mut page = Page::new();
    let (chunks, windows, sentences) = (number(s.chunks), number(s.windows), number(s.sentences));
    let (sources, tokens) = (count(s.sources, "paper"), number(s.tokens));
    page.line(format!(
        "generation {}: {sources}, {chunks} chunks, {windows} windows, {sentences} sentences, {tokens} tokens",
        s.generation
    ));
    let config = s.config.iter().map(|(key, value)| format!("{key} {value}"));
    let (embedder, dimension, config) = (&s.embedder_id, s.dimension, config.collect::<Vec<_>>().join(", "));
    page.fact(
        "made with",
        format!("{embedder} ({dimension} dimensions), parser {}, chunker {}, {config}", s.parser, s.chunker),
    );
    if s.text_segments > 1 || s.dead_chunks > 0 {
        let (segments, dead) = (s.text_segments, number(s.dead_chunks));
        let merge = "`pipeline index compact` merges them";
        page.fact("segments", format!("{segments}, with {dead} chunks of removed papers; {merge}"));
    }
    if let (Some(oldest), Some(newest)) = (&s.oldest_ingest, &s.newest_ingest) {
        page.fact("ingested", format!("{oldest} to {newest}"));
    }
    let languages = s.languages.iter().map(|(name, n)| format!("{name} {n}"));
    page.fact("languages", languages.collect::<Vec<_>>().join(", "));
    page.gap();
    page.rows(&s.sections)
        .column("section", |of| of.section.to_string())
        .column("papers", |of| of.sources.to_string())
        .column("chunks", |of| number(of.chunks))
        .column("tokens", |of| number(of.tokens));
    page.gap();
    page.fact("on disk", bytes(s.total_bytes));
    let stored = |part: &str| s.bytes.get(part).copied().unwrap_or_default();
    for (name, size) in [
        ("text", stored("text")),
        ("window vectors", stored("windows")),
        ("sentence vectors", stored("sentences")),
        ("text index", stored("lexical")),
        ("graph", stored("graph")),
        ("manifest", stored("manifest")),
        ("other generations", stored("other_generations")),
        ("parsed documents", s.cache.document_bytes),
        ("cached vectors", s.cache.vector_bytes),
    ] {
        if size > 0 {
            page.fact(format!("  {name}"), bytes(size));
        }
    }
    page.list("failed", &s.failed, |file| format!("{}: {} ({})", shown(&file.path), file.reason, file.at));
    if let Some(sources) = &s.by_source {
        page.gap();
        page.rows(sources)
            .column("paper", |of| of.source_id.clone())
            .column("chunks", |of| of.chunks.to_string())
            .column("sentences", |of| number(of.sentences))
            .column("tokens", |of| number(of.tokens))
            .column("ingested", |of| of.ingested.clone())
            .column("file", |of| of.path.clone());
    }
    page
}

fn verify_page(r: &VerifyReport) -> Page {
    let mut page = Page::new();
    for (kind, findings) in [("damaged", &r.damaged), ("stale", &r.stale)] {
        let all: &[Finding] = findings;
        for (at, finding) in all.iter().take(LINES).enumerate() {
            page.fact(kind, format!("{}: {}", finding.item, finding.reason));
            // Once for findings with the same fix.
            if all.get(at + 1).is_none_or(|next| next.hint != finding.hint) {
                page.fact("", format!("hint: {}", finding.hint));
            }
        }
        page.rest(kind, all.len());
    }
    for note in &r.notes {
        page.fact("note", note.as_str());
    }
    if let Some(recall) = r.graph_recall {
        page.line(format!("the approximate vector index finds {recall:.3} of the ten nearest passages"));
    }
    let generation = r.generation.map_or_else(|| "no generation".to_owned(), |n| format!("generation {n}"));
    let wrong = format!("{} damaged, {} stale", r.damaged.len(), r.stale.len());
    let state = if r.ok { "intact and up to date" } else { &wrong };
    let (files, size) = (count(r.files, "file"), bytes(r.bytes));
    let (sources, chunks) = (count(r.sources, "paper"), count(r.chunks, "chunk"));
    page.line(format!("{generation}: {files}, {size}, {sources}, {chunks}: {state}"));
    page
}

fn compact_page(r: &CompactReport) -> Page {
    let mut page = Page::new();
    for removed in &r.removed {
        page.fact("removed", format!("{} ({})", removed.name, bytes(removed.bytes)));
    }
    if r.cache_bytes > 0 {
        page.fact("removed", format!("unneeded cache entries ({})", bytes(r.cache_bytes)));
    }
    for generation in &r.in_use {
        page.fact("kept", format!("generation {generation}: another process has it open"));
    }
    if r.unfinished_bytes > 0 {
        let size = bytes(r.unfinished_bytes);
        let how = "ingest again to finish it, or remove it with --all";
        page.fact("kept", format!("{size} from an unfinished run; {how}"));
    }
    let (freed, total) = (bytes(r.freed_bytes), bytes(r.total_bytes));
    page.line(format!("freed {freed}; the index now takes {total}"));
    page
}

/// `1.5 MiB`.
fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut units = UNITS.into_iter();
    let (mut value, mut unit) = (count as f64, "");
    while value >= 1024.0
        && let Some(larger) = units.next()
    {
        value /= 1024.0;
        unit = larger;
    }
    if unit.is_empty() { format!("{count} B") } else { format!("{value:.1} {unit}") }
}
