//! What a generation holds of one source, for a caller that makes the source anew and wants to do no work twice.

use crate::{Index, IndexError, SourceRecord, disk::names};
use std::sync::Arc;
use types::{Chunk, SourceId, Span};

/// One source as a generation holds it. Handed back to [`crate::Generation::add`], chunks give the same bytes and
/// vectors the same bits.
#[derive(Clone, Debug)]
pub struct HeldSource {
    /// Its record.
    pub record: SourceRecord,
    /// Its chunks, by ordinal.
    pub chunks: Vec<Arc<Chunk>>,
    /// For each chunk its windows (bytes of [`Chunk::text`]), each with its unit vector.
    pub windows: Vec<Vec<(Span, Vec<f32>)>>,
    /// One vector a sentence, by [`types::SentenceSpan::number`]: unit length within the 8 bits a number that the
    /// index keeps, or zeros.
    pub sentences: Vec<Vec<f32>>,
}

impl Index {
    /// What the generation holds of a source; `None` when it does not hold it.
    ///
    /// # Errors
    /// When a stored chunk or vector is damaged.
    pub fn held(&self, id: &SourceId) -> Result<Option<HeldSource>, IndexError> {
        let Some(record) = self.source_record(id) else {
            return Ok(None);
        };
        let missing = |name: &str| IndexError::damaged(self.dir.join(name), "it is too short");
        let mut held = HeldSource {
            record: record.clone(),
            chunks: self.chunks_of(record).collect::<Result<_, _>>()?,
            windows: Vec::new(),
            sentences: Vec::new(),
        };
        for at in record.chunks[0]..record.chunks[1] {
            let row = self.chunks.rows().get(at).ok_or_else(|| missing(names::ROWS))?;
            let window = |number: usize| {
                let vector = self
                    .windows
                    .vector(number)
                    .ok_or_else(|| missing(names::WINDOWS))?;
                let place = self
                    .windows
                    .row(number)
                    .ok_or_else(|| missing(names::WINDOW_ROWS))?;
                let span = Span::new(place.start as usize, place.end as usize);
                Ok((span, vector.to_vec()))
            };
            held.windows
                .push(row.windows().map(window).collect::<Result<_, IndexError>>()?);
        }
        for sentence in record.sentences[0]..record.sentences[1] {
            let vector = self.sentences.vector(sentence);
            held.sentences
                .push(vector.ok_or_else(|| missing(names::SENTENCES))?);
        }
        Ok(Some(held))
    }
}
