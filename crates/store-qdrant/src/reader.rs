//! A generation, opened for reading.

use crate::{
    QdrantError,
    collections::{Collections, WINDOWS},
    error::Result,
    generation::Generation,
    points::{SourceRecord, TEXT, chunk_of, cosine, frequencies_of, sentence_vectors, spans_of},
    wire::{Fields, between, is, is_any, live, text_of},
};
use qdrant_client::qdrant::{Filter as Conditions, RetrievedPoint, vector_output, vectors_output};
use retrieve::stored::Bm25;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
};
use types::{
    Chunk, ChunkId, ChunkQuery, ChunkScores, DenseList, Detail, Filter, LexicalList, LexicalQuery,
    MetadataWords, Passage, ScoreQuery, SentenceData, SourceId, SourceMeta, SourceQuery, Store, StoreFuture,
    StoreInfo, StoredSource, TermScore, WindowMatch, digest::sha256_of_parts, idf, vector::dot,
};

/// Sources whose metadata is kept in memory.
const KEPT: usize = 20_000;
/// Ids in one filter.
const IDS: usize = 200;

/// A generation of the index, opened for reading: it stays as it is whatever writers do, until a compaction removes what
/// later generations do not have. A clone shares the connection.
#[derive(Clone)]
pub struct Reader {
    pub(crate) collections: Collections,
    pub(crate) generation: Arc<Generation>,
    metas: Arc<Mutex<HashMap<SourceId, Arc<SourceMeta>>>>,
}

impl Reader {
    pub(crate) fn new(collections: Collections, generation: Generation) -> Self {
        Self { collections, generation: Arc::new(generation), metas: Arc::default() }
    }

    /// Whether this generation is still the current one.
    ///
    /// # Errors
    /// When the server cannot be asked.
    pub async fn is_current(&self) -> std::result::Result<bool, QdrantError> {
        let current = self.collections.current().await?;
        Ok(current.is_some_and(|current| current.number == self.generation.number))
    }

    pub(crate) fn describe(&self) -> StoreInfo {
        let Generation { number, made_by, counts, .. } = &*self.generation;
        let parts = [made_by.embedder_id.as_bytes(), &counts.identity().into_bytes()];
        StoreInfo {
            embedder_id: made_by.embedder_id.clone(),
            dimension: made_by.dimension,
            sources: counts.sources,
            chunks: counts.chunks,
            generation: number.to_string(),
            identity: sha256_of_parts(&parts)[..16].to_owned(),
        }
    }

    fn dimension(&self) -> usize {
        self.generation.made_by.dimension
    }

    /// The points of these chunks that are there, by chunk id.
    async fn points(
        &self,
        ids: &[ChunkId],
        names: &[&str],
        with: &[&str],
    ) -> Result<HashMap<ChunkId, RetrievedPoint>> {
        let mut found = HashMap::with_capacity(ids.len());
        for ids in ids.chunks(IDS) {
            let filter = live(self.generation.number, [is_any("chunk", ids.iter().map(ChunkId::as_str))]);
            for point in self.collections.chunks.all(filter, names, with).await? {
                found.insert(text_of(&point.payload, "chunk")?.into(), point);
            }
        }
        Ok(found)
    }

    async fn scores(&self, ids: &[ChunkId], query: ScoreQuery<'_>) -> Result<Vec<ChunkScores>> {
        let with: &[&str] = if query.vector.is_empty() { &[] } else { &[WINDOWS] };
        let names = ["chunk", "frequencies", "spans"];
        let (terms, points) = futures::try_join!(self.terms(query.lexical), self.points(ids, &names, with))?;
        let one = |id: &ChunkId| {
            let point = points.get(id).ok_or_else(|| QdrantError::damaged(id.as_str(), "it is gone"))?;
            let mut scores = ChunkScores { window: window(point, query.vector)?, ..ChunkScores::default() };
            let words = frequencies_of(&point.payload)?;
            let bm25 = Bm25::new(query.lexical.title_weight);
            for (at, number) in terms.numbers.iter().enumerate() {
                let occurrences = number.map_or([0; 2], |number| words.of(number, bm25));
                let (Some(term), Some(held)) = (query.lexical.terms.get(at), query.frequencies.get(at))
                else {
                    continue;
                };
                if occurrences == [0; 2] {
                    continue;
                }
                let weight = idf(self.generation.counts.chunks, *held) * term.weight;
                let contribution = words.score(occurrences, weight, bm25, self.generation.averages);
                scores.bm25 += contribution;
                scores.terms.push(TermScore { term: at, occurrences, contribution });
            }
            Ok(scores)
        };
        ids.iter().map(one).collect()
    }

    async fn passages(&self, query: &ChunkQuery, detail: Detail<'_>) -> Result<Vec<Passage>> {
        let mut names = vec!["chunk"];
        names.extend(TEXT);
        if detail.sentences {
            names.push("sentences");
        }
        let points = match query {
            ChunkQuery::Ids(ids) => {
                let mut found = self.points(ids, &names, &[]).await?;
                ids.iter().filter_map(|id| found.remove(id)).collect()
            }
            ChunkQuery::All => {
                self.collections.chunks.all(live(self.generation.number, []), &names, &[]).await?
            }
            ChunkQuery::Sources(ids) => {
                let ids: Vec<&SourceId> = ids.iter().collect::<BTreeSet<_>>().into_iter().collect();
                let mut found = Vec::new();
                for ids in ids.chunks(IDS) {
                    let of = is_any("source", ids.iter().map(|id| id.as_str()));
                    let filter = live(self.generation.number, [of]);
                    found.extend(self.collections.chunks.all(filter, &names, &[]).await?);
                }
                found
            }
        };
        let mut chunks: Vec<(Arc<Chunk>, Fields)> = Vec::with_capacity(points.len());
        for point in points {
            chunks.push((Arc::new(chunk_of(&point.payload)?), point.payload));
        }
        if !matches!(query, ChunkQuery::Ids(_)) {
            chunks.sort_by(|(a, _), (b, _)| (&a.source_id, a.ordinal).cmp(&(&b.source_id, b.ordinal)));
        }
        let around = self.around(&chunks, &names, detail.neighbours).await?;
        let all = chunks.iter().map(|(chunk, _)| chunk);
        let ids: BTreeSet<&SourceId> = all.map(|chunk| &chunk.source_id).collect();
        let metas = self.metas_of(ids.into_iter().cloned().collect()).await?;
        let alone = |(chunk, fields): &(Arc<Chunk>, Fields)| self.passage(chunk, fields, &metas, detail);
        let one = |chunk: &(Arc<Chunk>, Fields)| {
            let neighbours = around.iter().filter(|(other, _)| is_near(&chunk.0, other, detail.neighbours));
            Ok(Passage { neighbours: neighbours.map(alone).collect::<Result<_>>()?, ..alone(chunk)? })
        };
        chunks.iter().map(one).collect()
    }

    /// The neighbours of all these chunks, in reading order.
    async fn around(
        &self,
        chunks: &[(Arc<Chunk>, Fields)],
        names: &[&str],
        reach: usize,
    ) -> Result<Vec<(Arc<Chunk>, Fields)>> {
        let mut found: BTreeMap<(SourceId, u32), (Arc<Chunk>, Fields)> = BTreeMap::new();
        if reach == 0 {
            return Ok(Vec::new());
        }
        for chunks in chunks.chunks(IDS) {
            let near = chunks.iter().map(|(chunk, _)| {
                let (at, reach) = (f64::from(chunk.ordinal), reach as f64);
                let ordinals = between("ordinal", Some(at - reach), Some(at + reach));
                let same = [is("source", chunk.source_id.as_str()), is("section", chunk.section.as_str())];
                Conditions::must(same.into_iter().chain([ordinals])).into()
            });
            let filter = live(self.generation.number, [Conditions::should(near).into()]);
            for point in self.collections.chunks.all(filter, names, &[]).await? {
                let chunk = chunk_of(&point.payload)?;
                found.insert((chunk.source_id.clone(), chunk.ordinal), (Arc::new(chunk), point.payload));
            }
        }
        Ok(found.into_values().collect())
    }

    /// A passage without its neighbours.
    fn passage(
        &self,
        chunk: &Arc<Chunk>,
        fields: &Fields,
        metas: &HashMap<SourceId, Arc<SourceMeta>>,
        detail: Detail<'_>,
    ) -> Result<Passage> {
        let sentences = if detail.sentences {
            let stored = sentence_vectors(fields, self.dimension())?;
            let similarities = match detail.vector {
                [] => Vec::new(),
                vector => stored.iter().map(|sentence| cosine(sentence, vector)).collect(),
            };
            let unscaled = |(integers, scale): &(Vec<i8>, f32)| {
                integers.iter().map(|number| f32::from(*number) * scale).collect()
            };
            SentenceData::new(similarities, stored.iter().map(unscaled).collect())
        } else {
            SentenceData::default()
        };
        Ok(Passage {
            chunk: Arc::clone(chunk),
            source: metas.get(&chunk.source_id).cloned().unwrap_or_default(),
            sentences: Arc::new(sentences),
            neighbours: Vec::new(),
        })
    }

    /// The metadata of sources; those asked for before are not read again.
    async fn metas_of(&self, ids: Vec<SourceId>) -> Result<HashMap<SourceId, Arc<SourceMeta>>> {
        let mut found = HashMap::new();
        let mut open = Vec::new();
        {
            let known = self.metas.lock().unwrap_or_else(PoisonError::into_inner);
            for id in ids {
                match known.get(&id) {
                    Some(meta) => drop(found.insert(id, Arc::clone(meta))),
                    None => open.push(id),
                }
            }
        }
        let read = self.records(&open).await?.into_values();
        let read = read.map(|record| (record.id().clone(), Arc::new(record.meta)));
        let read: Vec<(SourceId, Arc<SourceMeta>)> = read.collect();
        let mut known = self.metas.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + read.len() > KEPT {
            known.clear();
        }
        known.extend(read.iter().cloned());
        found.extend(read);
        Ok(found)
    }

    async fn records(&self, ids: &[SourceId]) -> Result<BTreeMap<SourceId, SourceRecord>> {
        let mut found = BTreeMap::new();
        for ids in ids.chunks(IDS) {
            let filter = live(self.generation.number, [is_any("source", ids.iter().map(SourceId::as_str))]);
            for point in self.collections.sources.all(filter, &["record"], &[]).await? {
                let record = SourceRecord::of_fields(&point.payload)?;
                found.insert(record.id().clone(), record);
            }
        }
        Ok(found)
    }

    /// The sources whose metadata hold all words of a list, by id, as many as the list may add.
    pub(crate) async fn containing(&self, words: &MetadataWords) -> Result<Vec<SourceId>> {
        if words.stems.is_empty() {
            return Ok(Vec::new());
        }
        let filter = live(self.generation.number, words.stems.iter().map(|stem| is("words", stem)));
        let mut ids: BTreeSet<SourceId> = BTreeSet::new();
        let take = |page: Vec<RetrievedPoint>| {
            for point in page {
                ids.insert(text_of(&point.payload, "source")?.into());
            }
            while ids.len() > words.limit {
                ids.pop_last();
            }
            Ok(true)
        };
        self.collections.sources.scroll(filter, &["source"], &[], take).await?;
        Ok(ids.into_iter().collect())
    }

    async fn stored(&self, query: &SourceQuery) -> Result<Vec<StoredSource>> {
        let stored = |record: SourceRecord| StoredSource {
            meta: Arc::new(record.meta),
            path: record.path,
            record: record.record,
        };
        let ids: Vec<SourceId> = match query {
            SourceQuery::All => {
                let all = self.collections.sources_of(self.generation.number).await?;
                return Ok(all.into_iter().map(stored).collect());
            }
            SourceQuery::Ids(ids) => ids.clone(),
            SourceQuery::Containing(lists) => {
                let lists = futures::future::try_join_all(lists.iter().map(|words| self.containing(words)));
                lists.await?.into_iter().flatten().collect::<BTreeSet<_>>().into_iter().collect()
            }
        };
        let records = self.records(&ids).await?;
        Ok(ids.iter().filter_map(|id| records.get(id).cloned()).map(stored).collect())
    }
}

/// Whether a chunk is a neighbour of another.
fn is_near(chunk: &Chunk, other: &Chunk, reach: usize) -> bool {
    let apart = chunk.ordinal.abs_diff(other.ordinal) as usize;
    chunk.source_id == other.source_id && chunk.section == other.section && (1..=reach).contains(&apart)
}

/// The nearest window of a chunk; the first one on a tie, `None` without a vector or a window.
fn window(point: &RetrievedPoint, query: &[f32]) -> Result<Option<WindowMatch>> {
    let vectors = point.vectors.as_ref().and_then(|vectors| vectors.vectors_options.as_ref());
    let Some(vectors_output::VectorsOptions::Vectors(named)) = vectors.filter(|_| !query.is_empty()) else {
        return Ok(None);
    };
    let windows = named.vectors.get(WINDOWS).and_then(|windows| windows.vector.as_ref());
    let Some(vector_output::Vector::MultiDense(rows)) = windows else {
        return Ok(None);
    };
    let mut best: Option<WindowMatch> = None;
    for (span, row) in spans_of(&point.payload)?.into_iter().zip(&rows.vectors) {
        let cosine = dot(&row.data, query).clamp(-1.0, 1.0);
        if best.is_none_or(|best| cosine > best.cosine) {
            best = Some(WindowMatch { span, cosine });
        }
    }
    Ok(best)
}

impl Store for Reader {
    fn info(&self) -> StoreFuture<'_, StoreInfo> {
        Box::pin(async { Ok(self.describe()) })
    }

    fn dense<'a>(&'a self, vector: &'a [f32], filter: &'a Filter, k: usize) -> StoreFuture<'a, DenseList> {
        Box::pin(async move { Ok(self.dense_list(vector, filter, k).await?) })
    }

    fn lexical<'a>(
        &'a self,
        query: &'a LexicalQuery,
        filter: &'a Filter,
        k: usize,
    ) -> StoreFuture<'a, LexicalList> {
        Box::pin(async move { Ok(self.lexical_list(query, filter, k).await?) })
    }

    fn both<'a>(
        &'a self,
        vector: &'a [f32],
        query: &'a LexicalQuery,
        filter: &'a Filter,
        k: usize,
    ) -> StoreFuture<'a, (DenseList, LexicalList)> {
        Box::pin(async move {
            let (dense, lexical) = (self.dense_list(vector, filter, k), self.lexical_list(query, filter, k));
            Ok(futures::try_join!(dense, lexical)?)
        })
    }

    fn score<'a>(&'a self, ids: &'a [ChunkId], query: ScoreQuery<'a>) -> StoreFuture<'a, Vec<ChunkScores>> {
        Box::pin(async move { Ok(self.scores(ids, query).await?) })
    }

    fn fetch<'a>(&'a self, chunks: &'a ChunkQuery, detail: Detail<'a>) -> StoreFuture<'a, Vec<Passage>> {
        Box::pin(async move { Ok(self.passages(chunks, detail).await?) })
    }

    fn sources<'a>(&'a self, query: &'a SourceQuery) -> StoreFuture<'a, Vec<StoredSource>> {
        Box::pin(async move { Ok(self.stored(query).await?) })
    }
}
