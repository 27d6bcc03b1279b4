//! What a generation holds and how it was made.

use super::{Output, hash_bytes};
use crate::{HnswSettings, IndexError};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::Path};
use types::{Chunk, SourceId, SourceMeta};

/// Number of the on-disk format. 2 added the checksums of single records and the copy of the manifest.
pub(crate) const FORMAT: u32 = 2;
/// The oldest format whose text and vectors the writer takes over; readers want [`FORMAT`].
pub(crate) const OLDEST: u32 = 1;
/// The manifest's file name.
pub(crate) const MANIFEST: &str = "manifest.json";
/// The manifest once more: without it no vector could be told whose it is.
pub(crate) const MANIFEST_COPY: &str = "manifest.copy.json";
/// Holds the hash of the manifest.
pub(crate) const MANIFEST_HASH: &str = "manifest.sha256";

/// What BM25 sees of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LexicalFields {
    /// The raw text.
    #[default]
    Text,
    /// The heading as printed, then the raw text, as one field.
    HeadingAndText,
}

impl LexicalFields {
    /// The stems indexed for a chunk, in order.
    pub(crate) fn terms(self, chunk: &Chunk) -> Vec<text::Term> {
        match self {
            Self::Text => text::terms(&chunk.text),
            Self::HeadingAndText => {
                let mut terms = text::terms(&chunk.heading);
                terms.extend(text::terms(&chunk.text));
                terms
            }
        }
    }
}

/// How much a generation holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Sources.
    pub sources: usize,
    /// Chunks.
    pub chunks: usize,
    /// Embedding windows.
    pub windows: usize,
    /// Sentences.
    pub sentences: usize,
    /// Indexed terms, repetitions counted.
    pub terms: u64,
}

/// One file as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Length in bytes.
    pub bytes: u64,
    /// SHA-256 of the content, in lower-case hexadecimal digits.
    pub sha256: String,
    /// CRC-32 of the content, which takes a fraction of the time to compare; none in indexes of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crc32: Option<u32>,
}

impl FileRecord {
    /// Whether both are of the same content.
    pub(crate) fn same_content(&self, other: &Self) -> bool {
        (self.bytes, &self.sha256) == (other.bytes, &other.sha256)
    }
}

/// One source of a generation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRecord {
    /// The caller's key: the same key means the same chunks and vectors.
    pub key: String,
    /// The file, as the caller names it.
    pub path: String,
    /// Which part of the file it is, where one file holds many sources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// The folder or file that was asked to be ingested, as the caller names it.
    pub root: String,
    /// When the source was last made, as the caller words it; empty in indexes of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ingested: String,
    /// What is known of the source, its id among it.
    pub meta: SourceMeta,
    /// Rows of its chunks, from and to (excluded).
    pub chunks: [usize; 2],
    /// Rows of its windows.
    pub windows: [usize; 2],
    /// Rows of its sentences.
    pub sentences: [usize; 2],
}

impl SourceRecord {
    /// The source's id.
    pub fn source_id(&self) -> &SourceId {
        &self.meta.source_id
    }
}

/// What a generation holds and how it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the on-disk format.
    pub format: u32,
    /// Number of the generation, from 1.
    pub generation: u64,
    /// The embedder of all vectors.
    pub embedder_id: String,
    /// Length of a vector.
    pub dimension: usize,
    /// Version of the PDF reader.
    pub parser: String,
    /// Version of the chunker.
    pub chunker: String,
    /// What BM25 sees of a chunk.
    pub fields: LexicalFields,
    /// Settings that shaped the content, as the caller gave them.
    pub config: BTreeMap<String, String>,
    /// How the approximate vector index was built; `None` when there is none.
    pub graph: Option<HnswSettings>,
    /// Totals.
    pub counts: Counts,
    /// The sources in the order of their ids.
    pub sources: Vec<SourceRecord>,
    /// Every other file of the generation, by its path inside.
    pub files: BTreeMap<String, FileRecord>,
}

impl Manifest {
    /// The source with this id and its place.
    pub fn source(&self, id: &SourceId) -> Option<(usize, &SourceRecord)> {
        let at = self.sources.binary_search_by(|s| s.source_id().cmp(id)).ok()?;
        Some((at, self.sources.get(at)?))
    }
}

/// Writes the manifest twice and its hash; gives the hash.
pub(crate) fn write_manifest(dir: &Path, manifest: &Manifest) -> Result<String, IndexError> {
    let path = dir.join(MANIFEST);
    let json = serde_json::to_vec_pretty(manifest).map_err(|e| IndexError::io("write", &path)(e.into()))?;
    let mut hash = String::new();
    for name in [MANIFEST, MANIFEST_COPY] {
        let mut out = Output::create(dir, name)?;
        out.put(&json)?;
        hash = out.finish()?.sha256;
    }
    let mut out = Output::create(dir, MANIFEST_HASH)?;
    out.put(format!("{hash}\n").as_bytes())?;
    out.finish()?;
    Ok(hash)
}

/// Reads the manifest of the generation in `dir`, with its hash. The hash must be the one in the file beside it or
/// `pointed`, the one in the pointer: what two of the three say is right. A manifest of any format from `oldest` to [`FORMAT`] will do.
pub(crate) fn read_manifest(
    dir: &Path,
    pointed: Option<&str>,
    oldest: u32,
) -> Result<(Manifest, String), IndexError> {
    let hashes = hashes(dir, pointed);
    read_one(&dir.join(MANIFEST), dir, &hashes, oldest)
}

/// As [`read_manifest`]; where the manifest is damaged its copy is read.
pub(crate) fn recover_manifest(
    dir: &Path,
    pointed: Option<&str>,
    oldest: u32,
) -> Result<(Manifest, String), IndexError> {
    let hashes = hashes(dir, pointed);
    let damaged = match read_one(&dir.join(MANIFEST), dir, &hashes, oldest) {
        Err(error @ (IndexError::Damaged { .. } | IndexError::Io { .. })) => error,
        outcome => return outcome,
    };
    read_one(&dir.join(MANIFEST_COPY), dir, &hashes, oldest).map_err(|_| damaged)
}

/// The hashes that were written down for the manifest.
fn hashes(dir: &Path, pointed: Option<&str>) -> Vec<String> {
    let beside = std::fs::read(dir.join(MANIFEST_HASH)).unwrap_or_default();
    let beside = String::from_utf8_lossy(&beside).trim().to_owned();
    std::iter::once(beside)
        .chain(pointed.map(str::to_owned))
        .filter(|hash| !hash.is_empty())
        .collect()
}

fn read_one(
    path: &Path,
    dir: &Path,
    hashes: &[String],
    oldest: u32,
) -> Result<(Manifest, String), IndexError> {
    #[derive(Deserialize)]
    struct Version {
        format: u64,
    }
    let json = std::fs::read(path).map_err(IndexError::io("read", path))?;
    let own = hash_bytes(&json);
    // Formats that are still to come may keep their hash elsewhere.
    let version = serde_json::from_slice::<Version>(&json).ok();
    let newer = |version: &Version| version.format > u64::from(FORMAT);
    if !hashes.contains(&own) && !version.as_ref().is_some_and(newer) {
        let reason = format!("its SHA-256 {own} is not the one that was written down for it");
        return Err(IndexError::damaged(path, reason));
    }
    let damaged = |e: serde_json::Error| IndexError::damaged(path, e.to_string());
    match version {
        Some(Version { format }) if !(u64::from(oldest)..=u64::from(FORMAT)).contains(&format) => {
            Err(IndexError::Format {
                path: dir.to_owned(),
                found: format,
                expected: FORMAT,
            })
        }
        _ => Ok((serde_json::from_slice(&json).map_err(damaged)?, own)),
    }
}
