//! Comparisons: a question about several papers is asked of each of them.
//!
//! A question that names several papers is searched in each, and so is one that describes them: "the clock review and the
//! trial of walking" ([`question::described`]) are found by their titles and abstracts. One that joins things by "and" is split
//! ([`question::parts`]), and if different papers answer the parts, each part is answered from its paper. The papers share the
//! context, and each sentence keeps the probability that it answers its part.

use crate::{
    Pipeline, Trace,
    clock::Clock,
    error::EngineError,
    union::{Union, union},
};
use guardrail::Verdict;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use types::{
    Chunk, ChunkId, ComparedPaper, Context, Filter, FilterKind, FurtherSearch, Hit, Question, QuestionTerm,
    Ranked, RankedSentence, Ranking, Retrieval, SourceId, TakenFilter,
};

/// Most papers that are compared.
const MAX_PAPERS: usize = 4;
/// Share of the best sentence's probability that the best sentence of each part needs.
const LEAST: f32 = 0.3;
/// Share of `guardrail.refuse_below` that a paper needs beside others. Not fitted.
const BESIDE: f32 = 0.5;

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
    question: Arc<Question>,
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
async fn compared(pipeline: &Pipeline, mut first: Trace, clock: &mut Clock) -> Result<Trace, EngineError> {
    if !pipeline.reranker.computes() || first.context.chunks.is_empty() {
        return Ok(first);
    }
    let question = Arc::clone(&first.question);
    let named = (question.filter.sources.as_ref())
        .filter(|sources| question.named_sources.len() > 1 && (2..=MAX_PAPERS).contains(&sources.len()));
    if let Some(sources) = named {
        let mut parts = Vec::new();
        for source in sources {
            let mut question = (*question).clone();
            question.filter.sources = Some(vec![source.clone()]);
            parts.extend(part(pipeline, question, clock).await?);
        }
        return match parts.len() {
            0 | 1 => Ok(first),
            _ => Ok(with_topic(pipeline, joined(pipeline, &first, &parts, false)).await),
        };
    }
    if let Some(described) = described(pipeline, &mut first, clock).await? {
        return Ok(with_topic(pipeline, described).await);
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
            return Ok(with_topic(pipeline, joined(pipeline, &first, &parts, false)).await);
        }
    }
    Ok(first)
}

/// The trace over the papers that the question describes; `None` if it describes none, or fewer than two say anything.
async fn described(
    pipeline: &Pipeline,
    first: &mut Trace,
    clock: &mut Clock,
) -> Result<Option<Trace>, EngineError> {
    let whole = Arc::clone(&first.question);
    // A given filter stays.
    let reads = pipeline.settings.question.filters && whole.named_sources.is_empty();
    let reads = reads && whole.filter.sources.is_none();
    let Some(described) = question::described(&whole.text).filter(|_| reads) else {
        return Ok(None);
    };
    let (papers, unknown) = pipeline.papers_described(&whole, &described.papers).await?;
    if !papers.is_empty() {
        let unknown = unknown.into_iter();
        let caveat = |words| format!("No paper was found for \"{words}\".");
        first.kept.warnings.extend(unknown.map(caveat));
    }
    let mut parts = Vec::new();
    for (paper, _) in &papers {
        let filter = Filter { sources: Some(vec![paper.clone()]), ..whole.filter.clone() };
        let (question, _) = pipeline.analyse(&described.asked, whole.mode, &filter).await?;
        parts.extend(part(pipeline, question, clock).await?);
    }
    // What another paper answers much better may be about parts of one paper.
    let (lead, least) = best(first).map_or((None, 0.0), |(paper, best)| (Some(paper), LEAST * best));
    let fits = |part: &Part| Some(&part.paper) == lead || part.probability() >= least;
    if parts.len() < 2 || !parts.iter().any(fits) {
        return Ok(None);
    }
    let mut trace = joined(pipeline, first, &parts, true);
    let question = Arc::make_mut(&mut trace.question);
    // The words of the descriptions stand in titles: nothing is asked of them.
    let asked = &parts[0].question.terms;
    let is_asked = |term: &QuestionTerm| asked.iter().any(|other| other.stem == term.stem);
    question.terms.retain(is_asked);
    question.filter.sources = Some(papers.iter().map(|(paper, _)| paper.clone()).collect());
    let taken = papers.into_iter().map(|(_, words)| TakenFilter { kind: FilterKind::Sources, words });
    question.understood.filters.extend(taken);
    Ok(Some(trace))
}

/// What a question finds by itself; `None` if that is nothing.
async fn part(
    pipeline: &Pipeline,
    question: Question,
    clock: &mut Clock,
) -> Result<Option<Part>, EngineError> {
    let question = Arc::new(question);
    let found = pipeline.find(&question).await?;
    clock.lap("retrieve");
    let trace = pipeline.examine_once(Arc::clone(&question), Arc::new(found), clock).await?;
    let paper = best(&trace).map(|(paper, _)| paper.clone());
    Ok(paper.map(|paper| Part { question, trace, paper }))
}

/// The paper of the sentence that is most likely to answer, and the probability of that.
fn best(trace: &Trace) -> Option<(&SourceId, f32)> {
    let best = trace.ranking.sentences.first()?;
    let place = trace.context.chunks.get(best.chunk)?;
    Some((&place.chunk.source_id, best.probability))
}

async fn with_topic(pipeline: &Pipeline, mut trace: Trace) -> Trace {
    trace.topic = pipeline.topic(&trace).await;
    trace
}

/// The parts as one trace, without the topic check: each part fills its share of the context with passages of its paper, and
/// what the whole question found fills the rest. With `only`, other papers than those of the parts add nothing.
fn joined(pipeline: &Pipeline, first: &Trace, parts: &[Part], only: bool) -> Trace {
    let read = read(first, parts, pipeline.settings.expand.max_chunks, only);
    let is_read = |ranked: &&Ranked| read.places.contains_key(&ranked.hit.chunk().chunk_id);
    let mut kept = first.kept.clone();
    let of_parts = parts.iter().flat_map(|part| &part.trace.kept.ranked);
    let mut seen = BTreeSet::new();
    kept.ranked = (first.kept.ranked.iter().chain(of_parts).filter(is_read))
        .filter(|ranked| seen.insert(&ranked.hit.chunk().chunk_id))
        .cloned()
        .collect();
    kept.ranked.sort_by(|a, b| b.rerank_score.total_cmp(&a.rerank_score));
    let list = |part: &Part| {
        let kept = part.trace.kept.ranked.iter().filter(is_read);
        kept.map(|ranked| ranked.hit.clone()).collect()
    };
    let lists: Vec<Vec<Hit>> = parts.iter().map(list).collect();
    let Union { mut hits, new } = union(&first.retrieval.hits, &lists);
    hits.retain(|hit| !only || compares(parts, &hit.chunk().source_id));
    let added = new.iter().map(Vec::len).sum::<usize>();
    let asked = parts.iter().zip(&new);
    let searches = asked.filter(|(part, _)| part.question.text != first.question.text).map(|(part, new)| {
        FurtherSearch {
            query: if only {
                format!("{} [{}]", part.question.text, part.paper)
            } else {
                part.question.text.clone()
            },
            found: part.trace.retrieval.hits.len(),
            new: new.len(),
            kept: new.clone(),
        }
    });
    let mut question = (*first.question).clone();
    question.kind.across = true;
    // Beside a paper that answers, another needs half the estimate.
    let least = BESIDE * pipeline.settings.guardrail.topic_check.refuse_below;
    let refuses = |part: &Part| {
        let topic = part.trace.topic.as_ref();
        topic.is_some_and(|topic| topic.verdict == Verdict::Refuse && topic.features.answerable < least)
    };
    let paper = |part: &Part| ComparedPaper { source_id: part.paper.clone(), answers: !refuses(part) };
    question.papers = parts.iter().map(paper).collect();
    if question.papers.iter().all(|paper| !paper.answers) {
        // The whole question is judged below: if it is answered, it is from what each paper says.
        question.papers.iter_mut().for_each(|paper| paper.answers = true);
    }
    Trace {
        searches: searches.collect(),
        question: Arc::new(question),
        retrieval: Arc::new(Retrieval {
            hits,
            total_candidates: first.retrieval.total_candidates + added,
            above_threshold: first.retrieval.above_threshold + added,
            ..(*first.retrieval).clone()
        }),
        kept,
        context: Arc::new(read.context),
        ranking: Arc::new(Ranking {
            probability: of_all(first, parts, only, |ranking| ranking.probability),
            answerable: of_all(first, parts, only, |ranking| ranking.answerable),
            sentences: sentences(read.probabilities),
        }),
        topic: None,
    }
}

/// The maximum over the parts, since a paper that does not answer should not hold back one that does; never less than for the whole
/// question, if its best sentence is still there.
fn of_all(first: &Trace, parts: &[Part], only: bool, value: fn(&Ranking) -> f32) -> f32 {
    let most = parts.iter().map(|part| value(&part.trace.ranking)).fold(0.0, f32::max);
    if !only || best(first).is_some_and(|(paper, _)| compares(parts, paper)) {
        most.max(value(&first.ranking))
    } else {
        most
    }
}

/// Whether a part is about this paper.
fn compares(parts: &[Part], paper: &SourceId) -> bool {
    parts.iter().any(|part| part.paper == *paper)
}

/// A context that is being made.
#[derive(Default)]
struct Read {
    context: Context,
    /// The places of its chunks.
    places: BTreeMap<ChunkId, usize>,
    /// Of each sentence, by its chunk and its index there: the highest probability that it answers a part or the whole.
    probabilities: BTreeMap<(usize, usize), f32>,
}

/// The context of all parts, of at most `cap` chunks.
fn read(first: &Trace, parts: &[Part], cap: usize, only: bool) -> Read {
    let mut read = Read::default();
    // What answers the whole question best stays first.
    let of_part = |paper: &SourceId| !only || compares(parts, paper);
    let best = best(first).filter(|(paper, _)| of_part(paper));
    let (lead, best) = best.map_or((None, 1.0), |(paper, best)| (Some(paper), best));
    let leads = |part: &&Part| Some(&part.paper) == lead;
    let own = parts.iter().filter(leads).map(Part::probability);
    let most = own.fold(best, f32::max);
    for part in parts {
        let share = cap.div_ceil(parts.len()).min(cap - read.context.chunks.len());
        let most = if leads(&part) { 1.0 } else { most };
        read.add(&part.trace, |chunk| chunk.source_id == part.paper, share, most);
    }
    let room = cap - read.context.chunks.len();
    read.add(first, |chunk| of_part(&chunk.source_id), room, 1.0);
    read
}

impl Read {
    /// Adds at most `room` chunks of a trace that `wanted` takes, and the probabilities of their sentences, up to `most`.
    fn add(&mut self, trace: &Trace, wanted: impl Fn(&Chunk) -> bool, room: usize, most: f32) {
        let full = self.context.chunks.len() + room;
        for (at, place) in trace.context.chunks.iter().enumerate() {
            let new = self.context.chunks.len();
            let known = self.places.get(&place.chunk.chunk_id).copied();
            if !wanted(&place.chunk) || (known.is_none() && new >= full) {
                continue;
            }
            let to = known.unwrap_or(new);
            if known.is_none() {
                self.places.insert(place.chunk.chunk_id.clone(), new);
                self.context.chunks.push(place.clone());
            }
            for ranked in trace.ranking.sentences.iter().filter(|ranked| ranked.chunk == at) {
                let probability = self.probabilities.entry((to, ranked.sentence)).or_default();
                *probability = probability.max(ranked.probability.min(most));
            }
        }
    }
}

/// The most likely first.
fn sentences(probabilities: BTreeMap<(usize, usize), f32>) -> Vec<RankedSentence> {
    let ranked = |((chunk, sentence), probability)| RankedSentence { chunk, sentence, probability };
    let mut out: Vec<RankedSentence> = probabilities.into_iter().map(ranked).collect();
    // Equal ones stay in the order of the context.
    out.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    out
}
