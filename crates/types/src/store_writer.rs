//! The interface for filling and maintaining a store. Its methods may block: call them on a thread for such work.

use crate::files::holder;
use crate::{ErrorParts, FailureKind, SourceEntry, SourceId, SourceMeta, Store, StoreError};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

/// How the content of a store is made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeBy {
    /// Names the embedder of all vectors; sources of another one cannot be kept.
    pub embedder_id: String,
    /// Length of a vector; at least 1.
    pub dimension: usize,
    /// Version of the reader of papers.
    pub parser: String,
    /// Version of the chunker.
    pub chunker: String,
    /// Settings that shaped the content.
    pub config: BTreeMap<String, String>,
}

/// What a store holds.
#[derive(Clone, Debug, Default)]
pub struct Holdings {
    /// Number of its version, from 1.
    pub version: u64,
    /// How it was made.
    pub made_by: MadeBy,
    /// Its sources in the order of their ids.
    pub sources: Vec<HeldSource>,
    /// When the version became current, if that is known.
    pub since: Option<SystemTime>,
}

impl Holdings {
    /// The sum of a count over all sources.
    pub fn sum(&self, of: impl Fn(&HeldSource) -> usize) -> usize {
        self.sources.iter().map(of).sum()
    }
}

/// A source of a store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeldSource {
    /// Its metadata.
    pub meta: SourceMeta,
    /// The caller's key: see [`SourceEntry::key`].
    pub key: String,
    /// The file that it was read from.
    #[serde(with = "crate::path_text")]
    pub path: PathBuf,
    /// Further paths at which its content lies.
    #[serde(with = "crate::path_text::list")]
    pub copies: Vec<PathBuf>,
    /// Which record of the file it is, if the file contains many sources.
    pub record: Option<String>,
    /// The folder or file given to ingest.
    #[serde(with = "crate::path_text")]
    pub root: PathBuf,
    /// When it was ingested; empty if that is not known.
    pub ingested: String,
    /// Its chunks.
    pub chunks: usize,
    /// Its embedding windows.
    pub windows: usize,
    /// Its sentences.
    pub sentences: usize,
    /// Its indexed terms, repetitions counted.
    pub terms: usize,
}

impl HeldSource {
    /// Its id.
    pub fn source_id(&self) -> &SourceId {
        &self.meta.source_id
    }

    /// All its paths, the first one first.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.path).chain(&self.copies).map(PathBuf::as_path)
    }

    /// Its files, each with the record of that file.
    pub fn places(&self) -> impl Iterator<Item = (&Path, Option<&str>)> {
        self.paths().map(|path| (path, self.record.as_deref()))
    }

    /// Where its file lies now: see [`present_path`].
    pub fn present_path(&self, folder: &Path) -> PathBuf {
        let paths: Vec<PathBuf> = self.paths().map(Path::to_owned).collect();
        present_path(&paths, folder)
    }
}

/// Returns the first of `paths` that exists. If none does, the store and its papers may have been moved together: looks for the
/// last components of each path in the parent and grandparent of `folder`. Otherwise returns the first path.
pub fn present_path(paths: &[PathBuf], folder: &Path) -> PathBuf {
    let moved = |path: &PathBuf| {
        let folder = std::path::absolute(folder).ok()?;
        let around: Vec<&Path> = folder.ancestors().skip(1).take(2).collect();
        let parts: Vec<_> = path.components().skip(1).collect();
        let below = (0..parts.len()).map(|from| parts[from..].iter().collect::<PathBuf>());
        { below }.find_map(|below| around.iter().map(|at| at.join(&below)).find(|at| holder(at).is_some()))
    };
    let present = paths.iter().find(|path| holder(path).is_some()).cloned();
    let present = present.or_else(|| paths.iter().find_map(moved));
    present.unwrap_or_else(|| paths.first().cloned().unwrap_or_default())
}

/// A part of a store that is not what was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The part; of a store in files, the file's path inside its folder.
    pub file: String,
    /// What is wrong with it.
    pub reason: String,
    /// What to do about it, if that is not what helps for most: to ingest the papers again.
    pub hint: Option<String>,
}

/// What a check of a whole store found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verified {
    /// The version that was checked; `None` if it cannot be told.
    pub version: Option<u64>,
    /// Files that were read.
    pub files: usize,
    /// Bytes of these.
    pub bytes: u64,
    /// What is wrong; empty when all is well.
    pub damages: Vec<Damage>,
    /// Share of the ten nearest chunks that an approximate vector index finds, for a sample of chunks; `None` without one, or
    /// where searches do not use it because the store is small.
    pub graph_recall: Option<f64>,
}

/// What a store takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreUsage {
    /// Bytes by what they are for.
    pub bytes: BTreeMap<&'static str, u64>,
    /// Whether there is an approximate vector index.
    pub graph: bool,
    /// Parts that every search reads.
    pub segments: usize,
    /// Chunks of removed or replaced sources, whose space [`StoreWriter::compact`] frees.
    pub dead_chunks: usize,
}

/// Something that was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// Its name inside the store.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
}

/// What [`StoreWriter::compact`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Compacted {
    /// What was removed.
    pub removed: Vec<Removed>,
    /// Older versions that stay because a reader has them open.
    pub in_use: Vec<u64>,
}

/// One of several parts in which a library is loaded, each by a run of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which part, from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

impl Part {
    /// Whether what has this hash (hexadecimal) belongs to the part.
    pub fn holds(self, hash: &str) -> bool {
        let digits = hash.get(..8).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        // What is no hash is given one.
        let number = digits.unwrap_or_else(|| crate::digest::crc32(&[hash.as_bytes()]));
        number % self.of.max(1) + 1 == self.number
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// A store that this program fills and maintains.
pub trait ManagedStore: Send + Sync {
    /// What the next version builds on, `None` if nothing was ever committed; and what was lost, as text for people. Waits
    /// for no writer and changes nothing.
    ///
    /// # Errors
    /// When the store cannot be read, or a newer program wrote it.
    fn holdings(&self) -> Result<(Option<Holdings>, Option<String>), StoreError>;
    /// Opens the current version for reading, and says what it holds.
    ///
    /// # Errors
    /// When there is none, it is damaged, or it cannot be read.
    fn open(&self) -> Result<(Arc<dyn Store>, Holdings), StoreError>;
    /// Opens the store for writing; creates it if there is none. Without `made_by`, the store must exist, and its next
    /// version is made as the current one.
    ///
    /// # Errors
    /// When another writer is at work, something else is in its place, or it cannot be read or written.
    fn write(&self, made_by: Option<MadeBy>) -> Result<Box<dyn StoreWriter>, StoreError>;
    /// As [`Self::write`], for one of several parts, which writers on other machines load at the same time. The version becomes
    /// current when all parts are committed.
    ///
    /// # Errors
    /// As [`Self::write`]; when the store cannot be loaded in parts, which is usual.
    fn write_part(&self, made_by: MadeBy, part: Part) -> Result<Box<dyn StoreWriter>, StoreError> {
        let (_, code) = (made_by, "index_parts");
        Err(StoreError {
            parts: ErrorParts {
                code,
                message: format!(
                    "part {part} was asked for, and an index on this machine is not loaded in parts"
                ),
                value: Some(part.to_string()),
                hint: Some("leave out --part, or use a Qdrant server with store.kind".to_owned()),
            },
            kind: FailureKind::Fatal,
        })
    }
    /// Reads everything and checks that it is what was written.
    ///
    /// # Errors
    /// When nothing was ever committed, another version of this program wrote the store, or it cannot be read.
    fn verify(&self) -> Result<Verified, StoreError>;
    /// What the store takes.
    ///
    /// # Errors
    /// When there is no current version, or it cannot be read.
    fn usage(&self) -> Result<StoreUsage, StoreError>;
}

/// The one writer of a store. Dropping it releases the store to the next writer.
pub trait StoreWriter: Send {
    /// What the current version holds; `None` before the first commit.
    fn holdings(&self) -> Option<Holdings>;
    /// What is lost or damaged, and what is done about it, as text for people.
    fn note(&self) -> Option<&str>;
    /// # Errors
    /// When the current version is damaged, or an older program wrote it.
    fn check(&self) -> Result<(), StoreError>;
    /// Whether the next version can keep sources of the current one: it is intact, and its vectors are of this writer's embedder.
    fn can_keep(&self) -> bool;
    /// Whether a version has to be written though no source changed.
    fn must_rewrite(&self) -> bool;
    /// Starts the next version. Do not call it for a run that would change nothing.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn begin(&mut self) -> Result<Box<dyn NewVersion + '_>, StoreError>;
    /// Frees the space of what is no longer in the store, and removes older versions that no reader has open. It can be
    /// stopped at any time: the store stays intact, and the next writer or compaction removes the rest.
    ///
    /// # Errors
    /// When the current version is damaged: an older one may be the only one that is intact, so none is removed. When the
    /// store cannot be written.
    fn compact(&mut self) -> Result<Compacted, StoreError>;
}

/// The next version of a store, while it is written. Keep or add each source once, in any order; a source that is
/// neither kept nor added is not in the next version. Readers see the current version until [`Self::commit`] has
/// succeeded; if it is dropped before, the store stays as it was.
pub trait NewVersion: Send {
    /// Keeps sources of the current version as they are.
    ///
    /// # Errors
    /// When one is not in the current version, was kept or added before, is damaged, or has vectors of another embedder;
    /// or when the store cannot be written.
    fn keep(&mut self, sources: &[SourceId]) -> Result<(), StoreError>;
    /// Adds a new source, or the new content of one. [`SourceEntry::key`] must change whenever the content does: a store's
    /// identity is made of the keys of its sources.
    ///
    /// # Errors
    /// When the parts of the source are inconsistent, it was kept or added before, or the store cannot be written.
    fn add(&mut self, source: SourceEntry) -> Result<(), StoreError>;
    /// Makes the new version current.
    ///
    /// # Errors
    /// When an earlier call failed in the middle of a source, or the store cannot be written. The store then is as it
    /// was, unless only the last steps failed: the new version is then already current. Open the store again to see.
    fn commit(self: Box<Self>) -> Result<(), StoreError>;
}
