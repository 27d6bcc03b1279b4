//! The record of a segment: its sources and the hashes of its files. Written once, with the segment.

use super::{Counts, FileRecord, SourceRecord, generation_file::write_twice};
use crate::IndexError;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::Path};
use types::{
    digest::sha256,
    files::{DATA_BYTES, read_bounded},
};

/// The record's file name.
pub(crate) const SEGMENT: &str = "segment.json";
/// A copy of the record, without which the sources of chunks and vectors would be unknown.
pub(crate) const SEGMENT_COPY: &str = "segment.copy.json";

/// A segment as it was written. Generations list which of its sources are no longer in the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SegmentRecord {
    /// Its number.
    pub(crate) segment: u64,
    /// Dimension of the vectors.
    pub(crate) dimension: usize,
    /// Totals, removed sources included.
    pub(crate) counts: Counts,
    /// Its sources in the order in which they were written; their rows are numbered within the segment.
    pub(crate) sources: Vec<SourceRecord>,
    /// Its other files, by path relative to the segment's folder.
    pub(crate) files: BTreeMap<String, FileRecord>,
}

/// Writes the record and its copy; returns the hash.
pub(crate) fn write_segment(dir: &Path, record: &SegmentRecord) -> Result<String, IndexError> {
    // Without line feeds and spaces: it is read whenever an index is opened, and lists all sources.
    let json = serde_json::to_vec(record).map_err(|e| IndexError::io("write", dir)(e.into()))?;
    write_twice(dir, [SEGMENT, SEGMENT_COPY], &json)
}

/// Reads the record of the segment in `dir`, whose SHA-256 is `hash`.
pub(crate) fn read_segment(dir: &Path, hash: &str) -> Result<SegmentRecord, IndexError> {
    read_one(&dir.join(SEGMENT), hash)
}

/// As [`read_segment`], but reads the copy if the record is damaged.
pub(crate) fn recover_segment(dir: &Path, hash: &str) -> Result<SegmentRecord, IndexError> {
    read_segment(dir, hash).or_else(|error| read_one(&dir.join(SEGMENT_COPY), hash).map_err(|_| error))
}

fn read_one(path: &Path, hash: &str) -> Result<SegmentRecord, IndexError> {
    let json = read_bounded(path, 16 * DATA_BYTES).map_err(IndexError::io("read", path))?;
    let own = sha256(&json);
    if own != hash {
        return Err(IndexError::damaged(
            path,
            format!("its SHA-256 is {own}, not {hash}"),
        ));
    }
    serde_json::from_slice(&json).map_err(|e| IndexError::damaged(path, e.to_string()))
}
