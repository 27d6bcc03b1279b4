//! What people are shown of an answer and of a search: numbered sources, and previews of passages.
//!
//! Everything here is content; how it is laid out on a page is the caller's business.

mod numbered;
mod preview;

pub use numbered::{Block, Cited, Numbered, Piece, Place, ShownQuote};
pub use preview::{Part, Preview};

use crate::{EngineError, Pipeline, refusal};
use std::{collections::BTreeSet, path::PathBuf, sync::Arc};
use types::{Chunk, ChunkStore, Origin, Retrieval, RunRecord, SourceId, SourceMeta};

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

/// A term of a question: what the index compares, and the word that stands for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionTerm {
    /// Its stem.
    pub stem: String,
    /// The word as written in the question.
    pub word: String,
}

/// The different terms of a question, in its order. Words that carry no topic are left out.
pub fn question_terms(query: &str) -> Vec<QuestionTerm> {
    let mut seen = BTreeSet::new();
    text::terms(query)
        .into_iter()
        .filter(|term| seen.insert(term.stem.clone()))
        .map(|term| QuestionTerm {
            word: query.get(term.span).unwrap_or(&term.stem).to_owned(),
            stem: term.stem,
        })
        .collect()
}

impl Pipeline {
    /// A source as a list of references needs it.
    pub fn reference(&self, id: &SourceId) -> Reference {
        let meta = self.source(id).unwrap_or_else(|| {
            Arc::new(SourceMeta {
                source_id: id.clone(),
                ..SourceMeta::default()
            })
        });
        let known = self.index().manifest().source(id).map(|(_, record)| record);
        Reference {
            meta,
            path: known.map(|record| PathBuf::from(&record.path)),
            record: known.and_then(|record| record.record.clone()),
        }
    }

    /// An answer with numbers in place of its marks, and its sources in the order of these numbers.
    pub fn numbered(&self, record: &RunRecord) -> Numbered {
        numbered::number(
            &record.response,
            record.context.as_deref().unwrap_or_default(),
            |id| self.reference(id),
        )
    }

    /// Why a search without hits found nothing, as a sentence.
    pub fn nothing_found(&self, retrieval: &Retrieval) -> String {
        let sources = self.index().manifest().sources.iter().map(|s| &s.meta);
        let least = self.search_settings().threshold;
        let (refused, _) = refusal::nothing_found(retrieval, self.filter(), sources, least);
        let detail = refused.refusal.map(|refusal| refusal.detail).unwrap_or_default();
        format!("Nothing found: {detail}.")
    }

    /// The part of a chunk that is closest to the question. Without a question vector the terms alone decide.
    pub fn preview(&self, query: &str, query_vector: &[f32], chunk: &Chunk) -> Preview {
        let similarities = if query_vector.is_empty() {
            Vec::new()
        } else {
            self.index().sentence_similarities(chunk, query_vector)
        };
        preview::preview(&question_terms(query), chunk, &similarities)
    }

    /// The best passages that were retrieved for a question, at most `count`: what a reader of a refusal may want
    /// to look at.
    ///
    /// # Errors
    /// When the model fails.
    pub fn closest(
        &self,
        record: &RunRecord,
        count: usize,
    ) -> Result<Vec<(Arc<Chunk>, Preview)>, EngineError> {
        let context = record.context.as_deref().unwrap_or_default();
        let ranked = context.iter().filter(|c| c.origin == Origin::Reranked);
        let chunks: Vec<Arc<Chunk>> = ranked
            .filter_map(|c| self.index().chunk(&c.chunk_id))
            .take(count)
            .collect();
        if chunks.is_empty() {
            return Ok(Vec::new());
        }
        let vector = self.embed_query(&record.query)?;
        let shown = chunks.into_iter().map(|chunk| {
            let preview = self.preview(&record.query, &vector, &chunk);
            (chunk, preview)
        });
        Ok(shown.collect())
    }
}

/// White space and control characters as single spaces.
fn flat(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_a_question_stand_once_with_their_words() {
        let terms =
            question_terms("Does walking raise oxygen uptake more than walks of the same oxygen cost?");
        let words: Vec<&str> = terms.iter().map(|t| t.word.as_str()).collect();
        assert!(
            words.starts_with(&["walking", "raise", "oxygen", "uptake"]),
            "{words:?}"
        );
        assert_eq!(words.iter().filter(|w| **w == "oxygen").count(), 1, "{words:?}");
        assert!(!words.contains(&"walks"), "one stem, one term: {words:?}");
    }
}
