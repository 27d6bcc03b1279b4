//! Disk space: what an index takes, and removing what nobody needs.

use crate::{
    Index, IndexError, Removed, StepHook,
    disk::{
        CURRENT, GENERATIONS, MANIFEST, MANIFEST_COPY, MANIFEST_HASH, Past, WriterLock, clear_leftovers,
        folder_bytes, generation_dir, generations, marker, names, pointer, prune,
    },
    steps::Steps,
};
use serde::Serialize;
use std::{
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
    /// The manifest and its hash.
    pub manifest: u64,
    /// Other generations: older ones, and what writers left.
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
    /// Bytes of this generation and of the others in the index folder `root`.
    ///
    /// # Errors
    /// When the folder of generations cannot be listed.
    pub fn usage(&self, root: &Path) -> Result<Usage, IndexError> {
        let mut usage = Usage::default();
        for (name, file) in &self.manifest.files {
            let part = match name.split('/').next().unwrap_or(name) {
                names::TEXT => &mut usage.lexical,
                names::GRAPH => &mut usage.graph,
                names::WINDOWS | names::WINDOW_ROWS | names::WINDOW_SUMS => &mut usage.windows,
                names::SENTENCES | names::SENTENCE_SCALES | names::SENTENCE_SUMS => &mut usage.sentences,
                _ => &mut usage.text,
            };
            *part += file.bytes;
        }
        let length = |name: &str| std::fs::metadata(self.dir.join(name)).map_or(0, |meta| meta.len());
        usage.manifest = length(MANIFEST) + length(MANIFEST_COPY) + length(MANIFEST_HASH);
        let (numbers, mut others) = generations(root)?;
        others.extend(
            numbers
                .into_iter()
                .filter(|n| *n != self.generation())
                .map(|n| generation_dir(root, n)),
        );
        usage.other_generations = others.iter().map(|folder| folder_bytes(folder)).sum();
        Ok(usage)
    }

    /// Segments of the inverted index: one, since every commit merges all, or none in an empty index.
    pub fn text_segments(&self) -> usize {
        self.lexical.segments()
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
        let generations = root.join(GENERATIONS);
        std::fs::create_dir_all(&generations).map_err(IndexError::io("create", &generations))?;
        Ok(Self {
            root: root.to_owned(),
            steps: Steps(before_step),
            _lock: WriterLock::take(root)?,
        })
    }

    /// Removes every generation but the current one, unless a reader has it open, and what killed writers left. The
    /// text index needs no merging: each commit merges it into one segment. It can be stopped at any time: the index
    /// stays whole, and the next writer, or another compaction, removes the rest.
    ///
    /// # Errors
    /// When the current generation is damaged or cannot be found: an older one may be the only one that is intact, so
    /// nothing is removed. When a folder cannot be removed.
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
            done.removed
                .extend(prune(&self.root, current, Past::Nothing, &self.steps)?);
            let (numbers, _) = generations(&self.root)?;
            done.in_use = numbers.into_iter().filter(|n| *n != current).collect();
        }
        Ok(done)
    }
}
