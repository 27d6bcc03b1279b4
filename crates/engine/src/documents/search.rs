//! The document of `search`.

use super::{Filter, Source};
use crate::{
    RerankPlace, Reranking, SearchResult,
    show::{Reference, References},
};
use retrieve::{Fusion, SearchSettings, VectorIndex};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use types::{Abbreviated, ChunkId, Explanation, Mode, SectionKind, SourceId, Spelling, TermWeight};

/// What `search` found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Search {
    /// The question.
    pub query: String,
    /// `hybrid`, `vector` or `bm25`.
    pub mode: Mode,
    /// The filter; null if everything was searched.
    pub filters: Option<Filter>,
    /// Words of the question that no paper contains, and what was searched instead.
    pub searched_also_for: Vec<Spelling>,
    /// Abbreviations of the question, and words of it that papers abbreviate, with the other form, which was searched too.
    pub abbreviations: Vec<Abbreviated>,
    /// What was taken from the words of the question and how to undo it, and, with `--explain`, how the search differed
    /// from what the settings ask for: as sentences.
    pub notes: Vec<String>,
    /// Candidates before the threshold.
    pub total_candidates: usize,
    /// Candidates above it.
    pub above_threshold: usize,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How the hits were found and ordered; with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<SearchExplanation>,
    /// Milliseconds by stage.
    pub timings_ms: BTreeMap<String, f64>,
}

impl Search {
    /// What a search found, with explanations if they were asked for.
    pub fn new(found: &SearchResult, references: &References, settings: &SearchSettings) -> Self {
        let (question, retrieved) = (&found.question, &found.retrieved);
        let retrieval = &retrieved.retrieval;
        let hits = retrieval.hits.iter().enumerate().map(|(at, hit)| {
            let source = references.get(&hit.chunk().source_id);
            let scores = retrieved.explanations.get(at).cloned();
            let explanation = scores.map(|scores| HitExplanation {
                scores,
                rerank: (found.reranking.as_ref()).and_then(|all| all.place(&hit.chunk().chunk_id)),
            });
            Hit::new(hit, &source, explanation)
        });
        let explanation = |reranking: &Reranking| SearchExplanation {
            terms: retrieved.terms.clone(),
            fusion: settings.fusion,
            threshold: if question.asks_for_whole_sections() { 0.0 } else { settings.min_similarity },
            vector_index: settings.vector_index,
            reranking: reranking.clone(),
        };
        let excluded = excluded(retrieval, &question.filter);
        Self {
            query: question.text.clone(),
            mode: question.mode,
            filters: Filter::new(&question.filter, &question.understood),
            searched_also_for: question.understood.spellings.clone(),
            abbreviations: question.understood.abbreviations.clone(),
            notes: excluded.into_iter().chain(found.notes()).collect(),
            total_candidates: retrieval.total_candidates,
            above_threshold: retrieval.above_threshold,
            hits: hits.collect(),
            explanation: found.reranking.as_ref().map(explanation),
            timings_ms: found.timings_ms.clone(),
        }
    }
}

/// That a filter left nothing to search.
fn excluded(retrieval: &types::Retrieval, filter: &types::Filter) -> Option<String> {
    let types::Scope { sources, admitted } = retrieval.scope;
    (admitted == 0 && sources > 0).then(|| match sources {
        1 => format!("the filter ({filter}) excludes the only paper"),
        _ => format!("the filter ({filter}) excludes all {sources} papers"),
    })
}

/// How hits were found and ordered. What holds for a single hit is in its [`HitExplanation`].
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SearchExplanation {
    /// The terms of the question that BM25 looked up, in the question's order, then those of `abbreviations`.
    pub terms: Vec<TermWeight>,
    /// How both scores are normalised and added: the setting `retrieve.fusion`.
    pub fusion: Fusion,
    /// The least similarity of a hit (`retrieve.min_similarity`); not applied in mode `bm25`.
    /// 0 for a question about a named paper without a topic.
    pub threshold: f32,
    /// How vectors are compared: the setting `retrieve.vector_index`. If it was not followed, `notes` says why.
    pub vector_index: VectorIndex,
    /// What `ask` does with the hits next.
    pub reranking: Reranking,
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Hit {
    /// The passage: `source__section__number`.
    pub chunk_id: ChunkId,
    /// Its source.
    pub source_id: SourceId,
    /// Its section, normalised.
    pub section: SectionKind,
    /// First page.
    pub page_start: u32,
    /// Last page.
    pub page_end: u32,
    /// Similarity with the question, 0 to 1.
    pub vector_score: f32,
    /// BM25 score, at least 0.
    pub bm25_score: f32,
    /// The score that orders the hits.
    pub combined_score: f32,
    /// The text of the passage.
    pub text: String,
    /// Its source.
    #[serde(flatten)]
    pub source: Source,
    /// Where its scores come from; with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<HitExplanation>,
}

impl Hit {
    fn new(hit: &types::Hit, source: &Reference, explanation: Option<HitExplanation>) -> Self {
        let chunk = hit.chunk();
        Self {
            chunk_id: chunk.chunk_id.clone(),
            source_id: chunk.source_id.clone(),
            section: chunk.section,
            page_start: chunk.page_start,
            page_end: chunk.page_end,
            vector_score: hit.vector_score,
            bm25_score: hit.bm25_score,
            combined_score: hit.combined_score,
            text: chunk.text.clone(),
            source: Source::new(source, Some(chunk.page_start)),
            explanation,
        }
    }
}

/// Where the scores of a hit come from, and its place after reranking.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HitExplanation {
    /// Its scores.
    #[serde(flatten)]
    pub scores: Explanation,
    /// Its place after reranking; null if it is not reranked.
    pub rerank: Option<RerankPlace>,
}
