//! BM25 over all segments. It counts only chunks that are in the index, whichever segment contains them.

use crate::{
    Bm25Settings, Index, IndexError,
    lexical::{Bm25, Form, QueryTerm, form, idf},
};
use std::collections::HashSet;
use types::{ChunkField, TermWeight};

/// A term of the question with its rarity.
#[derive(Clone, Debug)]
pub(crate) struct WeightedTerm {
    pub(crate) term: QueryTerm,
    /// Chunks that hold it in a field that counts.
    pub(crate) chunks: usize,
    /// Its inverse document frequency.
    pub(crate) idf: f32,
}

impl WeightedTerm {
    /// What a search reports of it.
    pub(crate) fn outcome(&self) -> TermWeight {
        TermWeight {
            word: self.term.word.clone(),
            stem: self.term.stem.clone(),
            chunks: self.chunks,
            idf: self.idf,
            weight: self.term.weight,
        }
    }
}

impl Index {
    /// The number of chunks whose text contains a stem, as `text::terms` computes it.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn document_frequency(&self, stem: &str) -> Result<usize, IndexError> {
        self.frequency_in_text(Form::Stem, stem)
    }

    pub(crate) fn frequency_in_text(&self, form: Form, key: &str) -> Result<usize, IndexError> {
        let mut total = 0;
        for (at, segment) in self.segments.iter().enumerate() {
            if self.live.is_whole(at) {
                total += segment.lexical.document_frequency(form, ChunkField::Text, key)?;
            } else {
                let live = |row| usize::from(self.live.row(at, row).is_some());
                segment
                    .lexical
                    .postings(form, ChunkField::Text, key, |row, _| total += live(row))?;
            }
        }
        Ok(total)
    }

    /// The BM25 weights for the chunks of this index.
    pub(crate) fn bm25(&self, settings: Bm25Settings) -> Bm25 {
        Bm25::new(settings, self.live.average_lengths(settings.stop_words))
    }

    /// The BM25 score of each live row, above 0 where it holds a term of the question in a field that counts, and how rare
    /// the terms are.
    pub(crate) fn bm25_scores(
        &self,
        query: Vec<QueryTerm>,
        settings: Bm25Settings,
    ) -> Result<(Vec<WeightedTerm>, Vec<f32>), IndexError> {
        let bm25 = self.bm25(settings);
        let rows = self.live.rows().len();
        let mut scores = vec![0.0_f32; rows];
        // Of one term: its weighted frequency in each row, added up over fields, and the rows that have one.
        let (mut frequencies, mut holding) = (vec![0.0_f32; rows], Vec::new());
        let mut terms = Vec::with_capacity(query.len());
        // Term by term, in the order of the question, so that sums are bit-identical on every run.
        for term in query {
            for field in searched_fields(settings) {
                for key in term.keys(settings.stop_words) {
                    self.postings(form(&settings), field, &key, settings, |row, tf, length| {
                        let part = bm25.part(field, tf, length);
                        if let (true, Some(sum)) = (part > 0.0, frequencies.get_mut(row as usize)) {
                            if *sum == 0.0 {
                                holding.push(row);
                            }
                            *sum += part;
                        }
                    })?;
                }
            }
            let chunks = holding.len();
            let idf = idf(rows, chunks);
            for row in holding.drain(..) {
                let tf = std::mem::take(&mut frequencies[row as usize]);
                scores[row as usize] += bm25.saturate(idf * term.weight, tf);
            }
            terms.push(WeightedTerm { term, chunks, idf });
        }
        Ok((terms, scores))
    }

    /// The live rows of the chunks that hold a rare term: one that at most 3 chunks hold, or 0.5 % of all.
    pub(crate) fn rows_of_rare_terms(
        &self,
        terms: &[WeightedTerm],
        settings: Bm25Settings,
    ) -> Result<HashSet<u32>, IndexError> {
        let most = (self.live.rows().len() / 200).max(3);
        let is_rare = |term: &&WeightedTerm| term.chunks <= most && !text::is_stop_word(&term.term.word);
        let mut rows = HashSet::new();
        for term in terms.iter().filter(is_rare) {
            for field in searched_fields(settings) {
                self.postings(form(&settings), field, &term.term.key, settings, |row, _, _| {
                    rows.insert(row);
                })?;
            }
        }
        Ok(rows)
    }

    /// Calls `visit` with the live row of each chunk of which a field contains a key, how often it does, and the length
    /// of the field.
    fn postings(
        &self,
        form: Form,
        field: ChunkField,
        key: &str,
        settings: Bm25Settings,
        mut visit: impl FnMut(u32, u32, u32),
    ) -> Result<(), IndexError> {
        let lengths = self.live.lengths(field, settings.stop_words);
        for (at, segment) in self.segments.iter().enumerate() {
            let live = self.live.of_segment(at);
            segment.lexical.postings(form, field, key, |row, frequency| {
                // A dead chunk has no length.
                if let Some(row) = live.get(row)
                    && let Some(length) = lengths.get(*row as usize)
                {
                    visit(*row, frequency, *length);
                }
            })?;
        }
        Ok(())
    }
}

/// The fields that count.
fn searched_fields(settings: Bm25Settings) -> impl Iterator<Item = ChunkField> {
    let all = ChunkField::ALL.into_iter();
    all.filter(move |field| settings.weight(*field) > 0.0)
}
