//! `pipeline search`.

use super::{App, parse::pages};
use crate::{args::Search, printer::Outcome};
use anyhow::Result;
use engine::Pipeline;
use serde_json::{Value, json};
use std::fmt::Write;
use types::Hit;

/// Characters of a hit's text shown to people.
const PREVIEW: usize = 240;

/// Retrieves and prints the hits.
pub(super) fn run(app: &App, args: &Search) -> Result<Outcome> {
    let mut pipeline = Pipeline::open(&app.settings)?;
    pipeline.set_filter(args.filters.to_filter())?;
    let mode = app.settings.retrieve.mode;
    let (found, explained) = if args.explain {
        let (found, explanations) = pipeline.explain(&args.query, mode, args.count)?;
        let explained: Vec<Value> = explanations
            .iter()
            .map(serde_json::to_value)
            .collect::<Result<_, _>>()?;
        (found, Some(explained))
    } else {
        (pipeline.search(&args.query, mode, args.count)?, None)
    };
    let hits: Vec<Value> = found
        .retrieval
        .hits
        .iter()
        .enumerate()
        .map(|(i, hit)| {
            let mut value = contract(hit);
            if let (Some(all), Some(object)) = (&explained, value.as_object_mut()) {
                object.insert("explanation".to_owned(), all.get(i).cloned().unwrap_or_default());
            }
            value
        })
        .collect();
    let document = json!({
        "query": args.query,
        "mode": app.settings.retrieve.mode,
        "filters": pipeline.filter(),
        "total_candidates": found.retrieval.total_candidates,
        "above_threshold": found.retrieval.above_threshold,
        "hits": hits,
        "timings_ms": found.timings_ms,
    });
    app.printer.result(&document, || {
        let mut out = String::new();
        for (i, hit) in found.retrieval.hits.iter().enumerate() {
            let chunk = &hit.chunk;
            let place = pages(chunk.page_start, chunk.page_end);
            let _ = writeln!(
                out,
                "{:>2}. {}  {} {place}  combined {:.3}  vector {:.3}  bm25 {:.2}",
                i + 1,
                chunk.chunk_id,
                chunk.section,
                hit.combined_score,
                hit.vector_score,
                hit.bm25_score
            );
            let flat = chunk.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let preview: String = flat.chars().take(PREVIEW).collect();
            let _ = writeln!(
                out,
                "    {preview}{}",
                if flat.chars().count() > PREVIEW { "…" } else { "" }
            );
            if let Some(explanation) = explained.as_ref().and_then(|all| all.get(i)) {
                let _ = writeln!(out, "    {explanation}");
            }
        }
        if found.retrieval.hits.is_empty() {
            let _ = match mode {
                types::Mode::Bm25 => writeln!(out, "Nothing found: no chunk holds a term of the question."),
                _ => writeln!(
                    out,
                    "Nothing found: {} candidates, none above the threshold {}.",
                    found.retrieval.total_candidates, app.settings.retrieve.threshold
                ),
            };
        }
        out
    })?;
    Ok(if found.retrieval.hits.is_empty() {
        Outcome::Negative
    } else {
        Outcome::Done
    })
}

fn contract(hit: &Hit) -> Value {
    let chunk = &hit.chunk;
    json!({
        "chunk_id": chunk.chunk_id,
        "source_id": chunk.source_id,
        "section": chunk.section,
        "page_start": chunk.page_start,
        "page_end": chunk.page_end,
        "vector_score": hit.vector_score,
        "bm25_score": hit.bm25_score,
        "combined_score": hit.combined_score,
        "text": chunk.text,
    })
}
