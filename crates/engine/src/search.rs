//! Retrieval alone, and with explanations what reranking would make of it.

use crate::{Pipeline, error::EngineError};
use schemars::JsonSchema;
use serde::Serialize;
use std::{collections::BTreeMap, sync::Arc};
use types::{ChunkId, Mode, Question, Retrieval, RetrievalOutcome};

/// What retrieval found, with the time it took.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The question.
    pub question: Question,
    /// The hits, with explanations if they were asked for.
    pub retrieved: RetrievalOutcome,
    /// What `ask` makes of the hits next, if explanations were asked for.
    pub reranking: Option<Reranking>,
    /// Milliseconds of the stages `embed` and `retrieve`, and of `rerank` where it ran.
    pub timings_ms: BTreeMap<String, f64>,
}

/// How `ask` reranks the hits of a search. `search` itself keeps the order of retrieval.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Reranking {
    /// The name of the method.
    pub method: String,
    /// How many hits are reranked, from the first.
    pub candidates: usize,
    /// How many of them are kept at most.
    pub keep: usize,
    /// Whether the hits have scores: `search` asks no language model for them.
    pub ran: bool,
    #[serde(skip)]
    places: BTreeMap<ChunkId, RerankPlace>,
}

/// The place of a hit after reranking.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RerankPlace {
    /// Rank, from 1.
    pub rank: usize,
    /// Relevance, 0 to 10.
    pub score: f32,
    /// Whether it is kept.
    pub kept: bool,
}

impl Reranking {
    /// The place of a hit; `None` if it is not reranked.
    pub fn place(&self, chunk: &ChunkId) -> Option<RerankPlace> {
        self.places.get(chunk).copied()
    }
}

impl SearchResult {
    /// What was taken from the words of the question, and how the search differed from what the settings ask for, as
    /// sentences.
    pub fn notes(&self) -> Vec<String> {
        let Retrieval { hits, statistics, .. } = &self.retrieved.retrieval;
        let searched = self.retrieved.retrieval.total_candidates > 0
            || self.question.mode == Mode::Bm25 && self.retrieved.retrieval.scope.admitted > 0;
        let notes = crate::show::notes(&self.question.filter, &self.question.understood, searched);
        let mut notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
        notes.extend_from_slice(&self.retrieved.notes);
        let stems =
            self.question.terms.iter().chain(self.question.other_forms.iter().flat_map(|form| &form.terms));
        let mut occurs = stems.map(|term| statistics.frequency(&term.stem) > 0);
        if self.question.mode == Mode::Hybrid && !hits.is_empty() && !occurs.any(|occurs| occurs) {
            notes.push(
                "no word of the query occurs in your papers: the passages are only close in meaning"
                    .to_owned(),
            );
        }
        notes
    }
}

impl Pipeline {
    /// What reranking makes of the first hits.
    pub(crate) async fn reranking(
        &self,
        question: &Question,
        retrieval: &Retrieval,
    ) -> Result<Reranking, EngineError> {
        let keep = self.reranker.keep();
        let mut out = Reranking {
            method: self.reranker.method(),
            candidates: self.settings.retrieve.search.top_k,
            keep,
            ran: self.reranker.computes(),
            places: BTreeMap::new(),
        };
        if out.ran {
            let mut first = retrieval.clone();
            first.hits.truncate(out.candidates);
            let reranked = self.reranked(Arc::new(question.clone()), Arc::new(first)).await?;
            let place = |(at, ranked): (usize, types::Ranked)| {
                let score = ranked.rerank_score;
                let place = RerankPlace { rank: at + 1, score, kept: at < keep };
                (ranked.hit.chunk().chunk_id.clone(), place)
            };
            out.places = reranked.ranked.into_iter().enumerate().map(place).collect();
        }
        Ok(out)
    }
}
