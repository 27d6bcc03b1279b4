//! Measures retrieval on a folder in BEIR's layout: index the corpus, retrieve for every judged query, score.
//!
//! What is measured is the pipeline as the settings make it. A document scores by its best chunk. The store is asked
//! for as many passages as 100 documents need, more than it returns for an answer (`retrieve.candidates`); the
//! threshold applies as configured. [`BeirConfigured`] is what the same queries get without that depth.

mod document;

pub use document::{BeirConfigured, BeirIndex, BeirMode, BeirModes, BenchBeir};

use super::{
    Asking, Documents, GateLine, by_key,
    dataset::{Question, file_of, folder_of, judged},
    files::{Earlier, check_output, row, with_mode, write_rows},
    first_with_others,
    index::{Corpus, DeepSearch, Indexed, settings_of, update},
};
use crate::error::LabError;
use engine::{Pipeline, settings::Settings};
pub use eval::ranking::Measure;
use eval::{
    Comparison, Gate, GateResult, MetricSummary, Ordered, Remains, check_means, paired,
    ranking::{Ranking, ScoredQuery, write_run},
};
use serde_json::json;
use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use types::{Filter, Hit, Mode, Reporter, Stop};

/// Documents of a ranking.
pub const DEPTH: usize = 100;
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
    /// The results, in the order of the request.
    pub modes: Vec<BeirMode>,
    /// The first mode minus each other one, by mode.
    pub comparisons: Vec<(String, BTreeMap<String, Comparison>)>,
    /// Each gate in each mode.
    pub gates: Vec<GateResult>,
    /// Run files that were written.
    pub run_files: Vec<PathBuf>,
}

impl BeirRun {
    /// The document of `--format json`: that of the mode, or of all modes if there are several.
    pub fn document(&self) -> BenchBeir {
        if let [only] = &self.modes[..] {
            return BenchBeir::One(Box::new(only.clone()));
        }
        let each = self.modes.iter().map(|run| (run.mode.clone(), run.clone()));
        BenchBeir::All(BeirModes {
            dataset: self.modes.first().map(|run| run.dataset.clone()).unwrap_or_default(),
            modes: each.collect(),
            comparison: self.comparisons.iter().cloned().collect(),
        })
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
    let gates = request.gates.iter();
    let gates: Vec<Gate> =
        gates.map(|gate| Gate::on_means(gate, &keys, "ndcg@10=0.3")).collect::<Result<_, _>>()?;
    let outputs = [&request.run_out, &request.per_query];
    outputs.into_iter().flatten().try_for_each(|path| check_output(path))?;
    let earlier = Earlier::load(request.against.as_deref())?;
    let (corpus, queries, without_relevant) = load(request)?;
    let settings = settings_of(settings, request.index.as_deref(), &corpus);
    let indexed = update(&settings, &corpus, &request.stop, reporter)?;
    let pipeline = Pipeline::open(&settings).await?;
    let documents = Documents::read(&pipeline, false).await?;
    let job = Job { request, pipeline: &pipeline, queries: &queries, documents: &documents, reporter };
    let mut measured = Vec::new();
    for mode in &request.modes {
        measured.push(job.measure(*mode).await?);
    }

    let seed = settings.eval.seed;
    let reranker = request.rerank.then(|| pipeline.models()["reranker"].clone());
    let common = Common {
        corpus: &corpus,
        settings: &settings,
        indexed: &indexed,
        without_relevant,
        relevant_missing: relevant_missing(&queries, &documents),
        reranker: reranker.clone(),
    };
    let (mut modes, mut all_gates) = (Vec::new(), Vec::new());
    for one in &measured {
        let summary = paired::summarise(&one.scored, &keys, without_relevant, seed);
        let gates = check_means(&gates, one.mode.as_str(), &summary);
        let against = earlier.as_ref().map(|earlier| {
            let rows = earlier.of(one.mode, request.rerank);
            by_key(paired::compare(&one.scored, &rows, &keys, seed))
        });
        modes.push(job.document(one, &common, &summary, &gates, against));
        all_gates.extend(gates);
    }
    let comparisons = first_with_others(&measured, |first, other| {
        let compared = paired::compare(&first.scored, &other.scored, &keys, seed);
        (other.mode.to_string(), by_key(compared))
    });
    if let Some(path) = &request.per_query {
        let rows = measured.iter().flat_map(|run| {
            let reranker = reranker.as_deref();
            run.scored.iter().map(move |query| {
                let counts = [("documents", json!(query.documents)), ("relevant", json!(query.relevant))];
                row(query, run.mode, reranker, &keys, counts)
            })
        });
        write_rows(path, rows)?;
    }
    Ok(BeirRun { modes, comparisons, gates: all_gates, run_files: write_runs(request, &measured)? })
}

/// The corpus, the queries with a relevant document, and how many judged ones have none.
fn load(request: &BeirRequest) -> Result<(Corpus, Vec<Question>, usize), LabError> {
    let (folder, name) = folder_of(&request.folder, LAYOUT)?;
    let file = file_of(&folder, "corpus.jsonl", LAYOUT)?;
    let queries = file_of(&folder, "queries.jsonl", LAYOUT)?;
    let qrels = judgements(&folder, &request.split)?;
    let all = judged(&queries, &qrels)?;
    let judged = all.len();
    let relevant = |question: &Question| question.grades.values().any(|grade| *grade > 0);
    let mut queries: Vec<Question> = all.into_iter().filter(relevant).collect();
    let without_relevant = judged - queries.len();
    if queries.is_empty() {
        return Err(LabError::Benchmark {
            path: qrels,
            reason: "marks no document as relevant".to_owned(),
            hint: "name another split".to_owned(),
        });
    }
    queries.truncate(request.limit.unwrap_or(usize::MAX));
    Ok((Corpus { name, file }, queries, without_relevant))
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
    Err(LabError::Benchmark { path, reason: "does not exist".to_owned(), hint })
}

/// Relevant judgements of the measured queries whose document is not in the index.
fn relevant_missing(queries: &[Question], documents: &Documents) -> usize {
    let known = documents.names();
    let grades = queries.iter().flat_map(|query| &query.grades);
    grades.filter(|(id, grade)| **grade > 0 && !known.contains(id.as_str())).count()
}

/// Writes a run file for each mode, if the request asks for it.
fn write_runs(request: &BeirRequest, measured: &[Measured]) -> Result<Vec<PathBuf>, LabError> {
    let mut files = Vec::new();
    for run in measured {
        let Some(path) = &request.run_out else { break };
        let file = match measured {
            [_] => path.clone(),
            _ => with_mode(path, run.mode.as_str()),
        };
        let tag = format!("pipeline-{}{}", run.mode, if request.rerank { "-rerank" } else { "" });
        let ids = run.scored.iter().map(|query| query.query_id.as_str());
        write_run(&file, &tag, ids.zip(&run.rankings))?;
        files.push(file);
    }
    Ok(files)
}

/// What the measurement of every mode shares.
struct Job<'a> {
    request: &'a BeirRequest,
    pipeline: &'a Pipeline,
    queries: &'a [Question],
    documents: &'a Documents,
    reporter: &'a dyn Reporter,
}

/// What the documents of all modes share.
struct Common<'a> {
    corpus: &'a Corpus,
    settings: &'a Settings,
    indexed: &'a Indexed,
    without_relevant: usize,
    relevant_missing: usize,
    reranker: Option<String>,
}

/// One mode: its queries in the order of the benchmark, and what was returned for each.
struct Measured {
    mode: Mode,
    scored: Vec<ScoredQuery>,
    rankings: Vec<Ranking>,
    /// The same without the depth of the measurement.
    configured: Vec<ScoredQuery>,
    cut_by_threshold: usize,
    /// Queries that are documents of the corpus.
    among_documents: usize,
    took: Duration,
}

impl Job<'_> {
    /// Retrieves for every query in one mode, and scores.
    async fn measure(&self, mode: Mode) -> Result<Measured, LabError> {
        let (request, pipeline) = (self.request, self.pipeline);
        let mut asking =
            Asking::new(mode.as_str(), "queries", self.queries.len(), &request.stop, self.reporter);
        // What was indexed.
        asking.remains = Remains::Work;
        let deep = DeepSearch::new(pipeline, DEPTH).await?;
        let mut out = Measured {
            mode,
            scored: Vec::new(),
            rankings: Vec::new(),
            configured: Vec::new(),
            cut_by_threshold: 0,
            among_documents: 0,
            took: Duration::ZERO,
        };
        for query in self.queries {
            asking.next()?;
            let started = Instant::now();
            let as_configured = pipeline.retrieve(&query.text, mode, &Filter::default()).await?;
            let analysed = started.elapsed().saturating_sub(as_configured.clock.lap_of("retrieve"));
            let deep_started = Instant::now();
            let found = deep.retrieve(&as_configured.question).await?;
            let plain = analysed + deep_started.elapsed();
            let mut warnings = Vec::new();
            let (configured, ranking) = if request.rerank {
                let trace = pipeline.trace_from(as_configured).await?;
                let head = || trace.kept.ranked.iter().map(|ranked| &ranked.hit);
                out.took += started.elapsed();
                let configured = in_order(self.named(query, head()))?;
                let ranking = in_order(self.named(query, head().chain(&found.hits)))?;
                warnings = trace.kept.warnings;
                (configured, ranking)
            } else {
                out.took += plain;
                let passed_on = self.named(query, as_configured.retrieval.hits.iter());
                let ranking = self.named(query, found.hits.iter());
                (Ranking::new(passed_on, DEPTH)?, Ranking::new(ranking, DEPTH)?)
            };
            let cut = ranking.len() < DEPTH && found.above_threshold < found.total_candidates;
            out.cut_by_threshold += usize::from(cut);
            out.among_documents += usize::from(found.hits.iter().any(|hit| self.is_query(hit, query)));
            let scored = |ranking| ScoredQuery::new(&query.id, ranking, &query.grades);
            out.configured.push(scored(&configured));
            out.scored.push(scored(&ranking));
            out.rankings.push(ranking);
            asking.answered(warnings);
        }
        asking.finish();
        Ok(out)
    }

    /// Each document of these hits with the score of its best chunk; hits are ordered, best first. Without the query
    /// itself.
    fn named<'h>(&self, query: &Question, hits: impl Iterator<Item = &'h Hit>) -> Vec<(String, f32)> {
        let mut seen = HashSet::new();
        hits.filter(|hit| seen.insert(&hit.chunk().source_id))
            .filter(|hit| !self.is_query(hit, query))
            .map(|hit| {
                let name = self.documents.name(&hit.chunk().source_id).to_owned();
                (name, hit.combined_score)
            })
            .collect()
    }

    /// Whether a hit is the query: the queries of ArguAna and Quora are documents of the corpus, with the same id and text.
    /// BEIR leaves them out of their own rankings.
    fn is_query(&self, hit: &Hit, query: &Question) -> bool {
        let chunk = hit.chunk();
        let is_text = || text::one_line(&query.text).contains(&text::one_line(&chunk.text));
        self.documents.name(&chunk.source_id) == query.id && is_text()
    }

    fn document(
        &self,
        run: &Measured,
        common: &Common<'_>,
        summary: &Ordered<MetricSummary>,
        gates: &[GateResult],
        against: Option<BTreeMap<String, Comparison>>,
    ) -> BeirMode {
        let mean = |queries: &[ScoredQuery], value: &dyn Fn(&ScoredQuery) -> f64| {
            queries.iter().map(value).sum::<f64>() / queries.len().max(1) as f64
        };
        // A run has at least one query, so every measure has a mean.
        let of = |measure: Measure| {
            let summary = summary.get(measure.key());
            summary.and_then(|summary| summary.mean).unwrap_or_default()
        };
        let documents = |query: &ScoredQuery| query.documents as f64;
        let search = self.pipeline.search_settings();
        BeirMode {
            dataset: common.corpus.name.clone(),
            mode: run.mode.to_string(),
            ndcg_10: of(Measure::Ndcg10),
            recall_10: of(Measure::Recall10),
            recall_100: of(Measure::Recall100),
            map: of(Measure::Map),
            mrr_10: of(Measure::Mrr10),
            precision_10: of(Measure::Precision10),
            queries: run.scored.len(),
            qps: run.scored.len() as f64 / run.took.as_secs_f64().max(1e-9),
            index_seconds: common.indexed.seconds,
            split: self.request.split.clone(),
            reranker: common.reranker.clone(),
            queries_among_documents: run.among_documents,
            measures: by_key(summary.clone()),
            documents_per_query: mean(&run.scored, &documents),
            queries_without_documents: run.rankings.iter().filter(|ranking| ranking.is_empty()).count(),
            queries_below_100: run.rankings.iter().filter(|ranking| ranking.len() < DEPTH).count(),
            queries_cut_by_threshold: run.cut_by_threshold,
            queries_without_relevant: common.without_relevant,
            as_configured: BeirConfigured {
                candidates: search.candidates,
                keep: self.request.rerank.then_some(common.settings.rerank.keep),
                threshold: search.threshold.into(),
                documents_per_query: mean(&run.configured, &documents),
                ndcg_10: mean(&run.configured, &|query| query.value(Measure::Ndcg10)),
                recall_10: mean(&run.configured, &|query| query.value(Measure::Recall10)),
            },
            index: BeirIndex {
                dir: common.indexed.dir.clone(),
                documents: common.indexed.documents,
                chunks: common.indexed.chunks,
                added: common.indexed.added,
                left_out: common.indexed.left_out,
                relevant_missing: common.relevant_missing,
            },
            against,
            gates: gates.iter().map(GateLine::from).collect(),
            config_hash: common.settings.config_hash(),
            models: self.pipeline.models().clone(),
        }
    }
}

/// The documents in the order of the passages, whatever these scored.
fn in_order(documents: Vec<(String, f32)>) -> Result<Ranking, LabError> {
    let ids = documents.into_iter().map(|(id, _)| id).collect();
    Ok(Ranking::in_order(ids, DEPTH)?)
}
