//! Makes an opened index a [`types::Store`] with its [`types::Vocabulary`].

use crate::{Index, IndexError};
use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock},
};
use types::{
    Abbreviation, Chunk, ChunkId, ChunkQuery, ChunkScores, DenseList, Detail, Filter, LexicalList,
    LexicalQuery, Neighbour, Passage, ScoreQuery, SentenceData, SourceId, SourceQuery, Store, StoreFuture,
    StoreInfo, StoredSource, Vocabulary,
};

/// An opened index as a store. Its futures are CPU-bound and never wait: on an async runtime, run them on a pool for
/// computations.
#[derive(Clone)]
pub struct IndexStore {
    index: Arc<Index>,
    graph_ef: Option<usize>,
    info: Arc<OnceLock<StoreInfo>>,
}

impl IndexStore {
    /// Searches an index: vectors by its graph, walked as broad as `graph_ef`, or exactly if that is `None`. A search with a
    /// filter is exact all the same, and so is one that asks for half of all windows.
    pub fn new(index: Arc<Index>, graph_ef: Option<usize>) -> Self {
        Self { index, graph_ef, info: Arc::default() }
    }

    fn describe(&self) -> StoreInfo {
        let manifest = self.index.manifest();
        let keys = manifest.sources.iter().map(|source| source.key.as_bytes());
        let graph = format!("{:?}", manifest.graph);
        let parts = [manifest.made_by.embedder_id.as_bytes(), graph.as_bytes()];
        let parts: Vec<&[u8]> = parts.into_iter().chain(keys).collect();
        let content = types::digest::sha256_of_parts(&parts);
        StoreInfo {
            embedder_id: manifest.made_by.embedder_id.clone(),
            dimension: manifest.made_by.dimension,
            sources: manifest.counts.sources,
            chunks: manifest.counts.chunks,
            generation: manifest.generation.to_string(),
            identity: content[..16].to_owned(),
        }
    }

    /// A passage with its neighbours.
    fn passage(&self, chunk: Arc<Chunk>, detail: Detail<'_>) -> Result<Passage, IndexError> {
        let around = match detail.neighbours {
            0 => Vec::new(),
            reach => self.index.neighbours(&chunk.chunk_id, reach)?,
        };
        let neighbours = around.into_iter().map(|chunk| self.alone(chunk, detail));
        Ok(Passage { neighbours: neighbours.collect(), ..self.alone(chunk, detail) })
    }

    /// A passage without its neighbours.
    fn alone(&self, chunk: Arc<Chunk>, detail: Detail<'_>) -> Passage {
        let sentences =
            if detail.sentences { self.sentences(&chunk, detail.vector) } else { SentenceData::default() };
        Passage {
            source: self.index.source(&chunk.source_id).unwrap_or_default(),
            sentences: Arc::new(sentences),
            neighbours: Vec::new(),
            chunk,
        }
    }

    fn sentences(&self, chunk: &Chunk, vector: &[f32]) -> SentenceData {
        let similarities =
            if vector.is_empty() { Vec::new() } else { self.index.sentence_similarities(chunk, vector) };
        let numbers = chunk.sentences.iter().map(|sentence| sentence.number);
        let vectors = numbers.map(|number| self.index.sentence_vector(&chunk.source_id, number));
        SentenceData::new(similarities, vectors.map(Option::unwrap_or_default).collect())
    }

    fn stored(&self, query: &SourceQuery) -> Vec<StoredSource> {
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

    fn chunks(&self, query: &ChunkQuery) -> Result<Vec<Arc<Chunk>>, IndexError> {
        match query {
            ChunkQuery::All => self.index.chunks().collect(),
            ChunkQuery::Sources(ids) => {
                let ids: BTreeSet<&SourceId> = ids.iter().collect();
                let records = ids.into_iter().filter_map(|id| self.index.source_record(id));
                records.flat_map(|record| self.index.chunks_of(record)).collect()
            }
            ChunkQuery::Ids(ids) => {
                ids.iter().filter_map(|id| self.index.read_chunk(id).transpose()).collect()
            }
        }
    }
}

impl Store for IndexStore {
    fn info(&self) -> StoreFuture<'_, StoreInfo> {
        let info = self.info.get_or_init(|| self.describe()).clone();
        Box::pin(async move { Ok(info) })
    }

    fn dense<'a>(&'a self, vector: &'a [f32], filter: &'a Filter, k: usize) -> StoreFuture<'a, DenseList> {
        Box::pin(async move {
            let admitted = self.index.admitted(filter);
            Ok(self.index.dense(vector, &admitted, k, self.graph_ef)?)
        })
    }

    fn lexical<'a>(
        &'a self,
        query: &'a LexicalQuery,
        filter: &'a Filter,
        k: usize,
    ) -> StoreFuture<'a, LexicalList> {
        Box::pin(async move { Ok(self.index.lexical(query, &self.index.admitted(filter), k)?) })
    }

    fn both<'a>(
        &'a self,
        vector: &'a [f32],
        query: &'a LexicalQuery,
        filter: &'a Filter,
        k: usize,
    ) -> StoreFuture<'a, (DenseList, LexicalList)> {
        Box::pin(async move {
            let admitted = self.index.admitted(filter);
            let lexical = || self.index.lexical(query, &admitted, k);
            let dense = || self.index.dense(vector, &admitted, k, self.graph_ef);
            let (lexical, dense) = if self.index.is_large() {
                rayon::join(lexical, dense)
            } else {
                // Short work is not worth another thread.
                (lexical(), dense())
            };
            Ok((dense?, lexical?))
        })
    }

    fn score<'a>(&'a self, ids: &'a [ChunkId], query: ScoreQuery<'a>) -> StoreFuture<'a, Vec<ChunkScores>> {
        Box::pin(async move { Ok(self.index.score(ids, query)?) })
    }

    fn fetch<'a>(&'a self, chunks: &'a ChunkQuery, detail: Detail<'a>) -> StoreFuture<'a, Vec<Passage>> {
        Box::pin(async move {
            let chunks = self.chunks(chunks)?.into_iter();
            Ok(chunks.map(|chunk| self.passage(chunk, detail)).collect::<Result<_, IndexError>>()?)
        })
    }

    fn sources<'a>(&'a self, query: &'a SourceQuery) -> StoreFuture<'a, Vec<StoredSource>> {
        Box::pin(async move { Ok(self.stored(query)) })
    }
}

impl Vocabulary for IndexStore {
    fn neighbours<'a>(&'a self, words: &'a [String]) -> StoreFuture<'a, Vec<Vec<Neighbour>>> {
        let of = |word: &String| Ok(self.index.neighbours_of_word(word)?);
        Box::pin(async move { words.iter().map(of).collect() })
    }

    fn abbreviations<'a>(&'a self, keys: &'a [String]) -> StoreFuture<'a, Vec<Vec<Abbreviation>>> {
        let of = |key: &String| self.index.abbreviations(key);
        Box::pin(async move { Ok(keys.iter().map(of).collect()) })
    }
}
