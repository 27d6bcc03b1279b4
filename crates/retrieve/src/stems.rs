//! BM25 over all segments. It counts only chunks that are in the index, whichever segment contains them.

use crate::{
    Bm25Settings, Index, IndexError,
    lexical::{Bm25, Form, Frequencies, QueryTerm, Scores, form, idf},
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
        let Bm25Settings { stop_words, .. } = settings;
        let (average, longest) = (
            self.live.average_lengths(stop_words),
            self.live.greatest_lengths(stop_words),
        );
        Bm25::new(settings, average, longest)
    }

    /// The BM25 scores of the chunks that hold a term of the question in a field that counts, and how rare the terms
    /// are. Costs what it takes to read the postings of the terms, however many chunks the index has.
    pub(crate) fn bm25_scores(
        &self,
        query: Vec<QueryTerm>,
        settings: Bm25Settings,
    ) -> Result<(Vec<WeightedTerm>, Scores<'_>), IndexError> {
        let bm25 = self.bm25(settings);
        let mut scores = self.scores.take(self.live.rows().len());
        let mut terms = Vec::with_capacity(query.len());
        let mut frequencies = Frequencies::default();
        // Term by term, in the order of the question, so that sums are bit-identical on every run.
        for term in query {
            terms.push(if bm25.is_plain() {
                self.add_plain(term, settings, &bm25, &mut scores)?
            } else {
                self.add_fields(term, settings, &bm25, &mut frequencies, &mut scores)?
            });
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
            for field in ChunkField::ALL
                .into_iter()
                .filter(|field| settings.weight(*field) > 0.0)
            {
                self.postings(form(&settings), field, &term.term.key, settings, |row, _, _| {
                    rows.insert(row);
                })?;
            }
        }
        Ok(rows)
    }

    /// Adds the weights of a term of the text.
    fn add_plain(
        &self,
        term: QueryTerm,
        settings: Bm25Settings,
        bm25: &Bm25,
        scores: &mut Scores<'_>,
    ) -> Result<WeightedTerm, IndexError> {
        let form = form(&settings);
        let chunks = self.frequency_in_text(form, &term.key)?;
        let idf = idf(self.live.rows().len(), chunks);
        let weight = idf * term.weight;
        self.postings(form, ChunkField::Text, &term.key, settings, |row, tf, length| {
            scores.add(row, bm25.plain(weight, tf, length));
        })?;
        Ok(WeightedTerm { term, chunks, idf })
    }

    /// Adds the weights of a term in all fields that count. `frequencies` lends its memory.
    fn add_fields(
        &self,
        term: QueryTerm,
        settings: Bm25Settings,
        bm25: &Bm25,
        frequencies: &mut Frequencies,
        scores: &mut Scores<'_>,
    ) -> Result<WeightedTerm, IndexError> {
        let keys = term.keys(settings.stop_words);
        frequencies.clear();
        for segment in 0..self.segments.len() {
            for field in ChunkField::ALL {
                for key in keys.iter().filter(|_| settings.weight(field) > 0.0) {
                    let list = (form(&settings), field, key.as_str());
                    self.postings_of(segment, list, settings, |row, tf, length| {
                        frequencies.push(row, bm25.part(field, tf, length));
                    })?;
                    frequencies.merge();
                }
            }
            frequencies.close();
        }
        let chunks = frequencies.rows().len();
        let idf = idf(self.live.rows().len(), chunks);
        let weight = idf * term.weight;
        for (row, tf) in frequencies.rows() {
            scores.add(*row, bm25.saturate(weight, *tf));
        }
        Ok(WeightedTerm { term, chunks, idf })
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
        for segment in 0..self.segments.len() {
            self.postings_of(segment, (form, field, key), settings, &mut visit)?;
        }
        Ok(())
    }

    /// The same for one segment, by index.
    fn postings_of(
        &self,
        segment: usize,
        (form, field, key): (Form, ChunkField, &str),
        settings: Bm25Settings,
        mut visit: impl FnMut(u32, u32, u32),
    ) -> Result<(), IndexError> {
        let lengths = self.live.lengths(field, settings.stop_words);
        let live = self.live.of_segment(segment);
        let Some(of) = self.segments.get(segment) else {
            return Ok(());
        };
        of.lexical.postings(form, field, key, |row, frequency| {
            // A dead chunk has no length.
            if let Some(row) = live.get(row)
                && let Some(length) = lengths.get(*row as usize)
            {
                visit(*row, frequency, *length);
            }
        })
    }
}
