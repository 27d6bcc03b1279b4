//! Why a hit has the rank that it has.

use crate::Fused;
use types::{ChunkField, ChunkScores, Explanation, FieldMatch, TermMatch, TermScore, TermWeight};

/// Explains a hit by the scores of its chunk; `terms` are those of the question.
pub fn explain(hit: &Fused, scores: &ChunkScores, terms: &[TermWeight]) -> Explanation {
    let term_match = |held: &TermScore| {
        let term = terms.get(held.term)?;
        let fields = ChunkField::ALL.into_iter().zip(held.occurrences);
        Some(TermMatch {
            word: term.word.clone(),
            stem: term.stem.clone(),
            occurrences: held.occurrences[ChunkField::Text.index()],
            fields: fields
                .filter(|(_, occurrences)| *occurrences > 0)
                .map(|(field, occurrences)| FieldMatch { field, occurrences })
                .collect(),
            chunks: term.chunks,
            idf: term.idf,
            contribution: held.contribution,
        })
    };
    Explanation {
        chunk_id: hit.id.clone(),
        vector: hit.vector,
        bm25: hit.bm25,
        combined_score: hit.combined,
        window: scores.window,
        terms: scores.terms.iter().filter_map(term_match).collect(),
    }
}
