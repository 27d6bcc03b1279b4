//! Retrieves, reranks and expands for every question in one mode, and scores.

use super::{
    Reranking,
    questions::{LocatedQuestion, QuestionFolder},
};
use crate::error::LabError;
use engine::{Pipeline, Trace};
use eval::passages::{ScoredQuestion, Seen};
use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};
use types::{Chunk, Filter, Mode, Reporter, SourceId, Stop};

/// What the measurement of every mode shares.
pub(super) struct Job<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) folder: &'a QuestionFolder,
    /// The `_id` of each source.
    pub(super) articles: &'a HashMap<SourceId, String>,
    /// The same with the order of retrieval.
    pub(super) unranked: &'a Pipeline,
    pub(super) reranking: Reranking,
    pub(super) stop: &'a Stop,
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
    pipeline: &'a Pipeline,
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
    let mut systems: Vec<Running<'_>> = job
        .reranking
        .each()
        .iter()
        .map(|rerank| Running {
            run: SystemRun {
                system: System {
                    mode,
                    reranker: rerank.then(|| job.pipeline.models()["reranker"].clone()),
                },
                questions: Vec::new(),
                nothing_kept: 0,
                questions_per_second: 0.0,
            },
            pipeline: if *rerank { job.pipeline } else { job.unranked },
            took: Duration::ZERO,
        })
        .collect();
    let mut warnings: BTreeMap<String, usize> = BTreeMap::new();
    let everything = Filter::default();
    for located in all {
        if job.stop.is_requested() {
            return Err(LabError::Stopped);
        }
        let started = Instant::now();
        let question = &located.question.text;
        let retrieved = job.pipeline.retrieve(question, mode, &everything).await?;
        let retrieval_took = started.elapsed();
        for system in &mut systems {
            let started = Instant::now();
            let trace = system.pipeline.trace_from(retrieved.clone()).await?;
            let scored = scored(job, located, &trace);
            system.took += retrieval_took + started.elapsed();
            system.run.nothing_kept += usize::from(trace.kept.ranked.is_empty());
            system.run.questions.push(scored);
            for warning in trace.kept.warnings {
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

fn scored(job: &Job<'_>, located: &LocatedQuestion, trace: &Trace) -> ScoredQuestion {
    let named = |chunk| named(job, chunk);
    let seen = Seen {
        candidates: trace
            .retrieval
            .hits
            .iter()
            .map(|hit| named(hit.chunk()))
            .collect(),
        kept: trace
            .kept
            .ranked
            .iter()
            .map(|ranked| named(ranked.hit.chunk()))
            .collect(),
        context: trace
            .context
            .chunks
            .iter()
            .map(|found| named(&found.chunk))
            .collect(),
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
