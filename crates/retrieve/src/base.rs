//! The generation that the next one is built from.
//!
//! Its files may be damaged. All of them are compared with their hashes when it is opened; where one that holds text
//! or vectors differs, the checksum of each record tells what of it can still be used. The inverted index, the graph
//! and the order of ids are made anew for every generation and never read here.

use crate::{
    HeldSource, IndexError, Manifest, SourceRecord,
    disk::{Checksums, ChunkTable, FORMAT, Lease, Mapper, SentenceTable, WindowRow, names},
    vectors::WindowTable,
    verify::{Damage, changed, changed_manifest},
};
use rayon::prelude::*;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};
use types::{Chunk, SourceId, Span};

/// A generation as a writer reads it.
pub(crate) struct Base {
    dir: PathBuf,
    manifest: Manifest,
    chunks: ChunkTable,
    windows: WindowTable,
    sentences: SentenceTable,
    damages: Vec<Damage>,
    /// Sources of which text or vectors are damaged, and whether all their text is intact.
    damaged_sources: BTreeMap<SourceId, bool>,
    _lease: Option<Lease>,
}

/// The windows of a source that are as they were written, by the row of their chunk.
type Windows<'a> = BTreeMap<usize, Vec<(WindowRow, &'a [f32])>>;

impl Base {
    /// Opens the generation in `dir`, whose manifest with the SHA-256 `hash` is intact in one of its places, and compares
    /// its files with their hashes.
    pub(crate) fn open(dir: &Path, manifest: Manifest, hash: &str) -> Result<Self, IndexError> {
        let mut damages = changed_manifest(dir, hash, manifest.format);
        damages.extend(changed(dir, &manifest));
        Self::with(dir, manifest, damages)
    }

    /// Opens the generation that was just written to `dir`.
    pub(crate) fn just_written(dir: &Path, manifest: Manifest) -> Result<Self, IndexError> {
        Self::with(dir, manifest, Vec::new())
    }

    fn with(dir: &Path, manifest: Manifest, damages: Vec<Damage>) -> Result<Self, IndexError> {
        // Without a manifest there is nothing to lock; the writer removes no generation that it builds on.
        let lease = Lease::take(dir).ok();
        let mapper = Mapper::lenient(dir)?;
        let (counts, dimension) = (manifest.counts, manifest.dimension);
        let sums = |files: &[&str], name: &str, items| {
            let hurt = damages.iter().any(|damage| files.contains(&damage.file.as_str()));
            match (hurt, manifest.format) {
                (false, _) => Ok(Checksums::Proven),
                (true, FORMAT) => Checksums::open(&mapper, name, items),
                (true, _) => Ok(Checksums::Unknown),
            }
        };
        let of_chunks = sums(
            &[names::CHUNKS, names::CHUNK_OFFSETS],
            names::CHUNK_SUMS,
            counts.chunks,
        )?;
        let of_windows = sums(
            &[names::WINDOWS, names::WINDOW_ROWS],
            names::WINDOW_SUMS,
            counts.windows,
        )?;
        let of_sentences = sums(
            &[names::SENTENCES, names::SENTENCE_SCALES],
            names::SENTENCE_SUMS,
            counts.sentences,
        )?;
        let mut base = Self {
            chunks: ChunkTable::open(dir, &mapper, of_chunks, counts.chunks)?,
            windows: WindowTable::open(&mapper, of_windows, counts.windows, dimension)?,
            sentences: SentenceTable::open(&mapper, of_sentences, counts.sentences, dimension)?,
            damaged_sources: BTreeMap::new(),
            damages,
            dir: dir.to_owned(),
            manifest,
            _lease: lease,
        };
        if !base.damages.is_empty() {
            let sources = base.manifest.sources.par_iter();
            base.damaged_sources = sources
                .filter_map(|source| {
                    let text = base.has_intact_text(source);
                    let damaged = !text || !base.has_intact_vectors(source);
                    damaged.then(|| (source.source_id().clone(), text))
                })
                .collect();
        }
        Ok(base)
    }

    pub(crate) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The folder of the generation.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Files that are not what was written.
    pub(crate) fn damages(&self) -> &[Damage] {
        &self.damages
    }

    /// Whether some text or vector of a source is not what was written.
    pub(crate) fn is_damaged(&self, id: &SourceId) -> bool {
        self.damaged_sources.contains_key(id)
    }

    /// Whether all text of a source is what was written.
    pub(crate) fn has_text(&self, id: &SourceId) -> bool {
        self.damaged_sources.get(id).copied().unwrap_or(true)
    }

    /// The record of a source.
    pub(crate) fn record(&self, id: &SourceId) -> Option<&SourceRecord> {
        self.manifest.source(id).map(|(_, record)| record)
    }

    /// The stored JSON of a chunk, and the chunk.
    pub(crate) fn chunk(&self, row: usize) -> Result<(&[u8], Arc<Chunk>), IndexError> {
        Ok((self.chunks.json(row)?, self.chunks.chunk(row)?))
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

    /// The integers and the scale of a sentence, if they are intact.
    pub(crate) fn sentence(&self, sentence: usize) -> Option<(&[i8], f32)> {
        self.sentences.intact(sentence)
    }

    /// What can be used again of a source; `None` when the generation does not hold it.
    pub(crate) fn held(&self, id: &SourceId) -> Option<HeldSource> {
        let record = self.record(id)?;
        let mut held = HeldSource {
            record: record.clone(),
            ..HeldSource::default()
        };
        let mut vectors = self.windows(record);
        for row in record.chunks[0]..record.chunks[1] {
            held.chunks.push(self.chunks.chunk(row).ok());
            held.sums.push(self.chunks.sum(row));
            let spans = vectors.remove(&row).unwrap_or_default().into_iter();
            let windows = spans.map(|(place, vector)| {
                let span = Span::new(place.start as usize, place.end as usize);
                (span, vector.to_vec())
            });
            held.windows.push(windows.collect());
        }
        for sentence in record.sentences[0]..record.sentences[1] {
            let intact = self.sentences.intact(sentence);
            held.sentences.push(
                intact.map(|(integers, scale)| integers.iter().map(|&q| f32::from(q) * scale).collect()),
            );
        }
        Some(held)
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

impl std::fmt::Debug for Base {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Base")
            .field("dir", &self.dir)
            .field("damages", &self.damages)
            .finish_non_exhaustive()
    }
}
