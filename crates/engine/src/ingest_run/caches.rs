//! Results of the stages of ingestion, by what they were made from.

use super::{Run, plan::known, vectors::Vectors};
use crate::{
    cache::{self, StageCache},
    error::EngineError,
};
use retrieve::IndexWriter;
use std::collections::BTreeSet;
use types::Document;

/// Results of the stages, kept between runs.
pub(super) struct Caches {
    documents: StageCache,
    vectors: StageCache,
    /// What documents depend on beside their file: see [`Run::reading_key`].
    reading: String,
}

impl Caches {
    pub(super) fn new(index: &std::path::Path, reading: String) -> Self {
        let root = index.join("cache");
        Self {
            documents: StageCache::new(&root, "documents"),
            vectors: StageCache::new(&root, "vectors"),
            reading,
        }
    }

    fn document_key(&self, hash: &str) -> String {
        cache::key(&[hash.as_bytes(), self.reading.as_bytes()])
    }

    pub(super) fn document(&self, hash: &str) -> Option<Document> {
        serde_json::from_slice(&self.documents.get(&self.document_key(hash))?).ok()
    }

    pub(super) fn put_document(&self, hash: &str, document: &Document) -> std::io::Result<()> {
        self.documents
            .put(&self.document_key(hash), &serde_json::to_vec(document)?)
    }

    pub(super) fn vectors(&self, key: &str) -> Option<Vectors> {
        Vectors::from_bytes(&self.vectors.get(key)?)
    }

    pub(super) fn put_vectors(&self, key: &str, vectors: &Vectors) -> std::io::Result<()> {
        self.vectors.put(key, &vectors.to_bytes())
    }

    /// Forgets what the index holds now (vectors) or no longer needs (documents).
    pub(super) fn prune(&self, writer: &IndexWriter, run: &Run<'_>) -> Result<(), EngineError> {
        let known = known(writer.current());
        let wanted: BTreeSet<String> = known
            .iter()
            .map(|k| self.document_key(k.content_hash()))
            .collect();
        let dir = &run.settings.index.dir;
        self.documents
            .retain(&wanted)
            .map_err(EngineError::io("tidy the cache in", dir))?;
        self.vectors
            .retain(&BTreeSet::new())
            .map_err(EngineError::io("tidy the cache in", dir))?;
        Ok(())
    }
}
