//! Why a hit stands where it stands.

use crate::{
    Bm25Settings, Index, IndexError, SearchOutcome, SearchSettings, StopWords,
    fusion::Fused,
    lexical::{Bm25, FIELDS, PerField},
    stems::WeightedTerm,
};
use types::{Chunk, ChunkField, Explanation, FieldMatch, Question, Span, TermMatch, WindowMatch};

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
        let bm25 = self.bm25(settings.bm25);
        let explain =
            |hit: &Fused| self.explanation(hit, &ranking.terms, &ranking.query_vector, settings, &bm25);
        let explanations = ranking.hits.iter().map(explain).collect::<Result<_, _>>()?;
        Ok((self.outcome(question.mode, ranking)?, explanations))
    }

    fn explanation(
        &self,
        hit: &Fused,
        terms: &[WeightedTerm],
        query: &[f32],
        settings: &SearchSettings,
        bm25: &Bm25,
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
        Ok(Explanation {
            chunk_id: chunk.chunk_id.clone(),
            vector: hit.vector,
            bm25: hit.bm25,
            combined_score: hit.combined,
            window,
            terms: self.matches(hit.row, &chunk, terms, settings.bm25, bm25),
        })
    }

    /// The terms that the chunk at a live row holds in a field that counts.
    fn matches(
        &self,
        row: u32,
        chunk: &Chunk,
        terms: &[WeightedTerm],
        settings: Bm25Settings,
        bm25: &Bm25,
    ) -> Vec<TermMatch> {
        let lengths = ChunkField::ALL.map(|field| {
            let lengths = self.live.lengths(field, settings.stop_words);
            lengths.get(row as usize).copied().unwrap_or(0)
        });
        let title = self
            .source(&chunk.source_id)
            .and_then(|source| source.title.clone());
        let texts = [
            chunk.text.as_str(),
            title.as_deref().unwrap_or_default(),
            chunk.heading.as_str(),
        ];
        let words = texts.map(text::indexed_words);
        let counts = |key: &str, field: ChunkField| {
            let own = words[field.index()].iter().filter(|word| {
                let form = if settings.stemming { &word.stem } else { &word.form };
                form == key && (settings.stop_words == StopWords::None || !word.is_stop_word)
            });
            if settings.weight(field) > 0.0 {
                own.count() as u32
            } else {
                0
            }
        };
        let term_match = |weighted: &WeightedTerm| {
            let WeightedTerm { term, chunks, idf } = weighted;
            let frequencies: PerField<u32> = ChunkField::ALL.map(|field| counts(&term.key, field));
            (frequencies != [0; FIELDS]).then(|| TermMatch {
                word: term.word.clone(),
                stem: term.stem.clone(),
                occurrences: frequencies[ChunkField::Text.index()],
                fields: ChunkField::ALL
                    .into_iter()
                    .zip(frequencies)
                    .filter(|(_, occurrences)| *occurrences > 0)
                    .map(|(field, occurrences)| FieldMatch { field, occurrences })
                    .collect(),
                chunks: *chunks,
                idf: *idf,
                contribution: bm25.weight(*idf * term.weight, frequencies, lengths),
            })
        };
        terms.iter().filter_map(term_match).collect()
    }
}
