//! Measures retrieval on a folder in BEIR's layout: index the corpus, retrieve for every judged query, score.
//!
//! What is measured is the pipeline as the settings make it. A document scores by its best chunk. The store is asked
//! for as many passages as 100 documents need, more than it returns for an answer (`retrieve.candidates`); the
//! threshold applies as configured. [`Configured`] is what the same queries get without that depth.

mod document;
mod folder;
mod measure;
mod output;

pub use crate::benchmark::Indexed;
pub use eval::{Comparison, GateResult, MetricSummary, Ordered, ranking::Measure};
pub use measure::{Configured, ModeRun, Reach};

use crate::{
    benchmark::{self, Earlier},
    error::LabError,
};
use engine::{Pipeline, settings::Settings};
use eval::{Gate, check_means, ranking};
use folder::Benchmark;
use std::{collections::BTreeMap, path::PathBuf};
use types::{Mode, Reporter, Stop};

/// Documents of a ranking.
pub const DEPTH: usize = 100;

/// What to measure.
#[derive(Clone, Debug)]
pub struct BeirRequest {
    /// The folder: `corpus.jsonl`, `queries.jsonl`, `qrels/SPLIT.tsv`.
    pub folder: PathBuf,
    /// The split.
    pub split: String,
    /// Retrieval modes, each once; the first is compared with the others.
    pub modes: Vec<Mode>,
    /// Whether the configured reranker reorders the head of each ranking.
    pub rerank: bool,
    /// Whether a document that has the id of the query is left out of its ranking.
    pub skip_same_id: bool,
    /// Measures only this many judged queries, from the first on; `None` for all.
    pub limit: Option<usize>,
    /// Measures that must reach a value, as `MEASURE=VALUE`.
    pub gates: Vec<String>,
    /// The folder of the index; `None` for one of its own beside the configured index.
    pub index: Option<PathBuf>,
    /// Writes rankings in TREC format. With several modes, each has a file of its own: `run.trec` becomes
    /// `run.bm25.trec`.
    pub run_out: Option<PathBuf>,
    /// Writes one JSON object for each query and mode.
    pub per_query: Option<PathBuf>,
    /// Compares with the rows that an earlier run wrote for `per_query`.
    pub against: Option<PathBuf>,
    /// Set by the caller to stop; what was indexed is kept.
    pub stop: Stop,
}

/// A finished measurement.
#[derive(Debug)]
pub struct BeirRun {
    /// The name of the folder.
    pub dataset: String,
    /// The split.
    pub split: String,
    /// Whether rankings were reranked, and by what.
    pub reranker: Option<String>,
    /// Whether a document that has the id of the query was left out of its ranking.
    pub skip_same_id: bool,
    /// The results, in the order of the request.
    pub modes: Vec<ModeRun>,
    /// The first mode minus each other one, by mode.
    pub comparisons: Vec<(Mode, Ordered<Comparison>)>,
    /// Each mode minus the same mode of an earlier run.
    pub against: Vec<(Mode, Ordered<Comparison>)>,
    /// Each gate in each mode.
    pub gates: Vec<GateResult>,
    /// The index and how it came about.
    pub indexed: Indexed,
    /// Queries that have judgements, but no relevant document: not measured.
    pub without_relevant: usize,
    /// Relevant judgements of documents that are not in the index.
    pub relevant_missing: usize,
    /// Run files that were written.
    pub run_files: Vec<PathBuf>,
    /// Hash of the settings.
    pub config_hash: String,
    /// Passages that the settings pass on for an answer.
    pub candidates: usize,
    /// Passages that the reranker keeps of these; `None` where rankings were not reranked.
    pub keep: Option<usize>,
    /// Least similarity of a passage; not applied in mode bm25.
    pub threshold: f32,
    /// Models by role.
    pub models: BTreeMap<String, String>,
}

/// Indexes the corpus or reuses its index, and measures every mode.
///
/// # Errors
/// When the folder, the split, a gate or an output is wrong, the index holds other papers, a model is missing, the user
/// stopped the work, or retrieval fails.
pub async fn run(
    settings: &Settings,
    request: &BeirRequest,
    reporter: &dyn Reporter,
) -> Result<BeirRun, LabError> {
    // Everything that can be wrong is looked at before the corpus is embedded.
    let gates: Vec<Gate> = request
        .gates
        .iter()
        .map(|gate| ranking::parse_gate(gate))
        .collect::<Result<_, _>>()?;
    output::check(request)?;
    let earlier = request.against.as_deref().map(Earlier::load).transpose()?;
    let benchmark = Benchmark::load(request)?;
    let settings = benchmark::settings_of(settings, request.index.as_deref(), &benchmark.corpus);
    let indexed = benchmark::update(&settings, &benchmark.corpus, &request.stop, reporter)?;
    let pipeline = Pipeline::open(&settings).await?;
    let documents = benchmark::documents(&pipeline).await?;

    let mut modes = Vec::new();
    for mode in &request.modes {
        let job = measure::Job {
            pipeline: &pipeline,
            benchmark: &benchmark,
            documents: &documents,
            rerank: request.rerank,
            skip_same_id: request.skip_same_id,
            seed: settings.eval.seed,
            stop: &request.stop,
            reporter,
        };
        modes.push(measure::measure(&job, *mode).await?);
    }
    let comparisons = match modes.split_first() {
        Some((first, others)) => others
            .iter()
            .map(|other| {
                let compared = ranking::compare(&first.queries, &other.queries, settings.eval.seed);
                (other.mode, compared)
            })
            .collect(),
        None => Vec::new(),
    };
    let gates = modes
        .iter()
        .flat_map(|run| check_means(&gates, run.mode.as_str(), &run.summary))
        .collect();
    let against = earlier.map_or_else(Vec::new, |earlier| {
        let compared = modes.iter().map(|run| {
            let rows = earlier.of(run.mode, request.rerank);
            (
                run.mode,
                ranking::compare(&run.queries, &rows, settings.eval.seed),
            )
        });
        compared.collect()
    });
    let reranker = request.rerank.then(|| pipeline.models()["reranker"].clone());
    let run_files = output::write(request, &modes, reranker.as_deref())?;
    Ok(BeirRun {
        relevant_missing: benchmark.relevant_missing(&documents),
        without_relevant: benchmark.without_relevant,
        dataset: benchmark.corpus.name,
        split: request.split.clone(),
        skip_same_id: request.skip_same_id,
        reranker,
        modes,
        comparisons,
        against,
        gates,
        indexed,
        run_files,
        config_hash: settings.config_hash(),
        candidates: pipeline.search_settings().candidates,
        keep: request.rerank.then_some(settings.rerank.keep),
        threshold: pipeline.search_settings().threshold,
        models: pipeline.models().clone(),
    })
}
