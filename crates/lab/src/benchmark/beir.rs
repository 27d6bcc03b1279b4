//! Measures retrieval on a folder in BEIR's layout: index the corpus, retrieve for every judged query, score.
//!
//! What is measured is the pipeline as the settings make it. A document scores by its best chunk. The store is asked
//! for as many passages as 100 documents need, more than it returns for an answer (`retrieve.top_k`); the
//! threshold applies as configured.

mod document;

pub use document::{BeirMode, BeirModes, BenchBeir};

use super::{
    Asking, DEPTH, Documents, check_output,
    dataset::{Expecting, Questions, expecting},
    first_with_others,
    index::{Corpus, settings_of, update},
    with_mode,
};
use crate::error::LabError;
use engine::{Pipeline, settings::Settings};
use eval::{
    Gate, Known, Remains, check_means, paired,
    ranking::{Measure, Ranking, ScoredQuery, write_run},
};
use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use types::{Filter, Mode, Reporter, Stop};

const LAYOUT: &str = "name a folder with corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv";

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
    /// Measures only this many judged queries, from the first on; `None` for all.
    pub limit: Option<usize>,
    /// Measures that must reach a value, as `MEASURE=VALUE`.
    pub gates: Vec<String>,
    /// The folder of the index; `None` for one of its own beside the configured index.
    pub index: Option<PathBuf>,
    /// Writes rankings in TREC format. With several modes, each has a file of its own: `run.trec` becomes
    /// `run.bm25.trec`.
    pub run_out: Option<PathBuf>,
    /// Set by the caller to stop; what was indexed is kept.
    pub stop: Stop,
}

/// A finished measurement.
#[derive(Debug)]
pub struct BeirRun {
    /// The results, in the order of the request, and the first mode minus each other one.
    pub results: BeirModes,
    /// Run files that were written.
    pub run_files: Vec<PathBuf>,
}

impl BeirRun {
    /// The document of `--format json`: that of the mode, or of all modes if there are several.
    pub fn document(&self) -> BenchBeir<'_> {
        match self.results.modes.values().collect::<Vec<_>>()[..] {
            [only] => BenchBeir::One(only),
            _ => BenchBeir::All(&self.results),
        }
    }
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
    let keys = Measure::ALL.map(Measure::key);
    let gates = Gate::all(&request.gates, &[], &keys.map(Known::mean), ["ndcg@10=0.3", ""])?;
    request.run_out.iter().try_for_each(|path| check_output(path))?;
    let (corpus, read) = load(request)?;
    let settings = settings_of(settings, request.index.as_deref(), &corpus);
    let index = update(&settings, &corpus, &request.stop, reporter)?;
    let pipeline = Pipeline::open(&settings).await?;
    let documents = Documents::read(&pipeline, false).await?;
    let known = documents.names();
    let expected = read.questions.iter().flat_map(|(_, expected)| expected);
    let relevant_missing = expected.filter(|id| !known.contains(id.as_str())).count();
    let reranker = request.rerank.then(|| pipeline.models()["reranker"].clone());
    let seed = settings.eval.seed;
    let (mut modes, mut measured, mut run_files) = (Vec::new(), Vec::new(), Vec::new());
    for mode in &request.modes {
        let run = measure(&pipeline, &documents, &read, request, *mode, reporter).await?;
        let summary = paired::summarise(&run.scored, &keys, read.without_expected, seed);
        modes.push(BeirMode {
            dataset: corpus.name.clone(),
            mode: mode.to_string(),
            queries: run.scored.len(),
            qps: run.scored.len() as f64 / run.took.as_secs_f64().max(1e-9),
            split: request.split.clone(),
            reranker: reranker.clone(),
            queries_among_documents: run.among_documents,
            queries_without_documents: run.rankings.iter().filter(|ranking| ranking.is_empty()).count(),
            queries_below_100: run.rankings.iter().filter(|ranking| ranking.len() < DEPTH).count(),
            queries_without_relevant: read.without_expected,
            index: index.clone(),
            relevant_missing,
            gates: check_means(&gates, mode.as_str(), &summary),
            measures: summary,
            config_hash: settings.config_hash(),
            models: pipeline.models().clone(),
        });
        if let Some(path) = &request.run_out {
            let several = request.modes.len() > 1;
            let file = if several { with_mode(path, mode.as_str()) } else { path.clone() };
            let tag = format!("pipeline-{mode}{}", if request.rerank { "-rerank" } else { "" });
            let ids = run.scored.iter().map(|query| query.query_id.as_str());
            write_run(&file, &tag, ids.zip(&run.rankings))?;
            run_files.push(file);
        }
        measured.push((*mode, run.scored));
    }
    let comparison = first_with_others(&measured, |(_, first), (mode, other)| {
        (mode.to_string(), paired::compare(first, other, &keys, seed))
    });
    let results = BeirModes {
        dataset: corpus.name,
        modes: modes.into_iter().map(|mode| (mode.mode.clone(), mode)).collect(),
        comparison: comparison.into_iter().collect(),
    };
    Ok(BeirRun { results, run_files })
}

/// The corpus, and the queries with a relevant document.
fn load(request: &BeirRequest) -> Result<(Corpus, Expecting), LabError> {
    let absent = |path: &Path| LabError::unusable(path, "does not exist", LAYOUT);
    let folder = request.folder.canonicalize().map_err(|_| absent(&request.folder))?;
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
    let [file, queries] = ["corpus.jsonl", "queries.jsonl"].map(|name| folder.join(name));
    if let Some(path) = [&file, &queries].into_iter().find(|path| !path.is_file()) {
        return Err(absent(path));
    }
    let qrels = judgements(&folder, &request.split)?;
    let wanted =
        Questions { queries, qrels: Some(qrels), limit: request.limit, min_grade: 1, ..Questions::default() };
    Ok((Corpus { name, file }, expecting(&wanted)?))
}

/// The file of the split's judgements.
fn judgements(folder: &Path, split: &str) -> Result<PathBuf, LabError> {
    let path = folder.join("qrels").join(format!("{split}.tsv"));
    if path.is_file() {
        return Ok(path);
    }
    let names = fs::read_dir(folder.join("qrels")).into_iter().flatten().flatten();
    let mut splits: Vec<String> = names
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".tsv")?.to_owned()))
        .collect();
    splits.sort();
    let hint =
        if splits.is_empty() { LAYOUT.to_owned() } else { format!("--split takes {}", splits.join(", ")) };
    Err(LabError::unusable(path, "does not exist", hint))
}

/// One mode: its queries in the order of the benchmark, and what was returned for each.
#[derive(Default)]
struct Measured {
    scored: Vec<ScoredQuery>,
    rankings: Vec<Ranking>,
    /// Queries that are documents of the corpus.
    among_documents: usize,
    took: Duration,
}

/// Retrieves for every query in one mode, and scores.
async fn measure(
    pipeline: &Pipeline,
    documents: &Documents,
    read: &Expecting,
    request: &BeirRequest,
    mode: Mode,
    reporter: &dyn Reporter,
) -> Result<Measured, LabError> {
    let mut asking = Asking::new(mode.as_str(), "queries", read.questions.len(), &request.stop, reporter);
    // What was indexed.
    asking.remains = Remains::Work;
    let mut out = Measured::default();
    for (query, _) in &read.questions {
        asking.next()?;
        let started = Instant::now();
        let retrieved = pipeline.retrieve(&query.text, mode, &Filter::default()).await?;
        let found = documents.retrieve(pipeline, &retrieved.question).await?;
        let (ranking, itself, warnings) = if request.rerank {
            let kept = pipeline.trace_from(retrieved).await?.kept;
            let head = kept.ranked.iter().map(|ranked| &ranked.hit);
            // Whatever they scored, in the order of the passages.
            let (ranked, itself) = documents.ranked(query, head.chain(&found.hits));
            let ids = ranked.into_iter().map(|(id, _)| id).collect();
            (Ranking::in_order(ids, DEPTH)?, itself, kept.warnings)
        } else {
            let (ranked, itself) = documents.ranked(query, &found.hits);
            (Ranking::new(ranked, DEPTH)?, itself, Vec::new())
        };
        out.took += started.elapsed();
        out.among_documents += usize::from(itself);
        out.scored.push(ScoredQuery::new(&query.id, &ranking, &query.grades));
        out.rankings.push(ranking);
        asking.answered(warnings);
    }
    asking.finish();
    Ok(out)
}
