//! What a generation consists of, on disk: its manifest, which is small, and the records of its segments, which are
//! never rewritten.
//!
//! The manifest says how the generation was made, which segments it has, and which of their sources are no longer in the
//! index (tombstones). Sources and checksums of files are in the records.

use super::{
    Counts, FORMAT, FileRecord, MANIFEST, MANIFEST_HASH, Manifest, Output, SEGMENT, SegmentInfo,
    SourceRecord, generation_dir, generation_folder, segment_folder,
};
use crate::{HnswSettings, IndexError};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
};
use types::{
    Damage, MadeBy, SourceId,
    digest::sha256,
    files::{DATA_BYTES, SETTINGS_BYTES, read_bounded},
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
    #[serde(default)]
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

/// Writes the manifest and its hash; returns the hash.
pub(crate) fn write_generation(dir: &Path, record: &GenerationRecord) -> Result<String, IndexError> {
    let json = serde_json::to_vec_pretty(record).map_err(|e| IndexError::io("write", dir)(e.into()))?;
    let hash = write_file(dir, MANIFEST, &json)?;
    write_file(dir, MANIFEST_HASH, format!("{hash}\n").as_bytes())?;
    Ok(hash)
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
    /// SHA-256 of the manifest.
    pub(crate) hash: String,
    /// Its segments, as far as their records are intact.
    pub(crate) parts: Vec<SegmentPart>,
    /// The records that are not, and the file beside the manifest that does not hold its hash.
    pub(crate) damages: Vec<Damage>,
    /// The manifest as callers see it.
    pub(crate) manifest: Manifest,
    /// Where each source of the manifest is stored in `parts`.
    pub(crate) places: Vec<SourceLocation>,
}

impl Stored {
    /// Reads a generation of this format. `pointed` is the hash of its manifest in the pointer.
    ///
    /// # Errors
    /// When it has another format, or its manifest or the record of a segment is damaged.
    pub(crate) fn read(root: &Path, number: u64, pointed: Option<&str>) -> Result<Self, IndexError> {
        let stored = Self::recover(root, number, pointed)?;
        let path = stored.dir.clone();
        if stored.record.format != FORMAT {
            let found = stored.record.format.into();
            return Err(IndexError::other_format(path, found));
        }
        let lost = stored.damages.iter().find(|damage| damage.file.ends_with(SEGMENT));
        match lost {
            Some(Damage { file, reason }) => Err(IndexError::damaged(root.join(file), reason.clone())),
            None => Ok(stored),
        }
    }

    /// Reads what is left of a generation of this format, or of an older one whose papers can be listed. The manifest must
    /// have the hash in the pointer, or the one in the file beside it.
    ///
    /// # Errors
    /// When its manifest is damaged, it has yet another format, or a file that is there cannot be read.
    pub(crate) fn recover(root: &Path, number: u64, pointed: Option<&str>) -> Result<Self, IndexError> {
        let dir = generation_dir(root, number);
        let beside = hash_beside(&dir)?;
        let (record, hash) = read_manifest(&dir, &[pointed.unwrap_or_default(), &beside])?;
        if record.generation != number {
            let reason = format!("it names generation {}, not {number}", record.generation);
            return Err(IndexError::damaged(dir.join(MANIFEST), reason));
        }
        let (mut parts, mut damages) = (Vec::new(), Vec::new());
        if beside != hash {
            let file = format!("{}/{MANIFEST_HASH}", generation_folder(number));
            let reason = format!("it does not hold the SHA-256 {hash} of {MANIFEST}");
            damages.push(Damage { file, reason });
        }
        for entry in &record.segments {
            let folder = segment_folder(entry.segment);
            match read_segment(&root.join(&folder), &entry.record) {
                Ok(record) => parts.push(SegmentPart { entry: entry.clone(), folder, record }),
                Err(error) if error.shows_loss() => {
                    damages.push(error.damage(&format!("{folder}/{SEGMENT}")));
                }
                Err(error) => return Err(error),
            }
        }
        let (manifest, places) = assemble(&record, &parts);
        Ok(Self { dir, record, hash, parts, damages, manifest, places })
    }
}

/// The segments of the generation in a folder.
///
/// # Errors
/// When its manifest cannot be read.
pub(super) fn segments_of(dir: &Path) -> Result<Vec<u64>, IndexError> {
    let (record, _) = read_manifest(dir, &[&hash_beside(dir)?])?;
    Ok(record.segments.iter().map(|entry| entry.segment).collect())
}

/// The hash in the file beside a manifest; empty if it is lost.
fn hash_beside(dir: &Path) -> Result<String, IndexError> {
    match read_file(&dir.join(MANIFEST_HASH), SETTINGS_BYTES) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).trim().to_owned()),
        Err(error) if error.shows_loss() => Ok(String::new()),
        Err(error) => Err(error),
    }
}

fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, IndexError> {
    read_bounded(path, most).map_err(IndexError::io("read", path))
}

fn parse<T: DeserializeOwned>(path: &Path, json: &[u8]) -> Result<T, IndexError> {
    serde_json::from_slice(json).map_err(|e| IndexError::damaged(path, e.to_string()))
}

/// The manifest in a folder, and its hash, which is one of `hashes`.
fn read_manifest(dir: &Path, hashes: &[&str]) -> Result<(GenerationRecord, String), IndexError> {
    #[derive(Deserialize)]
    struct Version {
        format: u64,
    }
    let path = dir.join(MANIFEST);
    let json = read_file(&path, 16 * DATA_BYTES)?;
    let own = sha256(&json);
    let format = serde_json::from_slice(&json).map_or(FORMAT.into(), |version: Version| version.format);
    // Later formats may keep their hash elsewhere.
    if format <= FORMAT.into() && !hashes.contains(&own.as_str()) {
        let reason = format!("its SHA-256 {own} is not the one that was written down for it");
        return Err(IndexError::damaged(path, reason));
    }
    if !(u64::from(OLDEST_LISTED)..=FORMAT.into()).contains(&format) {
        return Err(IndexError::other_format(dir.to_owned(), format));
    }
    Ok((parse(&path, &json)?, own))
}

/// The record of the segment in a folder, which has this hash.
fn read_segment(dir: &Path, hash: &str) -> Result<SegmentRecord, IndexError> {
    let path = dir.join(SEGMENT);
    let json = read_file(&path, 16 * DATA_BYTES)?;
    let own = sha256(&json);
    if own != hash {
        let reason = format!("its SHA-256 is {own}, not {hash}");
        return Err(IndexError::damaged(path, reason));
    }
    parse(&path, &json)
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
