//! An opened generation.

use crate::{
    HnswSettings, IndexError, Manifest, SourceRecord,
    disk::{
        CURRENT, Checksums, ChunkTable, FORMAT, Lease, Mapper, Pointer, SentenceTable, generation_dir,
        hash_file, names, pointer, read_manifest,
    },
    lexical::{LexicalIndex, WhitespaceIndex},
    vectors::{Graph, WindowTable},
    verify::{Damage, changed, changed_manifest, check_tables},
};
use serde::Serialize;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use types::{Chunk, SourceId, SourceMeta};

/// How often a reader starts anew when writers outrun it.
const ATTEMPTS: usize = 64;

/// One generation of an index, opened for reading. Text and vectors are mapped and decoded on demand, so that opening
/// takes milliseconds; the index can be shared between threads.
///
/// Damage is an error, never a wrong text: the inverted index and the tables are compared with their checksums when
/// they are opened, each chunk when it is read, the graph when it is loaded. Vectors are compared by
/// [`crate::verify`], [`Index::verify`] and the writer.
///
/// What it opened stays readable while writers make further generations. Nothing may change the files of a
/// generation: they are mapped.
pub struct Index {
    pub(crate) dir: PathBuf,
    pub(crate) manifest: Manifest,
    manifest_hash: String,
    pub(crate) metas: Vec<Arc<SourceMeta>>,
    pub(crate) chunks: ChunkTable,
    pub(crate) windows: WindowTable,
    pub(crate) sentences: SentenceTable,
    pub(crate) lexical: LexicalIndex,
    /// Made by the first search with [`crate::Tokenizer::Whitespace`].
    pub(crate) whitespace: Mutex<Option<Arc<WhitespaceIndex>>>,
    graph: Mutex<Option<Arc<Graph>>>,
    _lease: Lease,
}

/// How much an index holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Number of the generation.
    pub generation: u64,
    /// Sources.
    pub sources: usize,
    /// Chunks.
    pub chunks: usize,
    /// Embedding windows.
    pub windows: usize,
    /// Sentences.
    pub sentences: usize,
    /// Indexed terms, repetitions counted.
    pub terms: u64,
    /// Embedder of the vectors.
    pub embedder_id: String,
    /// Length of a vector.
    pub dimension: usize,
    /// How the approximate vector index was built; `None` when there is none.
    pub graph: Option<HnswSettings>,
    /// Bytes of the generation's files, manifest excluded.
    pub bytes: u64,
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

    /// The record of a source: its key, its file, where its chunks stand.
    pub fn source_record(&self, id: &SourceId) -> Option<&SourceRecord> {
        self.manifest.source(id).map(|(_, record)| record)
    }

    /// All chunks in the order of sources and ordinals, decoded one by one.
    ///
    /// # Errors
    /// Each item on its own, when the stored chunk is damaged.
    pub fn chunks(&self) -> impl Iterator<Item = Result<Arc<Chunk>, IndexError>> + '_ {
        (0..self.chunks.rows().len()).map(|row| self.chunks.chunk(row))
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
        (from..to.min(self.chunks.rows().len())).map(|row| self.chunks.chunk(row))
    }

    /// How much the index holds.
    pub fn stats(&self) -> Stats {
        let Manifest { counts, .. } = &self.manifest;
        Stats {
            generation: self.manifest.generation,
            sources: counts.sources,
            chunks: counts.chunks,
            windows: counts.windows,
            sentences: counts.sentences,
            terms: counts.terms,
            embedder_id: self.manifest.embedder_id.clone(),
            dimension: self.manifest.dimension,
            graph: self.manifest.graph,
            bytes: self.manifest.files.values().map(|file| file.bytes).sum(),
        }
    }

    /// Reads every file and compares it with its hash in the manifest; empty when all is well. See
    /// [`crate::verify`] for an index that may not open, and for a look at the content.
    pub fn verify(&self) -> Vec<Damage> {
        let mut damages = changed_manifest(&self.dir, &self.manifest_hash, self.manifest.format);
        damages.extend(changed(&self.dir, &self.manifest));
        damages
    }

    /// As [`Index::verify`], with the first finding as an error.
    ///
    /// # Errors
    /// [`IndexError::Damaged`] when a file is not what was written.
    pub fn check(&self) -> Result<(), IndexError> {
        match self.verify().into_iter().next() {
            Some(damage) => Err(IndexError::damaged(self.dir.join(damage.file), damage.reason)),
            None => Ok(()),
        }
    }

    /// The approximate vector index, loaded when first asked for.
    pub(crate) fn graph(&self) -> Result<Arc<Graph>, IndexError> {
        // The value is whole or absent, whatever happened to the thread that held the lock.
        let mut slot = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(graph) = &*slot {
            return Ok(Arc::clone(graph));
        }
        let dir = self.dir.join(names::GRAPH);
        for (name, wanted) in self
            .manifest
            .files
            .iter()
            .filter(|(name, _)| name.starts_with(names::GRAPH))
        {
            // hnsw_rs may end the process on a damaged file, so it never sees one.
            if !hash_file(&self.dir.join(name))?.same_content(wanted) {
                return Err(IndexError::damaged(
                    self.dir.join(name),
                    "its hash is not the one in the manifest",
                ));
            }
        }
        let graph = Arc::new(Graph::load(&dir, self.windows.len())?);
        *slot = Some(Arc::clone(&graph));
        Ok(graph)
    }

    fn open_pointed(root: &Path, pointer: &Pointer) -> Result<Self, IndexError> {
        let dir = generation_dir(root, pointer.number);
        if !dir.is_dir() {
            return Err(IndexError::NoGeneration {
                path: root.join(CURRENT),
                number: pointer.number,
            });
        }
        Self::open_generation(&dir, pointer.manifest.as_deref())
    }

    /// Opens the generation in this folder, whether it is current or not. `pointed` is the hash of its manifest in the
    /// pointer.
    pub(crate) fn open_generation(dir: &Path, pointed: Option<&str>) -> Result<Self, IndexError> {
        let lease = Lease::take(dir)?;
        let (manifest, manifest_hash) = read_manifest(dir, pointed, FORMAT)?;
        check_tables(dir, &manifest)?;
        let (counts, dimension) = (manifest.counts, manifest.dimension);
        let mapper = Mapper::new(dir)?;
        let sums = |name: &str, items| Checksums::open(&mapper, name, items);
        Ok(Self {
            chunks: ChunkTable::open(
                dir,
                &mapper,
                sums(names::CHUNK_SUMS, counts.chunks)?,
                counts.chunks,
            )?,
            windows: WindowTable::open(
                &mapper,
                sums(names::WINDOW_SUMS, counts.windows)?,
                counts.windows,
                dimension,
            )?,
            sentences: SentenceTable::open(
                &mapper,
                sums(names::SENTENCE_SUMS, counts.sentences)?,
                counts.sentences,
                dimension,
            )?,
            lexical: LexicalIndex::open(&dir.join(names::TEXT), counts.chunks, counts.terms)?,
            metas: manifest
                .sources
                .iter()
                .map(|source| Arc::new(source.meta.clone()))
                .collect(),
            dir: dir.to_owned(),
            manifest,
            manifest_hash,
            whitespace: Mutex::default(),
            graph: Mutex::default(),
            _lease: lease,
        })
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("dir", &self.dir)
            .field("counts", &self.manifest.counts)
            .finish_non_exhaustive()
    }
}
