//! The manifest of a generation: how it was made, its segments, and which of their sources are no longer in the index.
//!
//! It is small: sources and the hashes of files are in the records of the segments ([`super::SegmentRecord`]), which
//! are never rewritten.

use super::{Counts, FileRecord, Output, SegmentRecord, SourceRecord, names};
use crate::{HnswSettings, IndexError};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::Path};
use types::{
    SourceId,
    digest::sha256,
    files::{DATA_BYTES, SETTINGS_BYTES, read_bounded},
};

/// Number of the on-disk format; 2 added the checksums of single records, 3 added segments, 4 added titles, headings, stop
/// words and unstemmed words to the inverted index, 5 added the codes of windows. A change in what `text::indexed_words` returns needs a new format
/// too: segments keep the words that they were written with.
pub(crate) const FORMAT: u32 = 5;
/// The oldest format whose text and vectors the writer can reuse; readers accept only [`FORMAT`].
pub(crate) const OLDEST_FORMAT: u32 = 1;
/// The first format with segments.
const SEGMENTED: u32 = 3;
/// The manifest's file name.
pub(crate) const MANIFEST: &str = "manifest.json";
/// A copy of the manifest, without which the segments would be lost.
pub(crate) const MANIFEST_COPY: &str = "manifest.copy.json";
/// Holds the hash of the manifest.
pub(crate) const MANIFEST_HASH: &str = "manifest.sha256";

/// The content of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GenerationRecord {
    /// Version of the on-disk format.
    pub(crate) format: u32,
    /// Number of the generation, from 1.
    pub(crate) generation: u64,
    /// The embedder of all vectors.
    pub(crate) embedder_id: String,
    /// Dimension of the vectors.
    pub(crate) dimension: usize,
    /// Version of the PDF reader.
    pub(crate) parser: String,
    /// Version of the chunker.
    pub(crate) chunker: String,
    /// Settings that shaped the content, as the caller gave them.
    pub(crate) config: BTreeMap<String, String>,
    /// How the approximate vector index was built; `None` when there is none.
    pub(crate) graph: Option<HnswSettings>,
    /// Totals of what is in the index.
    pub(crate) counts: Counts,
    /// Its segments, in the order in which they were written.
    pub(crate) segments: Vec<SegmentEntry>,
    /// Files of the generation's own folder: the graph.
    pub(crate) files: BTreeMap<String, FileRecord>,
}

/// A segment as a generation lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SegmentEntry {
    /// Its number, which is that of the generation that wrote it.
    pub(crate) segment: u64,
    /// SHA-256 of its record.
    pub(crate) record: String,
    /// Tombstones: its sources that were removed or replaced since, in the order of their ids.
    pub(crate) dead: Vec<SourceId>,
}

/// A generation's manifest, read.
#[derive(Clone, Debug)]
pub(crate) struct StoredGeneration {
    pub(crate) record: GenerationRecord,
    /// SHA-256 of the manifest.
    pub(crate) hash: String,
    /// For formats without segments: the whole generation as one segment, whose files are in the generation's own
    /// folder.
    pub(crate) whole: Option<SegmentRecord>,
}

/// Manifests of formats 1 and 2.
#[derive(Deserialize)]
struct OldManifest {
    format: u32,
    generation: u64,
    embedder_id: String,
    dimension: usize,
    parser: String,
    chunker: String,
    config: BTreeMap<String, String>,
    graph: Option<HnswSettings>,
    counts: Counts,
    sources: Vec<SourceRecord>,
    files: BTreeMap<String, FileRecord>,
}

impl StoredGeneration {
    fn old(manifest: OldManifest, hash: String) -> Self {
        let (graph, tables) = manifest
            .files
            .into_iter()
            .partition(|(name, _)| name.starts_with(names::GRAPH));
        Self {
            record: GenerationRecord {
                format: manifest.format,
                generation: manifest.generation,
                embedder_id: manifest.embedder_id,
                dimension: manifest.dimension,
                parser: manifest.parser,
                chunker: manifest.chunker,
                config: manifest.config,
                graph: manifest.graph,
                counts: manifest.counts,
                segments: vec![SegmentEntry {
                    segment: 0,
                    record: hash.clone(),
                    dead: Vec::new(),
                }],
                files: graph,
            },
            hash,
            whole: Some(SegmentRecord {
                segment: 0,
                dimension: manifest.dimension,
                counts: manifest.counts,
                sources: manifest.sources,
                files: tables,
            }),
        }
    }
}

/// Writes the manifest, its copy and its hash; returns the hash.
pub(crate) fn write_generation(dir: &Path, record: &GenerationRecord) -> Result<String, IndexError> {
    let json = serde_json::to_vec_pretty(record).map_err(|e| IndexError::io("write", dir)(e.into()))?;
    let hash = write_twice(dir, [MANIFEST, MANIFEST_COPY], &json)?;
    let mut out = Output::create(dir, MANIFEST_HASH)?;
    out.put(format!("{hash}\n").as_bytes())?;
    out.finish()?;
    Ok(hash)
}

/// Writes the same content to two files; returns its hash.
pub(super) fn write_twice(dir: &Path, names: [&str; 2], content: &[u8]) -> Result<String, IndexError> {
    let mut hash = String::new();
    for name in names {
        let mut out = Output::create(dir, name)?;
        out.put(content)?;
        hash = out.finish()?.sha256;
    }
    Ok(hash)
}

/// Reads the manifest of the generation in `dir`, with its hash. The hash must equal the one in the file beside it or
/// `pointed`, the one in the pointer: two of the three must agree. Accepts formats from `oldest` to [`FORMAT`].
pub(crate) fn read_generation(
    dir: &Path,
    pointed: Option<&str>,
    oldest: u32,
) -> Result<StoredGeneration, IndexError> {
    let hashes = hashes(dir, pointed)?;
    read_one(&dir.join(MANIFEST), dir, &hashes, oldest)
}

/// As [`read_generation`], but reads the copy if the manifest is damaged.
pub(crate) fn recover_generation(
    dir: &Path,
    pointed: Option<&str>,
    oldest: u32,
) -> Result<StoredGeneration, IndexError> {
    let hashes = hashes(dir, pointed)?;
    let damaged = match read_one(&dir.join(MANIFEST), dir, &hashes, oldest) {
        Err(error @ (IndexError::Damaged { .. } | IndexError::Io { .. })) => error,
        outcome => return outcome,
    };
    read_one(&dir.join(MANIFEST_COPY), dir, &hashes, oldest).map_err(|_| damaged)
}

/// The hashes that were written down for the manifest.
///
/// # Errors
/// When the file that holds one is there but cannot be read.
fn hashes(dir: &Path, pointed: Option<&str>) -> Result<Vec<String>, IndexError> {
    let path = dir.join(MANIFEST_HASH);
    let beside = match read_bounded(&path, SETTINGS_BYTES).map_err(IndexError::io("read", &path)) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).trim().to_owned(),
        Err(error) if error.shows_loss() => String::new(),
        Err(error) => return Err(error),
    };
    Ok(std::iter::once(beside)
        .chain(pointed.map(str::to_owned))
        .filter(|hash| !hash.is_empty())
        .collect())
}

fn read_one(path: &Path, dir: &Path, hashes: &[String], oldest: u32) -> Result<StoredGeneration, IndexError> {
    #[derive(Deserialize)]
    struct Version {
        format: u64,
    }
    let json = read_bounded(path, 16 * DATA_BYTES).map_err(IndexError::io("read", path))?;
    let own = sha256(&json);
    // Later formats may keep their hash elsewhere.
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
        Some(Version { format }) if format < u64::from(SEGMENTED) => {
            let manifest = serde_json::from_slice(&json).map_err(damaged)?;
            Ok(StoredGeneration::old(manifest, own))
        }
        _ => Ok(StoredGeneration {
            record: serde_json::from_slice(&json).map_err(damaged)?,
            hash: own,
            whole: None,
        }),
    }
}
