//! An answer from verbatim sentences, without a language model.
//!
//! The question is read ([`question`]), the sentences of the context are weighed ([`candidate`], with
//! [`fitness`] for their form and [`cue`] for their wording), a few are picked ([`select`]), and the answer is put together ([`compose`]).

mod candidate;
mod compose;
mod cue;
mod fitness;
mod question;
mod select;
mod sources;

use crate::{Evidence, ExtractiveSettings};
use types::{ChunkStore, Context, RagResponse, StoreError};

/// Answers `query` with sentences of `context`.
///
/// `query_vector` is the unit vector of the question; when it is empty, terms alone decide. The answer quotes
/// at most [`ExtractiveSettings::max_sentences`] whole sentences, the most relevant source first, each
/// followed by its mark `(source_id, chunk_id)` and backed by one citation. When no sentence qualifies, it is
/// a refusal that names the nearest passage. The answer depends on nothing but the arguments.
///
/// # Errors
/// When the index cannot be read.
///
/// ```
/// use generate::{Evidence, ExtractiveSettings, extractive};
/// # use types::{Chunk, ChunkId, ChunkStore, Context, SourceId, SourceMeta, StoreError};
/// # use std::sync::Arc;
/// # struct Empty;
/// # impl ChunkStore for Empty {
/// #     fn chunk(&self, _: &ChunkId) -> Option<Arc<Chunk>> { None }
/// #     fn neighbours(&self, _: &ChunkId, _: usize) -> Result<Vec<Arc<Chunk>>, StoreError> { Ok(Vec::new()) }
/// #     fn source(&self, _: &SourceId) -> Option<Arc<SourceMeta>> { None }
/// #     fn sources(&self) -> Vec<Arc<SourceMeta>> { Vec::new() }
/// #     fn sentence_similarities(&self, _: &Chunk, _: &[f32]) -> Vec<f32> { Vec::new() }
/// #     fn sentence_vector(&self, _: &SourceId, _: u32) -> Option<Vec<f32>> { None }
/// #     fn idf(&self, _: &str) -> Result<(f32, usize), StoreError> { Ok((1.0, 0)) }
/// # }
/// # let store = Empty;
/// let settings = ExtractiveSettings::default();
/// let nothing = Context::default();
/// let answer = extractive("What helps?", &[], &nothing, &store, &settings, Evidence::Sufficient)?;
/// assert!(answer.no_evidence);
/// # Ok::<(), StoreError>(())
/// ```
pub fn extractive(
    query: &str,
    query_vector: &[f32],
    context: &Context,
    store: &dyn ChunkStore,
    settings: &ExtractiveSettings,
    evidence: Evidence,
) -> Result<RagResponse, StoreError> {
    let question = question::Question::read(query, context, store)?;
    let candidates = candidate::weigh(&question, query_vector, context, store, settings);
    let chosen = select::select(&candidates, &question, store, settings);
    if chosen.is_empty() {
        return Ok(compose::refusal(&candidates, context, settings));
    }
    Ok(compose::answer(
        &chosen,
        &question,
        query_vector.is_empty(),
        settings,
        evidence,
    ))
}
