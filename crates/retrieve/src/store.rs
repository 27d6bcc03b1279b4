//! What later stages ask of an opened index.

use crate::{Index, lexical::idf};
use std::sync::Arc;
use types::{Chunk, ChunkId, ChunkStore, SourceId, SourceMeta, StoreError};

/// Unknown ids give nothing; what cannot be read is an error that names the file.
impl ChunkStore for Index {
    fn chunk(&self, id: &ChunkId) -> Option<Arc<Chunk>> {
        self.chunks.chunk(self.chunks.find(id)?).ok()
    }

    fn neighbours(&self, id: &ChunkId, reach: usize) -> Result<Vec<Arc<Chunk>>, StoreError> {
        let rows = self.chunks.rows();
        let Some(row) = self.chunks.find(id) else {
            return Ok(Vec::new());
        };
        let Some(this) = rows.get(row) else {
            return Ok(Vec::new());
        };
        let Some(source) = self.manifest.sources.get(this.source as usize) else {
            return Ok(Vec::new());
        };
        // Ordinals rise within a source, and so do the numbers of a section: the rows of one section, in
        // order, are adjacent numbers.
        let alike = |other: &usize| rows.get(*other).is_some_and(|r| r.section == this.section);
        let mut found: Vec<usize> = (source.chunks[0]..row).rev().filter(alike).take(reach).collect();
        found.reverse();
        found.extend(
            (row + 1..source.chunks[1].min(rows.len()))
                .filter(alike)
                .take(reach),
        );
        found
            .into_iter()
            .map(|row| {
                self.chunks
                    .chunk(row)
                    .map_err(|error| StoreError::new(error.to_string()))
            })
            .collect()
    }

    fn source(&self, id: &SourceId) -> Option<Arc<SourceMeta>> {
        let (at, _) = self.manifest.source(id)?;
        self.metas.get(at).cloned()
    }

    fn sources(&self) -> Vec<Arc<SourceMeta>> {
        self.metas.clone()
    }

    fn sentence_similarities(&self, chunk: &Chunk, query: &[f32]) -> Vec<f32> {
        // Out of any table's bounds, so that an unknown source gives zeros.
        let start = self
            .manifest
            .source(&chunk.source_id)
            .map_or(usize::MAX, |(_, s)| s.sentences[0]);
        let sentences = chunk
            .sentences
            .iter()
            .map(|s| start.saturating_add(s.number as usize));
        self.sentences.cosines(sentences, query)
    }

    fn sentence_vector(&self, source: &SourceId, number: u32) -> Option<Vec<f32>> {
        let (_, record) = self.manifest.source(source)?;
        let sentence = record.sentences[0].checked_add(number as usize)?;
        if sentence < record.sentences[1] {
            self.sentences.vector(sentence)
        } else {
            None
        }
    }

    fn idf(&self, stem: &str) -> Result<(f32, usize), StoreError> {
        let n = self
            .lexical
            .document_frequency(stem)
            .map_err(|error| StoreError::new(error.to_string()))?;
        Ok((idf(self.chunks.rows().len(), n), n))
    }
}
