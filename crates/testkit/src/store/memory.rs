//! A store in memory, without a vocabulary: it shows that the interface of stores is enough for hybrid search. It compares
//! every vector and counts every word for each question.

use super::{DIMENSION, Opened, TestStore};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use types::{
    Chunk, ChunkId, ChunkQuery, ChunkScores, DenseList, Detail, ErrorParts, FailureKind, Filter, LexicalList,
    LexicalQuery, MetadataWords, NewVersion, NoVocabulary, Passage, ScoreQuery, Scored, SentenceData,
    SourceEntry, SourceId, SourceQuery, Store, StoreError, StoreFuture, StoreInfo, StoredSource, TermScore,
    WindowMatch, digest, idf, metadata_text,
    vector::{dot, unit},
};

type Sources = BTreeMap<SourceId, Arc<SourceEntry>>;

/// A store in memory. A clone shares its content.
#[derive(Clone, Default)]
pub struct MemoryStore {
    current: Arc<Mutex<Version>>,
}

impl MemoryStore {
    fn current(&self) -> MutexGuard<'_, Version> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TestStore for MemoryStore {
    fn version(&mut self) -> Box<dyn NewVersion + '_> {
        let next = Sources::new();
        Box::new(Next { next, store: self })
    }

    fn opener(&self) -> Box<dyn Fn() -> Opened + Send + Sync> {
        let store = self.clone();
        Box::new(move || (Arc::new(store.current().clone()), Arc::new(NoVocabulary)))
    }

    fn has_vocabulary(&self) -> bool {
        false
    }
}

/// A version while it is written.
struct Next<'a> {
    next: Sources,
    store: &'a MemoryStore,
}

impl NewVersion for Next<'_> {
    fn keep(&mut self, sources: &[SourceId]) -> Result<(), StoreError> {
        let current = self.store.current().clone();
        sources.iter().try_for_each(|id| {
            let held = current.sources.get(id);
            let entry = held.ok_or_else(|| refused(id, "it is not there"))?;
            self.put(id, Arc::clone(entry))
        })
    }

    fn add(&mut self, source: SourceEntry) -> Result<(), StoreError> {
        let id = source.meta.source_id.clone();
        source.check(DIMENSION).map_err(|reason| refused(&id, &reason))?;
        self.put(&id, Arc::new(source))
    }

    fn commit(self: Box<Self>) -> Result<(), StoreError> {
        let sources = Arc::new(self.next);
        *self.store.current() = Version { sources };
        Ok(())
    }
}

impl Next<'_> {
    fn put(&mut self, id: &SourceId, entry: Arc<SourceEntry>) -> Result<(), StoreError> {
        if self.next.contains_key(id) {
            return Err(refused(id, "it came twice"));
        }
        self.next.insert(id.clone(), entry);
        Ok(())
    }
}

fn refused(id: &SourceId, reason: &str) -> StoreError {
    let parts = ErrorParts {
        code: "store_refused",
        message: format!("source {id} cannot be stored: {reason}"),
        value: None,
        hint: None,
    };
    let kind = FailureKind::Permanent;
    StoreError { parts, kind }
}

/// A committed version.
#[derive(Clone, Default)]
struct Version {
    sources: Arc<Sources>,
}

/// A chunk with its source, and the place of its first window.
type Row<'a> = (&'a SourceEntry, &'a Chunk, usize);

impl Version {
    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.sources.values().flat_map(|entry| {
            let mut first = 0;
            entry.chunks.iter().zip(&entry.windows).map(move |(chunk, windows)| {
                first += windows.len();
                (&**entry, chunk, first - windows.len())
            })
        })
    }

    fn row(&self, id: &ChunkId) -> Option<Row<'_>> {
        self.rows().find(|(_, chunk, _)| chunk.chunk_id == *id)
    }

    /// The `k` best of the chunks that the filter admits, by a score that some have.
    fn best(&self, filter: &Filter, k: usize, score: impl Fn(Row<'_>) -> Option<f32>) -> Vec<Scored> {
        let admitted = self.rows().filter(|row| admits(filter, row));
        let scored = admitted.filter_map(|row| {
            let id = row.1.chunk_id.clone();
            score(row).map(|score| Scored { id, score })
        });
        let mut all: Vec<Scored> = scored.collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        all.truncate(k);
        all
    }

    /// In how many chunks a stem occurs.
    fn frequency(&self, stem: &str) -> usize {
        self.rows().filter(|row| occurrences(row.1, stem) > 0).count()
    }

    /// The BM25 score of a chunk, over its text alone, and what each term adds.
    fn bm25(&self, row: Row<'_>, query: &LexicalQuery, frequencies: &[usize]) -> (f32, Vec<TermScore>) {
        let chunks = self.rows().count();
        let length = |chunk: &Chunk| text::terms(&chunk.text).len() as f32;
        let average = self.rows().map(|row| length(row.1)).sum::<f32>() / chunks.max(1) as f32;
        let (k1, b) = (1.2, 0.75);
        let norm = k1 * (1.0 - b + b * length(row.1) / average.max(1.0));
        let terms = query.terms.iter().zip(frequencies).enumerate();
        let score = |(at, (term, held)): (usize, (&types::QueryTerm, &usize))| {
            let count = occurrences(row.1, &term.key);
            let tf = count as f32;
            let contribution = idf(chunks, *held) * term.weight * tf * (k1 + 1.0) / (tf + norm);
            (count > 0).then_some(TermScore { term: at, occurrences: [count as u32, 0], contribution })
        };
        let terms: Vec<TermScore> = terms.filter_map(score).collect();
        (terms.iter().map(|term| term.contribution).sum(), terms)
    }
}

fn passage((entry, chunk, _): Row<'_>, detail: Detail<'_>) -> Passage {
    let of = |chunk: &Chunk| Passage {
        chunk: Arc::new(chunk.clone()),
        source: Arc::new(entry.meta.clone()),
        sentences: Arc::new(sentences(entry, chunk, detail)),
        neighbours: Vec::new(),
    };
    let is_near = |other: &&Chunk| {
        let distance = other.ordinal.abs_diff(chunk.ordinal) as usize;
        other.section == chunk.section && distance > 0 && distance <= detail.neighbours
    };
    Passage { neighbours: entry.chunks.iter().filter(is_near).map(of).collect(), ..of(chunk) }
}

fn admits(filter: &Filter, (entry, chunk, _): &Row<'_>) -> bool {
    filter.admits(&entry.meta) && filter.admits_section(chunk.section)
}

fn occurrences(chunk: &Chunk, stem: &str) -> usize {
    let terms = text::terms(&chunk.text);
    terms.iter().filter(|term| term.stem == stem).count()
}

/// The window of a chunk that is nearest to a unit vector.
fn nearest((entry, chunk, first): Row<'_>, vector: &[f32]) -> Option<WindowMatch> {
    let spans = entry.windows.get(chunk.ordinal as usize)?;
    let windows = spans.iter().zip(entry.window_vectors.iter().skip(first));
    let cosine = |(span, own): (&types::Span, &Vec<f32>)| WindowMatch {
        span: *span,
        cosine: dot(&unit(own).unwrap_or_default(), vector).clamp(-1.0, 1.0),
    };
    windows.map(cosine).max_by(|a, b| a.cosine.total_cmp(&b.cosine))
}

fn sentences(entry: &SourceEntry, chunk: &Chunk, detail: Detail<'_>) -> SentenceData {
    if !detail.sentences {
        return SentenceData::default();
    }
    let own = chunk.sentences.iter().map(|sentence| {
        let vector = entry.sentence_vectors.get(sentence.number as usize);
        vector.and_then(|vector| unit(vector)).unwrap_or_default()
    });
    let vectors: Vec<Vec<f32>> = own.collect();
    let compared = if detail.vector.is_empty() { &[][..] } else { &vectors[..] };
    let similarities = compared.iter().map(|own| dot(own, detail.vector));
    SentenceData::new(similarities.collect(), vectors)
}

fn ready<'a, T: Send + 'a>(value: T) -> StoreFuture<'a, T> {
    Box::pin(async move { Ok(value) })
}

impl Store for Version {
    fn info(&self) -> StoreFuture<'_, StoreInfo> {
        let keys: Vec<&[u8]> = self.sources.values().map(|entry| entry.key.as_bytes()).collect();
        ready(StoreInfo {
            embedder_id: "axes".to_owned(),
            dimension: DIMENSION,
            sources: self.sources.len(),
            chunks: self.rows().count(),
            generation: String::new(),
            identity: digest::sha256_of_parts(&keys),
        })
    }

    fn dense<'a>(&'a self, vector: &'a [f32], filter: &'a Filter, k: usize) -> StoreFuture<'a, DenseList> {
        let cosine = |row: Row<'_>| nearest(row, vector).map(|window| window.cosine);
        ready(DenseList { chunks: self.best(filter, k, cosine), note: None })
    }

    fn lexical<'a>(
        &'a self,
        query: &'a LexicalQuery,
        filter: &'a Filter,
        k: usize,
    ) -> StoreFuture<'a, LexicalList> {
        let frequencies: Vec<usize> = query.terms.iter().map(|term| self.frequency(&term.key)).collect();
        let score = |row: Row<'_>| Some(self.bm25(row, query, &frequencies).0).filter(|score| *score > 0.0);
        ready(LexicalList {
            chunks: self.best(filter, k, score),
            counted: query.counted.iter().map(|stem| self.frequency(stem)).collect(),
            sources: self.sources.values().filter(|entry| filter.admits(&entry.meta)).count(),
            admitted: self.rows().filter(|row| admits(filter, row)).count(),
            frequencies,
        })
    }

    fn score<'a>(&'a self, ids: &'a [ChunkId], query: ScoreQuery<'a>) -> StoreFuture<'a, Vec<ChunkScores>> {
        let rows = ids.iter().filter_map(|id| self.row(id));
        let scores = rows.map(|row| {
            let (bm25, terms) = self.bm25(row, query.lexical, query.frequencies);
            let window = Some(query.vector).filter(|vector| !vector.is_empty());
            let window = window.and_then(|vector| nearest(row, vector));
            ChunkScores { window, bm25, terms }
        });
        ready(scores.collect())
    }

    fn fetch<'a>(&'a self, chunks: &'a ChunkQuery, detail: Detail<'a>) -> StoreFuture<'a, Vec<Passage>> {
        let rows: Vec<Row<'_>> = match chunks {
            ChunkQuery::All => self.rows().collect(),
            ChunkQuery::Sources(ids) => {
                self.rows().filter(|(entry, ..)| ids.contains(&entry.meta.source_id)).collect()
            }
            ChunkQuery::Ids(ids) => ids.iter().filter_map(|id| self.row(id)).collect(),
        };
        ready(rows.into_iter().map(|row| passage(row, detail)).collect())
    }

    fn sources<'a>(&'a self, query: &'a SourceQuery) -> StoreFuture<'a, Vec<StoredSource>> {
        let holds = |entry: &SourceEntry, words: &MetadataWords| {
            let own = text::stems(&format!("{} {}", metadata_text(&entry.meta), entry.meta.source_id));
            !words.stems.is_empty() && words.stems.iter().all(|stem| own.contains(stem))
        };
        let found: Vec<&Arc<SourceEntry>> = match query {
            SourceQuery::All => self.sources.values().collect(),
            SourceQuery::Ids(ids) => ids.iter().filter_map(|id| self.sources.get(id)).collect(),
            SourceQuery::Containing(lists) => {
                let of = |words: &MetadataWords| {
                    let own = self.sources.iter().filter(|(_, entry)| holds(entry, words));
                    own.map(|(id, _)| id).take(words.limit).collect::<Vec<_>>()
                };
                let ids: BTreeSet<&SourceId> = lists.iter().flat_map(of).collect();
                ids.into_iter().filter_map(|id| self.sources.get(id)).collect()
            }
        };
        let stored = found.into_iter().map(|entry| StoredSource {
            meta: Arc::new(entry.meta.clone()),
            path: entry.path.clone(),
            record: entry.record.clone(),
        });
        ready(stored.collect())
    }
}
