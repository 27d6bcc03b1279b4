//! Comparisons: a question about several papers is asked of each of them.
//!
//! A question that names several papers is searched in each. One that joins things by "and" is split
//! ([`question::parts`]), and if different papers answer the parts, each part is answered from its paper. The papers share the
//! context, and a sentence is as likely to answer as it is for its part.

use crate::{Pipeline, Trace, clock::Clock, error::EngineError};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use types::{ChunkId, Context, Question, RankedSentence, Ranking, Retrieval, SourceId};

/// Most papers that are compared.
const MAX_PAPERS: usize = 4;
/// Share of the best sentence's probability that the best sentence of each part needs.
const LEAST: f32 = 0.3;

impl Pipeline {
    /// Reranking, expansion, ranking of sentences and topic check; then the same for each paper that the question compares.
    pub(crate) async fn examine(
        &self,
        question: Arc<Question>,
        retrieval: Arc<Retrieval>,
        clock: &mut Clock,
    ) -> Result<Trace, EngineError> {
        let trace = self.examine_once(question, retrieval, clock).await?;
        Box::pin(compared(self, trace, clock)).await
    }
}

/// What a part of the question found, and the paper that answers it.
struct Part {
    trace: Trace,
    paper: SourceId,
}

impl Part {
    fn probability(&self) -> f32 {
        best(&self.trace).map_or(0.0, |(_, probability)| probability)
    }
}

/// The trace over the papers that the question compares; the one given, if it compares none. A question whose candidates a
/// language model grades is not asked again.
///
/// # Errors
/// When the store, the embedding model or a stage fails.
async fn compared(pipeline: &Pipeline, first: Trace, clock: &mut Clock) -> Result<Trace, EngineError> {
    if !pipeline.reranker.computes() || first.context.chunks.is_empty() {
        return Ok(first);
    }
    let question = &first.question;
    let named = (question.filter.sources.as_ref())
        .filter(|sources| question.named_sources.len() > 1 && (2..=MAX_PAPERS).contains(&sources.len()));
    if let Some(sources) = named {
        let mut parts = Vec::new();
        for source in sources {
            let mut question = (**question).clone();
            question.filter.sources = Some(vec![source.clone()]);
            parts.extend(part(pipeline, question, clock).await?);
        }
        return if parts.len() > 1 {
            joined(pipeline, first, parts).await
        } else {
            Ok(first)
        };
    }
    for split in question::parts(&question.text) {
        let mut parts: Vec<Part> = Vec::new();
        for query in split {
            let (question, _) = pipeline.analyse(&query, question.mode, &question.filter).await?;
            let found = part(pipeline, question, clock).await?;
            let new = |found: &Part| parts.iter().all(|part| part.paper != found.paper);
            parts.extend(found.filter(new));
        }
        let most = parts.iter().map(Part::probability).fold(0.0, f32::max);
        parts.retain(|part| part.probability() >= LEAST * most);
        let paper = best(&first).map(|(paper, _)| paper);
        if parts.len() > 1 && parts.iter().any(|part| Some(&part.paper) == paper) {
            return joined(pipeline, first, parts).await;
        }
    }
    Ok(first)
}

/// What a question finds by itself; `None` if that is nothing.
async fn part(
    pipeline: &Pipeline,
    question: Question,
    clock: &mut Clock,
) -> Result<Option<Part>, EngineError> {
    let found = pipeline.store.retrieve(&question, pipeline.plan()).await?;
    clock.lap("retrieve");
    let trace = pipeline
        .examine_once(Arc::new(question), Arc::new(found.retrieval), clock)
        .await?;
    let paper = best(&trace).map(|(paper, _)| paper.clone());
    Ok(paper.map(|paper| Part { trace, paper }))
}

/// The paper of the sentence that is most likely to answer, and the probability of that.
fn best(trace: &Trace) -> Option<(&SourceId, f32)> {
    let best = trace.ranking.sentences.first()?;
    let place = trace.context.chunks.get(best.chunk)?;
    Some((&place.chunk.source_id, best.probability))
}

/// The parts as one trace: each fills its share of the context with passages of its paper, and what the whole question found
/// fills the rest.
async fn joined(pipeline: &Pipeline, first: Trace, parts: Vec<Part>) -> Result<Trace, EngineError> {
    let cap = pipeline.settings.expand.cap;
    let share = cap.div_ceil(parts.len());
    let lead_best = best(&first).map_or(0.0, |(_, probability)| probability);
    let mut context = Context::default();
    let mut places: BTreeMap<ChunkId, usize> = BTreeMap::new();
    let mut sentences: BTreeMap<(usize, usize), f32> = BTreeMap::new();
    let mut add = |trace: &Trace, paper: Option<&SourceId>, room: usize, most: f32| {
        let mut own: BTreeMap<usize, usize> = BTreeMap::new();
        for (at, place) in trace.context.chunks.iter().enumerate() {
            let full = own.len() >= room || context.chunks.len() >= cap;
            if full || paper.is_some_and(|paper| *paper != place.chunk.source_id) {
                continue;
            }
            let new = context.chunks.len();
            let to = *places.entry(place.chunk.chunk_id.clone()).or_insert(new);
            if to == new {
                context.chunks.push(place.clone());
            }
            own.insert(at, to);
        }
        for ranked in &trace.ranking.sentences {
            if let Some(to) = own.get(&ranked.chunk) {
                let known = sentences.entry((*to, ranked.sentence)).or_default();
                *known = known.max(ranked.probability.min(most));
            }
        }
    };
    // What answers the whole question best stays first.
    let lead = best(&first).map(|(paper, _)| paper.clone());
    let lead_best = parts
        .iter()
        .filter(|part| Some(&part.paper) == lead.as_ref())
        .map(Part::probability)
        .fold(lead_best, f32::max);
    let most = |part: &Part| {
        if Some(&part.paper) == lead.as_ref() {
            1.0
        } else {
            lead_best
        }
    };
    for part in &parts {
        add(&part.trace, Some(&part.paper), share, most(part));
    }
    add(&first, None, cap, 1.0);
    let mut ranked: Vec<RankedSentence> = sentences
        .into_iter()
        .map(|((chunk, sentence), probability)| RankedSentence {
            chunk,
            sentence,
            probability,
        })
        .collect();
    ranked.sort_by(|a, b| {
        (b.probability.total_cmp(&a.probability))
            .then_with(|| (a.chunk, a.sentence).cmp(&(b.chunk, b.sentence)))
    });
    // The sentences that answer the whole question are still there, so the parts can only add to what they are worth.
    let of_all = |value: fn(&Ranking) -> f32| {
        let own = value(&first.ranking);
        let least = parts
            .iter()
            .map(|part| value(&part.trace.ranking))
            .fold(1.0, f32::min);
        own.max(0.5 * (own + least))
    };
    let ranking = Ranking {
        probability: of_all(|ranking| ranking.probability),
        answerable: of_all(|ranking| ranking.answerable),
        sentences: ranked,
    };

    let mut question = (*first.question).clone();
    question.kind.across = true;
    let mut retrieval = (*first.retrieval).clone();
    let mut kept = first.kept.clone();
    kept.ranked
        .retain(|ranked| places.contains_key(&ranked.hit.chunk().chunk_id));
    let ids = |kept: &rerank::Reranked| -> BTreeSet<ChunkId> {
        kept.ranked
            .iter()
            .map(|ranked| ranked.hit.chunk().chunk_id.clone())
            .collect()
    };
    let mut known = ids(&kept);
    let found: BTreeSet<ChunkId> = retrieval
        .hits
        .iter()
        .map(|hit| hit.chunk().chunk_id.clone())
        .collect();
    for ranked in parts.iter().flat_map(|part| &part.trace.kept.ranked) {
        let id = &ranked.hit.chunk().chunk_id;
        if places.contains_key(id) && known.insert(id.clone()) {
            kept.ranked.push(ranked.clone());
            if !found.contains(id) {
                retrieval.hits.push(ranked.hit.clone());
                retrieval.total_candidates += 1;
                retrieval.above_threshold += 1;
            }
        }
    }
    kept.ranked
        .sort_by(|a, b| b.rerank_score.total_cmp(&a.rerank_score));
    retrieval.hits.sort_by(|a, b| {
        (b.combined_score.total_cmp(&a.combined_score))
            .then_with(|| a.chunk().chunk_id.cmp(&b.chunk().chunk_id))
    });
    let mut trace = Trace {
        question: Arc::new(question),
        retrieval: Arc::new(retrieval),
        kept,
        context: Arc::new(context),
        ranking: Arc::new(ranking),
        topic: None,
    };
    trace.topic = pipeline.topic(&trace).await;
    Ok(trace)
}
