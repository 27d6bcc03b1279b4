//! The caches of an index: parsed documents, and vectors, which are saved as they are computed.
//!
//! Both are kept as long as a source of the index has their content, so that an index that is damaged, of an older format or
//! made with other settings is built again without reading papers and without embedding the same texts again.

use crate::{
    indexed::content_hash,
    keys,
    packs::{Key, Packs},
    vectors::{self, TextKey, Vectors},
};
use serde::Serialize;
use std::{collections::BTreeSet, fs, io, path::Path, time::SystemTime};
use types::{Document, Holdings, files::TEMPORARY};

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
    /// Bytes of cached vectors.
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
        self.documents.put(&self.document_key(hash), &serde_json::to_vec(document)?)
    }

    /// The vectors that runs have saved of the texts of a document with this content.
    pub(crate) fn vectors(&self, embedder: &str, content: &str, dimension: usize) -> Vectors {
        Vectors::decode(&self.vectors.get(&keys::vectors(embedder, content)), dimension)
    }

    /// Saves vectors of such texts, beside those that are there.
    pub(crate) fn add_vectors(
        &self,
        embedder: &str,
        content: &str,
        vectors: &[(TextKey, Vec<f32>)],
    ) -> io::Result<()> {
        let key = keys::vectors(embedder, content);
        self.vectors.put(&key, &vectors::encode(vectors))
    }

    /// Removes what no source of the index needs, all of it with `all`: see [`Packs::retain`]. Packs that were written after
    /// `unfinished` stay, because an unfinished run wrote them. Returns the number of bytes freed, and of bytes kept for the
    /// next run.
    pub(crate) fn prune(
        &self,
        current: Option<&Holdings>,
        unfinished: Option<SystemTime>,
        all: bool,
    ) -> io::Result<(u64, u64)> {
        let sources = || current.into_iter().flat_map(|held| &held.sources);
        let contents = || sources().map(|source| content_hash(&source.key));
        let embedder = current.map_or("", |held| &held.made_by.embedder_id);
        let documents: BTreeSet<Key> = contents().map(|content| self.document_key(content)).collect();
        let vectors = contents().map(|content| keys::vectors(embedder, content)).collect();
        let (mut freed, mut kept) = (0, 0);
        // Of a document the latest reading counts; the vectors of a document are in several records.
        for (cache, needed, has_one) in [(&self.documents, documents, true), (&self.vectors, vectors, false)]
        {
            let fresh = unfinished.map_or_else(BTreeSet::new, |since| cache.written_after(since));
            freed += cache.retain(all, |key, pack, is_latest| {
                fresh.contains(&pack) || (needed.contains(key) && (is_latest || !has_one))
            })?;
            kept += cache.bytes_of(|key| !needed.contains(key));
        }
        Ok((freed, kept))
    }

    /// How much is kept.
    pub(crate) fn usage(&self) -> CacheUsage {
        let (documents, document_bytes) = self.documents.usage();
        CacheUsage { documents, document_bytes, vector_bytes: self.vectors.usage().1 }
    }

    /// Damaged files. A last record that was written in part is none: the next run drops it.
    pub(crate) fn damaged(&self) -> Vec<String> {
        let of = |cache: &Packs, name: &str| {
            let packs = cache.damaged().into_iter();
            packs.map(|pack| format!("cache/{name}/{pack}.pack")).collect::<Vec<_>>()
        };
        [of(&self.documents, "documents"), of(&self.vectors, "vectors")].concat()
    }

    fn document_key(&self, hash: &str) -> Key {
        keys::document(hash, &self.reader_key)
    }
}

/// Removes the half-written files that killed runs left in an index folder; returns their bytes. The caller holds the lock of
/// the index: nobody else writes there.
///
/// # Errors
/// When a file cannot be removed.
pub(crate) fn clear_temporary(index: &Path) -> io::Result<u64> {
    let mut freed = 0;
    for entry in fs::read_dir(index).into_iter().flatten().flatten() {
        let meta = fs::symlink_metadata(entry.path())?;
        if meta.is_file() && is_half_written(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())?;
            freed += meta.len();
        }
    }
    Ok(freed)
}

/// Whether a file of this name is being written, or was when a run was killed.
fn is_half_written(name: &str) -> bool {
    let random = name.strip_prefix(TEMPORARY);
    random.is_some_and(|random| random.len() == 6 && random.bytes().all(|b| b.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_written_files_go_and_nothing_else() {
        let root = tempfile::tempdir().expect("a folder");
        for (name, is_gone) in
            [(".tmp-a1b2c3", true), (".tmpA1b2C3", false), (".tmpA1b2C3d4", false), ("failed.json", false)]
        {
            let path = root.path().join(name);
            fs::write(&path, "half").expect("written");
            assert_eq!(clear_temporary(root.path()).expect("read"), if is_gone { 4 } else { 0 });
            assert_ne!(path.exists(), is_gone, "{name}");
        }
    }
}
