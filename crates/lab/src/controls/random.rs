//! Random retrieval.

use engine::{EngineError, Pipeline, Retrieved};
use std::sync::Arc;
use types::{AnswerFailure, Answerer, BoxFuture, ChunkId, Filter, Hit, Mode, Passage, Retrieval, RunRecord};

/// Draws chunks where the pipeline retrieves them.
pub(super) struct RandomRetrieval<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) chunk_ids: Vec<ChunkId>,
    pub(super) seed: u64,
}

impl RandomRetrieval<'_> {
    /// As many chunks as retrieval hands on, drawn by seed and question. Their similarity is that of their
    /// best sentence, which the later stages measure, too; their order says nothing.
    async fn draw(&self, query: &str, mode: Mode) -> Result<Retrieved, EngineError> {
        // A search, for the statistics of the question's terms.
        let searched = self.pipeline.retrieve(query, mode, &Filter::default()).await?;
        let count = self.pipeline.search_settings().top_k;
        let ids = drawn(&self.chunk_ids, self.seed, query, count);
        let (store, question) = (self.pipeline.store(), &searched.question);
        let passages = store.passages(&ids, question, self.pipeline.plan()).await?;
        let count = passages.len();
        let hit = |(place, passage): (usize, Passage)| Hit {
            vector_score: passage.sentences.similarities.iter().copied().fold(0.0, f32::max),
            bm25_score: 0.0,
            combined_score: (count - place) as f32 / count as f32,
            passage,
        };
        let retrieval = Retrieval {
            hits: passages.into_iter().enumerate().map(hit).collect(),
            total_candidates: count,
            above_threshold: count,
            ..(*searched.retrieval).clone()
        };
        Ok(Retrieved { retrieval: Arc::new(retrieval), ..searched })
    }
}

impl Answerer for RandomRetrieval<'_> {
    fn answer<'a>(&'a self, query: &'a str, mode: Mode) -> BoxFuture<'a, Result<RunRecord, AnswerFailure>> {
        Box::pin(async move {
            let searched = self.draw(query, mode).await?;
            Ok(self.pipeline.answer_from(searched).await?.0)
        })
    }
}

/// The first `count` chunks in an order that seed and question shuffle.
fn drawn(chunk_ids: &[ChunkId], seed: u64, query: &str, count: usize) -> Vec<ChunkId> {
    let key = |id: &ChunkId| {
        let parts = [&seed.to_le_bytes()[..], query.as_bytes(), id.as_str().as_bytes()];
        types::digest::sha256_of_parts(&parts)
    };
    let mut keyed: Vec<(String, &ChunkId)> = chunk_ids.iter().map(|id| (key(id), id)).collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0));
    keyed.into_iter().take(count).map(|(_, id)| id.clone()).collect()
}
