//! The caches of an index: results of ingestion that a later run can use and that the index itself does not hold.
//!
//! A document is kept as long as a source of the index has its content, so that a damaged index can be rebuilt without
//! reading papers again. Vectors are saved as they are computed and kept until their generation is current: from then
//! on they are read from the index.

use crate::{
    cache::{Entry, StageCache, is_half_written},
    indexed::{IndexedSource, indexed_sources},
    keys,
    vectors::{TextKey, Vectors},
};
use retrieve::Manifest;
use serde::Serialize;
use std::{collections::BTreeSet, fs, io, path::Path};
use types::Document;

/// Results of the stages, kept between runs.
pub(crate) struct Caches {
    documents: StageCache,
    vectors: StageCache,
    /// What documents depend on beside their file: see [`crate::indexer::reader_key`].
    reader_key: String,
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

/// Whether an entry is damaged.
type Check<'a> = Box<dyn Fn(&Entry) -> bool + 'a>;

impl Caches {
    /// The caches of an index folder; `reader_key` is what documents depend on beside their file.
    pub(crate) fn new(index: &Path, reader_key: String) -> Self {
        let root = index.join("cache");
        Self {
            documents: StageCache::new(&root, "documents"),
            vectors: StageCache::new(&root, "vectors"),
            reader_key,
        }
    }

    /// What documents depend on beside their file.
    pub(crate) fn reader_key(&self) -> &str {
        &self.reader_key
    }

    pub(crate) fn document(&self, hash: &str) -> Option<Document> {
        serde_json::from_slice(&self.documents.get(&keys::document(hash, &self.reader_key))?).ok()
    }

    /// Bytes of a cached document; 0 for one that is not cached.
    pub(crate) fn document_bytes(&self, hash: &str) -> u64 {
        let path = self.documents.path(&keys::document(hash, &self.reader_key));
        fs::metadata(path).map_or(0, |meta| meta.len())
    }

    pub(crate) fn put_document(&self, hash: &str, document: &Document) -> io::Result<()> {
        self.documents.put(
            &keys::document(hash, &self.reader_key),
            &serde_json::to_vec(document)?,
        )
    }

    /// The vectors that an unfinished run has saved under this key.
    pub(crate) fn vectors(&self, key: &str, dimension: usize) -> Vectors {
        Vectors::load(&self.vectors.path(key), dimension)
    }

    /// Saves vectors under this key, beside those that are there.
    pub(crate) fn add_vectors(
        &self,
        key: &str,
        dimension: usize,
        vectors: &[(TextKey, Vec<f32>)],
    ) -> io::Result<()> {
        Vectors::save(&self.vectors.path(key), dimension, vectors)
    }

    /// Removes vectors that the index has now and documents that it no longer needs. Returns the number of bytes freed.
    pub(crate) fn prune(&self, current: Option<&Manifest>) -> io::Result<u64> {
        Ok(self.documents.retain(&self.documents_of(current))? + self.vectors.retain(&BTreeSet::new())?)
    }

    /// As [`Self::prune`], but keeps what was made after the generation in `index` became current, because an
    /// unfinished run made it. Returns the number of bytes freed, and of bytes kept for the next run.
    pub(crate) fn sweep(&self, current: Option<&Manifest>, index: &Path) -> io::Result<(u64, u64)> {
        let since = retrieve::current_since(index);
        let needed = self.documents_of(current);
        let (mut freed, mut unfinished) = (0, 0);
        for (cache, needed) in [(&self.documents, &needed), (&self.vectors, &BTreeSet::new())] {
            let mut keep = BTreeSet::new();
            for entry in cache.entries() {
                if needed.contains(&entry.key) {
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

    /// Removes damaged entries. Returns the number of bytes freed.
    pub(crate) fn remove_damaged(&self) -> io::Result<u64> {
        let mut freed = 0;
        for (cache, is_damaged) in self.checks() {
            let whole = cache.entries().into_iter().filter(|entry| !is_damaged(entry));
            freed += cache.retain(&whole.map(|entry| entry.key).collect())?;
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

    /// Damaged entries. The half-written file of a killed run is none: the next run removes it.
    pub(crate) fn damaged(&self) -> Vec<String> {
        let mut damaged = Vec::new();
        for ((cache, is_damaged), name) in self.checks().into_iter().zip(["documents", "vectors"]) {
            let entries = cache.entries().into_iter();
            let entries = entries.filter(|entry| !is_half_written(&entry.key) && is_damaged(entry));
            damaged.extend(entries.map(|entry| format!("cache/{name}/{}", entry.key)));
        }
        damaged
    }

    /// Documents and vectors, and whether an entry of them is not what was written.
    fn checks(&self) -> [(&StageCache, Check<'_>); 2] {
        [
            (
                &self.documents,
                Box::new(|entry| self.documents.get(&entry.key).is_none()),
            ),
            (&self.vectors, Box::new(|entry| Vectors::is_damaged(&entry.path))),
        ]
    }

    /// Keys of the documents that the sources of an index were made from.
    fn documents_of(&self, manifest: Option<&Manifest>) -> BTreeSet<String> {
        let key = |k: &IndexedSource| keys::document(k.content_hash(), &self.reader_key);
        indexed_sources(manifest).iter().map(key).collect()
    }
}
