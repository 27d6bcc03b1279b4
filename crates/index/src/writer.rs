//! Opens an index for writing and for maintenance.

use crate::{
    HnswSettings, IndexError, Manifest, StepHook,
    base::BaseGeneration,
    disk::{GENERATIONS, KeepOlder, SEGMENTS, WriterLock, clear_leftovers, marker, pointer, prune, sync_dir},
    segment::Segment,
    steps::Steps,
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use types::{MadeBy, Removed};

/// How generations are written.
#[derive(Clone, Default)]
pub struct WriterSettings {
    /// How their content is made.
    pub made_by: MadeBy,
    /// How the approximate vector index is built; `None` to build none.
    pub graph: Option<HnswSettings>,
    /// See [`StepHook`].
    pub before_step: Option<StepHook>,
}

/// The one writer of an index. Dropping it releases the index to the next writer.
pub struct IndexWriter {
    pub(crate) root: PathBuf,
    pub(crate) settings: WriterSettings,
    pub(crate) steps: Steps,
    pub(crate) current: Option<BaseGeneration>,
    pub(crate) note: Option<String>,
    /// What killed writers left, which was removed.
    pub(crate) cleared: Vec<Removed>,
    _lock: WriterLock,
}

impl IndexWriter {
    /// Opens the index in `root` for writing; creates the folder if there is none. Compares all files of the current
    /// generation with their checksums: see [`types::StoreWriter::note`]. Removes what killed writers left, even if nothing is written
    /// afterwards.
    ///
    /// # Errors
    /// [`IndexError::NotAnIndex`] when the folder holds something else; [`IndexError::Locked`] while another writer is
    /// at work; [`IndexError::Format`] when a newer version wrote the index.
    pub fn open(root: &Path, settings: WriterSettings) -> Result<Self, IndexError> {
        if settings.made_by.dimension == 0 {
            return Err(IndexError::Setting {
                name: "dimension",
                value: "0".to_owned(),
                allowed: "at least 1",
            });
        }
        marker::claim(root)?;
        let writer = Self::locked(root, settings)?;
        // A writer that was killed after its last step has not come to this. Beside damage, an older generation may be
        // the only one that is intact.
        if let Some(base) = writer.current.as_ref().filter(|base| base.damage.is_none()) {
            prune_older(root, base.manifest.generation, &writer.steps)?;
        }
        Ok(writer)
    }

    /// Opens an index that exists, with the settings of its current generation: to remove sources or to compact it.
    ///
    /// # Errors
    /// As [`Self::open`]; [`IndexError::Missing`] when there is no index, [`IndexError::Damaged`] when the pointer to its
    /// current generation is lost.
    pub fn open_existing(root: &Path, before_step: Option<StepHook>) -> Result<Self, IndexError> {
        marker::require(root)?;
        match pointer(root) {
            // A first run that was killed, or has not ended.
            Ok(_) | Err(IndexError::Missing { .. }) => {}
            Err(error) => return Err(error),
        }
        let settings = WriterSettings { before_step, ..WriterSettings::default() };
        let mut writer = Self::locked(root, settings)?;
        if let Some(base) = &writer.current {
            writer.settings.made_by = base.manifest.made_by.clone();
            writer.settings.graph = base.manifest.graph;
        }
        Ok(writer)
    }

    /// Opens a folder that is marked as an index.
    fn locked(root: &Path, settings: WriterSettings) -> Result<Self, IndexError> {
        for kind in [GENERATIONS, SEGMENTS] {
            let folder = root.join(kind);
            fs::create_dir_all(&folder).map_err(IndexError::io("create", &folder))?;
        }
        sync_dir(root)?;
        let lock = WriterLock::take(root)?;
        let steps = Steps(settings.before_step.clone());
        let (current, note) = BaseGeneration::open(root)?;
        let number = current.as_ref().map(|base| base.manifest.generation);
        let cleared = clear_leftovers(root, number, &steps)?;
        Ok(Self { root: root.to_owned(), steps, settings, current, note, cleared, _lock: lock })
    }

    /// What the current generation holds; `None` before the first commit.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.current.as_ref().map(|base| &base.manifest)
    }

    /// The segments of the current generation, if it is intact.
    pub(crate) fn segments(&self) -> &[Segment] {
        self.current.as_ref().map_or(&[], |base| &base.segments)
    }

    /// Whether the vectors of the current generation are of this writer's embedder.
    pub(crate) fn has_same_embedder(&self) -> bool {
        let own = &self.settings.made_by;
        self.manifest().is_some_and(|manifest| {
            let made = &manifest.made_by;
            made.embedder_id == own.embedder_id && made.dimension == own.dimension
        })
    }

    /// # Errors
    /// [`IndexError::Damaged`] when a file of the current generation is not what was written; [`IndexError::Format`] when it
    /// has an older format.
    pub fn check(&self) -> Result<(), IndexError> {
        self.current.as_ref().map_or(Ok(()), |base| base.check(&self.root))
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
