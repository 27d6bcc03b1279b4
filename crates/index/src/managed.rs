//! Makes the folder of an index a [`types::ManagedStore`].

use crate::{
    Generation, HnswSettings, Index, IndexError, IndexStore, IndexWriter, Manifest, WriterSettings,
    base::manifest,
    disk::{CURRENT, MANIFEST, MANIFEST_HASH, SEGMENT, names, other_bytes},
    verify::verify,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use types::{
    Compacted, Damage, HeldSource, Holdings, MadeBy, ManagedStore, NewVersion, SourceEntry, SourceId, Store,
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

    fn holdings_of(&self, manifest: &Manifest) -> Holdings {
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
            made_by: manifest.made_by(),
            sources: sources.collect(),
            since: fs::metadata(self.dir.join(CURRENT))
                .and_then(|meta| meta.modified())
                .ok(),
        }
    }
}

impl ManagedStore for EmbeddedStore {
    fn kind(&self) -> &'static str {
        "embedded"
    }

    fn holdings(&self) -> Result<(Option<Holdings>, Option<String>), StoreError> {
        let (manifest, note) = manifest(&self.dir)?;
        Ok((manifest.map(|manifest| self.holdings_of(&manifest)), note))
    }

    fn current(&self) -> Result<Holdings, StoreError> {
        Ok(self.holdings_of(Index::open(&self.dir)?.manifest()))
    }

    fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
        Ok(Arc::new(IndexStore::new(Arc::new(Index::open(&self.dir)?), None)))
    }

    fn write(&self, made_by: Option<MadeBy>) -> Result<Box<dyn StoreWriter>, StoreError> {
        let (writer, graph) = match made_by {
            Some(made_by) => {
                let settings = WriterSettings {
                    made_by,
                    before_step: None,
                };
                (IndexWriter::open(&self.dir, settings)?, self.graph)
            }
            None => {
                let writer = IndexWriter::open_existing(&self.dir, None)?;
                let graph = writer.manifest().and_then(|manifest| manifest.graph);
                (writer, graph)
            }
        };
        let store = Self {
            dir: self.dir.clone(),
            graph,
        };
        Ok(Box::new(Writer { writer, store }))
    }

    fn verify(&self) -> Result<Verified, StoreError> {
        let found = verify(&self.dir)?;
        Ok(Verified {
            version: found.generation,
            files: found.files,
            bytes: found.bytes,
            damages: found.damages,
            graph_recall: match &found.index {
                Some(index) => index.graph_recall()?,
                None => None,
            },
        })
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
    let kinds = [
        "text",
        "windows",
        "sentences",
        "lexical",
        "graph",
        "manifest",
        OTHER,
    ];
    let mut bytes = BTreeMap::from(kinds.map(|kind| (kind, 0)));
    let mut add = |kind, more: u64| *bytes.entry(kind).or_default() += more;
    for (name, file) in &index.manifest.files {
        // segments/7/chunks.jsonl, generations/7/hnsw/windows.hnsw.data
        let kind = match name.split('/').nth(2).unwrap_or(name) {
            names::TEXT => "lexical",
            names::GRAPH => "graph",
            names::WINDOWS | names::WINDOW_ROWS | names::WINDOW_CODES | names::WINDOW_CODE_ROWS => "windows",
            names::SENTENCES | names::SENTENCE_SCALES => "sentences",
            _ => "text",
        };
        add(kind, file.bytes);
    }
    let own = [MANIFEST, MANIFEST_HASH].map(|name| index.dir.join(name));
    let records = index.segments.iter().map(|segment| segment.dir.join(SEGMENT));
    for path in own.into_iter().chain(records) {
        add("manifest", fs::metadata(path).map_or(0, |meta| meta.len()));
    }
    let needed: BTreeSet<u64> = index.manifest.segments.iter().map(|s| s.segment).collect();
    add(OTHER, other_bytes(&index.root, index.generation(), &needed)?);
    Ok(bytes)
}

struct Writer {
    writer: IndexWriter,
    store: EmbeddedStore,
}

impl StoreWriter for Writer {
    fn holdings(&self) -> Option<Holdings> {
        let manifest = self.writer.manifest();
        manifest.map(|manifest| self.store.holdings_of(manifest))
    }

    fn note(&self) -> Option<&str> {
        self.writer.note()
    }

    fn damages(&self) -> &[Damage] {
        self.writer.damages()
    }

    fn check(&self) -> Result<(), StoreError> {
        Ok(self.writer.check()?)
    }

    fn is_damaged(&self, source: &SourceId) -> bool {
        self.writer.is_damaged(source)
    }

    fn has_same_embedder(&self) -> bool {
        self.writer.has_same_embedder()
    }

    fn must_rewrite(&self) -> bool {
        let graph = self.store.graph;
        let manifest = self.writer.manifest();
        self.writer.must_rewrite() || (graph.is_some() && manifest.is_some_and(|m| m.graph != graph))
    }

    fn begin(&mut self) -> Result<Box<dyn NewVersion + '_>, StoreError> {
        Ok(Box::new(self.writer.begin()?.with_graph(self.store.graph)))
    }

    fn compact(&mut self) -> Result<Compacted, StoreError> {
        Ok(self.writer.compact()?)
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
