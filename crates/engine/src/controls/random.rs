//! Random retrieval.

use crate::{
    ask::{Found, Pipeline},
    cache,
    error::EngineError,
};
use std::{collections::BTreeMap, sync::Arc, time::Instant};
use types::{AnswerFailure, Answerer, BoxFuture, Chunk, ChunkStore, Hit, Mode, Retrieval, RunRecord};

/// Draws chunks where the pipeline retrieves them.
pub(super) struct RandomRetrieval<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) chunks: &'a [Arc<Chunk>],
    pub(super) seed: u64,
}

impl RandomRetrieval<'_> {
    /// As many chunks as retrieval hands on, drawn by seed and question. Their similarity is that of their
    /// best sentence, which the later stages measure, too; their order says nothing.
    fn draw(&self, query: &str, mode: Mode) -> Result<Found, EngineError> {
        let query_vector = self.pipeline.embed_query(query)?;
        let seed = self.seed.to_le_bytes();
        let mut drawn: Vec<(String, &Arc<Chunk>)> = self
            .chunks
            .iter()
            .map(|chunk| {
                let parts = [&seed[..], query.as_bytes(), chunk.chunk_id.as_str().as_bytes()];
                (cache::key(&parts), chunk)
            })
            .collect();
        drawn.sort_by(|a, b| a.0.cmp(&b.0));
        drawn.truncate(self.pipeline.candidates());
        let count = drawn.len();
        let hit = |(place, (_, chunk)): (usize, (String, &Arc<Chunk>))| Hit {
            vector_score: self
                .pipeline
                .index()
                .sentence_similarities(chunk, &query_vector)
                .into_iter()
                .fold(0.0, f32::max),
            chunk: Arc::clone(chunk),
            bm25_score: 0.0,
            combined_score: (count - place) as f32 / count as f32,
            above_threshold: true,
        };
        Ok(Found {
            retrieval: Retrieval {
                mode,
                hits: drawn.into_iter().enumerate().map(hit).collect(),
                total_candidates: count,
                above_threshold: count,
                query_vector,
            },
            timings_ms: BTreeMap::new(),
        })
    }
}

impl Answerer for RandomRetrieval<'_> {
    fn answer<'a>(&'a self, query: &'a str, mode: Mode) -> BoxFuture<'a, Result<RunRecord, AnswerFailure>> {
        Box::pin(async move {
            let started = Instant::now();
            let found = self.draw(query, mode)?;
            Ok(self.pipeline.answer_from(query, found, started).await?)
        })
    }
}
