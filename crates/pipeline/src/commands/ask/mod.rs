//! `pipeline ask`.

mod markdown;
mod text;

use super::{App, block_on, references::Here};
use crate::{args::Ask, printer::Outcome};
use anyhow::Result;
use engine::{
    Pipeline,
    show::{Numbered, Preview, Reference},
};
use serde_json::{Value, json};
use std::sync::Arc;
use types::{Chunk, ContextRecord, RunRecord};

/// Passages shown with a refusal.
const CLOSEST: usize = 3;

/// Answers, prints and logs; a refusal is a negative result.
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
    // Printed first: an answer must not be lost to a log that cannot be written, nor a log line to a reader
    // that went away.
    let printed = print(app, args, &pipeline, &record);
    engine::log::append(&app.settings, &record)?;
    printed?;
    Ok(if record.response.no_evidence {
        Outcome::Negative
    } else {
        Outcome::Done
    })
}

fn print(app: &App, args: &Ask, pipeline: &Pipeline, record: &RunRecord) -> Result<()> {
    let document = document(args, pipeline, record);
    let view = View::of(args, pipeline, record)?;
    app.printer
        .page(&document, || text::page(&view), || markdown::page(&view))?;
    Ok(())
}

/// The JSON document.
fn document(args: &Ask, pipeline: &Pipeline, record: &RunRecord) -> Value {
    let response = &record.response;
    let mut document = json!({
        "query": record.query,
        "mode": record.mode,
        "answer": response.answer,
        "citations": citations(pipeline, record),
        "confidence": response.confidence,
        "evidence_quality": response.evidence_quality,
        "no_evidence": response.no_evidence,
        "caveats": response.caveats,
        "refusal": response.refusal,
        "filters": pipeline.filter(),
        "retrieval": record.retrieval,
        "guardrails": record.guardrails,
        "timings_ms": record.timings_ms,
        "usage": record.usage,
        "model": record.model,
        "config_hash": record.config_hash,
    });
    if let (true, Some(object)) = (args.include_context, document.as_object_mut()) {
        let context = record.context.iter().flatten().map(|c| {
            json!({
                "chunk_id": c.chunk_id,
                "source_id": c.source_id,
                "section": c.section,
                "page_start": c.page_start,
                "page_end": c.page_end,
                "origin": c.origin,
                "text": c.text,
            })
        });
        object.insert("context".to_owned(), context.collect());
    }
    document
}

/// The citations of the contract, each with what names its source.
fn citations(pipeline: &Pipeline, record: &RunRecord) -> Value {
    let one = |citation: &types::Citation| {
        let mut value = serde_json::to_value(citation).unwrap_or_default();
        let source = pipeline.reference(&citation.source_id);
        if let (Value::Object(fields), Value::Object(more)) =
            (&mut value, source_fields(&source, citation.page_start))
        {
            fields.extend(more);
        }
        value
    };
    record.response.citations.iter().map(one).collect()
}

/// What names a source, for JSON.
pub(super) fn source_fields(source: &Reference, page: Option<u32>) -> Value {
    json!({
        "title": source.meta.title,
        "authors": source.meta.authors,
        "year": source.meta.year,
        "doi": source.meta.doi,
        "page": page,
        "path": source.path,
        "fictional": source.meta.fictional,
    })
}

/// What people are shown of an answer.
struct View<'a> {
    record: &'a RunRecord,
    numbered: Numbered,
    /// For a refusal: what came closest.
    closest: Vec<(Arc<Chunk>, Preview, Reference)>,
    /// The passages that the answer was written from, where they are asked for.
    context: Vec<(&'a ContextRecord, Reference)>,
    here: Here,
}

impl<'a> View<'a> {
    fn of(args: &Ask, pipeline: &Pipeline, record: &'a RunRecord) -> Result<Self> {
        let closest = if record.response.no_evidence {
            pipeline.closest(record, CLOSEST)?
        } else {
            Vec::new()
        };
        let context = record.context.iter().flatten();
        Ok(Self {
            record,
            numbered: pipeline.numbered(record),
            closest: closest
                .into_iter()
                .map(|(chunk, preview)| {
                    let source = pipeline.reference(&chunk.source_id);
                    (chunk, preview, source)
                })
                .collect(),
            context: context
                .filter(|_| args.include_context)
                .map(|c| (c, pipeline.reference(&c.source_id)))
                .collect(),
            here: Here::find(),
        })
    }

    /// The caveats that a reader needs beside the answer: a refusal has given its reason already.
    fn caveats(&self) -> impl Iterator<Item = &str> {
        let refused = self.record.response.no_evidence;
        let reasons: Vec<&str> = self
            .record
            .guardrails
            .iter()
            .filter(|action| refused && action.action == "refused")
            .map(|action| action.reason.as_str())
            .collect();
        let caveats = self.record.response.caveats.iter().map(String::as_str);
        caveats.filter(move |caveat| !reasons.iter().any(|reason| caveat.contains(reason)))
    }

    /// How the answer came about, and how long it took.
    fn made(&self) -> String {
        let total = self.record.timings_ms.get("total").copied().unwrap_or_default();
        let time = if total < 1000.0 {
            format!("{total:.0} ms")
        } else {
            format!("{:.1} s", total / 1000.0)
        };
        if self.record.model == "extractive" {
            format!("Sentences quoted from the papers, no language model; {time}.")
        } else {
            format!("Written by {} in {time}.", self.record.model)
        }
    }
}

#[cfg(test)]
mod tests;
