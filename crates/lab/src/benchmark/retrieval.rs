//! Evaluates retrieval without answers: which of the expected documents each question finds, and where the others are lost.
//!
//! Questions come from a query set, with its target papers as the expected documents, or from a benchmark in BEIR's
//! layout, with its judgements. The gate of a question compares its recall at `k` with the highest recall that `k` allows,
//! because ten results cannot hold fourteen relevant documents.

use super::{
    Asking, DEPTH, Documents,
    dataset::{Expecting, Question, Questions, expecting},
    first_with_others,
};
use crate::error::LabError;
use engine::{Pipeline, settings::Settings};
use eval::{
    Comparison, MetricSummary, Ordered,
    paired::{self, Paired},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use types::{Filter, Mode, Reporter, Stop};

/// Questions, settings and gate of a published evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Ids of its questions.
    pub ids: &'static [&'static str],
    /// Number of results that count.
    pub k: usize,
    /// Lowest grade of a relevant document.
    pub min_grade: i32,
    /// Its gate.
    pub min_recall: f64,
}

/// Every preset. `adr-013`: five questions of NFCorpus with 14 to 21 documents of the highest grade each.
const PRESETS: [Preset; 1] = [Preset {
    name: "adr-013",
    ids: &["PLAIN-2630", "PLAIN-2660", "PLAIN-2510", "PLAIN-2430", "PLAIN-2690"],
    k: 10,
    min_grade: 2,
    min_recall: 0.8,
}];

impl Preset {
    /// The preset of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<&'static Self, LabError> {
        let found = PRESETS.iter().find(|preset| preset.name == name);
        found.ok_or_else(|| {
            LabError::Message(format!(
                "no preset is called {name:?}; --preset takes {}",
                PRESETS.map(|p| p.name).join(", ")
            ))
        })
    }

    /// The ids of its questions.
    pub fn ids(&self) -> Vec<String> {
        self.ids.iter().map(|id| (*id).to_owned()).collect()
    }
}

/// What to evaluate.
#[derive(Clone, Debug)]
pub struct RetrievalRequest {
    /// What is asked.
    pub questions: Questions,
    /// Retrieval modes, each once.
    pub modes: Vec<Mode>,
    /// Number of results that count, 1 to [`DEPTH`].
    pub k: usize,
    /// Minimum share of the highest possible recall for each question, 0 to 1.
    pub min_recall: Option<f64>,
    /// Set by the caller to stop.
    pub stop: Stop,
}

/// What `eval --retrieval-only` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RetrievalEval {
    /// The file of the questions.
    pub queries: String,
    /// Number of results that count.
    pub k: usize,
    /// Lowest grade of a relevant document; null for query sets, which do not grade.
    pub min_grade: Option<i32>,
    /// The gate of each question: minimum of `recall_of_ceiling`.
    pub min_recall: Option<f64>,
    /// Documents in the index.
    pub documents: usize,
    /// Expected documents that are not in the index. They count as missed.
    pub not_indexed: usize,
    /// Questions without expected documents: not measured.
    pub without_expected: usize,
    /// Questions below the gate, over all modes.
    pub below: usize,
    /// One for each mode.
    pub modes: Vec<RetrievalMode>,
    /// The first mode minus each other one: by mode, then by measure.
    pub comparison: Ordered<Ordered<Comparison>>,
    /// Hash of the settings.
    pub config_hash: String,
}

/// One mode.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RetrievalMode {
    /// The mode.
    pub mode: String,
    /// Means over the questions: `recall`, `ceiling`, `recall_of_ceiling`, `mrr`, and the share of the expected documents
    /// that is left at each stage.
    pub measures: Ordered<MetricSummary>,
    /// The questions, in their order.
    pub questions: Vec<RetrievalQuestion>,
}

/// One question.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RetrievalQuestion {
    /// Its id.
    pub query_id: String,
    /// Its text.
    pub query: String,
    /// Expected documents.
    pub expected: usize,
    /// Those among the first `k`.
    pub found: usize,
    /// `found / expected`, 0 to 1.
    pub recall: f64,
    /// The highest recall that `k` allows: `min(k, expected) / expected`.
    pub ceiling: f64,
    /// `recall / ceiling`, 0 to 1; the gate compares this.
    pub recall_of_ceiling: f64,
    /// Rank of the first expected document among the first 100, from 1.
    pub first_rank: Option<usize>,
    /// Whether it reaches the gate; null without one.
    pub passed: Option<bool>,
    /// Where documents that `k` could hold are lost: `not retrieved` (not among the first 100) or `ranked below k`.
    pub lost_at: Option<String>,
    /// What is left stage by stage.
    pub stages: RetrievalStages,
    /// Expected documents that are not among the first `k`.
    pub missed: Vec<RetrievalMissed>,
}

/// Number of expected documents at each stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RetrievalStages {
    /// Among the first 100 documents.
    pub first_100: usize,
    /// Among the candidates of the reranker.
    pub candidates: usize,
    /// Among the passages that it keeps.
    pub reranked: usize,
    /// In the context of an answer.
    pub context: usize,
}

/// A document that was missed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RetrievalMissed {
    /// Its id.
    pub document: String,
    /// Its rank among the first 100, from 1; null if it is not among them.
    pub rank: Option<usize>,
}

/// Names of the measures, in the order of tables.
const MEASURES: [&str; 8] =
    ["recall", "ceiling", "recall_of_ceiling", "mrr", "first_100", "candidates", "reranked", "context"];

impl Paired for RetrievalQuestion {
    fn id(&self) -> &str {
        &self.query_id
    }

    fn cluster(&self) -> &str {
        &self.query_id
    }

    fn value_of(&self, key: &str) -> Option<f64> {
        let share = |left: usize| left as f64 / self.expected as f64;
        Some(match key {
            "recall" => self.recall,
            "ceiling" => self.ceiling,
            "recall_of_ceiling" => self.recall_of_ceiling,
            "mrr" => self.first_rank.map_or(0.0, |rank| 1.0 / rank as f64),
            "first_100" => share(self.stages.first_100),
            "candidates" => share(self.stages.candidates),
            "reranked" => share(self.stages.reranked),
            "context" => share(self.stages.context),
            _ => return None,
        })
    }
}

/// Retrieves for every question in every mode.
///
/// # Errors
/// When the questions cannot be read, no question names an expected document, an id is unknown, there is no index, a model
/// is missing, the user stopped the work, or retrieval fails.
pub async fn run(
    settings: &Settings,
    request: &RetrievalRequest,
    reporter: &dyn Reporter,
) -> Result<RetrievalEval, LabError> {
    let wanted = &request.questions;
    let read = expecting(wanted)?;
    let pipeline = Pipeline::open(settings).await?;
    let documents = Documents::read(&pipeline, wanted.qrels.is_none()).await?;
    let known = documents.names();
    let expected = || read.questions.iter().flat_map(|(_, expected)| expected);
    let not_indexed = expected().filter(|id| !known.contains(id.as_str())).count();
    let all = expected().count();
    if not_indexed == all {
        let reason = format!("contains none of the {all} expected documents");
        let hint = "ingest them first, or name their index with --index";
        return Err(LabError::unusable(&settings.index.dir, reason, hint));
    }
    let seed = settings.eval.seed;
    let mut modes = Vec::new();
    for mode in &request.modes {
        let questions = measure(&pipeline, &documents, request, &read, *mode, reporter).await?;
        modes.push(RetrievalMode {
            mode: mode.to_string(),
            measures: paired::summarise(&questions, &MEASURES, read.without_expected, seed),
            questions,
        });
    }
    let compared = first_with_others(&modes, |first, other| {
        let compared = paired::compare(&first.questions, &other.questions, &MEASURES, seed);
        (other.mode.clone(), compared)
    });
    let questions = modes.iter().flat_map(|mode| &mode.questions);
    Ok(RetrievalEval {
        queries: wanted.queries.display().to_string(),
        k: request.k,
        min_grade: wanted.qrels.as_ref().map(|_| wanted.min_grade),
        min_recall: request.min_recall,
        documents: documents.len(),
        not_indexed,
        without_expected: read.without_expected,
        below: questions.filter(|found| found.passed == Some(false)).count(),
        comparison: compared.into_iter().collect(),
        modes,
        config_hash: pipeline.config_hash().to_owned(),
    })
}

/// Retrieves for each question in one mode, and follows its expected documents through the stages.
async fn measure(
    pipeline: &Pipeline,
    documents: &Documents,
    request: &RetrievalRequest,
    read: &Expecting,
    mode: Mode,
    reporter: &dyn Reporter,
) -> Result<Vec<RetrievalQuestion>, LabError> {
    let mut asking = Asking::new(mode.as_str(), "questions", read.questions.len(), &request.stop, reporter);
    let mut questions = Vec::new();
    for (question, expected) in &read.questions {
        asking.next()?;
        let trace = pipeline.trace(&question.text, mode, &Filter::default()).await?;
        let hits = documents.retrieve(pipeline, &trace.question).await?.hits;
        let (ranking, _) = documents.ranked(question, &hits);
        let ranking: Vec<String> = ranking.into_iter().map(|(id, _)| id).take(DEPTH).collect();
        let count = |ids: &[String]| ids.iter().filter(|id| expected.contains(*id)).count();
        let candidates = documents.of(trace.retrieval.hits.iter().map(|hit| &**hit.chunk()));
        let kept = documents.of(trace.kept.ranked.iter().map(|ranked| &**ranked.hit.chunk()));
        let context = documents.of(trace.context.chunks.iter().map(|place| &*place.chunk));
        let stages = RetrievalStages {
            first_100: count(&ranking),
            candidates: count(&candidates),
            reranked: count(&kept),
            context: count(&context),
        };
        questions.push(found(question, expected, &ranking, stages, request));
        asking.answered(trace.kept.warnings);
    }
    asking.finish();
    Ok(questions)
}

/// What a question found. `ranking` has at most [`DEPTH`] documents.
fn found(
    question: &Question,
    expected: &[String],
    ranking: &[String],
    stages: RetrievalStages,
    request: &RetrievalRequest,
) -> RetrievalQuestion {
    let ranks: HashMap<&str, usize> = ranking.iter().map(String::as_str).zip(1..).collect();
    let mut by_id: Vec<&String> = expected.iter().collect();
    by_id.sort();
    by_id.dedup();
    let missed = by_id
        .iter()
        .map(|id| RetrievalMissed { document: (*id).clone(), rank: ranks.get(id.as_str()).copied() });
    let missed: Vec<RetrievalMissed> =
        missed.filter(|missed| missed.rank.is_none_or(|rank| rank > request.k)).collect();
    let (all, possible) = (by_id.len(), request.k.min(by_id.len()));
    let found = all - missed.len();
    let recall_of_ceiling = found as f64 / possible as f64;
    let lost_at = (found < possible).then(|| {
        let ranked = stages.first_100 >= possible;
        if ranked { "ranked below k" } else { "not retrieved" }.to_owned()
    });
    RetrievalQuestion {
        query_id: question.id.clone(),
        query: question.text.clone(),
        expected: all,
        found,
        recall: found as f64 / all as f64,
        ceiling: possible as f64 / all as f64,
        recall_of_ceiling,
        first_rank: by_id.iter().filter_map(|id| ranks.get(id.as_str()).copied()).min(),
        // Shares such as 4/5 are not exact in binary.
        passed: request.min_recall.map(|min| recall_of_ceiling + 1e-9 >= min),
        lost_at,
        stages,
        missed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_is_compared_with_what_k_allows_and_a_loss_names_its_stage() {
        let request = |min_recall| RetrievalRequest {
            questions: Questions::default(),
            modes: Vec::new(),
            k: 10,
            min_recall,
            stop: Stop::default(),
        };
        let question = Question::default();
        let check = |expected: usize,
                     at_top: usize,
                     first_100: usize,
                     min,
                     want: (f64, Option<bool>, Option<&str>)| {
            let ids: Vec<String> = (0..expected).map(|at| format!("d{at}")).collect();
            let mut ranking = ids[..at_top].to_vec();
            ranking.extend((at_top..10).map(|at| format!("other{at}")));
            ranking.extend(ids[at_top..first_100].iter().cloned());
            let stages = RetrievalStages { first_100, ..RetrievalStages::default() };
            let found = found(&question, &ids, &ranking, stages, &request(min));
            let got = (found.recall_of_ceiling, found.passed, found.lost_at.as_deref());
            assert_eq!(got, want, "{expected} {at_top} {first_100}");
            assert!((found.recall * expected as f64 - at_top as f64).abs() < 1e-9);
        };
        check(2, 1, 2, None, (0.5, None, Some("ranked below k")));
        check(21, 8, 15, Some(0.8), (0.8, Some(true), Some("ranked below k")));
        check(21, 8, 15, Some(0.81), (0.8, Some(false), Some("ranked below k")));
        check(21, 10, 12, None, (1.0, None, None));
        check(21, 9, 9, None, (0.9, None, Some("not retrieved")));
    }
}
