//! Small indexes with seeded vectors.

use index::{Index, IndexError, IndexStore, IndexWriter, WriterSettings};
use pollster::block_on;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retrieve::{SearchSettings, Searcher, VectorIndex};
use std::{path::Path, sync::Arc};
use types::{
    Chunk, ChunkId, Explanation, Filter, Hit, MadeBy, Mode, Question, RetrievalOutcome, RetrievalPlan,
    SectionKind, SentenceSpan, SourceEntry, SourceId, SourceMeta, Span, StoreError, TermWeight,
};

pub(crate) const DIMENSION: usize = 64;

/// A unit vector that depends on `seed` alone.
pub(crate) fn vector(seed: u64) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    unit((0..DIMENSION).map(|_| rng.random_range(-1.0_f32..1.0)).collect())
}

pub(crate) fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
    vector.into_iter().map(|v| v / length).collect()
}

/// A unit vector whose cosine with the first axis is `cosine`; `turn` chooses among those.
pub(crate) fn at_cosine(cosine: f32, turn: usize) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSION];
    vector[0] = cosine;
    vector[1 + turn % (DIMENSION - 1)] = (1.0 - cosine * cosine).sqrt();
    vector
}

/// The first axis, as a question.
pub(crate) fn axis() -> Vec<f32> {
    at_cosine(1.0, 0)
}

/// A source of chunks given by section, text and the vector of their one window. Each text is one sentence.
pub(crate) fn source(id: &str, parts: &[(SectionKind, &str, Vec<f32>)]) -> SourceEntry {
    let source_id = SourceId::from(id);
    let mut entry = SourceEntry {
        meta: SourceMeta {
            source_id: source_id.clone(),
            title: Some(format!("On {id}")),
            ..SourceMeta::default()
        },
        key: format!("key of {id}"),
        path: format!("papers/{id}.pdf"),
        root: "papers".to_owned(),
        ..SourceEntry::default()
    };
    let mut at = 0;
    for (ordinal, (section, text, vector)) in parts.iter().enumerate() {
        let number = entry.chunks.iter().filter(|c| c.section == *section).count();
        let whole = Span::new(0, text.len());
        entry.chunks.push(Chunk {
            chunk_id: ChunkId::from_parts(&source_id, *section, number),
            source_id: source_id.clone(),
            section: *section,
            heading: format!("{section} heading"),
            ordinal: ordinal as u32,
            page_start: 1,
            page_end: 2,
            span: Span::new(at, at + text.len()),
            prefix: format!("[Source: {id}]"),
            text: (*text).to_owned(),
            tokens: 7,
            sentences: vec![SentenceSpan { span: whole, number: ordinal as u32, page: 1 }],
            table_head: Vec::new(),
        });
        entry.windows.push(vec![whole]);
        entry.window_vectors.push(vector.clone());
        entry.sentence_vectors.push(vector.clone());
        at += text.len() + 1;
    }
    entry
}

/// Body chunks with vectors seeded by `seed`.
pub(crate) fn plain(id: &str, seed: u64, texts: &[&str]) -> SourceEntry {
    let parts: Vec<_> =
        (0..).zip(texts).map(|(at, text)| (SectionKind::Body, *text, vector(seed * 1000 + at))).collect();
    source(id, &parts)
}

pub(crate) fn settings() -> WriterSettings {
    WriterSettings {
        made_by: MadeBy {
            embedder_id: "seeded-64".to_owned(),
            dimension: DIMENSION,
            parser: "parser 1".to_owned(),
            chunker: "chunker 1".to_owned(),
            ..MadeBy::default()
        },
        ..WriterSettings::default()
    }
}

pub(crate) fn open(root: &Path) -> Result<Arc<Index>, IndexError> {
    Ok(Arc::new(Index::open(root)?))
}

/// Replaces whatever is in the index by `entries`.
pub(crate) fn write(
    root: &Path,
    entries: impl IntoIterator<Item = SourceEntry>,
) -> Result<Arc<Index>, IndexError> {
    let mut entries: Vec<_> = entries.into_iter().collect();
    entries.sort_by(|a, b| a.meta.source_id.cmp(&b.meta.source_id));
    let mut writer = IndexWriter::open(root, settings())?;
    let mut generation = writer.begin()?;
    for entry in entries {
        generation.add(entry)?;
    }
    generation.commit()?;
    open(root)
}

pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Ids of all chunks in the order of rows.
pub(crate) fn ids(index: &Arc<Index>) -> Vec<String> {
    index.chunks().map(|chunk| chunk.expect("a whole chunk").chunk_id.to_string()).collect()
}

/// Ids of the hits, best first.
pub(crate) fn names(found: &Found) -> Vec<&str> {
    found.hits.iter().map(|hit| hit.chunk.chunk_id.as_str()).collect()
}

/// Adds sources to what is in the index; what it holds of these is replaced.
pub(crate) fn add(
    root: &Path,
    entries: impl IntoIterator<Item = SourceEntry>,
) -> Result<Arc<Index>, IndexError> {
    change(root, entries, &[])
}

/// Adds sources to what is in the index, and removes others.
pub(crate) fn change(
    root: &Path,
    entries: impl IntoIterator<Item = SourceEntry>,
    removed: &[&str],
) -> Result<Arc<Index>, IndexError> {
    let mut writer = IndexWriter::open(root, settings())?;
    let known: Vec<SourceId> = writer
        .manifest()
        .map_or_else(Vec::new, |manifest| manifest.sources.iter().map(|s| s.source_id().clone()).collect());
    let entries: Vec<SourceEntry> = entries.into_iter().collect();
    let mut generation = writer.begin()?;
    for id in &known {
        let replaced = entries.iter().any(|entry| entry.meta.source_id == *id);
        if !replaced && !removed.contains(&id.as_str()) {
            generation.keep(id)?;
        }
    }
    for entry in entries {
        generation.add(entry)?;
    }
    generation.commit()?;
    drop(writer);
    open(root)
}

/// Names of what lies in the folder of generations, sorted.
pub(crate) fn generations(root: &Path) -> Vec<String> {
    listed(&root.join("generations"))
}

/// Names of what lies in the folder of segments, sorted.
pub(crate) fn segments(root: &Path) -> Vec<String> {
    listed(&root.join("segments"))
}

fn listed(folder: &Path) -> Vec<String> {
    let folder = std::fs::read_dir(folder).expect("lists");
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<String> = folder.map(|e| name(e).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// An error of the index or of a search.
pub(crate) type Failed = Box<dyn std::error::Error + Send + Sync>;

/// A hit without what surrounds it.
#[derive(Clone, Debug)]
pub(crate) struct FoundHit {
    pub(crate) chunk: Arc<Chunk>,
    pub(crate) vector_score: f32,
    pub(crate) bm25_score: f32,
    pub(crate) combined_score: f32,
}

impl From<Hit> for FoundHit {
    fn from(hit: Hit) -> Self {
        Self {
            chunk: hit.passage.chunk,
            vector_score: hit.vector_score,
            bm25_score: hit.bm25_score,
            combined_score: hit.combined_score,
        }
    }
}

/// What a search found.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "printed, to compare outcomes as a whole")]
pub(crate) struct Found {
    pub(crate) hits: Vec<FoundHit>,
    pub(crate) total_candidates: usize,
    pub(crate) above_threshold: usize,
    pub(crate) terms: Vec<TermWeight>,
    pub(crate) notes: Vec<String>,
}

/// Searches with a question that is analysed on the way.
pub(crate) trait TextSearch {
    fn explain_text(
        &self,
        query: &str,
        vector: Option<&[f32]>,
        mode: Mode,
        settings: &SearchSettings,
        filter: Option<&Filter>,
    ) -> Result<(Found, Vec<Explanation>), StoreError>;
    fn search_text(
        &self,
        query: &str,
        vector: Option<&[f32]>,
        mode: Mode,
        settings: &SearchSettings,
        filter: Option<&Filter>,
    ) -> Result<Found, StoreError> {
        Ok(self.explain_text(query, vector, mode, settings, filter)?.0)
    }
}

impl TextSearch for Arc<Index> {
    fn explain_text(
        &self,
        query: &str,
        vector: Option<&[f32]>,
        mode: Mode,
        settings: &SearchSettings,
        filter: Option<&Filter>,
    ) -> Result<(Found, Vec<Explanation>), StoreError> {
        let plan = RetrievalPlan { explain: true, ..RetrievalPlan::default() };
        let question = question(query, vector, mode, filter);
        let RetrievalOutcome { retrieval, explanations, terms, notes } =
            block_on(searcher(self, settings).retrieve(&question, plan))?;
        let found = Found {
            hits: retrieval.hits.into_iter().map(FoundHit::from).collect(),
            total_candidates: retrieval.total_candidates,
            above_threshold: retrieval.above_threshold,
            terms,
            notes,
        };
        Ok((found, explanations))
    }
}

pub(crate) fn searcher(index: &Arc<Index>, settings: &SearchSettings) -> Searcher {
    let graph_ef = (settings.vector_index == VectorIndex::Hnsw).then_some(settings.hnsw.ef);
    let store = Arc::new(IndexStore::new(Arc::clone(index), graph_ef));
    Searcher::new(Arc::<IndexStore>::clone(&store), store, *settings)
}

fn question(query: &str, vector: Option<&[f32]>, mode: Mode, filter: Option<&Filter>) -> Question {
    question::analyse(query, vector.unwrap_or_default().to_vec(), mode, filter.cloned().unwrap_or_default())
}
