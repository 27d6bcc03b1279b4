//! An opened generation.

use crate::{
    IndexError, Manifest, SourceRecord,
    disk::{
        CURRENT, Lease, Pointer, SegmentPart, SourceLocation, Stored, changed, check_tables, generation_dir,
        pointer,
    },
    lexical::WhitespaceIndex,
    live::LiveRows,
    segment::Segment,
};
use rayon::prelude::*;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};
use types::{Chunk, ChunkId, SourceId, SourceMeta};

/// How often a reader starts anew when writers outrun it.
const ATTEMPTS: usize = 64;

/// One generation of an index, opened for reading. Text and vectors are mapped and decoded on demand, so that opening
/// takes milliseconds; the index can be shared between threads.
///
/// Damage is an error, never a wrong text: the inverted index and the tables are compared with their checksums when
/// they are opened, each chunk when it is read, the graph when it is loaded. Large files of vectors are compared by
/// [`crate::verify`], [`Index::check`] and the writer.
///
/// What it opened stays readable while writers make further generations. Nothing may change the files of a
/// generation or segment: they are mapped.
pub struct Index {
    pub(crate) root: PathBuf,
    /// Folder of the generation.
    pub(crate) dir: PathBuf,
    pub(crate) manifest: Manifest,
    /// SHA-256 of the manifest.
    manifest_hash: String,
    pub(crate) metas: Vec<Arc<SourceMeta>>,
    pub(crate) segments: Vec<Segment>,
    /// Where each source of the manifest is stored.
    pub(crate) places: Vec<SourceLocation>,
    pub(crate) live: LiveRows,
    /// Made by the first search with [`types::Tokenizer::Whitespace`].
    pub(crate) whitespace: Mutex<Option<Arc<WhitespaceIndex>>>,
    _lease: Lease,
}

impl Index {
    /// Opens the current generation of the index in `root`.
    ///
    /// # Errors
    /// [`IndexError::Missing`] when nothing was ever indexed there; otherwise what is wrong with the files.
    pub fn open(root: &Path) -> Result<Self, IndexError> {
        let mut current = pointer(root)?;
        let mut attempts = 0;
        loop {
            let error = match Self::open_pointed(root, &current) {
                Ok(index) => return Ok(index),
                Err(error) => error,
            };
            // Writers may have replaced and removed the generation meanwhile: then there is a newer one.
            let now = pointer(root)?;
            attempts += 1;
            if now == current || attempts == ATTEMPTS {
                return Err(error);
            }
            current = now;
        }
    }

    /// What the generation holds and how it was made.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Number of the generation, from 1.
    pub fn generation(&self) -> u64 {
        self.manifest.generation
    }

    /// The record of a source: its key, its file, the rows of its chunks.
    pub fn source_record(&self, id: &SourceId) -> Option<&SourceRecord> {
        self.manifest.source(id).map(|(_, record)| record)
    }

    /// All chunks in the order of sources and ordinals, decoded one by one.
    ///
    /// # Errors
    /// Each item on its own, when the stored chunk is damaged.
    pub fn chunks(&self) -> impl Iterator<Item = Result<Arc<Chunk>, IndexError>> + '_ {
        (0..self.live.rows().len()).map(|row| self.chunk_at(row as u32))
    }

    /// The chunks of a source by ordinal, decoded one by one.
    ///
    /// # Errors
    /// As [`Self::chunks`].
    pub fn chunks_of(
        &self,
        source: &SourceRecord,
    ) -> impl Iterator<Item = Result<Arc<Chunk>, IndexError>> + '_ {
        let [from, to] = source.chunks;
        (from..to.min(self.live.rows().len())).map(|row| self.chunk_at(row as u32))
    }

    /// Reads every file and compares it with its checksum. See [`crate::verify`] for an index that may not open.
    ///
    /// # Errors
    /// [`IndexError::Damaged`] when a file is not what was written.
    pub fn check(&self) -> Result<(), IndexError> {
        match changed(&self.root, &self.manifest.files).into_iter().next() {
            Some(damage) => Err(IndexError::damaged(self.root.join(damage.file), damage.reason)),
            None => Ok(()),
        }
    }

    /// The chunk at a live row.
    pub(crate) fn chunk_at(&self, row: u32) -> Result<Arc<Chunk>, IndexError> {
        let (segment, local, _) = self.live.chunk(&self.segments, row).ok_or_else(|| {
            let reason = format!("there is no row {row}");
            IndexError::damaged(&self.dir, reason)
        })?;
        segment.chunks.chunk(local)
    }

    /// The best window of the chunk at a live row: its row in the segment and its cosine with the unit vector `query`.
    pub(crate) fn best_window(&self, row: u32, query: &[f32]) -> Option<(usize, f32)> {
        let (segment, _, chunk) = self.live.chunk(&self.segments, row)?;
        segment.windows.best(chunk, query)
    }

    fn open_pointed(root: &Path, pointer: &Pointer) -> Result<Self, IndexError> {
        let dir = generation_dir(root, pointer.number);
        if !dir.is_dir() {
            let reason = format!("it names generation {}, which is missing", pointer.number);
            return Err(IndexError::damaged(root.join(CURRENT), reason));
        }
        let lease = Lease::take(&dir)?;
        let stored = Stored::read(root, pointer.number, &pointer.manifest)?.of_this_format()?;
        Self::of(root, stored, lease, pointer.manifest.clone())
    }

    /// Whether this generation is still the current one of the index.
    ///
    /// # Errors
    /// When the index is gone, or its pointer cannot be read.
    pub fn is_current(&self) -> Result<bool, IndexError> {
        Ok(pointer(&self.root)?.manifest == self.manifest_hash)
    }

    /// Opens a generation whose manifest and records were read.
    fn of(root: &Path, stored: Stored, lease: Lease, manifest_hash: String) -> Result<Self, IndexError> {
        let Stored { dir, parts, manifest, places, .. } = stored;
        let open = |part: SegmentPart| {
            check_tables(&root.join(&part.folder), &part.record.files)?;
            Segment::open(root, part)
        };
        let segments: Vec<Segment> = parts.into_par_iter().map(open).collect::<Result<_, _>>()?;
        let live = LiveRows::new(&segments, &places)?;
        Ok(Self {
            root: root.to_owned(),
            metas: manifest.sources.par_iter().map(|source| Arc::new(source.meta.clone())).collect(),
            dir,
            manifest,
            manifest_hash,
            segments,
            places,
            live,
            whitespace: Mutex::default(),
            _lease: lease,
        })
    }
}

/// Reads by id: an unknown one yields nothing; a failed read is an error that names the file.
impl Index {
    /// The segment that contains a chunk, and its row in that segment.
    pub(crate) fn find(&self, id: &ChunkId) -> Option<(usize, usize)> {
        let of_segment = |(at, segment): (usize, &Segment)| {
            let row = segment.chunks.find(id)?;
            self.live.row(at, row).map(|_| (at, row))
        };
        // Newest first: most replaced chunks are in old segments.
        self.segments.iter().enumerate().rev().find_map(of_segment)
    }

    /// The segment of a source, and the rows of its sentences in that segment.
    fn sentences_of(&self, id: &SourceId) -> Option<(&Segment, [usize; 2])> {
        let (at, _) = self.manifest.source(id)?;
        let place = self.places.get(at)?;
        let segment = self.segments.get(place.segment)?;
        Some((segment, segment.record.sources.get(place.source)?.sentences))
    }

    /// A chunk by id; `None` for an unknown one.
    ///
    /// # Errors
    /// When the stored chunk is damaged.
    pub fn read_chunk(&self, id: &ChunkId) -> Result<Option<Arc<Chunk>>, IndexError> {
        let place = self.find(id).and_then(|(segment, row)| self.live.row(segment, row));
        place.map(|row| self.chunk_at(row)).transpose()
    }

    /// Up to `reach` chunks on either side of `id` in the same source and section, in reading order, `id` itself left
    /// out.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn neighbours(&self, id: &ChunkId, reach: usize) -> Result<Vec<Arc<Chunk>>, IndexError> {
        let Some((at, row)) = self.find(id) else {
            return Ok(Vec::new());
        };
        let rows = self.segments[at].neighbours(row, reach).into_iter();
        rows.filter_map(|row| self.live.row(at, row)).map(|row| self.chunk_at(row)).collect()
    }

    /// What is known of a source.
    pub fn source(&self, id: &SourceId) -> Option<Arc<SourceMeta>> {
        let (at, _) = self.manifest.source(id)?;
        self.metas.get(at).cloned()
    }

    /// Cosine of the unit vector `query` with each sentence of `chunk`, in order, in `-1..=1`, from the stored sentence
    /// vectors.
    pub fn sentence_similarities(&self, chunk: &Chunk, query: &[f32]) -> Vec<f32> {
        let Some((segment, [start, _])) = self.sentences_of(&chunk.source_id) else {
            return vec![0.0; chunk.sentences.len()];
        };
        let sentences = chunk.sentences.iter().map(|s| start.saturating_add(s.number as usize));
        segment.sentences.cosines(sentences, query)
    }

    /// The stored vector of a sentence of a source, scaled back to unit length.
    pub fn sentence_vector(&self, source: &SourceId, number: u32) -> Option<Vec<f32>> {
        let (segment, [start, end]) = self.sentences_of(source)?;
        let sentence = start.checked_add(number as usize)?;
        if sentence < end { segment.sentences.vector(sentence) } else { None }
    }
}
