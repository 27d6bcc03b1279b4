//! `pipeline ask`.

use super::{App, block_on, parse::pages};
use crate::{args::Ask, printer::Outcome};
use anyhow::Result;
use engine::Pipeline;
use serde_json::json;
use std::fmt::Write;
use types::{Citation, RunRecord};

/// Answers, logs, prints; says no when the corpus does not say.
pub(super) fn run(app: &App, args: &Ask) -> Result<Outcome> {
    let mut pipeline = Pipeline::open(&app.settings)?;
    pipeline.set_filter(args.filters.to_filter())?;
    let mode = app.settings.retrieve.mode;
    let record = block_on(async {
        tokio::select! {
            // First, so that the handler is in place before anything is asked.
            biased;
            _ = tokio::signal::ctrl_c() => anyhow::bail!("stopped before there was an answer"),
            answered = pipeline.ask(&args.query, mode) => Ok(answered?),
        }
    })??;
    let response = &record.response;
    let document = json!({
        "query": record.query,
        "mode": mode,
        "answer": response.answer,
        "citations": response.citations,
        "confidence": response.confidence,
        "evidence_quality": response.evidence_quality,
        "no_evidence": response.no_evidence,
        "caveats": response.caveats,
        "filters": pipeline.filter(),
        "retrieval": record.retrieval,
        "guardrails": record.guardrails,
        "timings_ms": record.timings_ms,
        "usage": record.usage,
        "model": record.model,
        "config_hash": record.config_hash,
    });
    // Printed first: an answer must not be lost to a log that cannot be written, nor a log line to a reader
    // that went away.
    let printed = app.printer.result(&document, || text(&pipeline, &record));
    engine::log::append(&app.settings, &record)?;
    printed?;
    Ok(if response.no_evidence {
        Outcome::Negative
    } else {
        Outcome::Done
    })
}

fn text(pipeline: &Pipeline, record: &RunRecord) -> String {
    let response = &record.response;
    let mut out = String::new();
    let _ = writeln!(out, "{}\n", response.answer.trim());
    for (i, citation) in response.citations.iter().enumerate() {
        let quote = citation
            .relevant_quote
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let _ = writeln!(out, "[{}] \"{quote}\"", i + 1);
        let _ = writeln!(out, "    {}", place(pipeline, citation));
    }
    if !response.citations.is_empty() {
        let _ = writeln!(out);
    }
    let _ = writeln!(
        out,
        "confidence  {} ({})",
        response.confidence, response.evidence_quality
    );
    for caveat in &response.caveats {
        let _ = writeln!(out, "caveat      {caveat}");
    }
    let total = record.timings_ms.get("total").copied().unwrap_or_default();
    let _ = writeln!(out, "answered by {} in {total:.0} ms", record.model);
    out
}

/// Authors, year, section, pages, chunk.
fn place(pipeline: &Pipeline, citation: &Citation) -> String {
    let source = pipeline.source(&citation.source_id);
    let mut parts = Vec::new();
    if let Some(source) = source {
        let authors = match source.authors.as_slice() {
            [] => String::new(),
            [one] => one.clone(),
            [first, second] => format!("{first} and {second}"),
            [first, ..] => format!("{first} et al."),
        };
        let year = source.year.map_or_else(String::new, |y| y.to_string());
        parts.extend([
            format!("{authors} {year}").trim().to_owned(),
            source.title.clone().unwrap_or_default(),
        ]);
    }
    parts.extend(citation.section.map(|s| s.to_string()));
    if let (Some(first), Some(last)) = (citation.page_start, citation.page_end) {
        parts.push(pages(first, last));
    }
    parts.push(citation.chunk_id.to_string());
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}
