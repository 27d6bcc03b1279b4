//! Room on disk: what an index takes, and giving back what nobody needs.

use crate::{
    Index, IndexError, Removed, StepHook,
    disk::{
        CURRENT, GENERATIONS, MANIFEST, MANIFEST_HASH, Past, WriterLock, clear_leftovers, folder_bytes,
        generation_dir, generations, marker, names, prune, read_current,
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
                names::WINDOWS | names::WINDOW_ROWS => &mut usage.windows,
                names::SENTENCES | names::SENTENCE_SCALES => &mut usage.sentences,
                _ => &mut usage.text,
            };
            *part += file.bytes;
        }
        let length = |name: &str| std::fs::metadata(self.dir.join(name)).map_or(0, |meta| meta.len());
        usage.manifest = length(MANIFEST) + length(MANIFEST_HASH);
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
    /// Folders and files that went.
    pub removed: Vec<Removed>,
    /// Older generations that stay because a reader has them open.
    pub in_use: Vec<u64>,
}

/// The lock of the writer, held for upkeep: nobody writes the index meanwhile.
#[derive(Debug)]
pub struct Upkeep {
    root: PathBuf,
    steps: Steps,
    _lock: WriterLock,
}

impl Upkeep {
    /// Takes the writer's place in an index that exists.
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
    /// text index needs no merging: each commit merges it into one segment. Stopped anywhere, it has removed some of
    /// it and the index is whole; the next writer, or this again, goes on.
    ///
    /// # Errors
    /// [`IndexError::Damaged`] when the current generation is not what was written: then an older one may be the
    /// only one that is, and nothing is removed. When a folder cannot be removed.
    pub fn compact(&self) -> Result<Compacted, IndexError> {
        let current = read_current(&self.root)?;
        if current.is_some() {
            let index = Index::open(&self.root)?;
            if let Some(damage) = index.verify().into_iter().next() {
                return Err(IndexError::damaged(index.dir.join(damage.file), damage.reason));
            }
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
