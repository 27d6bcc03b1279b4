//! First sentences.

use crate::{ask::Pipeline, record};
use std::{collections::BTreeMap, sync::Arc};
use types::{
    Chunk, Citation, Context, ContextChunk, ContextRecord, Origin, ResponseRecord, RunRecord, SourceId, Span,
};

/// Words of a quote.
const QUOTE_WORDS: usize = 40;

/// The first chunk of each source.
pub(super) fn leads(chunks: &[Arc<Chunk>]) -> BTreeMap<SourceId, Arc<Chunk>> {
    let mut out: BTreeMap<SourceId, Arc<Chunk>> = BTreeMap::new();
    for chunk in chunks {
        let lead = out
            .entry(chunk.source_id.clone())
            .or_insert_with(|| Arc::clone(chunk));
        if chunk.ordinal < lead.ordinal {
            *lead = Arc::clone(chunk);
        }
    }
    out
}

/// The record with the first sentences of the paper that ranks first for an answer; a refusal stays.
pub(super) fn first_sentences(
    mut record: RunRecord,
    leads: &BTreeMap<SourceId, Arc<Chunk>>,
    most: usize,
    pipeline: &Pipeline,
) -> RunRecord {
    let top = record.context.iter().flatten().next();
    let Some(lead) = top.and_then(|chunk| leads.get(&chunk.source_id)) else {
        return record;
    };
    if record.response.no_evidence {
        return record;
    }
    record.response = quoted(lead, most);
    record.response_raw = Some(record.response.clone());
    let context = record.context.get_or_insert_default();
    if context.iter().all(|chunk| chunk.chunk_id != lead.chunk_id) {
        context.extend(seen(lead, pipeline));
    }
    record
}

/// The first sentences of a chunk as an answer, each with its mark and its quote.
fn quoted(lead: &Chunk, most: usize) -> ResponseRecord {
    let mut response = ResponseRecord {
        confidence: "low".to_owned(),
        ..ResponseRecord::default()
    };
    let mut said: Vec<String> = Vec::new();
    for sentence in lead.sentences.iter().take(most) {
        let text = lead.sentence(sentence);
        let window = text::quote::best_window(text, &text::quote::Wanted::default(), QUOTE_WORDS);
        let start = sentence.span.start + window.start;
        let span = Span::new(start, start + window.len());
        let (page_start, page_end) = lead.pages_of(span);
        let (cut_start, cut_end) = lead.cuts(span);
        response.citations.push(Citation {
            source_id: lead.source_id.clone(),
            chunk_id: lead.chunk_id.clone(),
            relevant_quote: text.get(window).unwrap_or(text).to_owned(),
            section: Some(lead.section),
            page_start: Some(page_start),
            page_end: Some(page_end),
            cut_start,
            cut_end,
        });
        let words: Vec<&str> = text.split_whitespace().collect();
        said.push(format!(
            "{} ({}, {})",
            words.join(" "),
            lead.source_id,
            lead.chunk_id
        ));
    }
    response.answer = said.join(" ");
    response
}

/// The chunk as a record of the context.
fn seen(chunk: &Arc<Chunk>, pipeline: &Pipeline) -> Vec<ContextRecord> {
    let source = pipeline.source(&chunk.source_id).unwrap_or_default();
    record::context(&Context {
        chunks: vec![ContextChunk {
            chunk: Arc::clone(chunk),
            source,
            origin: Origin::Expanded,
            vector_score: 0.0,
            bm25_score: 0.0,
            combined_score: 0.0,
            rerank_score: None,
        }],
    })
}
