//! The content of an index as callers see it: assembled from the manifest of a generation and the records of its
//! segments.

use crate::HnswSettings;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use types::{MadeBy, SourceId, SourceMeta, path_text, present_path};

/// How much a generation or a segment contains.
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

impl Counts {
    /// Adds the counts of one source.
    pub(crate) fn add(&mut self, source: &SourceRecord) {
        let length = |range: [usize; 2]| range[1].saturating_sub(range[0]);
        self.sources += 1;
        self.chunks += length(source.chunks);
        self.windows += length(source.windows);
        self.sentences += length(source.sentences);
        self.terms += source.terms;
    }
}

/// One file as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Length in bytes.
    pub bytes: u64,
    /// CRC-32 of the content.
    pub crc32: u32,
}

/// One source of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRecord {
    /// The caller's key: the same key means the same chunks and vectors.
    pub key: String,
    /// The file, as the caller names it.
    pub path: String,
    /// Further paths at which the same content lies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
    /// Which record of the file it is, if the file contains many sources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// The folder or file given to ingest, as the caller names it.
    pub root: String,
    /// When the source was last ingested, as the caller writes it; empty if the caller does not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ingested: String,
    /// Metadata of the source, including its id.
    pub meta: SourceMeta,
    /// Rows of its chunks: first, and one past the last. In a [`Manifest`], rows are numbered across all sources by id,
    /// whichever segments contain them; in the record of a segment, within the segment.
    pub chunks: [usize; 2],
    /// Rows of its windows.
    pub windows: [usize; 2],
    /// Rows of its sentences.
    pub sentences: [usize; 2],
    /// Indexed terms of its chunks, repetitions counted.
    pub terms: u64,
}

impl SourceRecord {
    /// The source's id.
    pub fn source_id(&self) -> &SourceId {
        &self.meta.source_id
    }

    /// All its paths as they are stored, the first one first.
    pub fn paths(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.path).chain(&self.copies)
    }

    /// Where the file lies now, as [`path_text::encode`] writes it: see [`present_path`].
    pub fn present_path(&self, index: &Path) -> String {
        let paths: Vec<PathBuf> = self.paths().map(|path| path_text::decode(path)).collect();
        path_text::encode(&present_path(&paths, index))
    }
}

/// How much of a segment is still in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SegmentInfo {
    /// Its number: that of the generation that wrote it.
    pub segment: u64,
    /// Its sources that are in the index.
    pub sources: usize,
    /// Chunks of these.
    pub chunks: usize,
    /// Its sources that were removed or replaced: `pipeline index compact` frees their space.
    pub dead_sources: usize,
    /// Chunks of these.
    pub dead_chunks: usize,
}

/// What an index contains and how it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Manifest {
    /// Version of the on-disk format.
    pub format: u32,
    /// Number of the generation, from 1.
    pub generation: u64,
    /// How its content was made.
    #[serde(flatten)]
    pub made_by: MadeBy,
    /// How the approximate vector index was built; `None` when there is none.
    pub graph: Option<HnswSettings>,
    /// Totals of the sources below.
    pub counts: Counts,
    /// The sources in the order of their ids.
    pub sources: Vec<SourceRecord>,
    /// Its segments, in the order in which they were written.
    pub segments: Vec<SegmentInfo>,
    /// Every file except manifests and records of segments, by its path inside the index folder.
    pub files: BTreeMap<String, FileRecord>,
}

impl Manifest {
    /// Bytes of its files.
    pub fn bytes(&self) -> u64 {
        self.files.values().map(|file| file.bytes).sum()
    }

    /// Chunks that were removed or replaced but still take disk space.
    pub fn dead_chunks(&self) -> usize {
        self.segments.iter().map(|segment| segment.dead_chunks).sum()
    }

    /// The source with this id and its index in [`Self::sources`].
    pub fn source(&self, id: &SourceId) -> Option<(usize, &SourceRecord)> {
        let at = self.sources.binary_search_by(|s| s.source_id().cmp(id)).ok()?;
        Some((at, self.sources.get(at)?))
    }
}
