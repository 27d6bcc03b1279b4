//! Evaluates retrieval without answers: which of the expected documents each question finds, and where the others are lost.
//!
//! Questions come from a query set, with its target papers as the expected documents, or from a benchmark in BEIR's
//! layout, with its judgements. The gate of a question compares its recall at `k` with the highest recall that `k` allows,
//! because ten results cannot hold fourteen relevant documents.

mod document;
mod measure;
pub(crate) mod questions;

pub use measure::{DEPTH, Found, Stages};
pub use questions::Preset;

use crate::{benchmark, error::LabError};
use engine::{Pipeline, settings::Settings};
use eval::{Comparison, MetricSummary, Ordered, paired};
use std::path::PathBuf;
use types::{Mode, Reporter, Stop};

/// What to evaluate.
#[derive(Clone, Debug)]
pub struct RetrievalRequest {
    /// A query set, or the queries of a benchmark if `qrels` is given.
    pub queries: PathBuf,
    /// Judgements in BEIR's layout.
    pub qrels: Option<PathBuf>,
    /// Only the questions with these ids; all if empty.
    pub ids: Vec<String>,
    /// Only the first questions.
    pub limit: Option<usize>,
    /// Retrieval modes, each once.
    pub modes: Vec<Mode>,
    /// Number of results that count, 1 to [`DEPTH`].
    pub k: usize,
    /// A judged document is relevant from this grade on, from 1.
    pub min_grade: i32,
    /// Minimum share of the highest possible recall for each question, 0 to 1.
    pub min_recall: Option<f64>,
    /// Set by the caller to stop.
    pub stop: Stop,
}

/// A finished evaluation of retrieval.
#[derive(Debug)]
pub struct RetrievalRun {
    /// One for each mode, in the order of the request.
    pub modes: Vec<ModeRetrieval>,
    /// The first mode minus each other one, by mode.
    pub comparisons: Vec<(Mode, Ordered<Comparison>)>,
    /// The request.
    pub request: RetrievalRequest,
    /// Questions without expected documents: not measured.
    pub without_expected: usize,
    /// Expected documents that are not in the index.
    pub not_indexed: usize,
    /// Documents in the index.
    pub documents: usize,
    /// Hash of the settings.
    pub config_hash: String,
}

/// The results of one mode.
#[derive(Debug)]
pub struct ModeRetrieval {
    /// The mode.
    pub mode: Mode,
    /// Mean and interval of each measure over the questions.
    pub summary: Ordered<MetricSummary>,
    /// The questions, in their order.
    pub questions: Vec<Found>,
}

impl RetrievalRun {
    /// Questions below the gate, over all modes; 0 without a gate.
    pub fn below(&self) -> usize {
        let all = self.modes.iter().flat_map(|mode| &mode.questions);
        all.filter(|found| found.passes(self.request.min_recall) == Some(false))
            .count()
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
) -> Result<RetrievalRun, LabError> {
    let read = questions::read(request)?;
    let pipeline = Pipeline::open(settings).await?;
    let mut documents = benchmark::documents(&pipeline).await?;
    if request.qrels.is_none() {
        // Query sets name papers by their source ids.
        for (source, id) in &mut documents {
            *id = source.to_string();
        }
    }
    let not_indexed = read.not_indexed(&documents);
    let all: usize = read
        .questions
        .iter()
        .map(|question| question.expected.len())
        .sum();
    if not_indexed == all {
        return Err(LabError::Benchmark {
            path: settings.index.dir.clone(),
            reason: format!("contains none of the {all} expected documents"),
            hint: "ingest them first, or name their index with --index".to_owned(),
        });
    }
    let mut modes = Vec::new();
    for mode in &request.modes {
        let job = measure::Job {
            pipeline: &pipeline,
            documents: &documents,
            request,
            seed: settings.eval.seed,
            reporter,
        };
        modes.push(measure::measure(&job, &read, *mode).await?);
    }
    let compared = |first: &ModeRetrieval, other: &ModeRetrieval| {
        let seed = settings.eval.seed;
        paired::compare(&first.questions, &other.questions, &measure::MEASURES, seed)
    };
    let comparisons = match modes.split_first() {
        Some((first, others)) => others
            .iter()
            .map(|other| (other.mode, compared(first, other)))
            .collect(),
        None => Vec::new(),
    };
    Ok(RetrievalRun {
        comparisons,
        modes,
        request: request.clone(),
        without_expected: read.without_expected,
        not_indexed,
        documents: documents.len(),
        config_hash: pipeline.config_hash().to_owned(),
    })
}
