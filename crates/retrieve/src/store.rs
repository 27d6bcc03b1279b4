//! Reads chunks, sources and sentence vectors from an opened index.

use crate::{Index, IndexError, segment::Segment};
use std::sync::Arc;
use types::{Chunk, ChunkId, SourceId, SourceMeta};

impl Index {
    /// The segment that contains a chunk, and its row in that segment.
    pub(crate) fn find(&self, id: &ChunkId) -> Option<(usize, usize)> {
        let of_segment = |(at, segment): (usize, &Segment)| {
            let row = segment.chunks.find(id)?;
            self.live.row(at, row).map(|_| (at, row))
        };
        // Newest first: most replaced chunks are in old segments.
        self.segments.iter().enumerate().rev().find_map(of_segment)
    }

    /// The segment of a source, and the rows of its sentences in that segment.
    fn sentences_of(&self, id: &SourceId) -> Option<(&Segment, [usize; 2])> {
        let (at, _) = self.manifest.source(id)?;
        let place = self.places.get(at)?;
        let segment = self.segments.get(place.segment)?;
        Some((segment, segment.record.sources.get(place.source)?.sentences))
    }
}

/// An unknown id yields nothing; a failed read is an error that names the file.
impl Index {
    /// A chunk by id; `None` for an unknown one.
    ///
    /// # Errors
    /// When the stored chunk is damaged.
    pub fn read_chunk(&self, id: &ChunkId) -> Result<Option<Arc<Chunk>>, IndexError> {
        let found = self
            .find(id)
            .and_then(|(segment, row)| self.live.row(segment, row));
        found.map(|row| self.chunk_at(row)).transpose()
    }

    /// A chunk by id; `None` for an unknown or damaged one.
    pub fn chunk(&self, id: &ChunkId) -> Option<Arc<Chunk>> {
        self.read_chunk(id).ok().flatten()
    }

    /// Up to `reach` chunks on either side of `id` in the same source and section, in reading order, `id` itself left
    /// out.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn neighbours(&self, id: &ChunkId, reach: usize) -> Result<Vec<Arc<Chunk>>, IndexError> {
        let Some((at, row)) = self.find(id) else {
            return Ok(Vec::new());
        };
        let rows = self.segments[at].neighbours(row, reach).into_iter();
        rows.filter_map(|row| self.live.row(at, row))
            .map(|row| self.chunk_at(row))
            .collect()
    }

    /// What is known of a source.
    pub fn source(&self, id: &SourceId) -> Option<Arc<SourceMeta>> {
        let (at, _) = self.manifest.source(id)?;
        self.metas.get(at).cloned()
    }

    /// All sources, in the order of their ids.
    pub fn sources(&self) -> Vec<Arc<SourceMeta>> {
        self.metas.clone()
    }

    /// Cosine of the unit vector `query` with each sentence of `chunk`, in order, in `-1..=1`, from the stored sentence
    /// vectors.
    pub fn sentence_similarities(&self, chunk: &Chunk, query: &[f32]) -> Vec<f32> {
        let Some((segment, [start, _])) = self.sentences_of(&chunk.source_id) else {
            return vec![0.0; chunk.sentences.len()];
        };
        let sentences = chunk
            .sentences
            .iter()
            .map(|s| start.saturating_add(s.number as usize));
        segment.sentences.cosines(sentences, query)
    }

    /// The stored vector of a sentence of a source, scaled back to unit length.
    pub fn sentence_vector(&self, source: &SourceId, number: u32) -> Option<Vec<f32>> {
        let (segment, [start, end]) = self.sentences_of(source)?;
        let sentence = start.checked_add(number as usize)?;
        if sentence < end {
            segment.sentences.vector(sentence)
        } else {
            None
        }
    }
}
