//! Measures answers on questions with labelled evidence: index the papers, ask every question, and look at which stage
//! the evidence was lost, what was refused, and whether confidence is calibrated.
//!
//! Each answerable question is asked twice: over all papers, and without those that answer it, which should be refused.
//! The plain baselines take the best sentences of all papers, without passages, reranking or refusal.

mod baselines;
mod document;
pub(crate) mod gold;
mod measure;
pub(crate) mod questions;

pub use crate::benchmark::Indexed;
pub use baselines::Baseline;
pub use eval::answers::{AnswerMeasure, Decisions};
pub use eval::{Bin, Reliability};
pub use eval::{Comparison, GateResult, MetricSummary, Ordered};

use crate::{
    benchmark::{self, Earlier, check_output, write_rows},
    error::LabError,
};
use baselines::Sentences;
use engine::{Pipeline, settings::Settings};
use eval::{Gate, answers, check_means, paired};
use questions::Folder;
use serde_json::json;
use std::{collections::BTreeMap, path::PathBuf};
use types::{ChunkQuery, Mode, Reporter, SourceId, SourceQuery, Stop};

/// What to measure.
#[derive(Clone, Debug)]
pub struct AnswersRequest {
    /// The folder: `articles.jsonl` and `qa.jsonl`, or papers.
    pub folder: PathBuf,
    /// The query set, for a folder of papers; `None` for `questions.jsonl` in the folder.
    pub queries: Option<PathBuf>,
    /// The retrieval mode.
    pub mode: Mode,
    /// Whether each question is asked of its own paper alone.
    pub own_paper: bool,
    /// Whether to measure the plain baselines.
    pub baselines: bool,
    /// Measures only this many answerable and this many other questions; `None` for all.
    pub limit: Option<usize>,
    /// Measures that must reach a value, as `MEASURE=VALUE`.
    pub gates: Vec<String>,
    /// The folder of the index; `None` for one of its own beside the configured index.
    pub index: Option<PathBuf>,
    /// Writes one JSON object for each question.
    pub per_query: Option<PathBuf>,
    /// Compares with the rows that an earlier run wrote for `per_query`.
    pub against: Option<PathBuf>,
    /// Writes the features of every sentence, for fitting.
    pub features: Option<PathBuf>,
    /// Set by the caller to stop; what was indexed is kept.
    pub stop: Stop,
}

/// A finished measurement.
#[derive(Debug)]
pub struct AnswersRun {
    /// The name of the folder.
    pub dataset: String,
    /// The retrieval mode.
    pub mode: Mode,
    /// Whether each question was asked of its own paper alone.
    pub own_paper: bool,
    /// Answerable questions.
    pub questions: usize,
    /// Questions that were not asked: their labels are missing, or their evidence cannot be located.
    pub left_out: usize,
    /// Answerable questions whose evidence no chunk contains: they count as not found.
    pub in_no_chunk: usize,
    /// Papers that these are about.
    pub documents: usize,
    /// Mean and interval of each measure.
    pub measures: Ordered<MetricSummary>,
    /// The same for each plain baseline, where a measure applies to it.
    pub baselines: Vec<(Baseline, Ordered<MetricSummary>, Ordered<Comparison>)>,
    /// Each measure minus that of an earlier run.
    pub against: Option<Ordered<Comparison>>,
    /// Answerable questions against those that the papers do not answer.
    pub unanswerable: Decisions,
    /// Answerable questions against the same without the papers that answer them.
    pub removed: Decisions,
    /// Stated confidence of the answers to answerable questions against what they show.
    pub reliability: Reliability,
    /// Mean quotes of an answer.
    pub quotes: f64,
    /// Mean words of an answer, marks included.
    pub words: f64,
    /// Each gate.
    pub gates: Vec<GateResult>,
    /// Milliseconds per question, embedding included.
    pub milliseconds: f64,
    /// The index and how it came about.
    pub indexed: Indexed,
    /// Hash of the settings.
    pub config_hash: String,
    /// Seed of intervals and tests.
    pub seed: u64,
    /// Models by role.
    pub models: BTreeMap<String, String>,
}

/// The measures that a baseline has: those of its best sentences.
const OF_BASELINES: [AnswerMeasure; 4] = [
    AnswerMeasure::Hit5,
    AnswerMeasure::Hit3,
    AnswerMeasure::Hit1,
    AnswerMeasure::Recall5,
];

/// Indexes the papers or reuses their index, and asks every question.
///
/// # Errors
/// When the folder, a gate or an output is wrong, the index holds other papers, a model is missing, the user stopped
/// the work, or a stage fails.
pub async fn run(
    settings: &Settings,
    request: &AnswersRequest,
    reporter: &dyn Reporter,
) -> Result<AnswersRun, LabError> {
    let gates: Vec<Gate> = request
        .gates
        .iter()
        .map(|gate| answers::parse_gate(gate))
        .collect::<Result<_, _>>()?;
    for path in [&request.per_query, &request.features].into_iter().flatten() {
        check_output(path)?;
    }
    let earlier = request.against.as_deref().map(Earlier::load).transpose()?;
    let folder = Folder::load(request, settings)?;
    let settings = benchmark::settings_of(settings, request.index.as_deref(), &folder.corpus);
    let indexed = benchmark::update(&settings, &folder.corpus, &request.stop, reporter)?;
    let pipeline = Pipeline::open(&settings).await?;
    let questions = folder.questions(&pipeline, request.limit).await?;
    let sources = pipeline.store().find_sources(&SourceQuery::All).await?;
    let papers: Vec<SourceId> = sources
        .into_iter()
        .map(|source| source.meta.source_id.clone())
        .collect();
    let sentences = if request.baselines {
        Some(Sentences::read(&pipeline, &settings).await?)
    } else {
        None
    };
    let job = measure::Job {
        pipeline: &pipeline,
        mode: request.mode,
        own_paper: request.own_paper,
        papers: &papers,
        sentences: sentences.as_ref(),
        features: request.features.is_some(),
        stop: &request.stop,
        reporter,
    };
    let chunks = pipeline.store().chunks(&ChunkQuery::All).await?;
    let in_no_chunk = questions::in_no_chunk(&questions, &chunks);
    drop(chunks);
    let results = measure::run(&job, &questions).await?;
    if let Some(path) = &request.per_query {
        write_rows(path, results.rows.iter().cloned())?;
    }
    if let Some(path) = &request.features {
        let head = json!({
            "sentence_features": evidence::FEATURES,
            "answer_features": evidence::ANSWER_FEATURES,
        });
        write_rows(
            path,
            std::iter::once(head).chain(results.features.iter().cloned()),
        )?;
    }
    let seed = settings.eval.seed;
    let keys = AnswerMeasure::ALL.map(AnswerMeasure::key);
    let measures = paired::summarise(&results.scored, &keys, 0, seed);
    let of_baselines = OF_BASELINES.map(AnswerMeasure::key);
    let baselines = results.baselines.iter().map(|(baseline, scored)| {
        (
            *baseline,
            paired::summarise(scored, &of_baselines, 0, seed),
            paired::compare(&results.scored, scored, &of_baselines, seed),
        )
    });
    let against = earlier.map(|earlier| {
        let rows = earlier.of(request.mode, false);
        paired::compare(&results.scored, &rows, &keys, seed)
    });
    let (mut unanswerable, mut removed) = (Decisions::default(), Decisions::default());
    for (_, without, decision) in &results.decisions {
        if !without {
            unanswerable.add(*decision);
        }
        if *without || decision.answerable {
            removed.add(*decision);
        }
    }
    let mut documents: Vec<&str> = results
        .scored
        .iter()
        .map(|scored| scored.document.as_str())
        .collect();
    documents.sort_unstable();
    documents.dedup();
    let answered: Vec<_> = results.scored.iter().filter(|scored| scored.quotes > 0).collect();
    let quotes: usize = answered.iter().map(|scored| scored.quotes).sum();
    let shown = results
        .decisions
        .iter()
        .filter(|(_, _, decision)| decision.answered)
        .count();
    Ok(AnswersRun {
        gates: check_means(&gates, request.mode.as_str(), &measures),
        dataset: folder.corpus.name.clone(),
        mode: request.mode,
        own_paper: request.own_paper,
        questions: results.scored.len(),
        left_out: folder.left_out(),
        in_no_chunk,
        documents: documents.len(),
        measures,
        baselines: baselines.collect(),
        against,
        unanswerable,
        removed,
        reliability: Reliability::new(&results.stated),
        quotes: quotes as f64 / answered.len().max(1) as f64,
        words: results.words as f64 / shown.max(1) as f64,
        milliseconds: 1000.0 * results.took.as_secs_f64() / results.asked.max(1) as f64,
        indexed,
        config_hash: settings.config_hash(),
        seed,
        models: pipeline.models().clone(),
    })
}
