//! Builds the next generation and makes it current.

use crate::{
    Damage, HeldSource, HnswSettings, IndexError, LexicalFields, Manifest, SourceEntry, StepHook,
    base::Base,
    build::{Build, Built},
    disk::{
        FORMAT, GENERATIONS, Past, WriterLock, building_dir, clear_leftovers, generation_dir, marker, prune,
        publish, read_current, switch_current, sync_dir, write_manifest,
    },
    entry::check_entry,
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
    /// What BM25 sees of a chunk.
    pub fields: LexicalFields,
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
    root: PathBuf,
    settings: WriterSettings,
    steps: Steps,
    current: Option<Base>,
    note: Option<String>,
    _lock: WriterLock,
}

impl IndexWriter {
    /// Opens the index in `root` for writing; the folder is made where there is none. All files of the current
    /// generation are compared with their hashes: see [`Self::damages`]. Where the pointer to it was lost, the newest
    /// generation with an intact manifest becomes current: see [`Self::note`]. What killed writers left is removed,
    /// whether or not there will be something to write.
    ///
    /// # Errors
    /// [`IndexError::NotAnIndex`] when the folder holds something else; [`IndexError::Locked`] while another writer is at work;
    /// [`IndexError::Unrecoverable`] when generations are there, but the manifest of none is intact.
    pub fn open(root: &Path, settings: WriterSettings) -> Result<Self, IndexError> {
        if settings.dimension == 0 {
            return Err(IndexError::Setting {
                name: "dimension",
                value: "0".to_owned(),
                allowed: "at least 1",
            });
        }
        marker::claim(root)?;
        let generations = root.join(GENERATIONS);
        fs::create_dir_all(&generations).map_err(IndexError::io("create", &generations))?;
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
        self.current.as_ref().map(Base::manifest)
    }

    /// What of the index was lost and taken over from elsewhere when it was opened, for people.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Files of the current generation that are not what was written. The next generation makes up for them: see
    /// [`Self::is_damaged`] and [`Generation::held`].
    pub fn damages(&self) -> &[Damage] {
        self.current.as_ref().map_or(&[], Base::damages)
    }

    /// As [`Self::damages`], with the first of them as an error.
    ///
    /// # Errors
    /// [`IndexError::Damaged`] when a file of the current generation is not what was written.
    pub fn check(&self) -> Result<(), IndexError> {
        let (Some(base), [damage, ..]) = (&self.current, self.damages()) else {
            return Ok(());
        };
        Err(IndexError::damaged(
            base.dir().join(&damage.file),
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

    /// Whether a generation has to be written though no source changed: readers cannot open the current one, or not all
    /// of it is intact.
    pub fn must_rewrite(&self) -> bool {
        let base = self.current.as_ref();
        base.is_some_and(|base| !base.damages().is_empty() || base.manifest().format != FORMAT)
    }

    /// Whether sources of the current generation can be kept: their vectors are of this writer's embedder.
    pub fn can_keep(&self) -> bool {
        self.current
            .as_ref()
            .is_some_and(|base| same_embedder(base.manifest(), &self.settings))
    }

    /// Starts the next generation, empty. What an abandoned one left is removed first. A run that would change
    /// nothing should not begin.
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
        self.steps.before("creating files")?;
        let dir = building_dir(&self.root, number);
        let build = Build::create(
            dir,
            self.settings.fields,
            self.settings.dimension,
            self.steps.clone(),
        )?;
        Ok(Generation {
            writer: self,
            number,
            build,
            broken: false,
        })
    }
}

/// A generation under construction. Sources come in the order of their ids, kept or added; one that does not
/// come is no longer in the index. Dropped without [`Generation::commit`], it leaves the index as it was.
pub struct Generation<'w> {
    writer: &'w mut IndexWriter,
    number: u64,
    build: Build,
    /// Whether a source was written in part: such a generation must not become current.
    broken: bool,
}

impl Generation<'_> {
    /// Takes a source over from the current generation: chunks byte for byte, vectors bit for bit.
    ///
    /// # Errors
    /// When the source is not there, comes out of order, or has vectors of another embedder; when some of its text or
    /// vectors is damaged.
    pub fn keep(&mut self, source_id: &SourceId) -> Result<(), IndexError> {
        self.check_order(source_id)?;
        let unknown = || IndexError::UnknownSource {
            source_id: source_id.clone(),
        };
        let from = self.writer.current.as_ref().ok_or_else(unknown)?;
        let settings = &self.writer.settings;
        if !same_embedder(from.manifest(), settings) {
            let name = |id: &str, dimension| format!("{id} ({dimension} numbers)");
            return Err(IndexError::Embedder {
                index: name(&from.manifest().embedder_id, from.manifest().dimension),
                asked: name(&settings.embedder_id, settings.dimension),
            });
        }
        let record = from.record(source_id).ok_or_else(unknown)?;
        let outcome = self.build.copy(from, record);
        self.broken |= outcome.is_err();
        outcome
    }

    /// What the current generation holds of a source, for making it anew without doing work twice; `None` when it does
    /// not hold it. Damaged chunks and vectors are left out. The chunks can be used whatever the embedder was, the
    /// vectors only when [`IndexWriter::can_keep`].
    pub fn held(&self, source_id: &SourceId) -> Option<HeldSource> {
        self.writer.current.as_ref()?.held(source_id)
    }

    /// Adds a new or changed source.
    ///
    /// # Errors
    /// When the source contradicts itself, comes out of order, or cannot be written.
    pub fn add(&mut self, entry: SourceEntry) -> Result<(), IndexError> {
        self.check_order(&entry.meta.source_id)?;
        check_entry(&entry, self.writer.settings.dimension)?;
        let outcome = self.build.add(entry);
        self.broken |= outcome.is_err();
        outcome
    }

    /// Finishes the generation and makes it current; gives its number. With `graph` an approximate vector index
    /// is built too, from scratch: hnsw_rs cannot delete, so a graph is never carried over.
    ///
    /// # Errors
    /// When something cannot be written; the index is then as it was.
    pub fn commit(self, graph: Option<HnswSettings>) -> Result<u64, IndexError> {
        let Self {
            writer,
            number,
            build,
            broken,
            ..
        } = self;
        if broken {
            return Err(IndexError::Broken { generation: number });
        }
        if let Some(graph) = &graph {
            graph.validate()?;
        }
        let IndexWriter {
            root,
            settings,
            steps,
            current,
            ..
        } = writer;
        let dir = build.dir.clone();
        let Built {
            sources,
            counts,
            files,
        } = build.finish(graph.as_ref())?;
        let manifest = Manifest {
            format: FORMAT,
            generation: number,
            embedder_id: settings.embedder_id.clone(),
            dimension: settings.dimension,
            parser: settings.parser.clone(),
            chunker: settings.chunker.clone(),
            fields: settings.fields,
            config: settings.config.clone(),
            graph,
            counts,
            sources,
            files,
        };
        steps.before("writing the manifest")?;
        let hash = write_manifest(&dir, &manifest)?;
        publish(root, number, steps)?;
        switch_current(root, number, &hash, steps)?;
        // From here on the generation is current, whatever fails.
        *current = Some(Base::just_written(&generation_dir(root, number), manifest)?);
        prune_older(root, number, steps)?;
        Ok(number)
    }

    fn check_order(&self, source_id: &SourceId) -> Result<(), IndexError> {
        match self.build.sources.last() {
            Some(last) if last.source_id() >= source_id => Err(IndexError::Order {
                source_id: source_id.clone(),
                previous: last.source_id().clone(),
            }),
            _ => Ok(()),
        }
    }
}

/// Removes generations before the previous one.
fn prune_older(root: &Path, current: u64, steps: &Steps) -> Result<(), IndexError> {
    match prune(root, current, Past::Previous, steps) {
        // A folder that cannot be removed now is tried again by the next writer.
        Ok(_) | Err(IndexError::Io { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn generation_of(base: &Base) -> u64 {
    base.manifest().generation
}

fn same_embedder(manifest: &Manifest, settings: &WriterSettings) -> bool {
    manifest.embedder_id == settings.embedder_id && manifest.dimension == settings.dimension
}
