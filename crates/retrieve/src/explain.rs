//! Why a hit stands where it stands.

use crate::{
    Filter, Index, IndexError, ListScore, SearchSettings,
    fusion::Fused,
    lexical::{QueryTerm, idf},
};
use serde::Serialize;
use types::{ChunkId, Mode, Retrieval, Span};

/// Where the scores of one hit come from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The hit.
    pub chunk_id: ChunkId,
    /// What the vector list says.
    pub vector: ListScore,
    /// What the BM25 list says.
    pub bm25: ListScore,
    /// The fused score: the sum of both weighted scores.
    pub combined_score: f32,
    /// The window nearest to the question; `None` without a question vector or a window.
    pub window: Option<WindowMatch>,
    /// The stems of the question that the chunk holds, in the question's order.
    pub terms: Vec<TermMatch>,
}

/// The part of a chunk whose vector is nearest to the question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WindowMatch {
    /// Bytes into the chunk's text.
    pub span: Span,
    /// Cosine with the question, `-1..=1`.
    pub cosine: f32,
}

/// A stem of the question in a chunk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TermMatch {
    /// The stem.
    pub stem: String,
    /// Occurrences in the chunk.
    pub occurrences: u32,
    /// Chunks of the index that hold the stem.
    pub chunks: usize,
    /// Its inverse document frequency.
    pub idf: f32,
    /// Its share of the BM25 sum.
    pub contribution: f32,
}

impl Index {
    /// Searches like [`Index::search`] and explains each hit, in the order of the hits.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub fn explain(
        &self,
        query: &str,
        query_vector: Option<&[f32]>,
        mode: Mode,
        settings: &SearchSettings,
        filter: Option<&Filter>,
    ) -> Result<(Retrieval, Vec<Explanation>), IndexError> {
        let ranking = self.rank(query, query_vector, mode, settings, filter)?;
        let explain = |hit: &Fused| self.explanation(hit, &ranking.terms, &ranking.query_vector, settings);
        let explanations = ranking.hits.iter().map(explain).collect::<Result<_, _>>()?;
        Ok((self.retrieval(mode, ranking)?, explanations))
    }

    fn explanation(
        &self,
        hit: &Fused,
        terms: &[QueryTerm],
        query: &[f32],
        settings: &SearchSettings,
    ) -> Result<Explanation, IndexError> {
        let chunk = self.chunks.chunk(hit.row as usize)?;
        let row = self.chunks.rows().get(hit.row as usize).copied();
        let nearest = row
            .filter(|_| !query.is_empty())
            .and_then(|row| self.windows.best(&row, query));
        let window = nearest.and_then(|(window, cosine)| {
            let place = self.windows.row(window)?;
            Some(WindowMatch {
                span: Span::new(place.start as usize, place.end as usize),
                cosine,
            })
        });
        let bm25 = self.lexical.bm25(settings.bm25);
        let indexed = self.manifest.fields.terms(&chunk);
        let mut matches = Vec::new();
        for term in terms {
            let occurrences = indexed.iter().filter(|t| t.stem == term.stem).count() as u32;
            if occurrences == 0 {
                continue;
            }
            let chunks = self.lexical.document_frequency(&term.stem)?;
            let idf = idf(self.chunks.rows().len(), chunks);
            let contribution = bm25.weight(
                idf * term.count as f32,
                occurrences,
                row.map_or(0, |row| row.terms),
            );
            matches.push(TermMatch {
                stem: term.stem.clone(),
                occurrences,
                chunks,
                idf,
                contribution,
            });
        }
        Ok(Explanation {
            chunk_id: chunk.chunk_id.clone(),
            vector: hit.vector,
            bm25: hit.bm25,
            combined_score: hit.combined,
            window,
            terms: matches,
        })
    }
}
