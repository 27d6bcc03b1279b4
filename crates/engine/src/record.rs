//! Builds the parts of a log record from the results of the stages.

use types::{Chunk, Context, ContextRecord, Retrieval, RetrievalRecord, ReturnedChunk, TEXT_PREVIEW_CHARS};

/// What retrieval did, for the log. With `shown`, the returned chunks are those that the generator saw, as in logs of
/// the earlier system, and the candidates are listed separately.
pub fn retrieval(
    retrieval: &Retrieval,
    has_sufficient_evidence: bool,
    shown: Option<&Context>,
) -> RetrievalRecord {
    let hits = retrieval.hits.iter();
    let returned =
        hits.map(|hit| returned(hit.chunk(), [hit.vector_score, hit.bm25_score, hit.combined_score]));
    let (returned_chunks, candidates) = match shown {
        None => (returned.collect(), Vec::new()),
        Some(context) => {
            let candidates = returned.map(|chunk| chunk.chunk_id).collect();
            let seen = context.chunks.iter();
            let seen =
                seen.map(|c| self::returned(&c.chunk, [c.vector_score, c.bm25_score, c.combined_score]));
            (seen.collect(), candidates)
        }
    };
    RetrievalRecord {
        method: retrieval.mode.to_string(),
        total_candidates: retrieval.total_candidates,
        above_threshold: retrieval.above_threshold,
        has_sufficient_evidence,
        returned_chunks,
        candidates,
    }
}

fn returned(chunk: &Chunk, [vector_score, bm25_score, combined_score]: [f32; 3]) -> ReturnedChunk {
    ReturnedChunk {
        chunk_id: chunk.chunk_id.clone(),
        source_id: chunk.source_id.clone(),
        section: chunk.section.to_string(),
        vector_score,
        bm25_score,
        combined_score,
        text_preview: chunk.text.chars().take(TEXT_PREVIEW_CHARS).collect(),
    }
}

/// The full text of everything that the generator saw, for the log and the judge.
pub fn context(context: &Context) -> Vec<ContextRecord> {
    context
        .chunks
        .iter()
        .map(|c| ContextRecord {
            chunk_id: c.chunk.chunk_id.clone(),
            source_id: c.chunk.source_id.clone(),
            section: c.chunk.section,
            page_start: c.chunk.page_start,
            page_end: c.chunk.page_end,
            text: c.chunk.with_table_head().into_owned(),
            origin: c.origin,
            rerank_score: c.rerank_score,
            title: c.source.title.clone(),
            authors: c.source.authors.clone(),
            year: c.source.year,
        })
        .collect()
}
