//! Results of the stages of ingestion that a later run can use, and that the index itself does not hold.
//!
//! Documents stay for as long as a source of the index has their content, so that a damaged index is built again
//! without reading a paper again. Vectors are saved as they are made and kept until the generation that they were made
//! for is current: from then on they are taken from there.

use super::{
    keys,
    plan::known,
    vectors::{TextKey, Vectors},
};
use crate::cache::{Entry, StageCache};
use retrieve::Manifest;
use serde::Serialize;
use std::{collections::BTreeSet, fs, io, path::Path};
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

/// Whether an entry is not what was written.
type Check<'a> = Box<dyn Fn(&Entry) -> bool + 'a>;

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

    /// Bytes of a kept document; 0 for one that is not kept.
    pub(super) fn document_bytes(&self, hash: &str) -> u64 {
        let path = self.documents.path(&keys::document(hash, &self.reading));
        fs::metadata(path).map_or(0, |meta| meta.len())
    }

    pub(super) fn put_document(&self, hash: &str, document: &Document) -> io::Result<()> {
        self.documents.put(
            &keys::document(hash, &self.reading),
            &serde_json::to_vec(document)?,
        )
    }

    /// The vectors that an unfinished run has saved under this key.
    pub(super) fn vectors(&self, key: &str, dimension: usize) -> Vectors {
        Vectors::load(&self.vectors.path(key), dimension)
    }

    /// Saves vectors under this key, beside those that are there.
    pub(super) fn add_vectors(
        &self,
        key: &str,
        dimension: usize,
        vectors: &[(TextKey, Vec<f32>)],
    ) -> io::Result<()> {
        Vectors::save(&self.vectors.path(key), dimension, vectors)
    }

    /// Removes what the index holds now (vectors) or no longer needs (documents). Returns the bytes that this freed.
    pub(crate) fn prune(&self, current: Option<&Manifest>) -> io::Result<u64> {
        Ok(self.documents.retain(&self.documents_of(current))? + self.vectors.retain(&BTreeSet::new())?)
    }

    /// As [`Self::prune`], but keeps what was made after the generation in `index` became current: it is of a run that
    /// did not finish. Returns the bytes that this freed, and those that are kept for the next run.
    pub(crate) fn sweep(&self, current: Option<&Manifest>, index: &Path) -> io::Result<(u64, u64)> {
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

    /// Removes entries that are not what was written. Returns the bytes that this freed.
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

    /// Entries that are not what was written.
    pub(crate) fn damaged(&self) -> Vec<String> {
        let mut damaged = Vec::new();
        for ((cache, is_damaged), name) in self.checks().into_iter().zip(["documents", "vectors"]) {
            let entries = cache.entries().into_iter().filter(is_damaged);
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

    /// Keys of the documents that the sources of an index were cut from.
    fn documents_of(&self, manifest: Option<&Manifest>) -> BTreeSet<String> {
        let known = known(manifest);
        let key = |k: &super::plan::Known| keys::document(k.content_hash(), &self.reading);
        known.iter().map(key).collect()
    }
}
