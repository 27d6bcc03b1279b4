//! Evaluates a query set: rows, log lines, a report.

mod judges;
mod provenance;
pub(crate) mod resume;

pub(crate) use judges::{asks_model, judge, judging_model};
pub(crate) use provenance::{
    architecture, completed, name_of, new_run_id, program_identity, run_identity, settings_help, version,
};

use crate::report::{
    evaluation::{self, Written},
    page::Page,
};
use crate::{
    benchmark::GateLine,
    controls::{self, ControlJob},
    error::LabError,
};
use engine::{
    Pipeline,
    chat_models::{self, ChatModels},
    settings::{CacheChoice, Loaded, RefusalScores, Settings},
    stages,
};
use eval::{
    EvalError, Gate, GateResult, GoldChunks, Judge, PartialRows, QuerySet, Remains, Row, RowSink as _,
    RunJob, RunKey, RunSettings, Side,
    export::{junit, test_cases},
    report::{Evaluation, Provenance},
    runlog::{LogIndex, RunHeader, check_name},
    stored::RunComparison,
};
use provenance::provenance;
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};
use types::words::{NAMED, first_of};
use types::{BoxError, Chunk, ChunkQuery, Mode, Reporter, RunRecord, SourceId, SourceQuery, Stop, StoreInfo};

/// What to evaluate.
#[derive(Clone, Debug)]
pub struct EvalRequest {
    /// The query set.
    pub queries: PathBuf,
    /// Modes, in the order of the report; the first is compared with the second.
    pub modes: Vec<Mode>,
    /// Evaluates only this many questions, from the first on; `None` for all.
    pub limit: Option<usize>,
    /// Start over instead of resuming.
    pub fresh: bool,
    /// Metrics that must reach a value, as `METRIC=VALUE`.
    pub min: Vec<String>,
    /// Gates as `METRIC=VALUE`: no mode may be above.
    pub max: Vec<String>,
    /// Whether control systems are run beside the first mode ([`eval::controls`]).
    pub controls: bool,
    /// The most that calls to language models may cost, in US dollars.
    pub max_cost: Option<f64>,
    /// The name of the run in the log ([`eval::runlog::check_name`]).
    pub name: Option<String>,
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Evaluated {
    /// Numbers, rows and where they come from.
    pub evaluation: Evaluation,
    /// Where the report was written, if it could be.
    pub written: Option<Written>,
    /// Each gate, with the values that it was checked against.
    pub gates: Vec<GateResult>,
    /// Rows reused from an unfinished run.
    pub resumed: usize,
    /// Rows that are errors: no answer, no verdict of the judge, or not asked. The next run tries them again.
    pub failed: usize,
    /// Calls to language models that the cache answered, and those that it did not.
    pub cached_calls: (u64, u64),
}

/// What `eval` prints: the evaluation and its gates.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Eval<'a> {
    /// The evaluation, as in `eval.json`.
    #[serde(flatten)]
    evaluation: &'a Evaluation,
    /// The conditions of `--min` and `--max`.
    gates: Vec<GateLine>,
    /// The comparison with the run or the settings of `--against`.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<&'a RunComparison>,
}

impl Evaluated {
    /// The document of `--format json`.
    pub fn document<'a>(&'a self, against: Option<&'a RunComparison>) -> Eval<'a> {
        Eval { evaluation: &self.evaluation, gates: self.gates.iter().map(GateLine::from).collect(), against }
    }

    /// The report.
    pub fn page(&self) -> Page {
        evaluation::page(&self.evaluation)
    }

    /// Gates and results, for a comment on a pull request.
    pub fn pull_request(&self) -> Page {
        evaluation::pull_request(&self.evaluation, &self.gates)
    }

    /// Gates and rows as test cases, in the XML of JUnit.
    pub fn junit(&self) -> String {
        junit("pipeline eval", &test_cases(&self.evaluation, &self.gates))
    }
}

/// Answers and scores every question in every mode, and writes the report. After a stop, the next run
/// continues with what is finished.
///
/// # Errors
/// When the query set or a gate is wrong, there is no index, the run was cancelled, or a result cannot be
/// written. A question that fails is a row, not an error.
pub async fn evaluate(
    loaded: &Loaded,
    request: &EvalRequest,
    reporter: &dyn Reporter,
    stop: &Stop,
) -> Result<Evaluated, LabError> {
    if let Some(name) = &request.name {
        check_name(name)?;
    }
    let read = |texts: &[String], side| -> Result<Vec<Gate>, EvalError> {
        texts.iter().map(|text| Gate::of_evaluation(text, side)).collect()
    };
    let mut gates = read(&request.min, Side::AtLeast)?;
    gates.extend(read(&request.max, Side::AtMost)?);
    let set = query_set(request, reporter)?;
    let models = Arc::new(ChatModels::new(&loaded.settings)?.with_budget(request.max_cost));
    let (pipeline, judge) = open(&loaded.settings, &models, reporter).await?;
    warn_of_unknown_targets(&set, &pipeline, reporter).await?;
    let system = System { loaded, set: &set, pipeline: &pipeline, models: &models, judge: &*judge, reporter };
    let done = system.evaluate(request, stop).await?;
    let gates = gates.iter().flat_map(|gate| gate.check(&done.evaluation)).collect();
    Ok(Evaluated { gates, ..done })
}

/// What questions are asked of, and who judges.
pub(crate) struct System<'a> {
    pub(crate) loaded: &'a Loaded,
    pub(crate) set: &'a QuerySet,
    pub(crate) pipeline: &'a Pipeline,
    pub(crate) models: &'a ChatModels,
    pub(crate) judge: &'a dyn Judge,
    pub(crate) reporter: &'a dyn Reporter,
}

impl System<'_> {
    /// Asks the questions, logs the records, and writes the report. Gates are not looked at.
    ///
    /// # Errors
    /// As [`evaluate`].
    pub(crate) async fn evaluate(&self, request: &EvalRequest, stop: &Stop) -> Result<Evaluated, LabError> {
        let Self { set, pipeline, models, judge, reporter, .. } = *self;
        let settings = &self.loaded.settings;
        let started = engine::timestamp();
        let gold = gold_chunks(set, pipeline).await?;
        let info = pipeline.store().info().await?;
        let modes: Vec<&str> = request.modes.iter().map(|mode| mode.as_str()).collect();
        let key = RunKey {
            config_hash: settings.config_hash(),
            query_set_hash: format!("{}/{}", set.hash(), modes.join("+")),
            generation: info.identity.clone(),
            version: format!("{} {}", version(), program_identity()),
        };
        let partial = settings.log.reports.join(format!("rows.partial.{}.jsonl", run_identity(&key)));
        let (mut sink, mut resumed) =
            PartialRows::open(&partial, &key, &new_run_id(&key.config_hash), request.fresh)?;
        resume::ask_again(settings, &mut resumed, reporter)?;

        let provenance = self.provenance(request, &info);
        let job = RunJob {
            done: resumed.rows,
            answers: resumed.answers,
            gold: Some(&gold),
            ..RunJob::new(
                (set, &request.modes),
                pipeline,
                judge,
                run_settings(settings, &resumed.run_id),
                reporter,
            )
        };
        let controlled = request.modes.first().copied().filter(|_| request.controls);
        let mut records: HashMap<String, RunRecord> = HashMap::new();
        let mut header = Some(RunHeader {
            name: request.name.clone(),
            started,
            ..RunHeader::new(provenance.clone(), set, &request.modes, request.controls)
        });
        let mut logs = true;
        let mut on_record = |record: RunRecord| -> Result<(), BoxError> {
            // A failed question has no answer to alter: controls ask it again.
            if record.context.is_some() && controlled.is_some() && record.mode == controlled {
                records.insert(record.query.clone(), record.clone());
            }
            let mut record = completed(record, &provenance);
            if let Some(header) = header.take() {
                header.attach(&mut record)?;
            }
            if logs && let Err(error) = crate::log::append(settings, &record) {
                logs = false;
                reporter.warn(&crate::log::unwritten(&error));
            }
            Ok(())
        };
        let outcome = eval::run(job, &mut sink, &mut on_record, stop).await?;
        if outcome.interrupted {
            return Err(LabError::Stopped(sink.remains()));
        }
        let mut evaluation = Evaluation::new(&resumed.run_id, outcome.rows, provenance);
        if let Some(mode) = controlled {
            self.add_controls(&mut evaluation, mode, records, stop).await?;
        }
        if logs {
            read_log(&mut evaluation, settings, reporter);
        }
        evaluation.help = settings_help()?;
        let written = evaluation::write(&evaluation, &settings.log.reports).inspect_err(|error| {
            reporter.warn(&format!("no report: {error}; set log.reports to another folder"));
        });
        // Last, because it removes the rows from which a run that failed would go on.
        if outcome.failed == 0 {
            sink.finish()?;
        } else {
            reporter.warn(&failed(&evaluation, outcome.failed, sink.remains()));
        }
        Ok(Evaluated {
            evaluation,
            written: written.ok(),
            gates: Vec::new(),
            resumed: outcome.resumed,
            failed: outcome.failed,
            cached_calls: (models.counts().hits(), models.counts().misses()),
        })
    }

    /// Where the results come from. Warns of a model that checks its own work.
    fn provenance(&self, request: &EvalRequest, info: &StoreInfo) -> Provenance {
        let Self { loaded, set, pipeline, models, judge, reporter } = *self;
        let settings = &loaded.settings;
        let mut found = provenance(settings, &loaded.layers, set, request, (pipeline, info));
        found.models.insert("judge".to_owned(), judge.id());
        if pipeline.verifies_itself() {
            reporter
                .warn("the model that writes the answers verifies them; set guardrail.model to another one");
        }
        if found.self_judged() {
            reporter.warn("the judge is the model that writes the answers; models prefer their own answers, so set eval.judge_model to another one");
        }
        for (stage, model) in chat_models::by_stage(settings) {
            found.prices.extend(models.price(model).map(|price| (stage.to_owned(), price)));
        }
        found
    }

    /// Tests the query set and the judge with control systems. `records`: by question, the answers of the run.
    async fn add_controls(
        &self,
        evaluation: &mut Evaluation,
        mode: Mode,
        records: HashMap<String, RunRecord>,
        stop: &Stop,
    ) -> Result<(), LabError> {
        let settings = &self.loaded.settings;
        let job = ControlJob {
            pipeline: self.pipeline,
            settings,
            run: run_settings(settings, ""),
            set: self.set,
            mode,
            records,
            judge: self.judge,
            reporter: self.reporter,
        };
        let runs = controls::run(&job, stop).await?;
        let own: Vec<Row> = evaluation.rows.iter().filter(|row| row.mode == mode.as_str()).cloned().collect();
        let seed = settings.eval.seed;
        evaluation.controls = Some(eval::controls::compare(mode.as_str(), &own, &runs, seed));
        Ok(())
    }
}

/// The warning that rows are missing. They stay for the next run, which asks again for those that failed.
fn failed(evaluation: &Evaluation, failed: usize, remains: Remains) -> String {
    let pending = evaluation.rows.iter().filter(|row| row.pending).count();
    let of = evaluation.rows.len();
    let what = match (failed.saturating_sub(pending), pending) {
        (failed, 0) => format!("{failed} of {of} rows failed"),
        (0, pending) => format!("{pending} of {of} rows are pending, because the judge could not be reached"),
        (failed, pending) => format!(
            "{failed} of {of} rows failed and {pending} are pending, because the judge could not be reached"
        ),
    };
    let again = match remains {
        Remains::Work => "run the same command again to retry only those, or with --fresh to start over",
        _ => "their rows are not kept, so the same command asks everything again",
    };
    format!("{what}; {again}")
}

/// Adds what the page of the report shows from the log. Without it, the page says what is missing.
fn read_log(evaluation: &mut Evaluation, settings: &Settings, reporter: &dyn Reporter) {
    if settings.log.file.as_os_str().is_empty() {
        return;
    }
    match LogIndex::open(&settings.log.file) {
        Ok(log) => {
            let own = Some(evaluation.summary.run_id.as_str());
            if let Some(run) = log.runs.iter().find(|run| run.run_id.as_deref() == own) {
                evaluation.read_log(&log, run);
            }
        }
        Err(error) => reporter.warn(&format!("report.html shows no quotes and contexts: {error}")),
    }
}

/// The pipeline over the index of the settings, and the judge, with these language models.
///
/// # Errors
/// When there is no index, or a model is missing or cannot be used.
pub(crate) async fn open<'a>(
    settings: &Settings,
    models: &Arc<ChatModels>,
    reporter: &'a dyn Reporter,
) -> Result<(Pipeline, Box<dyn Judge + 'a>), LabError> {
    let pipeline = Pipeline::open_with(settings, Arc::clone(models)).await?;
    stages::warn_without_reader(settings, reporter);
    let support = || pipeline.support();
    let judge = judge(settings, models, support, pipeline.pool())?;
    Ok((pipeline, judge))
}

/// What the same command finds after a job that ended early, if the job itself keeps nothing.
pub fn remains(settings: &Settings) -> Remains {
    match settings.llm.cache {
        CacheChoice::Off => Remains::Nothing,
        _ => Remains::Replies,
    }
}

/// How a run goes, as the settings have it.
pub(crate) fn run_settings(settings: &Settings, run_id: &str) -> RunSettings {
    RunSettings {
        run_id: run_id.to_owned(),
        workers: settings.eval.workers,
        retries: settings.eval.retries,
        perfect_refusals: settings.eval.refusals == RefusalScores::Perfect,
        stop_after: settings.eval.stop_after,
    }
}

/// The questions of a request.
///
/// # Errors
/// When the file is wrong, or no question would be asked.
pub(crate) fn query_set(request: &EvalRequest, reporter: &dyn Reporter) -> Result<QuerySet, LabError> {
    questions(&request.queries, request.limit, reporter)
}

/// The questions of a file: the first `limit`, or all.
///
/// # Errors
/// When the file is wrong, or no question would be asked.
pub(crate) fn questions(
    path: &Path,
    limit: Option<usize>,
    reporter: &dyn Reporter,
) -> Result<QuerySet, LabError> {
    let set = crate::query_set::load(path)?;
    for warning in set.grouped_warnings() {
        reporter.warn(&format!("{}: {warning}", path.display()));
    }
    match limit {
        Some(0) => {
            let nothing = "--limit 0 would evaluate no question; give a number from 1, or leave it out";
            Err(LabError::Message(nothing.to_owned()))
        }
        Some(limit) => Ok(set.limited(limit)),
        None => Ok(set),
    }
}

/// The chunks of the store that contain the gold quotes of a set.
async fn gold_chunks(set: &QuerySet, pipeline: &Pipeline) -> Result<GoldChunks, LabError> {
    let gold = set.queries.iter().flat_map(|query| &query.gold_evidence);
    let sources: BTreeSet<SourceId> = gold.map(|gold| gold.source_id.clone()).collect();
    let query = ChunkQuery::Sources(sources.into_iter().collect());
    let mut chunks: HashMap<SourceId, Vec<Arc<Chunk>>> = HashMap::new();
    for chunk in pipeline.store().chunks(&query).await? {
        chunks.entry(chunk.source_id.clone()).or_default().push(chunk);
    }
    let of = |source: &SourceId| {
        let own = chunks.get(source).map(Vec::as_slice).unwrap_or_default();
        own.iter().map(|chunk| &**chunk)
    };
    Ok(GoldChunks::find(set, of))
}

/// A target that is not in the index cannot be found: the user may have forgotten to ingest.
pub(crate) async fn warn_of_unknown_targets(
    set: &QuerySet,
    pipeline: &Pipeline,
    reporter: &dyn Reporter,
) -> Result<(), LabError> {
    let targets: BTreeSet<SourceId> =
        set.queries.iter().flat_map(|query| query.target_papers.iter().cloned()).collect();
    let known = pipeline.store().find_sources(&SourceQuery::Ids(targets.iter().cloned().collect())).await?;
    let known: BTreeSet<&SourceId> = known.iter().map(|source| &source.meta.source_id).collect();
    let unknown: Vec<&SourceId> = targets.iter().filter(|target| !known.contains(target)).collect();
    if !unknown.is_empty() {
        reporter.warn(&format!(
            "{} target papers of the query set are not in the index: {}; ingest them, or name another query set",
            unknown.len(),
            first_of(&unknown, NAMED)
        ));
    }
    Ok(())
}
