//! Further searches: the language model may ask for them if the passages found do not answer the question.
//!
//! Each search is analysed and retrieved as a question is, in the same mode and with the filter of the question, the
//! conditions of its words included. What all searches found is then reranked, expanded, ranked and checked once more, for
//! the question as asked: similarities of sentences and frequencies of terms are those of the question.

use crate::{Pipeline, Trace, clock::Clock, error::EngineError};
use std::{collections::BTreeMap, sync::Arc};
use types::{ChunkId, FailureKind, FurtherSearch, Hit, Question, Retrieval};

/// What further searches made of the first round.
#[derive(Clone)]
pub(crate) struct Searched {
    /// What is answered from: what the question itself found, if nothing new was found.
    pub(crate) trace: Trace,
    /// Why the language model planned no searches, if it failed.
    pub(crate) failure: Option<String>,
}

impl Searched {
    fn only(trace: Trace) -> Self {
        Self { trace, failure: None }
    }
}

/// Asks the planner, if there is one, and makes the searches that it asks for. A question whose filter admits no source
/// is not searched again.
///
/// # Errors
/// When the planner cannot be asked until a setting is changed or a limit of cost is reached, or the store, the embedding
/// model or a stage of the second round fails. Any other failure of the planner leaves the first round as it is.
pub(crate) async fn search(
    pipeline: &Pipeline,
    first: Trace,
    clock: &mut Clock,
) -> Result<Searched, EngineError> {
    let planner = pipeline.planner.as_ref();
    let Some(planner) = planner.filter(|_| first.retrieval.scope.admitted > 0) else {
        return Ok(Searched::only(first));
    };
    let question = &first.question;
    let planned = planner.plan(question, &first.context).await;
    clock.lap("plan");
    let plan = match planned {
        Ok(plan) => plan,
        Err(error) if error.kind == FailureKind::Fatal => return Err(error.into()),
        Err(error) => {
            let failure = format!(
                "the language model was asked whether further searches are needed and gave no usable reply, so none was \
                 made: {error}"
            );
            return Ok(Searched {
                failure: Some(failure),
                ..Searched::only(first)
            });
        }
    };
    if plan.searches.is_empty() {
        return Ok(Searched::only(first));
    }
    let mut lists = Vec::new();
    for query in plan.searches {
        let hits = found(pipeline, question, &query).await?;
        lists.push((query, hits));
    }
    let Union { mut hits, new } = union(&first.retrieval.hits, &lists);
    let added: Vec<ChunkId> = new.concat();
    let mut trace = if added.is_empty() {
        first
    } else {
        as_of(pipeline, question, &added, &mut hits).await?;
        clock.lap("further searches");
        second(pipeline, first, hits, added.len(), clock).await?
    };
    let kept: Vec<&ChunkId> = trace
        .kept
        .ranked
        .iter()
        .map(|r| &r.hit.chunk().chunk_id)
        .collect();
    let searches = lists
        .into_iter()
        .zip(&new)
        .map(|((query, hits), new)| FurtherSearch {
            query,
            found: hits.len(),
            new: new.len(),
            kept: kept
                .iter()
                .filter(|id| new.contains(id))
                .map(|id| (*id).clone())
                .collect(),
        });
    let searches: Vec<FurtherSearch> = searches.collect();
    trace.searches.extend(searches);
    Ok(Searched::only(trace))
}

/// What a search finds.
async fn found(pipeline: &Pipeline, question: &Question, query: &str) -> Result<Vec<Hit>, EngineError> {
    let (search, _) = pipeline.analyse(query, question.mode, &question.filter).await?;
    let outcome = pipeline.store.retrieve(&search, pipeline.plan()).await?;
    Ok(outcome.retrieval.hits)
}

/// Reads the passages of these chunks again, for the question as asked: the similarities of their sentences were those
/// with the search that found them.
async fn as_of(
    pipeline: &Pipeline,
    question: &Question,
    added: &[ChunkId],
    hits: &mut [Hit],
) -> Result<(), EngineError> {
    let passages = pipeline.store.passages(added, question, pipeline.plan()).await?;
    let mut passages: BTreeMap<ChunkId, _> = passages
        .into_iter()
        .map(|passage| (passage.chunk.chunk_id.clone(), passage))
        .collect();
    for hit in hits {
        if let Some(passage) = passages.remove(&hit.chunk().chunk_id) {
            hit.passage = passage;
        }
    }
    Ok(())
}

/// The second round, over all hits. It repeats the warnings of the first reranking, and that it fell back, because the
/// planner read what that kept.
async fn second(
    pipeline: &Pipeline,
    first: Trace,
    hits: Vec<Hit>,
    added: usize,
    clock: &mut Clock,
) -> Result<Trace, EngineError> {
    let retrieval = Retrieval {
        hits,
        total_candidates: first.retrieval.total_candidates + added,
        above_threshold: first.retrieval.above_threshold + added,
        ..(*first.retrieval).clone()
    };
    let mut trace = pipeline
        .examine(first.question, Arc::new(retrieval), clock)
        .await?;
    let kept = &mut trace.kept;
    kept.fell_back |= first.kept.fell_back;
    for warning in first.kept.warnings {
        if !kept.warnings.contains(&warning) {
            kept.warnings.push(warning);
        }
    }
    Ok(trace)
}

/// The hits of all searches.
pub(crate) struct Union {
    /// Each chunk once, the highest fused score first, then the smallest id.
    pub(crate) hits: Vec<Hit>,
    /// By search: the chunks that no earlier one had found.
    pub(crate) new: Vec<Vec<ChunkId>>,
}

/// Fused scores are normalised within a search, so the scores of different searches can be compared: a chunk that several
/// found has the highest of its fused scores. Its other scores are those of the first search that found it.
pub(crate) fn union(first: &[Hit], further: &[(String, Vec<Hit>)]) -> Union {
    let mut hits: Vec<Hit> = Vec::new();
    let mut places: BTreeMap<ChunkId, usize> = BTreeMap::new();
    let mut add = |hit: &Hit| {
        let id = &hit.chunk().chunk_id;
        if let Some(known) = places.get(id).and_then(|at| hits.get_mut(*at)) {
            known.combined_score = known.combined_score.max(hit.combined_score);
            return None;
        }
        places.insert(id.clone(), hits.len());
        hits.push(hit.clone());
        Some(id.clone())
    };
    for hit in first {
        add(hit);
    }
    let new = further
        .iter()
        .map(|(_, found)| found.iter().filter_map(&mut add).collect());
    let new = new.collect();
    hits.sort_by(|a, b| {
        (b.combined_score.total_cmp(&a.combined_score))
            .then_with(|| a.chunk().chunk_id.cmp(&b.chunk().chunk_id))
    });
    Union { hits, new }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Chunk, Passage, SectionKind, SentenceData, SourceMeta, Span};

    fn hit(id: &str, combined_score: f32, vector_score: f32) -> Hit {
        Hit {
            passage: Passage {
                chunk: Arc::new(Chunk {
                    chunk_id: id.into(),
                    source_id: "a".into(),
                    section: SectionKind::Results,
                    heading: String::new(),
                    ordinal: 0,
                    page_start: 1,
                    page_end: 1,
                    span: Span { start: 0, end: 0 },
                    prefix: String::new(),
                    text: String::new(),
                    tokens: 0,
                    sentences: Vec::new(),
                    table_head: Vec::new(),
                }),
                source: Arc::new(SourceMeta::default()),
                sentences: Arc::new(SentenceData::default()),
                neighbours: Vec::new(),
            },
            vector_score,
            bm25_score: 0.0,
            combined_score,
        }
    }

    fn shown(hits: &[Hit]) -> Vec<(&str, f32, f32)> {
        let parts = |hit: &'_ Hit| (hit.combined_score, hit.vector_score);
        hits.iter()
            .map(|hit| {
                let (combined, vector) = parts(hit);
                (hit.chunk().chunk_id.as_str(), combined, vector)
            })
            .collect()
    }

    #[test]
    fn a_chunk_is_once_in_the_union_with_its_highest_fused_score() {
        let first = [hit("b", 0.9, 0.5), hit("a", 0.4, 0.4)];
        let further = [
            ("one".to_owned(), vec![hit("c", 1.0, 0.3), hit("a", 0.8, 0.9)]),
            (
                "two".to_owned(),
                vec![hit("d", 0.8, 0.1), hit("c", 0.2, 0.7), hit("b", 0.1, 0.6)],
            ),
            ("three".to_owned(), Vec::new()),
        ];
        let union = union(&first, &further);
        assert_eq!(
            shown(&union.hits),
            [("c", 1.0, 0.3), ("b", 0.9, 0.5), ("a", 0.8, 0.4), ("d", 0.8, 0.1)]
        );
        let ids = |list: &[&str]| list.iter().map(|id| ChunkId::from(*id)).collect::<Vec<_>>();
        assert_eq!(union.new, [ids(&["c"]), ids(&["d"]), ids(&[])]);
    }

    #[test]
    fn searches_that_find_nothing_new_change_no_set_of_hits() {
        let first = [hit("a", 0.9, 0.5), hit("b", 0.4, 0.4)];
        let union = union(&first, &[("one".to_owned(), vec![hit("b", 0.3, 0.9)])]);
        assert_eq!(shown(&union.hits), [("a", 0.9, 0.5), ("b", 0.4, 0.4)]);
        assert!(union.new.concat().is_empty());
    }
}
