//! How much disk space an index takes.

use crate::{
    Index, IndexError,
    disk::{MANIFEST, MANIFEST_HASH, SEGMENT, names, other_bytes},
};
use serde::Serialize;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
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
                names::WINDOWS | names::WINDOW_ROWS | names::WINDOW_CODES | names::WINDOW_CODE_ROWS => {
                    &mut usage.windows
                }
                names::SENTENCES | names::SENTENCE_SCALES => &mut usage.sentences,
                _ => &mut usage.text,
            };
            *part += file.bytes;
        }
        let length = |path: PathBuf| std::fs::metadata(path).map_or(0, |meta| meta.len());
        let own = [MANIFEST, MANIFEST_HASH].map(|name| self.dir.join(name));
        let records = self.segments.iter().map(|segment| segment.dir.join(SEGMENT));
        usage.manifest = own.into_iter().chain(records).map(length).sum();
        let needed: BTreeSet<u64> = self.manifest.segments.iter().map(|s| s.segment).collect();
        usage.other_generations = other_bytes(root, self.generation(), &needed)?;
        Ok(usage)
    }
}
