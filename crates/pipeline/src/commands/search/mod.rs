//! `pipeline search`.

mod explain;
mod markdown;
mod text;

use super::{App, ask::source_fields, references::Here};
use crate::{args::Search, printer::Outcome};
use anyhow::Result;
use engine::{
    Explanation, Found, Pipeline,
    show::{Preview, Reference},
};
use serde_json::{Value, json};
use types::{Hit, Mode};

/// Retrieves and prints the hits.
pub(super) fn run(app: &App, args: &Search) -> Result<Outcome> {
    let mut pipeline = Pipeline::open(&app.settings)?;
    pipeline.set_filter(args.filters.to_filter())?;
    let mode = app.settings.retrieve.mode;
    let (found, explanations) = if args.explain {
        let (found, explanations) = pipeline.explain(&args.query, mode, args.count)?;
        (found, Some(explanations))
    } else {
        (pipeline.search(&args.query, mode, args.count)?, None)
    };
    let view = View::of(args, mode, &pipeline, &found, explanations.as_deref());
    let document = document(args, &view, &found)?;
    app.printer
        .page(&document, || text::page(&view), || markdown::page(&view))?;
    Ok(if view.hits.is_empty() {
        Outcome::Negative
    } else {
        Outcome::Done
    })
}

/// The JSON document.
fn document(args: &Search, view: &View<'_>, found: &Found) -> Result<Value> {
    let hits = view.hits.iter().map(|shown| {
        let mut value = contract(shown.hit);
        if let Value::Object(fields) = &mut value {
            if let Value::Object(more) = source_fields(&shown.source, Some(shown.hit.chunk.page_start)) {
                fields.extend(more);
            }
            if let Some(explanation) = shown.explanation {
                fields.insert("explanation".to_owned(), serde_json::to_value(explanation)?);
            }
        }
        Ok(value)
    });
    Ok(json!({
        "query": args.query,
        "mode": view.mode,
        "filters": view.pipeline.filter(),
        "total_candidates": found.retrieval.total_candidates,
        "above_threshold": found.retrieval.above_threshold,
        "hits": hits.collect::<Result<Vec<Value>>>()?,
        "timings_ms": found.timings_ms,
    }))
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

/// What people are shown of a search.
struct View<'a> {
    query: &'a str,
    mode: Mode,
    pipeline: &'a Pipeline,
    hits: Vec<Shown<'a>>,
    /// Why nothing was found; empty when there are hits.
    nothing: String,
    here: Here,
}

/// A hit with what is shown of it.
struct Shown<'a> {
    hit: &'a Hit,
    source: Reference,
    preview: Preview,
    explanation: Option<&'a Explanation>,
}

impl<'a> View<'a> {
    fn of(
        args: &'a Search,
        mode: Mode,
        pipeline: &'a Pipeline,
        found: &'a Found,
        explanations: Option<&'a [Explanation]>,
    ) -> Self {
        let retrieval = &found.retrieval;
        let shown = |(at, hit): (usize, &'a Hit)| Shown {
            hit,
            source: pipeline.reference(&hit.chunk.source_id),
            preview: pipeline.preview(&args.query, &retrieval.query_vector, &hit.chunk),
            explanation: explanations.and_then(|all| all.get(at)),
        };
        Self {
            query: &args.query,
            mode,
            pipeline,
            hits: retrieval.hits.iter().enumerate().map(shown).collect(),
            nothing: if retrieval.hits.is_empty() {
                pipeline.nothing_found(retrieval)
            } else {
                String::new()
            },
            here: Here::find(),
        }
    }
}
