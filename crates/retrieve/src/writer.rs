//! Builds the next generation and makes it current.

use crate::{
    HeldSource, HnswSettings, Index, IndexError, LexicalFields, Manifest, SourceEntry, StepHook,
    build::{Build, Built},
    disk::{
        FORMAT, GENERATIONS, Past, WriterLock, building_dir, clear_leftovers, marker, prune, publish,
        read_current, switch_current, sync_dir, write_manifest,
    },
    entry::check_entry,
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
    current: Option<Index>,
    _lock: WriterLock,
}

impl IndexWriter {
    /// Opens the index in `root` for writing; the folder is made where there is none. What killed writers left is
    /// removed, whether or not there will be something to write.
    ///
    /// # Errors
    /// [`IndexError::NotAnIndex`] when the folder holds something else; [`IndexError::Locked`] while another writer is at work; what is wrong with the current generation.
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
        let current = match read_current(root)? {
            Some(_) => Some(Index::open(root)?),
            None => None,
        };
        let steps = Steps(settings.before_step.clone());
        let number = current.as_ref().map(Index::generation);
        clear_leftovers(root, number, &steps)?;
        if let Some(number) = number {
            // A writer that was killed behind its last step has not come to this.
            prune_older(root, number, &steps)?;
        }
        Ok(Self {
            root: root.to_owned(),
            steps,
            settings,
            current,
            _lock: lock,
        })
    }

    /// The generation that readers see now; `None` before the first commit.
    pub fn current(&self) -> Option<&Index> {
        self.current.as_ref()
    }

    /// Whether sources of the current generation can be kept: their vectors are of this writer's embedder.
    pub fn can_keep(&self) -> bool {
        self.current
            .as_ref()
            .is_some_and(|index| same_embedder(index.manifest(), &self.settings))
    }

    /// Starts the next generation, empty. What an abandoned one left is removed first. A run that would change
    /// nothing should not begin.
    ///
    /// # Errors
    /// When files cannot be made.
    pub fn begin(&mut self) -> Result<Generation<'_>, IndexError> {
        // From the disk: a commit may have switched and then failed to open what it switched to.
        let current = read_current(&self.root)?;
        if self.current.as_ref().map(Index::generation) != current {
            self.current = Some(Index::open(&self.root)?);
        }
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
            checked: false,
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
    /// Whether the current generation was compared with its hashes.
    checked: bool,
    /// Whether a source was written in part: such a generation must not become current.
    broken: bool,
}

impl Generation<'_> {
    /// Takes a source over from the current generation: chunks byte for byte, vectors bit for bit.
    ///
    /// # Errors
    /// When the source is not there, comes out of order, or has vectors of another embedder; when the current
    /// generation is damaged (checked once: damage must not be copied under a fresh hash).
    pub fn keep(&mut self, source_id: &SourceId) -> Result<(), IndexError> {
        self.check_order(source_id)?;
        self.check_current()?;
        let unknown = || IndexError::UnknownSource {
            source_id: source_id.clone(),
        };
        let from = self.writer.current.as_ref().ok_or_else(unknown)?;
        let settings = &self.writer.settings;
        if !same_embedder(from.manifest(), settings) {
            let name = |id: &str, dimension| format!("{id} ({dimension} numbers)");
            return Err(IndexError::Embedder {
                index: name(&from.manifest.embedder_id, from.manifest.dimension),
                asked: name(&settings.embedder_id, settings.dimension),
            });
        }
        let record = from.source_record(source_id).ok_or_else(unknown)?;
        let outcome = self.build.copy(from, record);
        self.broken |= outcome.is_err();
        outcome
    }

    /// What the current generation holds of a source, for making it anew without doing work twice; `None` when it
    /// does not hold it. Chunks can be had whatever the embedder was; whose vectors these are says
    /// [`IndexWriter::can_keep`].
    ///
    /// # Errors
    /// When the current generation is damaged (checked once, as in [`Generation::keep`]).
    pub fn held(&mut self, source_id: &SourceId) -> Result<Option<HeldSource>, IndexError> {
        self.check_current()?;
        match &self.writer.current {
            Some(index) => index.held(source_id),
            None => Ok(None),
        }
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
        *current = Some(Index::open(root)?);
        prune_older(root, number, steps)?;
        Ok(number)
    }

    /// Compares the current generation with its hashes, once.
    fn check_current(&mut self) -> Result<(), IndexError> {
        if let (Some(index), false) = (&self.writer.current, self.checked) {
            if let Some(damage) = index.verify().into_iter().next() {
                return Err(IndexError::damaged(index.dir.join(damage.file), damage.reason));
            }
            self.checked = true;
        }
        Ok(())
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

fn same_embedder(manifest: &Manifest, settings: &WriterSettings) -> bool {
    manifest.embedder_id == settings.embedder_id && manifest.dimension == settings.dimension
}
