//! A generation, opened for reading.

use crate::{
    QdrantError, Quantisation,
    collections::{Collections, VALUES, WINDOWS, WORDS},
    error::Result,
    frequencies::Frequencies,
    generation::Generation,
    points::{SourceRecord, cosine, sentence_vectors},
    settings::OVERSAMPLING,
    wire::{Fields, between, is, json_of, live, text_of},
};
use futures::future::try_join_all;
use qdrant_client::qdrant::{
    DenseVector, Filter as Conditions, QuantizationSearchParamsBuilder, RetrievedPoint, SearchParamsBuilder,
    vector_output::Vector,
};
use retrieve::stored::Bm25;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
};
use types::{
    Chunk, ChunkId, ChunkQuery, ChunkScores, DenseList, Detail, Filter, LexicalList, LexicalQuery,
    MetadataWords, Passage, ScoreQuery, SentenceData, SourceId, SourceMeta, SourceQuery, Span, Store,
    StoreFuture, StoreInfo, StoredSource, TermScore, WindowMatch, digest::sha256_of_parts, idf, path_text,
    vector::dot,
};

/// Sources whose metadata is kept in memory.
const KEPT: usize = 2_000;

type Metas = HashMap<SourceId, Arc<SourceMeta>>;

/// A generation of the index, opened for reading: it stays as it is whatever writers do, until a compaction removes what
/// later generations do not have. A clone shares the connection.
#[derive(Clone)]
pub struct Reader {
    pub(crate) collections: Collections,
    pub(crate) generation: Arc<Generation>,
    metas: Arc<Mutex<Arc<Metas>>>,
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
            sources: counts.sources(),
            chunks: counts.chunks(),
            generation: number.to_string(),
            identity: sha256_of_parts(&parts)[..16].to_owned(),
        }
    }

    /// The points of these chunks that are there, by chunk id, with these fields beside it.
    async fn points(
        &self,
        ids: &[ChunkId],
        names: &[&str],
        windows: bool,
    ) -> Result<HashMap<ChunkId, RetrievedPoint>> {
        let ids: Vec<&str> = ids.iter().map(ChunkId::as_str).collect();
        let chunks = &self.collections.chunks;
        let found = chunks.all_with(self.generation.number, ("chunk", &ids), names, windows).await?;
        let with_id = |point: RetrievedPoint| Ok((text_of(&point.payload, "chunk")?.into(), point));
        found.into_iter().map(with_id).collect()
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
        for chunks in chunks.chunks(VALUES) {
            let near = chunks.iter().map(|(chunk, _)| {
                let (at, reach) = (f64::from(chunk.ordinal), reach as f64);
                let ordinals = between("ordinal", Some(at - reach), Some(at + reach));
                let same = [is("source", chunk.source_id.as_str()), is("section", chunk.section.as_str())];
                Conditions::must(same.into_iter().chain([ordinals])).into()
            });
            let filter = live(self.generation.number, [Conditions::should(near).into()]);
            for point in self.collections.chunks.all(filter, names, false).await? {
                let chunk: Chunk = json_of(&point.payload, "body")?;
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
        metas: &Metas,
        detail: Detail<'_>,
    ) -> Result<Passage> {
        let sentences = if detail.sentences {
            let stored = sentence_vectors(fields, self.generation.made_by.dimension)?;
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

    /// The metadata of these sources, and of others: those asked for before are not read again.
    async fn metas_of(&self, ids: BTreeSet<&SourceId>) -> Result<Arc<Metas>> {
        let kept = || self.metas.lock().unwrap_or_else(PoisonError::into_inner);
        let mut metas = Arc::clone(&kept());
        let new: Vec<SourceId> = ids.into_iter().filter(|id| !metas.contains_key(*id)).cloned().collect();
        if !new.is_empty() {
            let read =
                self.records(&new).await?.into_iter().map(|(id, record)| (id, Arc::new(record.held.meta)));
            Arc::make_mut(&mut metas).extend(read);
            *kept() = if metas.len() > KEPT { Arc::default() } else { Arc::clone(&metas) };
        }
        Ok(metas)
    }

    async fn records(&self, ids: &[SourceId]) -> Result<BTreeMap<SourceId, SourceRecord>> {
        let ids: Vec<&str> = ids.iter().map(SourceId::as_str).collect();
        let sources = &self.collections.sources;
        let found = sources.all_with(self.generation.number, ("source", &ids), &["record"], false).await?;
        let read = found.iter().map(|point| SourceRecord::of_fields(&point.payload));
        read.map(|record| record.map(|record| (record.id().clone(), record))).collect()
    }

    /// The sources whose metadata hold all words of a list, by id, as many as the list may add.
    pub(crate) async fn containing(&self, words: &MetadataWords) -> Result<Vec<SourceId>> {
        if words.stems.is_empty() {
            return Ok(Vec::new());
        }
        let filter = live(self.generation.number, words.stems.iter().map(|stem| is("words", stem)));
        let found = self.collections.sources.all(filter, &["source"], false).await?;
        let ids = found.iter().map(|point| Ok(text_of(&point.payload, "source")?.into()));
        let mut ids: Vec<SourceId> = ids.collect::<Result<_>>()?;
        ids.sort();
        ids.truncate(words.limit);
        Ok(ids)
    }
}

/// Whether a chunk is a neighbour of another.
fn is_near(chunk: &Chunk, other: &Chunk, reach: usize) -> bool {
    let apart = chunk.ordinal.abs_diff(other.ordinal) as usize;
    chunk.source_id == other.source_id && chunk.section == other.section && (1..=reach).contains(&apart)
}

/// The nearest window of a chunk; the first one on a tie, `None` without a vector or a window.
fn window(point: &RetrievedPoint, query: &[f32]) -> Result<Option<WindowMatch>> {
    let windows = point.vectors.as_ref().filter(|_| !query.is_empty());
    let Some(Vector::MultiDense(rows)) = windows.and_then(|vectors| vectors.get_vector_by_name(WINDOWS))
    else {
        return Ok(None);
    };
    let spans: Vec<Span> = json_of(&point.payload, "spans")?;
    let cosine = |row: &DenseVector| dot(&row.data, query).clamp(-1.0, 1.0);
    let windows = spans.into_iter().zip(&rows.vectors);
    let windows = windows.map(|(span, row)| WindowMatch { span, cosine: cosine(row) });
    Ok(windows.rev().max_by(|one, other| one.cosine.total_cmp(&other.cosine)))
}

impl Store for Reader {
    fn info(&self) -> StoreFuture<'_, StoreInfo> {
        Box::pin(async { Ok(self.describe()) })
    }

    fn dense<'a>(&'a self, vector: &'a [f32], filter: &'a Filter, k: usize) -> StoreFuture<'a, DenseList> {
        Box::pin(async move {
            if dot(vector, vector) <= 0.0 {
                return Ok(DenseList::default());
            }
            let settings = &self.collections.settings;
            // An exact search takes no notice of quantised vectors. There is no graph: all are compared either way.
            let params = if settings.quantisation == Quantisation::None {
                SearchParamsBuilder::default().exact(true)
            } else {
                let again = QuantizationSearchParamsBuilder::default().rescore(true);
                SearchParamsBuilder::default().quantization(again.oversampling(OVERSAMPLING))
            };
            let mut chunks = self.best((vec![vector.to_vec()].into(), WINDOWS), params, filter, k).await?;
            for chunk in &mut chunks {
                chunk.score = chunk.score.clamp(-1.0, 1.0);
            }
            Ok(DenseList { chunks, note: None })
        })
    }

    fn lexical<'a>(
        &'a self,
        query: &'a LexicalQuery,
        filter: &'a Filter,
        k: usize,
    ) -> StoreFuture<'a, LexicalList> {
        Box::pin(async move {
            let lists = async {
                let terms = self.terms(query).await?;
                let weight = |(term, (number, held)): (&types::QueryTerm, (&Option<u32>, &usize))| {
                    Some(((*number)?, idf(self.generation.counts.chunks(), *held) * term.weight))
                };
                let asked = query.terms.iter().zip(terms.numbers.iter().zip(&terms.frequencies));
                let mut weights: Vec<(u32, f32)> = asked.filter_map(weight).collect();
                weights.sort_unstable_by_key(|(number, _)| *number);
                if weights.is_empty() {
                    return Ok((terms, Vec::new()));
                }
                let search = (weights.into(), WORDS[self.generation.words]);
                Ok((terms, self.best(search, SearchParamsBuilder::default(), filter, k).await?))
            };
            let ((terms, chunks), [sources, admitted]) = futures::try_join!(lists, self.admitted(filter))?;
            let (frequencies, counted) = (terms.frequencies, terms.counted);
            Ok(LexicalList { chunks, frequencies, counted, sources, admitted })
        })
    }

    fn score<'a>(&'a self, ids: &'a [ChunkId], query: ScoreQuery<'a>) -> StoreFuture<'a, Vec<ChunkScores>> {
        Box::pin(async move {
            let names = ["chunk", "frequencies", "spans"];
            let points = self.points(ids, &names, !query.vector.is_empty());
            let (terms, points) = futures::try_join!(self.terms(query.lexical), points)?;
            let one = |id: &ChunkId| {
                let point = points.get(id).ok_or_else(|| QdrantError::damaged(id.as_str(), "it is gone"))?;
                let mut scores =
                    ChunkScores { window: window(point, query.vector)?, ..ChunkScores::default() };
                let words = Frequencies::of_fields(&point.payload)?;
                let bm25 = Bm25::new(query.lexical.title_weight);
                let asked = query.lexical.terms.iter().zip(query.frequencies).zip(&terms.numbers).enumerate();
                for (at, ((term, held), number)) in asked {
                    let occurrences = number.map_or([0; 2], |number| words.of(number, bm25));
                    if occurrences != [0; 2] {
                        let weight = idf(self.generation.counts.chunks(), *held) * term.weight;
                        let contribution = words.score(occurrences, weight, bm25, self.generation.averages);
                        scores.bm25 += contribution;
                        scores.terms.push(TermScore { term: at, occurrences, contribution });
                    }
                }
                Ok(scores)
            };
            ids.iter().map(one).collect()
        })
    }

    fn fetch<'a>(&'a self, query: &'a ChunkQuery, detail: Detail<'a>) -> StoreFuture<'a, Vec<Passage>> {
        Box::pin(async move {
            let names: &[&str] =
                if detail.sentences { &["chunk", "body", "sentences"] } else { &["chunk", "body"] };
            let (at, chunks) = (self.generation.number, &self.collections.chunks);
            let points = match query {
                ChunkQuery::Ids(ids) => {
                    let mut found = self.points(ids, names, false).await?;
                    ids.iter().filter_map(|id| found.remove(id)).collect()
                }
                ChunkQuery::All => chunks.all(live(at, []), names, false).await?,
                ChunkQuery::Sources(ids) => {
                    let ids: BTreeSet<&str> = ids.iter().map(SourceId::as_str).collect();
                    let ids: Vec<&str> = ids.into_iter().collect();
                    chunks.all_with(at, ("source", &ids), names, false).await?
                }
            };
            let mut chunks: Vec<(Arc<Chunk>, Fields)> = Vec::with_capacity(points.len());
            for point in points {
                chunks.push((Arc::new(json_of(&point.payload, "body")?), point.payload));
            }
            if !matches!(query, ChunkQuery::Ids(_)) {
                chunks.sort_by(|(a, _), (b, _)| (&a.source_id, a.ordinal).cmp(&(&b.source_id, b.ordinal)));
            }
            let around = self.around(&chunks, names, detail.neighbours).await?;
            let metas = self.metas_of(chunks.iter().map(|(chunk, _)| &chunk.source_id).collect()).await?;
            let alone = |(chunk, fields): &(Arc<Chunk>, Fields)| self.passage(chunk, fields, &metas, detail);
            let one = |chunk: &(Arc<Chunk>, Fields)| {
                let neighbours =
                    around.iter().filter(|(other, _)| is_near(&chunk.0, other, detail.neighbours));
                Ok(Passage { neighbours: neighbours.map(alone).collect::<Result<_>>()?, ..alone(chunk)? })
            };
            chunks.iter().map(one).collect()
        })
    }

    fn sources<'a>(&'a self, query: &'a SourceQuery) -> StoreFuture<'a, Vec<StoredSource>> {
        Box::pin(async move {
            let stored = |record: SourceRecord| StoredSource {
                path: path_text::encode(&record.held.path),
                meta: Arc::new(record.held.meta),
                record: record.held.record,
            };
            let all = live(self.generation.number, []);
            let ids: Vec<SourceId> = match query {
                SourceQuery::All => {
                    return Ok(self.collections.records(all).await?.into_iter().map(stored).collect());
                }
                SourceQuery::Ids(ids) => ids.clone(),
                SourceQuery::Containing(lists) => {
                    let lists = lists.iter().map(|words| self.containing(words));
                    try_join_all(lists)
                        .await?
                        .into_iter()
                        .flatten()
                        .collect::<BTreeSet<_>>()
                        .into_iter()
                        .collect()
                }
            };
            let records = self.records(&ids).await?;
            Ok(ids.iter().filter_map(|id| records.get(id).cloned()).map(stored).collect())
        })
    }
}
