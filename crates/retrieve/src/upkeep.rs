//! Disk space: how much an index takes, and removing what is no longer needed.

use crate::{
    Index, IndexError, Removed, StepHook,
    base::BaseSegment,
    commit::{GraphSource, Kept, begin_segment, counts, publish_generation, publish_segment},
    disk::{
        CURRENT, FORMAT, GENERATIONS, GenerationRecord, KeepOlder, MANIFEST, MANIFEST_COPY, MANIFEST_HASH,
        SEGMENT, SEGMENT_COPY, SEGMENTS, WriterLock, clear_leftovers, folder_bytes, generation_dir,
        generations, marker, names, other_segments, pointer, prune,
    },
    recover,
    steps::Steps,
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Bytes on disk, by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Chunks as text, their ids and tables.
    pub text: u64,
    /// Vectors of windows.
    pub windows: u64,
    /// Vectors of sentences.
    pub sentences: u64,
    /// The inverted index.
    pub lexical: u64,
    /// The approximate vector index.
    pub graph: u64,
    /// The manifest and its hash, and the records of segments.
    pub manifest: u64,
    /// Other generations, the segments that only they need, and what killed writers left.
    pub other_generations: u64,
}

impl Usage {
    /// All of it.
    pub fn total(&self) -> u64 {
        self.current() + self.other_generations
    }

    /// The current generation alone.
    pub fn current(&self) -> u64 {
        self.text + self.windows + self.sentences + self.lexical + self.graph + self.manifest
    }
}

impl Index {
    /// Bytes of this generation and of the others in the index folder `root`. Removed sources count as long as their
    /// segment stays.
    ///
    /// # Errors
    /// When the folders of generations and segments cannot be listed.
    pub fn usage(&self, root: &Path) -> Result<Usage, IndexError> {
        let mut usage = Usage::default();
        for (name, file) in &self.manifest.files {
            // segments/7/chunks.jsonl, generations/7/hnsw/windows.hnsw.data
            let part = match name.split('/').nth(2).unwrap_or(name) {
                names::TEXT => &mut usage.lexical,
                names::GRAPH => &mut usage.graph,
                names::WINDOWS
                | names::WINDOW_ROWS
                | names::WINDOW_SUMS
                | names::WINDOW_CODES
                | names::WINDOW_CODE_ROWS => &mut usage.windows,
                names::SENTENCES | names::SENTENCE_SCALES | names::SENTENCE_SUMS => &mut usage.sentences,
                _ => &mut usage.text,
            };
            *part += file.bytes;
        }
        let length = |path: PathBuf| std::fs::metadata(path).map_or(0, |meta| meta.len());
        let own = [MANIFEST, MANIFEST_COPY, MANIFEST_HASH].map(|name| self.dir.join(name));
        let records = self
            .segments
            .iter()
            .flat_map(|segment| [SEGMENT, SEGMENT_COPY].map(|name| segment.dir.join(name)));
        usage.manifest = own.into_iter().chain(records).map(length).sum();
        let (numbers, mut others) = generations(root)?;
        others.extend(
            numbers
                .into_iter()
                .filter(|n| *n != self.generation())
                .map(|n| generation_dir(root, n)),
        );
        let needed: BTreeSet<u64> = self.manifest.segments.iter().map(|s| s.segment).collect();
        others.extend(other_segments(root, &needed)?);
        usage.other_generations = others.iter().map(|folder| folder_bytes(folder)).sum();
        Ok(usage)
    }

    /// Segments of the inverted index: one for each segment of the index.
    pub fn text_segments(&self) -> usize {
        self.segments.iter().map(|segment| segment.lexical.parts()).sum()
    }
}

/// When the current generation of the index in `root` became current; `None` when there is none, or the file system
/// does not tell.
pub fn current_since(root: &Path) -> Option<SystemTime> {
    std::fs::metadata(root.join(CURRENT))
        .and_then(|meta| meta.modified())
        .ok()
}

/// What [`Upkeep::compact`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Compacted {
    /// Folders and files that were removed.
    pub removed: Vec<Removed>,
    /// Older generations that stay because a reader has them open.
    pub in_use: Vec<u64>,
}

/// The lock of the writer, held for upkeep: nobody writes the index in the meantime.
#[derive(Debug)]
pub struct Upkeep {
    root: PathBuf,
    steps: Steps,
    _lock: WriterLock,
}

impl Upkeep {
    /// Takes the lock of the writer in an index that exists.
    ///
    /// # Errors
    /// [`IndexError::Missing`] when there is no index, [`IndexError::NotAnIndex`] when the folder holds something else,
    /// [`IndexError::Locked`] while a writer is at work.
    pub fn begin(root: &Path, before_step: Option<StepHook>) -> Result<Self, IndexError> {
        marker::require(root)?;
        for kind in [GENERATIONS, SEGMENTS] {
            let folder = root.join(kind);
            std::fs::create_dir_all(&folder).map_err(IndexError::io("create", &folder))?;
        }
        Ok(Self {
            root: root.to_owned(),
            steps: Steps(before_step),
            _lock: WriterLock::take(root)?,
        })
    }

    /// Merges all segments into one without removed sources, as a new generation. Then removes every other generation
    /// that no reader has open, and what killed writers left. It can be stopped at any time: the index stays intact,
    /// and the next writer or compaction removes the rest.
    ///
    /// # Errors
    /// When the current generation is damaged or cannot be found: an older one may be the only one that is intact, so
    /// nothing is removed. When a folder cannot be written or removed.
    pub fn compact(&self) -> Result<Compacted, IndexError> {
        let current = match pointer(&self.root) {
            Ok(pointer) => Some(pointer.number),
            // A first run that was killed, or has not ended.
            Err(IndexError::Missing { .. }) => None,
            Err(error) => return Err(error),
        };
        if current.is_some() {
            Index::open(&self.root)?.check()?;
        }
        let mut done = Compacted {
            removed: clear_leftovers(&self.root, current, &self.steps)?,
            in_use: Vec::new(),
        };
        if let Some(current) = current {
            let current = self.merge()?.unwrap_or(current);
            done.removed
                .extend(prune(&self.root, current, KeepOlder::Nothing, &self.steps)?);
            let (numbers, _) = generations(&self.root)?;
            done.in_use = numbers.into_iter().filter(|n| *n != current).collect();
        }
        Ok(done)
    }

    /// Makes a generation of one segment with the content of the current one and returns its number; `None` if the
    /// current one already has a single segment without removed sources.
    fn merge(&self) -> Result<Option<u64>, IndexError> {
        let (root, steps) = (&self.root, &self.steps);
        let Some(base) = recover::open(root, steps)?.0 else {
            return Ok(None);
        };
        let manifest = base.manifest();
        if manifest.segments.len() < 2 && manifest.segments.iter().all(|s| s.dead_sources == 0) {
            return Ok(None);
        }
        let number = manifest.generation + 1;
        let mut build = begin_segment(root, number, manifest.dimension, steps)?;
        for (_, place) in base.sources() {
            let segment = &base.segments()[place.segment];
            build.copy(segment, &segment.part.record.sources[place.source])?;
        }
        let written = BaseSegment::open(root, publish_segment(root, build, steps)?, FORMAT, &[])?;
        let live = vec![true; written.part.record.sources.len()];
        let segments = [Kept {
            segment: &written,
            live,
        }];
        let graph = match manifest.graph {
            // Its windows are numbered across all sources, whichever segments contain them.
            Some(_) => GraphSource::Folder(generation_dir(root, manifest.generation).join(names::GRAPH)),
            None => GraphSource::Nothing,
        };
        let record = GenerationRecord {
            format: FORMAT,
            generation: number,
            embedder_id: manifest.embedder_id.clone(),
            dimension: manifest.dimension,
            parser: manifest.parser.clone(),
            chunker: manifest.chunker.clone(),
            config: manifest.config.clone(),
            graph: manifest.graph,
            counts: counts(&segments)?,
            segments: segments.iter().map(Kept::entry).collect(),
            files: BTreeMap::new(),
        };
        publish_generation(root, record, &graph, steps)?;
        Ok(Some(number))
    }
}
