//! Retrieves for every query in one mode, and scores.

use super::{
    DEPTH,
    folder::{Benchmark, JudgedQuery},
};
use crate::{benchmark::DeepSearch, error::LabError};
use engine::Pipeline;
use eval::{
    MetricSummary, Ordered,
    ranking::{Measure, Ranking, ScoredQuery, summarise},
};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::{Duration, Instant},
};
use types::{Filter, Hit, Mode, Reporter, SourceId, Stop};

/// What the measurement of every mode shares.
pub(super) struct Job<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) benchmark: &'a Benchmark,
    /// The `_id` of each source.
    pub(super) documents: &'a HashMap<SourceId, String>,
    pub(super) rerank: bool,
    /// Whether a document that has the id of the query is left out.
    pub(super) skip_same_id: bool,
    pub(super) seed: u64,
    pub(super) stop: &'a Stop,
    pub(super) reporter: &'a dyn Reporter,
}

/// The results of one mode.
#[derive(Debug)]
pub struct ModeRun {
    /// The mode.
    pub mode: Mode,
    /// Mean and interval of each measure.
    pub summary: Ordered<MetricSummary>,
    /// Queries in the order of the benchmark.
    pub queries: Vec<ScoredQuery>,
    /// What was returned for each of them.
    pub rankings: Vec<Ranking>,
    /// Queries per second, one after the other: embedding, retrieval, and reranking if asked for.
    pub queries_per_second: f64,
    /// How many documents queries returned.
    pub reach: Reach,
    /// The same without the depth of the measurement.
    pub configured: Configured,
}

/// How many documents queries returned, of at most [`DEPTH`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reach {
    /// Mean number of documents.
    pub documents: f64,
    /// Queries that returned none: they score 0.
    pub none: usize,
    /// Queries that returned fewer than [`DEPTH`].
    pub short: usize,
    /// Those of them for which the threshold removed passages, so that it limits their recall.
    pub cut_by_threshold: usize,
}

/// What retrieval passes on with `retrieve.candidates`, `vector_k` and `bm25_k` as configured; with reranking, what the
/// reranker keeps of it (`rerank.keep`, `rerank.min_score`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Configured {
    /// Mean number of documents.
    pub documents: f64,
    /// Mean nDCG@10.
    pub ndcg: f64,
    /// Mean recall@10.
    pub recall: f64,
}

/// Measures one mode.
///
/// # Errors
/// When a query cannot be embedded, retrieval or reranking fails, or the user stopped the work.
pub(super) async fn measure(job: &Job<'_>, mode: Mode) -> Result<ModeRun, LabError> {
    let all = &job.benchmark.queries;
    let task = job
        .reporter
        .task(mode.as_str(), "queries", Some(all.len() as u64));
    let deep = DeepSearch::new(job.pipeline, DEPTH).await?;
    let (mut queries, mut rankings, mut configured) = (Vec::new(), Vec::new(), Vec::new());
    let (mut reach, mut took) = (Reach::default(), Duration::ZERO);
    let mut warnings: BTreeMap<String, usize> = BTreeMap::new();
    for query in all {
        if job.stop.is_requested() {
            return Err(LabError::Stopped);
        }
        let started = Instant::now();
        let as_configured = job
            .pipeline
            .retrieve(&query.text, mode, &Filter::default())
            .await?;
        let analysed = started
            .elapsed()
            .saturating_sub(as_configured.clock.lap_of("retrieve"));
        let deep_started = Instant::now();
        let found = deep.retrieve(&as_configured.question).await?;
        let plain = analysed + deep_started.elapsed();
        let ranking = if job.rerank {
            let trace = job.pipeline.trace_from(as_configured).await?;
            for warning in trace.kept.warnings {
                *warnings.entry(warning).or_default() += 1;
            }
            let head = trace.kept.ranked.iter().map(|ranked| &ranked.hit);
            took += started.elapsed();
            configured.push(scores(query, &in_order(documents(job, query, head.clone()))?));
            in_order(documents(job, query, head.chain(&found.hits)))?
        } else {
            took += plain;
            let passed_on = documents(job, query, as_configured.retrieval.hits.iter());
            configured.push(scores(query, &Ranking::new(passed_on, DEPTH)?));
            Ranking::new(documents(job, query, found.hits.iter()), DEPTH)?
        };
        if ranking.len() < DEPTH {
            reach.short += 1;
            reach.cut_by_threshold += usize::from(found.above_threshold < found.total_candidates);
        }
        reach.none += usize::from(ranking.is_empty());
        queries.push(scores(query, &ranking));
        rankings.push(ranking);
        task.advance(1);
    }
    drop(task);
    for (warning, count) in warnings {
        job.reporter.warn(&format!("{mode}, {count} queries: {warning}"));
    }
    reach.documents = mean(&queries, |query| query.documents as f64);
    Ok(ModeRun {
        mode,
        summary: summarise(&queries, job.benchmark.without_relevant, job.seed),
        queries_per_second: queries.len() as f64 / took.as_secs_f64().max(1e-9),
        reach,
        configured: Configured {
            documents: mean(&configured, |query| query.documents as f64),
            ndcg: mean(&configured, |query| query.value(Measure::Ndcg10)),
            recall: mean(&configured, |query| query.value(Measure::Recall10)),
        },
        queries,
        rankings,
    })
}

/// The documents in the order of the passages, whatever these scored.
fn in_order(documents: Vec<(String, f32)>) -> Result<Ranking, LabError> {
    let ids = documents.into_iter().map(|(id, _)| id).collect();
    Ok(Ranking::in_order(ids, DEPTH)?)
}

fn scores(query: &JudgedQuery, ranking: &Ranking) -> ScoredQuery {
    ScoredQuery::new(&query.id, ranking, &query.grades)
}

fn mean(queries: &[ScoredQuery], value: impl Fn(&ScoredQuery) -> f64) -> f64 {
    queries.iter().map(value).sum::<f64>() / queries.len().max(1) as f64
}

/// Each document of these hits with the score of its best chunk; hits are ordered, best first. Without the document
/// that has the id of the query, if the job leaves it out.
fn documents<'a>(
    job: &Job<'_>,
    query: &JudgedQuery,
    hits: impl Iterator<Item = &'a Hit>,
) -> Vec<(String, f32)> {
    let mut seen = HashSet::new();
    let first_of_each = hits.filter(|hit| seen.insert(&hit.chunk().source_id));
    let named = first_of_each.map(|hit| {
        let id = &hit.chunk().source_id;
        let name = job.documents.get(id).cloned().unwrap_or_else(|| id.to_string());
        (name, hit.combined_score)
    });
    named
        .filter(|(name, _)| !(job.skip_same_id && *name == query.id))
        .collect()
}
