//! Retrieves for each question, and follows its expected documents through the stages.

use super::{
    ModeRetrieval, RetrievalRequest,
    questions::{Expecting, Questions},
};
use crate::{benchmark::DeepSearch, error::LabError};
use engine::Pipeline;
use eval::paired::{Scored, summarise};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use types::{Chunk, Filter, Mode, Reporter, SourceId};

/// Documents among which a missed one is looked for; no more can count as results.
pub const DEPTH: usize = 100;

/// What the modes share.
pub(super) struct Job<'a> {
    pub(super) pipeline: &'a Pipeline,
    /// The id of each source, as the benchmark writes it.
    pub(super) documents: &'a HashMap<SourceId, String>,
    pub(super) request: &'a RetrievalRequest,
    pub(super) seed: u64,
    pub(super) reporter: &'a dyn Reporter,
}

/// How many of the expected documents are left after each stage of an answer, with the settings as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// Among the first 100 documents.
    pub first_100: usize,
    /// Among the candidates of the reranker.
    pub candidates: usize,
    /// Among the passages that it keeps.
    pub reranked: usize,
    /// In the context of the answer.
    pub context: usize,
}

/// What one question found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The question.
    pub query_id: String,
    /// Its text.
    pub query: String,
    /// Expected documents.
    pub expected: usize,
    /// Those among the first `k`.
    pub found: usize,
    /// Rank of the first expected document among the first 100, from 1.
    pub first_rank: Option<usize>,
    /// Those that are not among the first `k`, each with its rank among the first 100.
    pub missed: Vec<(String, Option<usize>)>,
    /// What is left of them stage by stage.
    pub stages: Stages,
    /// Number of results that count.
    pub k: usize,
}

impl Found {
    /// Share of the expected documents among the first `k`, 0 to 1.
    pub fn recall(&self) -> f64 {
        self.found as f64 / self.expected as f64
    }

    /// The highest recall that `k` results allow, above 0 and at most 1.
    pub fn ceiling(&self) -> f64 {
        self.k.min(self.expected) as f64 / self.expected as f64
    }

    /// Recall as a share of its ceiling, 0 to 1.
    pub fn of_ceiling(&self) -> f64 {
        self.found as f64 / self.k.min(self.expected) as f64
    }

    /// Whether it reaches the gate; `None` without one.
    pub fn passes(&self, min_recall: Option<f64>) -> Option<bool> {
        // Shares such as 4/5 are not exact in binary.
        min_recall.map(|min| self.of_ceiling() + 1e-9 >= min)
    }

    /// Where the expected documents that `k` could hold are lost first; `None` if none is.
    pub fn lost_at(&self) -> Option<&'static str> {
        let possible = self.k.min(self.expected);
        if self.found >= possible {
            None
        } else if self.stages.first_100 >= possible {
            Some("ranked below k")
        } else {
            Some("not retrieved")
        }
    }
}

/// Measures one mode.
///
/// # Errors
/// When a question cannot be embedded, retrieval or reranking fails, or the user stopped the work.
pub(super) async fn measure(job: &Job<'_>, read: &Questions, mode: Mode) -> Result<ModeRetrieval, LabError> {
    let all = read.questions.len() as u64;
    let task = job.reporter.task(mode.as_str(), "questions", Some(all));
    let deep = DeepSearch::new(job.pipeline, DEPTH).await?;
    let mut questions = Vec::new();
    let mut warnings: BTreeMap<String, usize> = BTreeMap::new();
    for expecting in &read.questions {
        if job.request.stop.is_requested() {
            return Err(LabError::Stopped);
        }
        let found = ask(job, &deep, expecting, mode, &mut warnings).await?;
        questions.push(found);
        task.advance(1);
    }
    drop(task);
    for (warning, count) in warnings {
        job.reporter
            .warn(&format!("{mode}, {count} questions: {warning}"));
    }
    Ok(ModeRetrieval {
        mode,
        summary: summarise(&questions, &MEASURES, read.without_expected, job.seed),
        questions,
    })
}

async fn ask(
    job: &Job<'_>,
    deep: &DeepSearch<'_>,
    expecting: &Expecting,
    mode: Mode,
    warnings: &mut BTreeMap<String, usize>,
) -> Result<Found, LabError> {
    let Job {
        pipeline, request, ..
    } = job;
    let trace = pipeline.trace(&expecting.text, mode, &Filter::default()).await?;
    let hits = deep.retrieve(&trace.question).await?.hits;
    let ranking = job.named(hits.iter().map(|hit| &**hit.chunk()));
    let ranks: HashMap<&str, usize> = ranking
        .iter()
        .enumerate()
        .map(|(at, id)| (id.as_str(), at + 1))
        .collect();
    let rank = |id: &String| ranks.get(id.as_str()).copied();
    let missed: Vec<(String, Option<usize>)> = expecting
        .expected
        .iter()
        .map(|id| (id.clone(), rank(id).filter(|rank| *rank <= DEPTH)))
        .filter(|(_, rank)| rank.is_none_or(|rank| rank > request.k))
        .collect();

    let candidates = job.named(trace.retrieval.hits.iter().map(|hit| &**hit.chunk()));
    for warning in trace.kept.warnings {
        *warnings.entry(warning).or_default() += 1;
    }
    let kept = job.named(trace.kept.ranked.iter().map(|ranked| &**ranked.hit.chunk()));
    let shown = job.named(trace.context.chunks.iter().map(|place| &*place.chunk));
    let count = |ids: &[String]| ids.iter().filter(|id| expecting.expected.contains(*id)).count();
    Ok(Found {
        query_id: expecting.id.clone(),
        query: expecting.text.clone(),
        expected: expecting.expected.len(),
        found: expecting.expected.len() - missed.len(),
        first_rank: expecting
            .expected
            .iter()
            .filter_map(rank)
            .filter(|rank| *rank <= DEPTH)
            .min(),
        missed,
        stages: Stages {
            first_100: count(&ranking[..ranking.len().min(DEPTH)]),
            candidates: count(&candidates),
            reranked: count(&kept),
            context: count(&shown),
        },
        k: request.k,
    })
}

impl Job<'_> {
    /// The documents of these chunks, each once, in their order.
    fn named<'c>(&self, chunks: impl Iterator<Item = &'c Chunk>) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let first = chunks.map(|chunk| &chunk.source_id).filter(|id| seen.insert(*id));
        first
            .map(|id| self.documents.get(id).cloned().unwrap_or_else(|| id.to_string()))
            .collect()
    }
}

/// Names of the measures, in the order of tables.
pub(super) const MEASURES: [&str; 8] = [
    "recall",
    "ceiling",
    "recall_of_ceiling",
    "mrr",
    "first_100",
    "candidates",
    "reranked",
    "context",
];

impl Scored for Found {
    fn id(&self) -> &str {
        &self.query_id
    }

    fn cluster(&self) -> &str {
        &self.query_id
    }

    fn value_of(&self, key: &str) -> Option<f64> {
        let share = |left: usize| left as f64 / self.expected as f64;
        Some(match key {
            "recall" => self.recall(),
            "ceiling" => self.ceiling(),
            "recall_of_ceiling" => self.of_ceiling(),
            "mrr" => self.first_rank.map_or(0.0, |rank| 1.0 / rank as f64),
            "first_100" => share(self.stages.first_100),
            "candidates" => share(self.stages.candidates),
            "reranked" => share(self.stages.reranked),
            "context" => share(self.stages.context),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(expected: usize, found: usize, first_100: usize) -> Found {
        Found {
            query_id: "q".to_owned(),
            query: "Q?".to_owned(),
            expected,
            found,
            first_rank: None,
            missed: Vec::new(),
            stages: Stages {
                first_100,
                ..Stages::default()
            },
            k: 10,
        }
    }

    #[test]
    fn recall_is_compared_with_what_k_allows() {
        let few = found(2, 1, 2);
        assert_eq!((few.recall(), few.ceiling(), few.of_ceiling()), (0.5, 1.0, 0.5));
        let many = found(21, 8, 15);
        assert_eq!((many.ceiling(), many.of_ceiling()), (10.0 / 21.0, 0.8));
        assert!(many.recall() < 0.4);
        assert_eq!(many.passes(Some(0.8)), Some(true));
        assert_eq!(many.passes(Some(0.81)), Some(false));
        assert_eq!(many.passes(None), None);
    }

    #[test]
    fn a_loss_names_its_stage() {
        assert_eq!(found(21, 10, 12).lost_at(), None);
        assert_eq!(found(21, 9, 12).lost_at(), Some("ranked below k"));
        assert_eq!(found(21, 9, 9).lost_at(), Some("not retrieved"));
    }
}
