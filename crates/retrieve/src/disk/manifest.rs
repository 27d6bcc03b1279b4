//! What a generation holds and how it was made.

use super::{Output, hash_file};
use crate::{HnswSettings, IndexError};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::Path};
use types::{Chunk, SourceId, SourceMeta};

/// Number of the on-disk format; another number is refused.
pub(crate) const FORMAT: u32 = 1;
/// The manifest's file name.
pub(crate) const MANIFEST: &str = "manifest.json";
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
}

/// One source of a generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// Writes manifest and hash of the manifest; gives the hash.
pub(crate) fn write_manifest(dir: &Path, manifest: &Manifest) -> Result<String, IndexError> {
    let path = dir.join(MANIFEST);
    let json = serde_json::to_vec_pretty(manifest).map_err(|e| IndexError::io("write", &path)(e.into()))?;
    let mut out = Output::create(dir, MANIFEST)?;
    out.put(&json)?;
    let record = out.finish()?;
    let mut out = Output::create(dir, MANIFEST_HASH)?;
    out.put(record.sha256.as_bytes())?;
    out.put(b"\n")?;
    out.finish()?;
    Ok(record.sha256)
}

/// Reads the manifest; `checked` compares its hash too.
pub(crate) fn read_manifest(dir: &Path, checked: bool) -> Result<Manifest, IndexError> {
    #[derive(Deserialize)]
    struct Version {
        format: u64,
    }
    let path = dir.join(MANIFEST);
    let json = std::fs::read(&path).map_err(IndexError::io("read", &path))?;
    let damaged = |e: serde_json::Error| IndexError::damaged(&path, e.to_string());
    // The version first: a manifest of another format need not have the same fields.
    let version: Version = serde_json::from_slice(&json).map_err(damaged)?;
    if version.format != u64::from(FORMAT) {
        return Err(IndexError::Format {
            path: dir.to_owned(),
            found: version.format,
            expected: FORMAT,
        });
    }
    if checked {
        let hash_path = dir.join(MANIFEST_HASH);
        let wanted = std::fs::read_to_string(&hash_path).map_err(IndexError::io("read", &hash_path))?;
        if hash_file(&path)?.sha256 != wanted.trim() {
            return Err(IndexError::damaged(
                path,
                format!("its hash is not the one in {MANIFEST_HASH}"),
            ));
        }
    }
    serde_json::from_slice(&json).map_err(damaged)
}
