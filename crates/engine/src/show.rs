//! What people are shown of an answer and of a search: numbered sources, and previews of passages.
//!
//! Everything here is content; how it is laid out on a page is the caller's business.

mod notes;
mod numbered;
mod preview;

pub use notes::{Note, notes, notes_of};
pub use numbered::{Block, Cited, CitedText, Numbered, Piece, Place, ShownQuote, cited_texts};
pub use preview::{Part, Preview};

use crate::{EngineError, Pipeline, SearchResult, Trace, refusal};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};
use types::{
    Chunk, ChunkId, ContextRecord, Origin, Passage, Question, QuestionTerm, RunRecord, SourceId, SourceMeta,
    StoredSource,
};

/// A source, and where its text was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// What is known of it.
    pub meta: Arc<SourceMeta>,
    /// The file, as the index names it; `None` when the index does not hold the source.
    pub path: Option<PathBuf>,
    /// Which part of the file it is, where one file holds many sources.
    pub record: Option<String>,
}

/// Sources by id, read from the store at once.
#[derive(Clone, Debug, Default)]
pub struct References(pub(crate) BTreeMap<SourceId, Reference>);

impl References {
    /// The sources of a logged context, as the log describes them: no index is needed.
    pub fn of_context(context: &[ContextRecord]) -> Self {
        let each = context.iter().map(|chunk| {
            let meta = SourceMeta {
                source_id: chunk.source_id.clone(),
                title: chunk.title.clone(),
                authors: chunk.authors.clone(),
                year: chunk.year,
                ..SourceMeta::default()
            };
            let reference = Reference { meta: Arc::new(meta), ..Reference::default() };
            (chunk.source_id.clone(), reference)
        });
        Self(each.collect())
    }

    /// A source; one that the store does not hold has its id alone.
    pub fn get(&self, id: &SourceId) -> Reference {
        self.0.get(id).cloned().unwrap_or_else(|| Reference {
            meta: Arc::new(SourceMeta { source_id: id.clone(), ..SourceMeta::default() }),
            ..Reference::default()
        })
    }
}

impl From<StoredSource> for Reference {
    fn from(source: StoredSource) -> Self {
        Self { meta: source.meta, path: Some(PathBuf::from(source.path)), record: source.record }
    }
}

/// Least similarity of a passage that is shown with a refusal. Retrieval keeps less similar ones (`retrieve.min_similarity`),
/// because a word may match, but next to "no answer found in your papers" they only distract.
const CLOSE: f32 = 0.25;
/// Passages that are shown with a refusal.
const CLOSEST: usize = 3;

impl Pipeline {
    /// The sources that an answer cites or was written from.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) async fn references_of(&self, record: &RunRecord) -> Result<References, EngineError> {
        let cited = record.response.citations.iter().map(|c| c.source_id.clone());
        let seen = record.context.iter().flatten().map(|c| c.source_id.clone());
        self.references(cited.chain(seen).collect()).await
    }

    /// Why a search without hits found nothing, as a sentence.
    pub fn nothing_found(&self, found: &SearchResult) -> String {
        let SearchResult { question, retrieved, .. } = found;
        let least = self.search_settings().min_similarity;
        let (refused, _) = refusal::nothing_found(&retrieved.retrieval, question, least);
        let detail = refused.refusal.map(|refusal| refusal.detail).unwrap_or_default();
        format!("Nothing found: {detail}.")
    }
}

/// A passage that came close to answering a question.
#[derive(Clone, Debug)]
pub struct Closest {
    /// The passage.
    pub chunk: Arc<Chunk>,
    /// Its part that is closest to the question.
    pub preview: Preview,
}

/// The best passages that were retrieved for a question, at most three: what a reader of a refusal may want to look at.
/// Passages with a similarity below 0.25 are left out.
pub(crate) fn closest(trace: &Trace) -> Vec<Closest> {
    let is_close = |id: &ChunkId| {
        let hit = trace.retrieval.hits.iter().find(|hit| hit.chunk().chunk_id == *id);
        hit.is_some_and(|hit| hit.vector_score >= CLOSE)
    };
    let reranked = trace.context.chunks.iter().filter(|c| c.origin == Origin::Reranked);
    let close = reranked.filter(|c| is_close(&c.chunk.chunk_id)).take(CLOSEST);
    let terms: Vec<&QuestionTerm> = trace.question.distinct_terms().collect();
    let shown = close.map(|c| Closest {
        chunk: Arc::clone(&c.chunk),
        preview: preview::preview(&terms, &c.chunk, &c.sentences.similarities),
    });
    shown.collect()
}

/// An answer with numbers in place of its marks, and its sources in the order of these numbers.
pub fn numbered(record: &RunRecord, references: &References) -> Numbered {
    let context = record.context.as_deref().unwrap_or_default();
    numbered::number(&record.response, context, |id| references.get(id))
}

/// The part of a passage that is closest to the question. Without a question vector the terms alone decide.
pub fn preview(question: &Question, passage: &Passage) -> Preview {
    let terms: Vec<&QuestionTerm> = question.distinct_terms().collect();
    preview::preview(&terms, &passage.chunk, &passage.sentences.similarities)
}

/// White space and control characters as single spaces.
fn flat(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
}
