//! The store of a pipeline: its searches run on the pool if they are CPU-bound.

use crate::pool::ComputePool;
use retrieve::Searcher;
use std::{future::Future, sync::Arc};
use types::{
    Abbreviation, Chunk, ChunkId, ChunkQuery, Neighbour, Passage, Question, RetrievalOutcome, RetrievalPlan,
    SourceQuery, StoreError, StoreInfo, StoredSource,
};

/// A searcher whose calls run on the pool if its store computes. Each method is that of [`Searcher`], its store or its
/// vocabulary.
#[derive(Clone)]
pub struct PooledSearcher {
    searcher: Searcher,
    pool: ComputePool,
    computes: bool,
}

#[expect(clippy::missing_errors_doc, reason = "as those of `Searcher`")]
#[expect(missing_docs, reason = "as those of `Searcher`")]
impl PooledSearcher {
    pub(crate) fn new(searcher: Searcher, pool: ComputePool, computes: bool) -> Self {
        Self { searcher, pool, computes }
    }

    async fn run<T, F>(&self, call: impl FnOnce(Searcher) -> F) -> T
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        self.pool.drive(self.computes, call(self.searcher.clone())).await
    }

    pub async fn info(&self) -> Result<StoreInfo, StoreError> {
        self.run(|searcher| async move { searcher.store.info().await }).await
    }

    pub async fn retrieve(
        &self,
        question: &Question,
        plan: RetrievalPlan,
    ) -> Result<RetrievalOutcome, StoreError> {
        let question = question.clone();
        self.run(|searcher| async move { searcher.retrieve(&question, plan).await }).await
    }

    pub async fn passages(
        &self,
        ids: &[ChunkId],
        question: &Question,
        plan: RetrievalPlan,
    ) -> Result<Vec<Passage>, StoreError> {
        let (ids, question) = (ids.to_vec(), question.clone());
        self.run(|searcher| async move { searcher.passages(&ids, &question, plan).await }).await
    }

    pub async fn chunks(&self, query: &ChunkQuery) -> Result<Vec<Arc<Chunk>>, StoreError> {
        let query = query.clone();
        self.run(|searcher| async move { searcher.chunks(&query).await }).await
    }

    pub async fn find_sources(&self, query: &SourceQuery) -> Result<Vec<StoredSource>, StoreError> {
        let query = query.clone();
        self.run(|searcher| async move { searcher.store.sources(&query).await }).await
    }

    pub async fn neighbours(&self, words: &[String]) -> Result<Vec<Vec<Neighbour>>, StoreError> {
        let words = words.to_vec();
        self.run(|searcher| async move { searcher.vocabulary.neighbours(&words).await }).await
    }

    pub async fn abbreviations(&self, keys: &[String]) -> Result<Vec<Vec<Abbreviation>>, StoreError> {
        let keys = keys.to_vec();
        self.run(|searcher| async move { searcher.vocabulary.abbreviations(&keys).await }).await
    }
}
