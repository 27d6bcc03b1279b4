//! Retrieves, reranks and expands for every question in one mode, and scores.

use super::{
    Reranking,
    questions::{LocatedQuestion, QuestionFolder},
};
use crate::error::LabError;
use engine::Pipeline;
use eval::passages::{ScoredQuestion, Seen};
use rerank::{FusedOrder, Reranked, Reranker};
use std::{
    collections::{BTreeMap, HashMap},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};
use types::{Chunk, Filter, Mode, Question, Reporter, Retrieval, SourceId};

/// What the measurement of every mode shares.
pub(super) struct Job<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) folder: &'a QuestionFolder,
    /// The `_id` of each source.
    pub(super) articles: &'a HashMap<SourceId, String>,
    /// How many passages are kept.
    pub(super) keep: usize,
    pub(super) reranking: Reranking,
    pub(super) stop: &'a AtomicBool,
    pub(super) reporter: &'a dyn Reporter,
}

/// How passages were found and ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// The mode of retrieval.
    pub mode: Mode,
    /// The reranker; `None` for the order of retrieval.
    pub reranker: Option<String>,
}

impl System {
    /// Its name in tables and messages: `hybrid`, `hybrid+sentence`.
    pub fn label(&self) -> String {
        match &self.reranker {
            Some(reranker) => format!("{}+{reranker}", self.mode),
            None => self.mode.to_string(),
        }
    }
}

/// The results of one system.
#[derive(Clone, Debug)]
pub struct SystemRun {
    /// The system.
    pub system: System,
    /// Questions in the order of the folder.
    pub questions: Vec<ScoredQuestion>,
    /// Questions for which nothing was kept.
    pub nothing_kept: usize,
    /// Questions per second, one after the other: embedding, retrieval, reranking, expansion.
    pub questions_per_second: f64,
}

/// A system while it is measured.
struct Running<'a> {
    run: SystemRun,
    reranker: Option<&'a Reranker>,
    took: Duration,
}

/// Measures the systems of one mode.
///
/// # Errors
/// When a question cannot be embedded, retrieval or reranking fails, or the user stopped the work.
pub(super) async fn measure(job: &Job<'_>, mode: Mode) -> Result<Vec<SystemRun>, LabError> {
    let all = &job.folder.questions;
    let task = job
        .reporter
        .task(mode.as_str(), "questions", Some(all.len() as u64));
    let order_of_retrieval = Reranker::new(FusedOrder, job.keep);
    let mut systems: Vec<Running<'_>> = job
        .reranking
        .each()
        .iter()
        .map(|rerank| Running {
            run: SystemRun {
                system: System {
                    mode,
                    reranker: rerank.then(|| job.pipeline.reranker.method()),
                },
                questions: Vec::new(),
                nothing_kept: 0,
                questions_per_second: 0.0,
            },
            reranker: (!rerank).then_some(&order_of_retrieval),
            took: Duration::ZERO,
        })
        .collect();
    let mut warnings: BTreeMap<String, usize> = BTreeMap::new();
    let everything = Filter::default();
    for located in all {
        if job.stop.load(Ordering::Relaxed) {
            return Err(LabError::Stopped);
        }
        let started = Instant::now();
        let asked = job.pipeline.analyse(&located.question.text, mode, &everything);
        let (question, _) = asked.await?;
        let retrieved = job
            .pipeline
            .store
            .retrieve(&question, job.pipeline.plan())
            .await?
            .retrieval;
        let retrieval_took = started.elapsed();
        for system in &mut systems {
            let started = Instant::now();
            let reranked = kept(job, system.reranker, &question, &retrieved).await?;
            let scored = scored(job, located, &retrieved, &reranked);
            system.took += retrieval_took + started.elapsed();
            system.run.nothing_kept += usize::from(reranked.ranked.is_empty());
            system.run.questions.push(scored);
            for warning in reranked.warnings {
                *warnings.entry(warning).or_default() += 1;
            }
        }
        task.advance(1);
    }
    drop(task);
    for (warning, count) in warnings {
        job.reporter
            .warn(&format!("{mode}, {count} questions: {warning}"));
    }
    Ok(systems
        .into_iter()
        .map(|Running { mut run, took, .. }| {
            run.questions_per_second = all.len() as f64 / took.as_secs_f64().max(1e-9);
            run
        })
        .collect())
}

/// What is kept by `order`, or by the reranker of the pipeline if there is none.
async fn kept(
    job: &Job<'_>,
    order: Option<&Reranker>,
    question: &Question,
    retrieved: &Retrieval,
) -> Result<Reranked, LabError> {
    match order {
        None => Ok(job.pipeline.reranked(question.clone(), retrieved.clone()).await?),
        Some(order) => {
            let hits = retrieved.hits.clone();
            Ok(order.rerank(question, hits, &retrieved.statistics).await?)
        }
    }
}

fn scored(
    job: &Job<'_>,
    located: &LocatedQuestion,
    retrieved: &Retrieval,
    kept: &Reranked,
) -> ScoredQuestion {
    let context = expand::expand(&kept.ranked, &job.pipeline.expand);
    let named = |chunk| named(job, chunk);
    let seen = Seen {
        candidates: retrieved.hits.iter().map(|hit| named(hit.chunk())).collect(),
        kept: kept
            .ranked
            .iter()
            .map(|ranked| named(ranked.hit.chunk()))
            .collect(),
        context: context.chunks.iter().map(|found| named(&found.chunk)).collect(),
    };
    let question = &located.question;
    ScoredQuestion::new(&question.id, &question.document, &located.gold, &seen)
}

/// A chunk with the `_id` of its article.
fn named<'a>(job: &'a Job<'_>, chunk: &'a Chunk) -> (&'a str, &'a Chunk) {
    let source = &chunk.source_id;
    (
        job.articles.get(source).map_or(source.as_str(), String::as_str),
        chunk,
    )
}
