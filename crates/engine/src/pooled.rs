//! A CPU-bound store, run on the pool.

use crate::pool::ComputePool;
use std::sync::Arc;
use types::{
    Abbreviation, BoxFuture, Chunk, ChunkId, ChunkQuery, Neighbour, Passage, Question, RetrievalOutcome,
    RetrievalPlan, Retriever, SourceQuery, StoreError, StoreInfo, StoredSource,
};

/// Runs the futures of a store on the pool: for CPU-bound stores, whose futures never wait.
#[derive(Clone)]
pub(crate) struct PooledStore {
    store: Arc<dyn Retriever>,
    pool: ComputePool,
}

impl PooledStore {
    pub(crate) fn new(store: Arc<dyn Retriever>, pool: ComputePool) -> Self {
        Self { store, pool }
    }
}

impl Retriever for PooledStore {
    fn info(&self) -> BoxFuture<'_, Result<StoreInfo, StoreError>> {
        let store = Arc::clone(&self.store);
        Box::pin(self.pool.drive(true, async move { store.info().await }))
    }

    fn retrieve<'a>(
        &'a self,
        question: &'a Question,
        plan: RetrievalPlan,
    ) -> BoxFuture<'a, Result<RetrievalOutcome, StoreError>> {
        let (store, question) = (Arc::clone(&self.store), question.clone());
        let future = async move { store.retrieve(&question, plan).await };
        Box::pin(self.pool.drive(true, future))
    }

    fn passages<'a>(
        &'a self,
        ids: &'a [ChunkId],
        question: &'a Question,
        plan: RetrievalPlan,
    ) -> BoxFuture<'a, Result<Vec<Passage>, StoreError>> {
        let (store, ids, question) = (Arc::clone(&self.store), ids.to_vec(), question.clone());
        let future = async move { store.passages(&ids, &question, plan).await };
        Box::pin(self.pool.drive(true, future))
    }

    fn chunks<'a>(&'a self, query: &'a ChunkQuery) -> BoxFuture<'a, Result<Vec<Arc<Chunk>>, StoreError>> {
        let (store, query) = (Arc::clone(&self.store), query.clone());
        let future = async move { store.chunks(&query).await };
        Box::pin(self.pool.drive(true, future))
    }

    fn find_sources<'a>(
        &'a self,
        query: &'a SourceQuery,
    ) -> BoxFuture<'a, Result<Vec<StoredSource>, StoreError>> {
        let (store, query) = (Arc::clone(&self.store), query.clone());
        let future = async move { store.find_sources(&query).await };
        Box::pin(self.pool.drive(true, future))
    }

    fn neighbours<'a>(
        &'a self,
        words: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Vec<Neighbour>>, StoreError>> {
        let (store, words) = (Arc::clone(&self.store), words.to_vec());
        let future = async move { store.neighbours(&words).await };
        Box::pin(self.pool.drive(true, future))
    }

    fn abbreviations<'a>(
        &'a self,
        keys: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Vec<Abbreviation>>, StoreError>> {
        let (store, keys) = (Arc::clone(&self.store), keys.to_vec());
        let future = async move { store.abbreviations(&keys).await };
        Box::pin(self.pool.drive(true, future))
    }
}
