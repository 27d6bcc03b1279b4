//! Opens an index for writing.

use crate::{
    Damage, Generation, IndexError, Manifest, StepHook,
    base::BaseGeneration,
    disk::{
        FORMAT, GENERATIONS, KeepOlder, SEGMENTS, WriterLock, clear_leftovers, marker, prune, read_current,
        sync_dir,
    },
    recover,
    steps::Steps,
};
use std::{
    collections::BTreeMap,
    fmt, fs,
    path::{Path, PathBuf},
};
use types::SourceId;

/// How a generation is made.
#[derive(Clone, Default)]
pub struct WriterSettings {
    /// Names the embedder of all vectors; sources of another one cannot be kept.
    pub embedder_id: String,
    /// Length of a vector; at least 1.
    pub dimension: usize,
    /// Version of the PDF reader, for the manifest.
    pub parser: String,
    /// Version of the chunker, for the manifest.
    pub chunker: String,
    /// Settings that shaped the content, for the manifest.
    pub config: BTreeMap<String, String>,
    /// See [`StepHook`].
    pub before_step: Option<StepHook>,
}

impl fmt::Debug for WriterSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriterSettings")
            .field("embedder_id", &self.embedder_id)
            .field("dimension", &self.dimension)
            .finish_non_exhaustive()
    }
}

/// The one writer of an index. Dropping it releases the index to the next writer.
#[derive(Debug)]
pub struct IndexWriter {
    pub(crate) root: PathBuf,
    pub(crate) settings: WriterSettings,
    pub(crate) steps: Steps,
    pub(crate) current: Option<BaseGeneration>,
    note: Option<String>,
    _lock: WriterLock,
}

impl IndexWriter {
    /// Opens the index in `root` for writing; creates the folder if there is none. Compares files of the current
    /// generation with their hashes if they were touched since the last comparison: see [`Self::damages`]. If the
    /// pointer was lost, the newest generation with an intact manifest becomes current: see [`Self::note`]. Removes
    /// what killed writers left, even if nothing is written afterwards.
    ///
    /// # Errors
    /// [`IndexError::NotAnIndex`] when the folder holds something else; [`IndexError::Locked`] while another writer is
    /// at work; [`IndexError::Unrecoverable`] when generations are there, but the manifest of none is intact.
    pub fn open(root: &Path, settings: WriterSettings) -> Result<Self, IndexError> {
        if settings.dimension == 0 {
            return Err(IndexError::Setting {
                name: "dimension",
                value: "0".to_owned(),
                allowed: "at least 1",
            });
        }
        marker::claim(root)?;
        for kind in [GENERATIONS, SEGMENTS] {
            let folder = root.join(kind);
            fs::create_dir_all(&folder).map_err(IndexError::io("create", &folder))?;
        }
        sync_dir(root)?;
        let lock = WriterLock::take(root)?;
        let steps = Steps(settings.before_step.clone());
        let (current, note) = recover::open(root, &steps)?;
        marker::renew(root)?;
        clear_leftovers(root, current.as_ref().map(generation_of), &steps)?;
        // A writer that was killed after its last step has not come to this. Beside damage, an older generation may be
        // the only one that is intact.
        if let Some(base) = current.as_ref().filter(|base| base.damages().is_empty()) {
            prune_older(root, generation_of(base), &steps)?;
        }
        Ok(Self {
            root: root.to_owned(),
            steps,
            settings,
            current,
            note,
            _lock: lock,
        })
    }

    /// What the current generation holds; `None` before the first commit.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.current.as_ref().map(BaseGeneration::manifest)
    }

    /// What was lost and recovered when the index was opened, as text for people.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Damaged files of the current generation. The next generation must rebuild what was in them: see
    /// [`Self::is_damaged`] and [`Generation::reusable`].
    pub fn damages(&self) -> &[Damage] {
        self.current.as_ref().map_or(&[], BaseGeneration::damages)
    }

    /// As [`Self::damages`], with the first of them as an error.
    ///
    /// # Errors
    /// [`IndexError::Damaged`] when a file of the current generation is not what was written.
    pub fn check(&self) -> Result<(), IndexError> {
        let [damage, ..] = self.damages() else {
            return Ok(());
        };
        Err(IndexError::damaged(
            self.root.join(&damage.file),
            damage.reason.clone(),
        ))
    }

    /// Whether text or vectors of a source are damaged, so that it cannot be kept.
    pub fn is_damaged(&self, source_id: &SourceId) -> bool {
        self.current
            .as_ref()
            .is_some_and(|base| base.is_damaged(source_id))
    }

    /// Whether all text of a source that the current generation holds is what was written.
    pub fn has_text(&self, source_id: &SourceId) -> bool {
        self.current.as_ref().is_some_and(|base| base.has_text(source_id))
    }

    /// Whether a generation has to be written though no source changed: readers cannot open the current one, not all of it
    /// is intact, or a segment was written without its abbreviations.
    pub fn must_rewrite(&self) -> bool {
        let base = self.current.as_ref();
        base.is_some_and(|base| {
            let is_copied = base.segments().iter().any(|segment| segment.is_copied);
            !base.damages().is_empty() || base.manifest().format != FORMAT || is_copied
        })
    }

    /// Whether sources of the current generation can be kept: their vectors are of this writer's embedder.
    pub fn can_keep(&self) -> bool {
        self.current
            .as_ref()
            .is_some_and(|base| same_embedder(base.manifest(), &self.settings))
    }

    /// Starts the next generation, empty, after removing what an abandoned one left. Do not call it for a run that
    /// would change nothing.
    ///
    /// # Errors
    /// When files cannot be made.
    pub fn begin(&mut self) -> Result<Generation<'_>, IndexError> {
        // From the disk: a commit may have switched and then failed to open what it switched to.
        if self.current.as_ref().map(generation_of) != read_current(&self.root).ok().flatten() {
            (self.current, _) = recover::open(&self.root, &self.steps)?;
        }
        let current = self.current.as_ref().map(generation_of);
        clear_leftovers(&self.root, current, &self.steps)?;
        let number = current.unwrap_or(0) + 1;
        Ok(Generation::new(self, number))
    }
}

/// Removes generations before the previous one, and segments that none needs.
pub(crate) fn prune_older(root: &Path, current: u64, steps: &Steps) -> Result<(), IndexError> {
    match prune(root, current, KeepOlder::Previous, steps) {
        // A folder that cannot be removed now is tried again by the next writer.
        Ok(_) | Err(IndexError::Io { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn generation_of(base: &BaseGeneration) -> u64 {
    base.manifest().generation
}

/// Whether the vectors of an index are those of a writer.
pub(crate) fn same_embedder(manifest: &Manifest, settings: &WriterSettings) -> bool {
    manifest.embedder_id == settings.embedder_id && manifest.dimension == settings.dimension
}
