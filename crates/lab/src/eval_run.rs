//! Evaluates a query set: rows, log lines, a report.

use crate::{
    controls,
    error::LabError,
    logged::{LoggedRun, run_settings},
    provenance::{architecture, name_of, version},
    query_set::questions,
    report::{evaluation, page::Page, words::count},
    system::{System, open},
};
use engine::{
    COMMIT,
    chat_models::{self, ChatModels},
    settings::{Loaded, Settings},
};
use eval::{
    Gate, GateResult, Remains, Row, RunJob,
    export::{junit, test_cases},
    report::{Evaluation, Provenance},
    runlog::{LogIndex, RunHeader, check_name},
    stored::RunComparison,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    sync::Arc,
};
use types::{Mode, Reporter, RunRecord, Stop, StoreInfo};

/// What to evaluate.
#[derive(Clone, Debug, Default)]
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
    /// The files of the report, as [`evaluation::write`] gives them, if they could be written.
    pub written: Option<[PathBuf; 4]>,
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
    gates: &'a [GateResult],
    /// The comparison with the run or the settings of `--against`.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<&'a RunComparison>,
}

impl Evaluated {
    /// The document of `--format json`.
    pub fn document<'a>(&'a self, against: Option<&'a RunComparison>) -> Eval<'a> {
        Eval { evaluation: &self.evaluation, gates: &self.gates, against }
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
        junit("pipeline eval", &self.gates, test_cases(&self.evaluation))
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
    let gates = Gate::of_evaluation(&request.min, &request.max)?;
    let set = questions(&request.queries, request.limit, reporter)?;
    let models = Arc::new(ChatModels::new(&loaded.settings)?.with_budget(request.max_cost));
    let (pipeline, judge) = open(&loaded.settings, &models, reporter).await?;
    let system = System { loaded, set: &set, pipeline: &pipeline, models: &models, judge: &*judge, reporter };
    system.warn_of_unknown_targets().await?;
    let done = evaluate_system(&system, request, stop).await?;
    let gates = gates.iter().flat_map(|gate| gate.check(&done.evaluation)).collect();
    Ok(Evaluated { gates, ..done })
}

/// Asks the questions, logs the records, and writes the report. Gates are not looked at.
///
/// # Errors
/// As [`evaluate`].
pub(crate) async fn evaluate_system(
    system: &System<'_>,
    request: &EvalRequest,
    stop: &Stop,
) -> Result<Evaluated, LabError> {
    let System { loaded, set, pipeline, models, judge, reporter } = *system;
    let settings = &loaded.settings;
    let started = engine::timestamp();
    let gold = system.gold_chunks().await?;
    let info = pipeline.store().info().await?;
    let provenance = provenance(system, request, &info);
    let controlled = request.modes.first().copied().filter(|_| request.controls);
    let header = RunHeader::new(provenance.clone(), set, &request.modes, request.controls);
    let job = RunJob::new((set, &request.modes), pipeline, judge, run_settings(settings), reporter);
    let run = LoggedRun {
        settings,
        job: RunJob { gold: Some(&gold), ..job },
        header: RunHeader { name: request.name.clone(), started, ..header },
        answers: info.identity,
        fresh: request.fresh,
        must_log: false,
    };
    let mut records: HashMap<String, RunRecord> = HashMap::new();
    let mut seen = |record: &RunRecord| {
        // A failed question has no answer to alter: controls ask it again.
        if record.context.is_some() && controlled.is_some() && record.mode == controlled {
            records.insert(record.query.clone(), record.clone());
        }
    };
    let done = run.run(&mut seen, stop).await?;
    let outcome = done.outcome;
    let mut evaluation = Evaluation::new(&done.run_id, outcome.rows, provenance);
    if let Some(mode) = controlled {
        let runs = controls::run(system, mode, records, stop).await?;
        let own: Vec<Row> = evaluation.rows.iter().filter(|row| row.mode == mode.as_str()).cloned().collect();
        let compared = eval::controls::compare(mode.as_str(), &own, &runs, settings.eval.seed);
        evaluation.controls = Some(compared);
    }
    if done.in_log {
        read_log(&mut evaluation, settings, reporter);
    }
    let written = evaluation::write(&evaluation, &settings.log.reports).inspect_err(|error| {
        reporter.warn(&format!("no report: {error}; set log.reports to another folder"));
    });
    // Last, because it removes the rows from which a run that failed would go on.
    if outcome.failed == 0 {
        done.kept.finish()?;
    } else {
        reporter.warn(&failed(&evaluation, outcome.failed, done.kept.remains()));
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
fn provenance(system: &System<'_>, request: &EvalRequest, info: &StoreInfo) -> Provenance {
    let System { loaded, set, pipeline, models, judge, reporter } = *system;
    let settings = &loaded.settings;
    let mut found = Provenance {
        architecture: architecture(&loaded.layers),
        config_hash: settings.config_hash(),
        corpus: format!("{} in {}", count(info.sources, "paper"), count(info.chunks, "passage")),
        query_set: name_of(&request.queries),
        query_set_hash: set.hash().to_owned(),
        generation: info.generation.clone(),
        version: version(),
        git_commit: COMMIT.to_owned(),
        seed: settings.eval.seed,
        models: pipeline.models().clone(),
        prices: BTreeMap::new(),
    };
    found.models.insert("judge".to_owned(), judge.id());
    if pipeline.verifies_itself() {
        reporter.warn("the model that writes the answers verifies them; set guardrail.model to another one");
    }
    if found.self_judged() {
        reporter.warn("the judge is the model that writes the answers; models prefer their own answers, so set eval.judge_model to another one");
    }
    for (stage, model) in chat_models::by_stage(settings) {
        found.prices.extend(models.price(model).map(|price| (stage.to_owned(), price)));
    }
    found
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
