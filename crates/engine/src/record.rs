//! From what the stages hand on to what the log keeps.

use types::{Context, ContextRecord, Retrieval, RetrievalRecord, ReturnedChunk, TEXT_PREVIEW_CHARS};

/// What retrieval did, for the log.
pub(crate) fn retrieval(retrieval: &Retrieval, has_sufficient_evidence: bool) -> RetrievalRecord {
    let returned = retrieval.hits.iter().map(|hit| ReturnedChunk {
        chunk_id: hit.chunk.chunk_id.clone(),
        source_id: hit.chunk.source_id.clone(),
        section: hit.chunk.section.to_string(),
        vector_score: hit.vector_score,
        bm25_score: hit.bm25_score,
        combined_score: hit.combined_score,
        text_preview: hit.chunk.text.chars().take(TEXT_PREVIEW_CHARS).collect(),
    });
    RetrievalRecord {
        method: retrieval.mode.to_string(),
        total_candidates: retrieval.total_candidates,
        above_threshold: retrieval.above_threshold,
        has_sufficient_evidence,
        returned_chunks: returned.collect(),
        candidates: Vec::new(),
    }
}

/// What the generator saw, whole, for the log and the judge.
pub(crate) fn context(context: &Context) -> Vec<ContextRecord> {
    context
        .chunks
        .iter()
        .map(|c| ContextRecord {
            chunk_id: c.chunk.chunk_id.clone(),
            source_id: c.chunk.source_id.clone(),
            section: c.chunk.section,
            page_start: c.chunk.page_start,
            page_end: c.chunk.page_end,
            text: c.chunk.text.clone(),
            origin: c.origin,
            rerank_score: c.rerank_score,
            title: c.source.title.clone(),
            authors: c.source.authors.clone(),
            year: c.source.year,
        })
        .collect()
}
