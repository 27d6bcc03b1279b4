//! Makes the index a [`types::Retriever`]: the pipeline's store of passages.

use crate::{Index, IndexError, SearchOutcome, SearchSettings};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use types::{
    Abbreviation, BoxFuture, Chunk, ChunkId, ChunkQuery, Hit, Neighbour, Passage, Question, Retrieval,
    RetrievalOutcome, RetrievalPlan, Retriever, Scope, SentenceData, SourceId, SourceMeta, SourceQuery,
    StoreError, StoreInfo, StoredSource, TermStatistics,
};

/// An opened index with search settings. Its futures are CPU-bound and never wait: on an async runtime, run them on a
/// pool for computations.
#[derive(Clone, Debug)]
pub struct IndexRetriever {
    index: Arc<Index>,
    settings: SearchSettings,
}

impl IndexRetriever {
    /// Searches `index` with these settings.
    pub fn new(index: Arc<Index>, settings: SearchSettings) -> Self {
        Self { index, settings }
    }

    /// Finds passages, as [`Retriever::retrieve`] does, but synchronously.
    ///
    /// # Errors
    /// As [`Index::search`].
    pub fn retrieve_now(
        &self,
        question: &Question,
        plan: RetrievalPlan,
    ) -> Result<RetrievalOutcome, IndexError> {
        let settings = match plan.hits {
            Some(hits) => deep_enough(self.settings, hits),
            None => self.settings,
        };
        let (found, explanations) = if plan.explain {
            self.index.explain(question, &settings)?
        } else {
            (self.index.search(question, &settings)?, Vec::new())
        };
        let note = |reason| format!("the approximate vector index was not used: {reason}");
        let terms = if plan.explain {
            found.terms.clone()
        } else {
            Vec::new()
        };
        let notes = found.exact_because.filter(|_| plan.explain).map(note);
        Ok(RetrievalOutcome {
            retrieval: self.retrieval(found, question, plan)?,
            explanations,
            terms,
            notes: notes.into_iter().collect(),
        })
    }

    fn store_info(&self) -> StoreInfo {
        let manifest = self.index.manifest();
        let keys = manifest.sources.iter().map(|source| source.key.as_bytes());
        let graph = format!("{:?}", manifest.graph);
        let parts = [manifest.embedder_id.as_bytes(), graph.as_bytes()];
        let parts: Vec<&[u8]> = parts.into_iter().chain(keys).collect();
        let content = types::digest::sha256_of_parts(&parts);
        StoreInfo {
            embedder_id: manifest.embedder_id.clone(),
            dimension: manifest.dimension,
            sources: manifest.counts.sources,
            chunks: manifest.counts.chunks,
            generation: manifest.generation.to_string(),
            identity: content[..16].to_owned(),
        }
    }

    fn retrieval(
        &self,
        found: SearchOutcome,
        question: &Question,
        plan: RetrievalPlan,
    ) -> Result<Retrieval, IndexError> {
        let hits = found.hits.into_iter().map(|hit| {
            Ok(Hit {
                passage: self.passage(hit.chunk, &found.query_vector, plan)?,
                vector_score: hit.vector_score,
                bm25_score: hit.bm25_score,
                combined_score: hit.combined_score,
            })
        });
        let mentioned = match question::mentions(question) {
            Some(query) => self.sources(&query),
            None => Vec::new(),
        };
        Ok(Retrieval {
            mode: found.mode,
            hits: hits.collect::<Result<_, IndexError>>()?,
            total_candidates: found.total_candidates,
            above_threshold: found.above_threshold,
            statistics: self.statistics(question)?,
            scope: self.scope(question),
            mentioned,
        })
    }

    /// A passage with its neighbours.
    fn passage(&self, chunk: Arc<Chunk>, vector: &[f32], plan: RetrievalPlan) -> Result<Passage, IndexError> {
        let around = self.index.neighbours(&chunk.chunk_id, plan.neighbours)?;
        let neighbours = around.into_iter().map(|chunk| self.alone(chunk, vector, plan));
        Ok(Passage {
            neighbours: neighbours.collect(),
            ..self.alone(chunk, vector, plan)
        })
    }

    /// A passage without its neighbours.
    fn alone(&self, chunk: Arc<Chunk>, vector: &[f32], plan: RetrievalPlan) -> Passage {
        let unknown = || {
            Arc::new(SourceMeta {
                source_id: chunk.source_id.clone(),
                ..SourceMeta::default()
            })
        };
        let source = self.index.source(&chunk.source_id).unwrap_or_else(unknown);
        let sentences = if plan.sentences {
            self.sentences(&chunk, vector)
        } else {
            SentenceData::default()
        };
        Passage {
            source,
            sentences: Arc::new(sentences),
            neighbours: Vec::new(),
            chunk,
        }
    }

    fn sentences(&self, chunk: &Chunk, vector: &[f32]) -> SentenceData {
        let similarities = if vector.is_empty() {
            Vec::new()
        } else {
            self.index.sentence_similarities(chunk, vector)
        };
        let numbers = chunk.sentences.iter().map(|sentence| sentence.number);
        let vectors = numbers.map(|number| self.index.sentence_vector(&chunk.source_id, number));
        SentenceData::new(similarities, vectors.map(Option::unwrap_or_default).collect())
    }

    fn statistics(&self, question: &Question) -> Result<TermStatistics, IndexError> {
        let mut frequencies = BTreeMap::new();
        for stem in question.stems() {
            frequencies.insert(stem.to_owned(), self.index.document_frequency(stem)?);
        }
        Ok(TermStatistics {
            chunks: self.index.manifest().counts.chunks,
            frequencies,
        })
    }

    fn scope(&self, question: &Question) -> Scope {
        let sources = &self.index.manifest().sources;
        let admitted = if question.filter.is_empty() {
            sources.len()
        } else {
            sources.iter().filter(|s| question.filter.admits(&s.meta)).count()
        };
        Scope {
            sources: sources.len(),
            admitted,
        }
    }

    fn sources(&self, query: &SourceQuery) -> Vec<StoredSource> {
        let manifest = self.index.manifest();
        let stored = |at: usize| {
            let record = manifest.sources.get(at)?;
            Some(StoredSource {
                meta: self.index.source(record.source_id())?,
                // What is going to be shown is looked for on the disk; all sources of a store would take too long.
                path: match query {
                    SourceQuery::Ids(_) => record.present_path(&self.index.root),
                    SourceQuery::All | SourceQuery::Containing(_) => record.path.clone(),
                },
                record: record.record.clone(),
            })
        };
        match query {
            SourceQuery::All => (0..manifest.sources.len()).filter_map(stored).collect(),
            SourceQuery::Ids(ids) => {
                let places = ids.iter().filter_map(|id| manifest.source(id));
                places.filter_map(|(at, _)| stored(at)).collect()
            }
            SourceQuery::Containing(words) => {
                let places = self.index.sources_containing(words).into_iter();
                places.filter_map(stored).collect()
            }
        }
    }

    fn read_chunks(&self, query: &ChunkQuery) -> Result<Vec<Arc<Chunk>>, IndexError> {
        match query {
            ChunkQuery::All => self.index.chunks().collect(),
            ChunkQuery::Sources(ids) => {
                let ids: BTreeSet<&SourceId> = ids.iter().collect();
                let records = ids.into_iter().filter_map(|id| self.index.source_record(id));
                records.flat_map(|record| self.index.chunks_of(record)).collect()
            }
            ChunkQuery::Ids(ids) => ids
                .iter()
                .filter_map(|id| self.index.read_chunk(id).transpose())
                .collect(),
        }
    }

    fn read_passages(
        &self,
        ids: &[ChunkId],
        question: &Question,
        plan: RetrievalPlan,
    ) -> Result<Vec<Passage>, IndexError> {
        let vector = match question.vector.as_slice() {
            [] => Vec::new(),
            vector => self.index.unit_query(vector)?,
        };
        let mut passages = Vec::with_capacity(ids.len());
        for id in ids {
            if let Some(chunk) = self.index.read_chunk(id)? {
                passages.push(self.passage(chunk, &vector, plan)?);
            }
        }
        Ok(passages)
    }
}

impl Retriever for IndexRetriever {
    fn info(&self) -> BoxFuture<'_, Result<StoreInfo, StoreError>> {
        Box::pin(async move { Ok(self.store_info()) })
    }

    fn retrieve<'a>(
        &'a self,
        question: &'a Question,
        plan: RetrievalPlan,
    ) -> BoxFuture<'a, Result<RetrievalOutcome, StoreError>> {
        Box::pin(async move { Ok(self.retrieve_now(question, plan)?) })
    }

    fn passages<'a>(
        &'a self,
        ids: &'a [ChunkId],
        question: &'a Question,
        plan: RetrievalPlan,
    ) -> BoxFuture<'a, Result<Vec<Passage>, StoreError>> {
        Box::pin(async move { Ok(self.read_passages(ids, question, plan)?) })
    }

    fn chunks<'a>(&'a self, query: &'a ChunkQuery) -> BoxFuture<'a, Result<Vec<Arc<Chunk>>, StoreError>> {
        Box::pin(async move { Ok(self.read_chunks(query)?) })
    }

    fn find_sources<'a>(
        &'a self,
        query: &'a SourceQuery,
    ) -> BoxFuture<'a, Result<Vec<StoredSource>, StoreError>> {
        Box::pin(async move { Ok(self.sources(query)) })
    }

    fn neighbours<'a>(
        &'a self,
        words: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Vec<Neighbour>>, StoreError>> {
        let of = |word: &String| Ok(self.index.neighbours_of_word(word)?);
        Box::pin(async move { words.iter().map(of).collect() })
    }

    fn abbreviations<'a>(
        &'a self,
        keys: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Vec<Abbreviation>>, StoreError>> {
        let of = |key: &String| self.index.abbreviations(key);
        Box::pin(async move { Ok(keys.iter().map(of).collect()) })
    }
}

/// The settings, with lists deep enough to return `hits` hits.
fn deep_enough(own: SearchSettings, hits: usize) -> SearchSettings {
    SearchSettings {
        candidates: hits.max(1),
        depth: own.depth.max(hits),
        vector_k: own.vector_k.max(hits),
        bm25_k: own.bm25_k.max(hits),
        ..own
    }
}
