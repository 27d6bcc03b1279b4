//! First sentences.

use engine::{Pipeline, record};
use std::{collections::BTreeMap, sync::Arc};
use types::{
    Chunk, Context, ContextChunk, ContextRecord, Origin, ResponseRecord, RunRecord, SourceId, SourceMeta,
    SourceQuery, StoreError, StoredSource,
};

/// The first chunk of a source.
pub(super) struct Lead {
    chunk: Arc<Chunk>,
    source: Arc<SourceMeta>,
}

/// The first chunk of each source.
///
/// # Errors
/// When the store cannot be read.
pub(super) async fn leads(
    pipeline: &Pipeline,
    chunks: &[Arc<Chunk>],
) -> Result<BTreeMap<SourceId, Lead>, StoreError> {
    let mut first: BTreeMap<&SourceId, &Arc<Chunk>> = BTreeMap::new();
    for chunk in chunks {
        let lead = first.entry(&chunk.source_id).or_insert(chunk);
        if chunk.ordinal < lead.ordinal {
            *lead = chunk;
        }
    }
    let sources = pipeline.store().find_sources(&SourceQuery::All).await?;
    let lead = |source: StoredSource| {
        let id = source.meta.source_id.clone();
        let chunk = Arc::clone(first.get(&id)?);
        Some((id, Lead { chunk, source: source.meta }))
    };
    Ok(sources.into_iter().filter_map(lead).collect())
}

/// The record with the first sentences of the paper that ranks first for an answer; a refusal stays.
pub(super) fn first_sentences(
    mut record: RunRecord,
    leads: &BTreeMap<SourceId, Lead>,
    most: usize,
) -> RunRecord {
    let top = record.context.iter().flatten().next();
    let Some(lead) = top.and_then(|chunk| leads.get(&chunk.source_id)) else {
        return record;
    };
    if record.response.no_evidence {
        return record;
    }
    record.response = quoted(&lead.chunk, most);
    record.response_raw = Some(record.response.clone());
    let context = record.context.get_or_insert_default();
    if context.iter().all(|chunk| chunk.chunk_id != lead.chunk.chunk_id) {
        context.extend(seen(lead));
    }
    record
}

/// The first sentences of a chunk as an answer, each with its mark and its quote.
fn quoted(lead: &Chunk, most: usize) -> ResponseRecord {
    let mut response = ResponseRecord { confidence: "low".to_owned(), ..ResponseRecord::default() };
    let mut said: Vec<String> = Vec::new();
    for sentence in lead.sentences.iter().take(most) {
        let text = lead.sentence(sentence);
        response.citations.push(generate::citation(lead, sentence, &text::quote::WindowTerms::default()));
        let words: Vec<&str> = text.split_whitespace().collect();
        said.push(format!("{} ({}, {})", words.join(" "), lead.source_id, lead.chunk_id));
    }
    response.answer = said.join(" ");
    response
}

/// The chunk as a record of the context.
fn seen(lead: &Lead) -> Vec<ContextRecord> {
    record::context(&Context {
        chunks: vec![ContextChunk {
            chunk: Arc::clone(&lead.chunk),
            source: Arc::clone(&lead.source),
            sentences: Arc::default(),
            origin: Origin::Expanded,
            vector_score: 0.0,
            bm25_score: 0.0,
            combined_score: 0.0,
            rerank_score: None,
        }],
    })
}
