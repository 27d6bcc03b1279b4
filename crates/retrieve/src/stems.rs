//! BM25 over all segments. It counts only chunks that are in the index, whichever segment contains them.

use crate::{
    Bm25Settings, Index, IndexError,
    lexical::{Bm25, QueryTerm, idf},
};

impl Index {
    /// The number of chunks that contain a stem, as `text::terms` computes it.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn document_frequency(&self, stem: &str) -> Result<usize, IndexError> {
        let mut total = 0;
        for (at, segment) in self.segments.iter().enumerate() {
            if self.live.is_whole(at) {
                total += segment.lexical.document_frequency(stem)?;
            } else {
                let live = |row| usize::from(self.live.row(at, row).is_some());
                segment.lexical.postings(stem, |row, _| total += live(row))?;
            }
        }
        Ok(total)
    }

    /// The BM25 weights for the chunks of this index.
    pub(crate) fn bm25(&self, settings: Bm25Settings) -> Bm25 {
        Bm25::new(settings, self.live.average_terms())
    }

    /// The BM25 score of every chunk, by live row; above 0 only for chunks that contain a stem of the question.
    pub(crate) fn bm25_scores(
        &self,
        query: &[QueryTerm],
        settings: Bm25Settings,
    ) -> Result<Vec<f32>, IndexError> {
        let bm25 = self.bm25(settings);
        let rows = self.live.rows();
        let mut scores = vec![0.0; rows.len()];
        // Term by term, in the order of the question, so that sums are bit-identical on every run.
        for term in query {
            let n = self.document_frequency(&term.stem)?;
            if n == 0 {
                continue;
            }
            let idf = idf(rows.len(), n) * term.count as f32;
            for (at, segment) in self.segments.iter().enumerate() {
                segment.lexical.postings(&term.stem, |row, frequency| {
                    let Some(row) = self.live.row(at, row).map(|row| row as usize) else {
                        return;
                    };
                    if let (Some(score), Some(chunk)) = (scores.get_mut(row), rows.get(row)) {
                        *score += bm25.weight(idf, frequency, chunk.terms);
                    }
                })?;
            }
        }
        Ok(scores)
    }
}
