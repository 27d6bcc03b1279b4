//! Results of the stages of ingestion that a later run can use, and that the index itself does not hold.
//!
//! Documents stay for as long as a source of the index has their content. Vectors are kept until the generation
//! that they were made for is current: from then on they are taken from there.

use super::{keys, plan::known, vectors::Vectors};
use crate::cache::StageCache;
use retrieve::Index;
use serde::Serialize;
use std::{collections::BTreeSet, io, path::Path};
use types::Document;

/// Results of the stages, kept between runs.
pub(crate) struct Caches {
    documents: StageCache,
    vectors: StageCache,
    /// What documents depend on beside their file: see [`crate::stages::reading_key`].
    reading: String,
}

/// How much the caches hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CacheUsage {
    /// Parsed documents.
    pub documents: usize,
    /// Their bytes.
    pub document_bytes: u64,
    /// Bytes of vectors of unfinished runs.
    pub vector_bytes: u64,
}

impl Caches {
    /// The caches of an index folder; `reading` is what documents depend on beside their file.
    pub(crate) fn new(index: &Path, reading: String) -> Self {
        let root = index.join("cache");
        Self {
            documents: StageCache::new(&root, "documents"),
            vectors: StageCache::new(&root, "vectors"),
            reading,
        }
    }

    /// What documents depend on beside their file.
    pub(crate) fn reading(&self) -> &str {
        &self.reading
    }

    pub(crate) fn document(&self, hash: &str) -> Option<Document> {
        serde_json::from_slice(&self.documents.get(&keys::document(hash, &self.reading))?).ok()
    }

    pub(super) fn put_document(&self, hash: &str, document: &Document) -> io::Result<()> {
        self.documents.put(
            &keys::document(hash, &self.reading),
            &serde_json::to_vec(document)?,
        )
    }

    pub(super) fn vectors(&self, key: &str, dimension: usize) -> Option<Vectors> {
        Vectors::from_bytes(&self.vectors.get(key)?, dimension)
    }

    pub(super) fn put_vectors(&self, key: &str, vectors: &Vectors) -> io::Result<()> {
        self.vectors.put(key, &vectors.to_bytes())
    }

    /// Forgets what the index holds now (vectors) or no longer needs (documents). Gives the bytes that this freed.
    pub(crate) fn prune(&self, current: Option<&Index>) -> io::Result<u64> {
        Ok(self.documents.retain(&self.documents_of(current))? + self.vectors.retain(&BTreeSet::new())?)
    }

    /// As [`Self::prune`], but keeps what was made after the generation in `index` became current: a run that did not
    /// finish wants it. Gives the bytes that this freed, and those that stay for that run.
    pub(crate) fn sweep(&self, current: Option<&Index>, index: &Path) -> io::Result<(u64, u64)> {
        let since = retrieve::current_since(index);
        let wanted = self.documents_of(current);
        let (mut freed, mut unfinished) = (0, 0);
        for (cache, wanted) in [(&self.documents, &wanted), (&self.vectors, &BTreeSet::new())] {
            let mut keep = BTreeSet::new();
            for entry in cache.entries() {
                if wanted.contains(&entry.key) {
                    keep.insert(entry.key);
                } else if since.is_none_or(|since| entry.newer_than(since)) {
                    unfinished += entry.bytes;
                    keep.insert(entry.key);
                }
            }
            freed += cache.retain(&keep)?;
        }
        Ok((freed, unfinished))
    }

    /// Removes entries that are not what was written, which count as absent anyway. Gives the bytes that this freed.
    pub(crate) fn remove_damaged(&self) -> io::Result<u64> {
        let mut freed = 0;
        for cache in [&self.documents, &self.vectors] {
            let entries = cache.entries().into_iter().map(|entry| entry.key);
            freed += cache.retain(&entries.filter(|key| cache.get(key).is_some()).collect())?;
        }
        Ok(freed)
    }

    /// How much is kept.
    pub(crate) fn usage(&self) -> CacheUsage {
        let documents = self.documents.entries();
        CacheUsage {
            documents: documents.len(),
            document_bytes: documents.iter().map(|e| e.bytes).sum(),
            vector_bytes: self.vectors.entries().iter().map(|e| e.bytes).sum(),
        }
    }

    /// Entries that are not what was written.
    pub(crate) fn damaged(&self) -> Vec<String> {
        let of = |cache: &StageCache, name: &str| {
            let damaged = cache
                .entries()
                .into_iter()
                .filter(|e| cache.get(&e.key).is_none());
            damaged
                .map(|e| format!("cache/{name}/{}", e.key))
                .collect::<Vec<_>>()
        };
        [of(&self.documents, "documents"), of(&self.vectors, "vectors")].concat()
    }

    /// Keys of the documents that the sources of an index were cut from.
    fn documents_of(&self, index: Option<&Index>) -> BTreeSet<String> {
        let known = known(index);
        let key = |k: &super::plan::Known| keys::document(k.content_hash(), &self.reading);
        known.iter().map(key).collect()
    }
}
