//! The generation that the next one is built from.
//!
//! Files of its segments may be damaged. When a writer opens the index, it compares them with their hashes, except
//! those known to be intact ([`Checked`]). If a file of text or vectors differs, the checksum of each record shows
//! which parts can still be used. A segment with a damaged file, or of an older format, is not kept: the next commit
//! copies its intact parts into the segment that it writes.

use crate::{
    IndexError, Manifest, SourceRecord, abbreviations,
    disk::{
        Checked, Checksums, ChunkTable, Counts, FORMAT, Lease, Mapper, SentenceTable, Stored, WindowRow,
        names,
    },
    steps::Steps,
    tombstones::{SegmentPart, SourceLocation},
    vectors::WindowTable,
    verify::{Damage, changed, changed_records},
};
use rayon::prelude::*;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};
use types::{Chunk, ChunkId, ReusableSource, SourceId, Span};

/// A generation as a writer reads it.
pub(crate) struct BaseGeneration {
    manifest: Manifest,
    places: Vec<SourceLocation>,
    segments: Vec<BaseSegment>,
    damages: Vec<Damage>,
    _lease: Option<Lease>,
}

/// A segment as a writer reads it. Rows are numbered within the segment.
pub(crate) struct BaseSegment {
    pub(crate) dir: PathBuf,
    pub(crate) part: SegmentPart,
    /// Whether its sources must be copied, because the segment cannot be kept as it is.
    pub(crate) is_copied: bool,
    chunks: ChunkTable,
    windows: WindowTable,
    sentences: SentenceTable,
    /// Sources with damaged text or vectors, each with whether all its text is intact.
    damaged_sources: BTreeMap<SourceId, bool>,
}

/// The windows of a source that are as they were written, by the row of their chunk.
type Windows<'a> = BTreeMap<usize, Vec<(WindowRow, &'a [f32])>>;

impl BaseGeneration {
    /// Opens a generation and compares its files with their hashes. Its manifest and each record must be intact, in the
    /// original or in the copy.
    pub(crate) fn open(root: &Path, stored: Stored, steps: &Steps) -> Result<Self, IndexError> {
        let (older, since) = (Checked::load(root), SystemTime::now());
        let files = &stored.manifest.files;
        let known = |name: &str, wanted: &crate::FileRecord| older.spares(root, name, wanted);
        let of_files = changed(root, files, known);
        let mut list = Checked::default();
        for (name, wanted) in files {
            if of_files.iter().any(|damage| damage.file == *name) {
                continue;
            }
            if older.holds(root, name, wanted) {
                list.carry(&older, name);
            } else {
                list.add(root, name, wanted, since);
            }
        }
        if list != older {
            save(&list, root, steps)?;
        }
        let segmented = stored.parts.iter().filter(|part| part.entry.segment > 0);
        let records = segmented.map(|part| (part.folder.as_str(), part.entry.record.as_str()));
        let mut damages = changed_records(root, &stored.manifest, &stored.hash, records);
        damages.extend(stored.lost.iter().cloned());
        damages.extend(of_files);
        Self::with(root, stored, damages)
    }

    /// Opens the generation that was just written; the files of its newest segment are known to be intact.
    pub(crate) fn just_written(root: &Path, stored: Stored, steps: &Steps) -> Result<Self, IndexError> {
        let (mut list, since) = (Checked::load(root), SystemTime::now());
        let newest = format!("/{}/", stored.record.generation);
        for (name, wanted) in &stored.manifest.files {
            if name.contains(&newest) {
                list.add(root, name, wanted, since);
            }
        }
        save(&list, root, steps)?;
        Self::with(root, stored, Vec::new())
    }

    fn with(root: &Path, stored: Stored, damages: Vec<Damage>) -> Result<Self, IndexError> {
        // Without a manifest there is nothing to lock; the writer removes no generation that it builds on.
        let lease = Lease::take(&stored.dir).ok();
        let Stored {
            record,
            parts,
            manifest,
            places,
            ..
        } = stored;
        let segments = parts
            .into_iter()
            .map(|part| BaseSegment::open(root, part, record.format, &damages))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            manifest,
            places,
            segments,
            damages,
            _lease: lease,
        })
    }

    pub(crate) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Damaged files, named relative to the index folder.
    pub(crate) fn damages(&self) -> &[Damage] {
        &self.damages
    }

    pub(crate) fn segments(&self) -> &[BaseSegment] {
        &self.segments
    }

    /// Sources by id, and where each is stored.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (&SourceId, SourceLocation)> {
        let ids = self.manifest.sources.iter().map(SourceRecord::source_id);
        ids.zip(self.places.iter().copied())
    }

    /// Where a source is stored.
    pub(crate) fn place(&self, id: &SourceId) -> Option<SourceLocation> {
        let (at, _) = self.manifest.source(id)?;
        self.places.get(at).copied()
    }

    fn segment_of(&self, id: &SourceId) -> Option<(&BaseSegment, &SourceRecord)> {
        let place = self.place(id)?;
        let segment = self.segments.get(place.segment)?;
        Some((segment, segment.part.record.sources.get(place.source)?))
    }

    /// Whether some text or vector of a source is damaged.
    pub(crate) fn is_damaged(&self, id: &SourceId) -> bool {
        self.segment_of(id)
            .is_some_and(|(segment, _)| segment.damaged_sources.contains_key(id))
    }

    /// Whether all text of a source is intact.
    pub(crate) fn has_text(&self, id: &SourceId) -> bool {
        self.segment_of(id)
            .is_none_or(|(segment, _)| segment.damaged_sources.get(id).copied().unwrap_or(true))
    }

    /// The reusable parts of a source; `None` if the generation does not have it.
    pub(crate) fn reusable(&self, id: &SourceId) -> Option<ReusableSource> {
        let (_, record) = self.manifest.source(id)?;
        let (segment, own) = self.segment_of(id)?;
        Some(segment.reusable(record, own))
    }
}

impl BaseSegment {
    /// Opens a segment of a generation of format `format`; `damages` are its known damaged files.
    pub(crate) fn open(
        root: &Path,
        part: SegmentPart,
        format: u32,
        damages: &[Damage],
    ) -> Result<Self, IndexError> {
        let dir = root.join(&part.folder);
        let below = format!("{}/", part.folder);
        let hurt: Vec<&str> = damages
            .iter()
            .filter_map(|damage| damage.file.strip_prefix(&below))
            .collect();
        let mapper = Mapper::lenient(&dir)?;
        let Counts {
            chunks,
            windows,
            sentences,
            ..
        } = part.record.counts;
        let dimension = part.record.dimension;
        let sums = |files: &[&str], name: &str, items| match hurt.iter().any(|file| files.contains(file)) {
            // Not every file was read, so each record is compared with its checksum before it is copied.
            _ if format > 1 && !hurt.contains(&name) => Checksums::open(&mapper, name, items),
            // Format 1 had no checksums of records.
            false => Ok(Checksums::Proven),
            true => Ok(Checksums::Unknown),
        };
        let of_chunks = sums(&[names::CHUNKS, names::CHUNK_OFFSETS], names::CHUNK_SUMS, chunks)?;
        let of_windows = sums(&[names::WINDOWS, names::WINDOW_ROWS], names::WINDOW_SUMS, windows)?;
        let of_sentences = sums(
            &[names::SENTENCES, names::SENTENCE_SCALES],
            names::SENTENCE_SUMS,
            sentences,
        )?;
        let mut segment = Self {
            chunks: ChunkTable::open(&dir, &mapper, of_chunks, chunks)?,
            windows: WindowTable::open(&mapper, of_windows, windows, dimension)?,
            sentences: SentenceTable::open(&mapper, of_sentences, sentences, dimension)?,
            // Earlier versions wrote no abbreviations.
            is_copied: !hurt.is_empty() || format != FORMAT || !abbreviations::are_in(&part.record),
            damaged_sources: BTreeMap::new(),
            dir,
            part,
        };
        if !hurt.is_empty() {
            let sources = segment.part.record.sources.par_iter();
            segment.damaged_sources = sources
                .filter_map(|source| {
                    let text = segment.has_intact_text(source);
                    let damaged = !text || !segment.has_intact_vectors(source);
                    damaged.then(|| (source.source_id().clone(), text))
                })
                .collect();
        }
        Ok(segment)
    }

    /// The stored JSON of a chunk, and the chunk.
    pub(crate) fn chunk(&self, row: usize) -> Result<(&[u8], Arc<Chunk>), IndexError> {
        Ok((self.chunks.json(row)?, self.chunks.chunk(row)?))
    }

    /// The source of a chunk, dead or not; `None` if there is no such chunk.
    pub(crate) fn source_of(&self, id: &ChunkId) -> Option<usize> {
        let row = self.chunks.rows().get(self.chunks.find(id)?)?;
        Some(row.source as usize)
    }

    /// The intact windows of a source.
    pub(crate) fn windows(&self, record: &SourceRecord) -> Windows<'_> {
        let mut found = Windows::new();
        for window in record.windows[0]..record.windows[1] {
            if let Some((vector, row)) = self.windows.intact(window) {
                found.entry(row.chunk as usize).or_default().push((*row, vector));
            }
        }
        found
    }

    /// The vector of a window.
    pub(crate) fn window(&self, window: usize) -> Option<&[f32]> {
        self.windows.vector(window)
    }

    /// The integers and the scale of a sentence, if they are intact.
    pub(crate) fn sentence(&self, sentence: usize) -> Option<(&[i8], f32)> {
        self.sentences.intact(sentence)
    }

    /// The reusable parts of the source `own`, which callers see as `record`.
    fn reusable(&self, record: &SourceRecord, own: &SourceRecord) -> ReusableSource {
        let mut reusable = ReusableSource {
            meta: record.meta.clone(),
            ..ReusableSource::default()
        };
        let mut vectors = self.windows(own);
        for row in own.chunks[0]..own.chunks[1] {
            reusable.chunks.push(self.chunks.chunk(row).ok());
            reusable.checksums.push(self.chunks.sum(row));
            let spans = vectors.remove(&row).unwrap_or_default().into_iter();
            let windows = spans.map(|(place, vector)| {
                let span = Span::new(place.start as usize, place.end as usize);
                (span, vector.to_vec())
            });
            reusable.windows.push(windows.collect());
        }
        for sentence in own.sentences[0]..own.sentences[1] {
            let intact = self.sentences.intact(sentence);
            reusable.sentences.push(
                intact.map(|(integers, scale)| integers.iter().map(|&q| f32::from(q) * scale).collect()),
            );
        }
        reusable
    }

    fn has_intact_text(&self, source: &SourceRecord) -> bool {
        (source.chunks[0]..source.chunks[1]).all(|row| self.chunks.chunk(row).is_ok())
    }

    fn has_intact_vectors(&self, source: &SourceRecord) -> bool {
        let chunks = source.chunks[0]..source.chunks[1];
        (source.windows[0]..source.windows[1]).all(|window| {
            let intact = self.windows.intact(window);
            intact.is_some_and(|(_, row)| chunks.contains(&(row.chunk as usize)))
        }) && (source.sentences[0]..source.sentences[1]).all(|sentence| self.sentence(sentence).is_some())
    }
}

/// Saves the list of checked files. It is only a cache, so failing to write it is not an error.
fn save(list: &Checked, root: &Path, steps: &Steps) -> Result<(), IndexError> {
    steps.before("writing the list of checked files")?;
    match list.save(root) {
        Ok(()) | Err(IndexError::Io { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

impl std::fmt::Debug for BaseGeneration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BaseGeneration")
            .field("generation", &self.manifest.generation)
            .field("damages", &self.damages)
            .finish_non_exhaustive()
    }
}
