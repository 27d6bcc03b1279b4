//! Why a hit stands where it stands.

use crate::{
    Index, IndexError, SearchOutcome, SearchSettings,
    fusion::Fused,
    lexical::{QueryTerm, idf},
};
use types::{Explanation, Question, Span, TermMatch, WindowMatch};

impl Index {
    /// Searches like [`Index::search`] and explains each hit, in the order of the hits.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub fn explain(
        &self,
        question: &Question,
        settings: &SearchSettings,
    ) -> Result<(SearchOutcome, Vec<Explanation>), IndexError> {
        let ranking = self.rank(question, settings)?;
        let explain = |hit: &Fused| self.explanation(hit, &ranking.terms, &ranking.query_vector, settings);
        let explanations = ranking.hits.iter().map(explain).collect::<Result<_, _>>()?;
        Ok((self.outcome(question.mode, ranking)?, explanations))
    }

    fn explanation(
        &self,
        hit: &Fused,
        terms: &[QueryTerm],
        query: &[f32],
        settings: &SearchSettings,
    ) -> Result<Explanation, IndexError> {
        let chunk = self.chunk_at(hit.row)?;
        let row = self.live.rows().get(hit.row as usize).copied();
        let nearest = row
            .filter(|_| !query.is_empty())
            .and_then(|row| Some((row, self.best_window(hit.row, query)?)));
        let window = nearest.and_then(|(row, (window, cosine))| {
            let place = self.segments.get(row.segment as usize)?.windows.row(window)?;
            Some(WindowMatch {
                span: Span::new(place.start as usize, place.end as usize),
                cosine,
            })
        });
        let bm25 = self.bm25(settings.bm25);
        let indexed = text::terms(&chunk.text);
        let mut matches = Vec::new();
        for term in terms {
            let occurrences = indexed.iter().filter(|t| t.stem == term.stem).count() as u32;
            if occurrences == 0 {
                continue;
            }
            let chunks = self.document_frequency(&term.stem)?;
            let idf = idf(self.live.rows().len(), chunks);
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
