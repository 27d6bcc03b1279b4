//! Measures on whole papers whether the passage that answers a person's question is found: index the articles,
//! retrieve, rerank and expand for every question, and look where the annotated answer stands.
//!
//! What is measured is the pipeline as the settings make it: `retrieve.candidates` candidates, of which the reranker
//! keeps `rerank.keep`, expanded to at most `expand.cap` passages. The module `questions` reads the folder and locates the
//! answers; it knows nothing of retrieval, so that other benchmarks on these questions can use it.

mod document;
mod measure;
pub(crate) mod questions;
mod results;

pub use crate::benchmark::Indexed;
pub use eval::{Comparison, MetricSummary, passages::Measure};
pub use measure::{System, SystemRun};
pub use questions::LeftOut;
pub use results::{Compared, Group, SystemSummary};

use crate::{
    benchmark::{self, Earlier, check_output, row, write_rows},
    error::LabError,
};
use engine::{
    Pipeline,
    settings::{RerankMethod, Settings},
};
use eval::{Gate, GateResult, check_means, passages};
use questions::QuestionFolder;
use serde_json::json;
use std::{collections::BTreeMap, path::PathBuf};
use types::{ChunkQuery, Mode, Reporter, Stop};

/// Which rankings to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reranking {
    /// What the configured reranker keeps.
    On,
    /// The first candidates of retrieval, as many as the reranker would keep.
    Off,
    /// Both, compared with each other.
    Both,
}

impl Reranking {
    /// Whether to rerank, for each ranking.
    fn each(self) -> &'static [bool] {
        match self {
            Self::On => &[true],
            Self::Off => &[false],
            Self::Both => &[true, false],
        }
    }
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct PassagesRequest {
    /// The folder: `articles.jsonl`, `qa.jsonl`.
    pub folder: PathBuf,
    /// Retrieval modes, each once; the first is compared with the others.
    pub modes: Vec<Mode>,
    /// Whether passages are reranked.
    pub reranking: Reranking,
    /// Whether each half of the articles is also measured by itself. `eval.seed` divides them.
    pub split_half: bool,
    /// Measures only this many questions, from the first on; `None` for all.
    pub limit: Option<usize>,
    /// Measures that must reach a value, as `MEASURE=VALUE`.
    pub gates: Vec<String>,
    /// The folder of the index; `None` for one of its own beside the configured index.
    pub index: Option<PathBuf>,
    /// Writes one JSON object for each question and system.
    pub per_query: Option<PathBuf>,
    /// Compares with the rows that an earlier run wrote for `per_query`.
    pub against: Option<PathBuf>,
    /// Set by the caller to stop; what was indexed is kept.
    pub stop: Stop,
}

/// A finished measurement.
#[derive(Debug)]
pub struct PassagesRun {
    /// The name of the folder.
    pub dataset: String,
    /// All questions; with `split_half`, then those of each half of the articles.
    pub groups: Vec<Group>,
    /// Each gate for each system, over all questions.
    pub gates: Vec<GateResult>,
    /// Questions that were not measured.
    pub left_out: LeftOut,
    /// Questions about an article that is not in the index: they count as not found.
    pub article_missing: usize,
    /// Questions whose answer no chunk of the index holds, those included: they count as not found.
    pub in_no_chunk: usize,
    /// Each system's speed, in the order of the results.
    pub systems: Vec<SystemRun>,
    /// The index and how it came about.
    pub indexed: Indexed,
    /// Hash of the settings.
    pub config_hash: String,
    /// Seed of the halves, intervals and tests.
    pub seed: u64,
    /// Candidates handed to the reranker, passages that it keeps, and most passages of the context.
    pub depths: Depths,
    /// Least similarity of a candidate; not applied in mode bm25.
    pub threshold: f32,
    /// Models by role.
    pub models: BTreeMap<String, String>,
}

/// How many passages each stage hands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depths {
    /// The setting `retrieve.candidates`.
    pub candidates: usize,
    /// The setting `rerank.keep`.
    pub keep: usize,
    /// The setting `expand.cap`.
    pub cap: usize,
}

/// Indexes the articles or reuses their index, and measures every mode.
///
/// # Errors
/// When the folder, a gate or an output is wrong, the index holds other papers, a model is missing, the user stopped
/// the work, or retrieval fails.
pub async fn run(
    settings: &Settings,
    request: &PassagesRequest,
    reporter: &dyn Reporter,
) -> Result<PassagesRun, LabError> {
    // Everything that can be wrong is looked at before the articles are embedded.
    let gates: Vec<Gate> = request
        .gates
        .iter()
        .map(|gate| passages::parse_gate(gate))
        .collect::<Result<_, _>>()?;
    request.per_query.as_deref().map_or(Ok(()), check_output)?;
    let earlier = request.against.as_deref().map(Earlier::load).transpose()?;
    let folder = QuestionFolder::load(&request.folder, settings, request.limit)?;
    let settings = benchmark::settings_of(settings, request.index.as_deref(), &folder.articles);
    let indexed = benchmark::update(&settings, &folder.articles, &request.stop, reporter)?;
    let pipeline = Pipeline::open(&settings).await?;
    let articles = benchmark::documents(&pipeline).await?;
    let chunks = pipeline.store().chunks(&ChunkQuery::All).await?;
    let in_no_chunk = folder.in_no_chunk(&chunks, &articles);
    drop(chunks);

    let mut plain = settings.clone();
    plain.rerank.method = RerankMethod::None;
    plain.rerank.min_score = 0.0;
    let unranked = pipeline.with(&plain)?;
    let job = measure::Job {
        pipeline: &pipeline,
        folder: &folder,
        articles: &articles,
        unranked: &unranked,
        reranking: request.reranking,
        stop: &request.stop,
        reporter,
    };
    let mut systems = Vec::new();
    for mode in &request.modes {
        systems.extend(measure::measure(&job, *mode).await?);
    }
    let seed = settings.eval.seed;
    let groups = results::groups(
        &systems,
        earlier.as_ref(),
        request.split_half,
        folder.left_out.count(),
        seed,
    );
    let gates = groups
        .iter()
        .take(1)
        .flat_map(|all| &all.systems)
        .flat_map(|system| check_means(&gates, &system.system.label(), &system.measures));
    if let Some(path) = &request.per_query {
        write_rows(path, systems.iter().flat_map(|run| rows(run, seed)))?;
    }
    Ok(PassagesRun {
        gates: gates.collect(),
        article_missing: folder.article_missing(&articles),
        in_no_chunk,
        dataset: folder.articles.name.clone(),
        left_out: folder.left_out.clone(),
        groups,
        systems,
        indexed,
        config_hash: settings.config_hash(),
        seed,
        depths: Depths {
            candidates: pipeline.search_settings().candidates,
            keep: settings.rerank.keep,
            cap: settings.expand.cap,
        },
        threshold: pipeline.search_settings().threshold,
        models: pipeline.models().clone(),
    })
}

/// The rows of `per_query`.
fn rows(run: &SystemRun, seed: u64) -> impl Iterator<Item = serde_json::Value> {
    let keys = Measure::ALL.map(Measure::key);
    run.questions.iter().map(move |question| {
        let half = 1 + u8::from(passages::second_half(&question.document, seed));
        let other = [
            ("article_id", json!(question.document)),
            ("half", json!(half)),
            ("candidate_rank", json!(question.candidate_rank)),
            ("kept_rank", json!(question.kept_rank)),
        ];
        row(
            question,
            run.system.mode,
            run.system.reranker.as_deref(),
            &keys,
            other,
        )
    })
}
