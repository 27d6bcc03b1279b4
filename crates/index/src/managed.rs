//! Makes the folder of an index a [`types::ManagedStore`].

use crate::{
    Generation, HnswSettings, Index, IndexError, IndexStore, IndexWriter, Manifest, WriterSettings,
    base::manifest,
    disk::{CURRENT, MANIFEST, SEGMENT, names, other_bytes},
    verify::verify,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use types::{
    Compacted, HeldSource, Holdings, MadeBy, ManagedStore, NewVersion, SourceEntry, SourceId, Store,
    StoreError, StoreUsage, StoreWriter, Verified, path_text,
};

/// The embedded store: an index in a folder.
#[derive(Clone, Debug)]
pub struct EmbeddedStore {
    dir: PathBuf,
    graph: Option<HnswSettings>,
}

impl EmbeddedStore {
    /// The index in this folder, which need not exist; `graph` says how the approximate vector index of its next generation
    /// is built, if there is to be one.
    pub fn new(dir: &Path, graph: Option<HnswSettings>) -> Self {
        let dir = dir.to_owned();
        Self { dir, graph }
    }
}

impl ManagedStore for EmbeddedStore {
    fn holdings(&self) -> Result<(Option<Holdings>, Option<String>), StoreError> {
        let (manifest, note) = manifest(&self.dir)?;
        Ok((manifest.map(|manifest| holdings_of(&self.dir, &manifest)), note))
    }

    fn open(&self) -> Result<(Arc<dyn Store>, Holdings), StoreError> {
        let index = Arc::new(Index::open(&self.dir)?);
        let holdings = holdings_of(&self.dir, index.manifest());
        Ok((Arc::new(IndexStore::new(index, None)), holdings))
    }

    fn write(&self, made_by: Option<MadeBy>) -> Result<Box<dyn StoreWriter>, StoreError> {
        let Some(made_by) = made_by else {
            return Ok(Box::new(IndexWriter::open_existing(&self.dir, None)?));
        };
        let settings = WriterSettings { made_by, graph: self.graph, before_step: None };
        Ok(Box::new(IndexWriter::open(&self.dir, settings)?))
    }

    fn verify(&self) -> Result<Verified, StoreError> {
        Ok(verify(&self.dir)?)
    }

    fn usage(&self) -> Result<StoreUsage, StoreError> {
        let index = Index::open(&self.dir)?;
        let manifest = index.manifest();
        Ok(StoreUsage {
            bytes: bytes(&index)?,
            graph: manifest.graph.is_some(),
            segments: manifest.segments.len(),
            dead_chunks: manifest.dead_chunks(),
        })
    }
}

/// Bytes of a generation and of the others in its folder, by what they are for. Removed sources count as long as their
/// segment stays.
fn bytes(index: &Index) -> Result<BTreeMap<&'static str, u64>, IndexError> {
    const OTHER: &str = "other_generations";
    let kinds = ["text", "windows", "sentences", "lexical", "graph", "manifest", OTHER];
    let mut bytes = BTreeMap::from(kinds.map(|kind| (kind, 0)));
    let mut add = |kind, more: u64| *bytes.entry(kind).or_default() += more;
    for (name, file) in &index.manifest.files {
        // segments/7/chunks.jsonl, segments/7/hnsw/windows.hnsw.data
        let kind = match name.split('/').nth(2).unwrap_or(name) {
            names::TEXT => "lexical",
            names::GRAPH => "graph",
            names::WINDOWS | names::WINDOW_ROWS | names::WINDOW_CODES | names::WINDOW_CODE_ROWS => "windows",
            names::SENTENCES | names::SENTENCE_SCALES => "sentences",
            _ => "text",
        };
        add(kind, file.bytes);
    }
    let records = index.segments.iter().map(|segment| segment.dir.join(SEGMENT));
    for path in [index.dir.join(MANIFEST)].into_iter().chain(records) {
        add("manifest", fs::metadata(path).map_or(0, |meta| meta.len()));
    }
    let needed: BTreeSet<u64> = index.manifest.segments.iter().map(|s| s.segment).collect();
    add(OTHER, other_bytes(&index.root, index.generation(), &needed)?);
    Ok(bytes)
}

impl StoreWriter for IndexWriter {
    fn holdings(&self) -> Option<Holdings> {
        Some(holdings_of(&self.root, self.manifest()?))
    }

    fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    fn check(&self) -> Result<(), StoreError> {
        Ok(Self::check(self)?)
    }

    fn can_keep(&self) -> bool {
        self.has_same_embedder() && self.check().is_ok()
    }

    fn must_rewrite(&self) -> bool {
        let graph = self.settings.graph;
        self.current
            .as_ref()
            .is_some_and(|base| self.check().is_err() || (graph.is_some() && base.manifest.graph != graph))
    }

    fn begin(&mut self) -> Result<Box<dyn NewVersion + '_>, StoreError> {
        Ok(Box::new(Self::begin(self)?))
    }

    fn compact(&mut self) -> Result<Compacted, StoreError> {
        Ok(Self::compact(self)?)
    }
}

fn holdings_of(dir: &Path, manifest: &Manifest) -> Holdings {
    let rows = |range: [usize; 2]| range[1].saturating_sub(range[0]);
    let sources = manifest.sources.iter().map(|record| HeldSource {
        meta: record.meta.clone(),
        key: record.key.clone(),
        path: path_text::decode(&record.path),
        copies: record.copies.iter().map(|path| path_text::decode(path)).collect(),
        record: record.record.clone(),
        root: path_text::decode(&record.root),
        ingested: record.ingested.clone(),
        chunks: rows(record.chunks),
        windows: rows(record.windows),
        sentences: rows(record.sentences),
        terms: usize::try_from(record.terms).unwrap_or(usize::MAX),
    });
    Holdings {
        version: manifest.generation,
        made_by: manifest.made_by.clone(),
        sources: sources.collect(),
        since: fs::metadata(dir.join(CURRENT)).and_then(|meta| meta.modified()).ok(),
    }
}

impl NewVersion for Generation<'_> {
    fn keep(&mut self, sources: &[SourceId]) -> Result<(), StoreError> {
        let mut sources = sources.iter();
        sources.try_for_each(|source| Ok(Generation::keep(self, source)?))
    }

    fn add(&mut self, source: SourceEntry) -> Result<(), StoreError> {
        Ok(Generation::add(self, source)?)
    }

    fn commit(self: Box<Self>) -> Result<(), StoreError> {
        Generation::commit(*self)?;
        Ok(())
    }
}

impl From<IndexError> for StoreError {
    fn from(error: IndexError) -> Self {
        Self::from_error(&error, error.kind())
    }
}
