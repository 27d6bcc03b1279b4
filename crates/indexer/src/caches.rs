//! The caches of an index: results of ingestion that a later run can use and that the index itself does not hold.
//!
//! A document is kept as long as a source of the index has its content, so that a damaged index can be rebuilt without
//! reading papers again. Vectors are saved as they are computed and kept until their generation is current: from then
//! on they are read from the index.

use crate::{
    indexed::content_hash,
    keys, leftovers,
    packs::{Key, Packs},
    vectors::{self, TextKey, Vectors},
};
use retrieve::Manifest;
use serde::Serialize;
use std::{collections::BTreeSet, io, path::Path, time::SystemTime};
use types::{Document, Reporter, Stop};

/// Results of the stages, kept between runs.
pub(crate) struct Caches {
    documents: Packs,
    vectors: Packs,
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

impl Caches {
    /// The caches of an index folder; `reader_key` is what documents depend on beside their file.
    pub(crate) fn open(index: &Path, reader_key: String) -> Self {
        let root = index.join("cache");
        Self {
            documents: Packs::open(&root, "documents"),
            vectors: Packs::open(&root, "vectors"),
            reader_key,
        }
    }

    /// Takes over the documents that earlier versions cached in a file each, and removes all such files: see
    /// [`leftovers::convert`].
    pub(crate) fn convert(&self, reporter: &dyn Reporter, stop: &Stop) -> io::Result<u64> {
        Ok(leftovers::convert(&self.documents, true, reporter, stop)?
            + leftovers::convert(&self.vectors, false, reporter, stop)?)
    }

    /// What documents depend on beside their file.
    pub(crate) fn reader_key(&self) -> &str {
        &self.reader_key
    }

    pub(crate) fn document(&self, hash: &str) -> Option<Document> {
        serde_json::from_slice(&self.documents.get(&self.document_key(hash)).pop()?).ok()
    }

    /// Bytes of a cached document; 0 for one that is not cached.
    pub(crate) fn document_bytes(&self, hash: &str) -> u64 {
        self.documents.length(&self.document_key(hash))
    }

    pub(crate) fn put_document(&self, hash: &str, document: &Document) -> io::Result<()> {
        self.documents
            .put(&self.document_key(hash), &serde_json::to_vec(document)?)
    }

    /// The vectors that an unfinished run has saved under this key.
    pub(crate) fn vectors(&self, key: &Key, dimension: usize) -> Vectors {
        Vectors::decode(&self.vectors.get(key), dimension)
    }

    /// Saves vectors under this key, beside those that are there.
    pub(crate) fn add_vectors(&self, key: &Key, vectors: &[(TextKey, Vec<f32>)]) -> io::Result<()> {
        self.vectors.put(key, &vectors::encode(vectors))
    }

    /// Removes vectors that the index has now and documents that it no longer needs, all of them with `all`: see
    /// [`Packs::retain`]. Packs that were written after `unfinished` stay, because an unfinished run wrote them. Returns
    /// the number of bytes freed, and of bytes kept for the next run.
    pub(crate) fn prune(
        &self,
        current: Option<&Manifest>,
        unfinished: Option<SystemTime>,
        all: bool,
    ) -> io::Result<(u64, u64)> {
        let needed = self.documents_of(current);
        let (mut freed, mut kept) = (0, 0);
        for (cache, needed) in [(&self.documents, &needed), (&self.vectors, &BTreeSet::new())] {
            let fresh = unfinished.map_or_else(BTreeSet::new, |since| cache.written_after(since));
            freed += cache.retain(all, |key, pack, is_latest| {
                fresh.contains(&pack) || (is_latest && needed.contains(key))
            })?;
            kept += cache.bytes_of(|key| !needed.contains(key));
        }
        Ok((freed, kept))
    }

    /// How much is kept.
    pub(crate) fn usage(&self) -> CacheUsage {
        let (documents, document_bytes) = self.documents.usage();
        CacheUsage {
            documents,
            document_bytes,
            vector_bytes: self.vectors.usage().1,
        }
    }

    /// Damaged files. A last record that was written in part is none: the next run drops it.
    pub(crate) fn damaged(&self) -> Vec<String> {
        let of = |cache: &Packs, name: &str| {
            let packs = cache.damaged().into_iter();
            packs
                .map(|pack| format!("cache/{name}/{pack}.pack"))
                .collect::<Vec<_>>()
        };
        [of(&self.documents, "documents"), of(&self.vectors, "vectors")].concat()
    }

    fn document_key(&self, hash: &str) -> Key {
        keys::document(hash, &self.reader_key)
    }

    /// Keys of the documents that the sources of an index were made from.
    fn documents_of(&self, manifest: Option<&Manifest>) -> BTreeSet<Key> {
        let sources = manifest.into_iter().flat_map(|manifest| &manifest.sources);
        sources
            .map(|source| self.document_key(content_hash(&source.key)))
            .collect()
    }
}
