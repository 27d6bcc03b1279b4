//! What a generation consists of, on disk: its manifest, which is small, and the records of its segments, which are
//! never rewritten.
//!
//! The manifest says how the generation was made, which segments it has, and which of their sources are no longer in the
//! index (tombstones). Sources and checksums of files are in the records.

use super::{
    Counts, FORMAT, FileRecord, MANIFEST, Manifest, Output, SEGMENT, SegmentInfo, SourceRecord,
    generation_dir, segment_folder,
};
use crate::{HnswSettings, IndexError};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    collections::{BTreeMap, HashSet},
    io::ErrorKind,
    path::{Path, PathBuf},
};
use types::{
    MadeBy, SourceId,
    digest::sha256,
    files::{DATA_BYTES, read_bounded},
};

/// The first format whose papers can be listed: they are built again with the caches, also those of other folders than
/// the next run names.
const OLDEST_LISTED: u32 = 3;

/// The content of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GenerationRecord {
    /// Version of the on-disk format.
    pub(crate) format: u32,
    /// Number of the generation, from 1.
    pub(crate) generation: u64,
    /// How its content was made.
    #[serde(flatten)]
    pub(crate) made_by: MadeBy,
    /// How the graphs of its segments were built; `None` when searches use none.
    pub(crate) graph: Option<HnswSettings>,
    /// Totals of what is in the index.
    pub(crate) counts: Counts,
    /// Its segments, in the order in which they were written.
    pub(crate) segments: Vec<SegmentEntry>,
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

/// A segment as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SegmentRecord {
    /// Its number.
    pub(crate) segment: u64,
    /// Dimension of the vectors.
    pub(crate) dimension: usize,
    /// Totals, removed sources included.
    pub(crate) counts: Counts,
    /// How its graph of vectors was built; `None` when there is none.
    pub(crate) graph: Option<HnswSettings>,
    /// Its sources in the order in which they were written; their rows are numbered within the segment.
    pub(crate) sources: Vec<SourceRecord>,
    /// Its other files, by path relative to the segment's folder.
    pub(crate) files: BTreeMap<String, FileRecord>,
}

/// A segment as a generation lists it, with its own record.
#[derive(Clone, Debug)]
pub(crate) struct SegmentPart {
    pub(crate) entry: SegmentEntry,
    /// Its folder, relative to the index folder.
    pub(crate) folder: String,
    pub(crate) record: SegmentRecord,
}

/// Where a source is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceLocation {
    /// Index of its segment in the generation.
    pub(crate) segment: usize,
    /// Index of the source in the record of that segment.
    pub(crate) source: usize,
}

/// Writes the manifest; returns its hash.
pub(crate) fn write_generation(dir: &Path, record: &GenerationRecord) -> Result<String, IndexError> {
    let json = serde_json::to_vec_pretty(record).map_err(|e| IndexError::io("write", dir)(e.into()))?;
    write_file(dir, MANIFEST, &json)
}

/// Writes the record of a segment; returns its hash.
pub(crate) fn write_segment(dir: &Path, record: &SegmentRecord) -> Result<String, IndexError> {
    // Without line feeds and spaces: it is read whenever an index is opened, and lists all sources.
    let json = serde_json::to_vec(record).map_err(|e| IndexError::io("write", dir)(e.into()))?;
    write_file(dir, SEGMENT, &json)
}

fn write_file(dir: &Path, name: &str, content: &[u8]) -> Result<String, IndexError> {
    let mut out = Output::create(dir, name)?;
    out.put(content)?;
    out.finish()?;
    Ok(sha256(content))
}

/// A generation on disk: its manifest and the records of its segments. No other file is opened.
pub(crate) struct Stored {
    /// The generation's folder.
    pub(crate) dir: PathBuf,
    pub(crate) record: GenerationRecord,
    /// Its segments.
    pub(crate) parts: Vec<SegmentPart>,
    /// The manifest as callers see it.
    pub(crate) manifest: Manifest,
    /// Where each source of the manifest is stored in `parts`.
    pub(crate) places: Vec<SourceLocation>,
}

impl Stored {
    /// Reads a generation of this format, or of an older one whose papers can be listed. `pointed` is the hash of its manifest
    /// in the pointer.
    ///
    /// # Errors
    /// When its manifest or the record of a segment is damaged, it has yet another format, or a file that is there cannot be
    /// read.
    pub(crate) fn read(root: &Path, number: u64, pointed: &str) -> Result<Self, IndexError> {
        let dir = generation_dir(root, number);
        let record = read_manifest(&dir, pointed)?;
        if record.generation != number {
            let reason = format!("it names generation {}, not {number}", record.generation);
            return Err(IndexError::damaged(dir.join(MANIFEST), reason));
        }
        let part = |entry: &SegmentEntry| {
            let folder = segment_folder(entry.segment);
            let record = read_segment(&root.join(&folder), &entry.record)?;
            Ok(SegmentPart { entry: entry.clone(), folder, record })
        };
        let parts: Vec<SegmentPart> = record.segments.iter().map(part).collect::<Result<_, IndexError>>()?;
        let (manifest, places) = assemble(&record, &parts);
        Ok(Self { dir, record, parts, manifest, places })
    }

    /// The same, if it has the format of this program.
    pub(crate) fn of_this_format(self) -> Result<Self, IndexError> {
        match self.record.format {
            FORMAT => Ok(self),
            other => Err(IndexError::other_format(self.dir, other.into())),
        }
    }
}

/// The segments of the generation in a folder.
///
/// # Errors
/// When its manifest cannot be read.
pub(super) fn segments_of(dir: &Path) -> Result<Vec<u64>, IndexError> {
    let path = dir.join(MANIFEST);
    let record: GenerationRecord = parse(&path, &read_file(&path)?)?;
    Ok(record.segments.iter().map(|entry| entry.segment).collect())
}

fn read_file(path: &Path) -> Result<Vec<u8>, IndexError> {
    read_bounded(path, 16 * DATA_BYTES).map_err(|error| match error.kind() {
        ErrorKind::NotFound => IndexError::damaged(path, "it is missing"),
        _ => IndexError::io("read", path)(error),
    })
}

fn parse<T: DeserializeOwned>(path: &Path, json: &[u8]) -> Result<T, IndexError> {
    serde_json::from_slice(json).map_err(|e| IndexError::damaged(path, e.to_string()))
}

/// The manifest in a folder, which has this hash.
fn read_manifest(dir: &Path, hash: &str) -> Result<GenerationRecord, IndexError> {
    #[derive(Deserialize)]
    struct Version {
        format: u64,
    }
    let path = dir.join(MANIFEST);
    let json = read_file(&path)?;
    let format = serde_json::from_slice(&json).map_or(FORMAT.into(), |version: Version| version.format);
    // Later formats may keep their hash elsewhere.
    if format <= FORMAT.into() {
        check_hash(&path, &json, hash)?;
    }
    if !(u64::from(OLDEST_LISTED)..=FORMAT.into()).contains(&format) {
        return Err(IndexError::other_format(dir.to_owned(), format));
    }
    parse(&path, &json)
}

/// The record of the segment in a folder, which has this hash.
fn read_segment(dir: &Path, hash: &str) -> Result<SegmentRecord, IndexError> {
    let path = dir.join(SEGMENT);
    let json = read_file(&path)?;
    check_hash(&path, &json, hash)?;
    parse(&path, &json)
}

fn check_hash(path: &Path, content: &[u8], hash: &str) -> Result<(), IndexError> {
    let own = sha256(content);
    if own == hash {
        return Ok(());
    }
    Err(IndexError::damaged(path, format!("its SHA-256 is {own}, not {hash}")))
}

/// The manifest of a generation as callers see it, with rows numbered across all its sources by id, and where each source
/// is stored.
fn assemble(generation: &GenerationRecord, parts: &[SegmentPart]) -> (Manifest, Vec<SourceLocation>) {
    let mut live: Vec<(&SourceRecord, SourceLocation)> = Vec::new();
    for (segment, part) in parts.iter().enumerate() {
        let dead: HashSet<&SourceId> = part.entry.dead.iter().collect();
        let all = part.record.sources.iter().enumerate();
        let own = all.filter(|(_, record)| !dead.contains(record.source_id()));
        live.extend(own.map(|(source, record)| (record, SourceLocation { segment, source })));
    }
    // If two segments have a source, the later one counts.
    live.sort_by(|(left, l), (right, r)| {
        let ids = left.source_id().cmp(right.source_id());
        ids.then(r.segment.cmp(&l.segment))
    });
    live.dedup_by(|(later, _), (kept, _)| later.source_id() == kept.source_id());
    let mut counts = Counts::default();
    let mut by_segment = vec![Counts::default(); parts.len()];
    let mut sources = Vec::with_capacity(live.len());
    for (own, place) in &live {
        let from = counts;
        counts.add(own);
        by_segment[place.segment].add(own);
        sources.push(SourceRecord {
            chunks: [from.chunks, counts.chunks],
            windows: [from.windows, counts.windows],
            sentences: [from.sentences, counts.sentences],
            ..(*own).clone()
        });
    }
    let segments = parts.iter().zip(by_segment).map(|(part, live)| SegmentInfo {
        segment: part.entry.segment,
        sources: live.sources,
        chunks: live.chunks,
        dead_sources: part.record.counts.sources.saturating_sub(live.sources),
        dead_chunks: part.record.counts.chunks.saturating_sub(live.chunks),
    });
    let files = parts.iter().flat_map(|part| {
        let files = part.record.files.iter();
        files.map(|(name, file)| (format!("{}/{name}", part.folder), file.clone()))
    });
    let manifest = Manifest {
        format: generation.format,
        generation: generation.generation,
        made_by: generation.made_by.clone(),
        graph: generation.graph,
        counts,
        sources,
        segments: segments.collect(),
        files: files.collect(),
    };
    (manifest, live.into_iter().map(|(_, place)| place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::SourceMeta;

    fn part(segment: u64, sources: &[(&str, usize)], dead: &[&str]) -> SegmentPart {
        let mut counts = Counts::default();
        let mut records = Vec::new();
        for (id, chunks) in sources {
            let from = counts.chunks;
            let record = SourceRecord {
                meta: SourceMeta { source_id: SourceId::from(*id), ..SourceMeta::default() },
                chunks: [from, from + chunks],
                terms: 10 * *chunks as u64,
                ..SourceRecord::default()
            };
            counts.add(&record);
            records.push(record);
        }
        SegmentPart {
            entry: SegmentEntry {
                segment,
                record: String::new(),
                dead: dead.iter().map(|id| SourceId::from(*id)).collect(),
            },
            folder: format!("segments/{segment}"),
            record: SegmentRecord {
                segment,
                graph: None,
                dimension: 1,
                counts,
                sources: records,
                files: BTreeMap::new(),
            },
        }
    }

    fn generation() -> GenerationRecord {
        GenerationRecord {
            format: FORMAT,
            generation: 2,
            made_by: MadeBy::default(),
            graph: None,
            counts: Counts::default(),
            segments: Vec::new(),
        }
    }

    #[test]
    fn rows_count_through_live_sources_in_the_order_of_ids() {
        let parts = [part(1, &[("c", 3), ("a", 2), ("b", 5)], &["b"]), part(2, &[("b", 1), ("d", 0)], &[])];
        let (manifest, places) = assemble(&generation(), &parts);
        let rows: Vec<_> = manifest.sources.iter().map(|s| (s.source_id().as_str(), s.chunks)).collect();
        assert_eq!(rows, [("a", [0, 2]), ("b", [2, 3]), ("c", [3, 6]), ("d", [6, 6])]);
        let places: Vec<_> = places.iter().map(|p| (p.segment, p.source)).collect();
        assert_eq!(places, [(0, 1), (1, 0), (0, 0), (1, 1)]);
        let counts = manifest.counts;
        assert_eq!((counts.sources, counts.chunks, counts.terms), (4, 6, 60));
        let infos = manifest.segments;
        assert_eq!((infos[0].sources, infos[0].dead_sources, infos[0].dead_chunks), (2, 1, 5));
        assert_eq!((infos[1].chunks, infos[1].dead_sources), (1, 0));
    }

    #[test]
    fn of_a_source_that_stands_twice_the_later_one_counts() {
        let parts = [part(1, &[("a", 2)], &[]), part(2, &[("a", 3)], &[])];
        let (manifest, places) = assemble(&generation(), &parts);
        assert_eq!((manifest.sources.len(), manifest.counts.chunks, places[0].segment), (1, 3, 1));
    }
}
