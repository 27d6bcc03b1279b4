//! Evaluates every combination of some settings on one query set, each as a run of `eval`, and says which is best and what
//! that is worth.

use crate::{
    error::LabError,
    eval_run::{EvalRequest, evaluate_system},
    provenance::name_of,
    query_set::questions,
    system::{System, open},
};
use engine::{
    chat_models::ChatModels,
    settings::{Loaded, SettingsError},
};
use eval::{
    Comparison, MetricSummary, Query, Row,
    sweep::{Measure, choose},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use types::{Reporter, Stop};

/// What combinations are compared by unless another metric is given.
pub const METRIC: &str = eval::sweep::BALANCED_EVIDENCE;
/// Sections and settings that ingestion reads, or that score.
const NOT_VARIED: [&str; 6] = ["ingest", "chunk", "embedding", "phase2", "eval", "evaluate"];

/// What to sweep.
#[derive(Clone, Debug)]
pub struct SweepRequest {
    /// Settings with their values, as `KEY=V,V,V`.
    pub vary: Vec<String>,
    /// What combinations are compared by: the key of a metric, or [`METRIC`].
    pub metric: String,
    /// How each is evaluated, with at most one mode; without one in that of its settings.
    pub eval: EvalRequest,
}

/// What `sweep` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Sweep {
    /// The query set, by name.
    pub query_set: String,
    /// What the combinations are compared by.
    pub metric: String,
    /// Questions that the combinations are compared on.
    pub questions: usize,
    /// Questions that failed with at least one combination: they are left out of all numbers.
    pub left_out: Vec<String>,
    /// The combinations. The first one is the start: the settings without any change.
    pub combinations: Vec<SweepCombination>,
    /// The combination that is best on all questions. Its mean is too good: it was chosen by it.
    pub best: usize,
    /// The combination chosen on each half of the questions; null if none has a value there.
    pub chosen: [Option<usize>; 2],
    /// The mean of the held-out values: for each question, that of the combination chosen on the other half.
    pub held_out: MetricSummary,
    /// Held-out values minus those of the start.
    pub against_start: Comparison,
    /// The combination to use: the best one if choosing is significantly better than the start on held-out questions, and
    /// otherwise the start.
    pub choice: usize,
    /// The same for people.
    pub verdict: String,
}

/// A combination.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SweepCombination {
    /// Its number, from 1.
    pub number: usize,
    /// The settings that it changes, as `--set` takes them; empty for the start.
    pub settings: Vec<String>,
    /// Its run in the log.
    pub run_id: String,
    /// Hash of its settings.
    pub config_hash: String,
    /// The mean of the metric.
    pub summary: MetricSummary,
    /// Rows that failed.
    pub failed: usize,
}

/// Evaluates the combinations. After a stop, the next sweep takes what language models replied from the cache.
///
/// # Errors
/// When a value cannot be varied, the query set is wrong, there is no index, or the sweep was cancelled. A question that fails
/// is counted, not an error.
pub async fn sweep(
    loaded: &Loaded,
    request: &SweepRequest,
    reporter: &dyn Reporter,
    stop: &Stop,
) -> Result<Sweep, LabError> {
    let measure = Measure::find(&request.metric).ok_or_else(|| {
        wrong(format!("there is no metric {:?}; `pipeline metrics` lists them", request.metric))
    })?;
    let combinations = combinations(loaded, &request.vary)?;
    let set = questions(&request.eval.queries, request.eval.limit, reporter)?;
    let models = Arc::new(ChatModels::new(&loaded.settings)?.with_budget(request.eval.max_cost));
    let (pipeline, judge) = open(&loaded.settings, &models, reporter).await?;
    let shared = System { loaded, set: &set, pipeline: &pipeline, models: &models, judge: &*judge, reporter };
    shared.warn_of_unknown_targets().await?;
    let mut out: Vec<SweepCombination> = Vec::new();
    let mut runs: Vec<Vec<Row>> = Vec::new();
    for (settings, own) in combinations {
        // It shares store and models with the others.
        let pipeline = pipeline.with(&own.settings)?;
        let system = System { loaded: &own, pipeline: &pipeline, ..shared };
        let mut run = request.eval.clone();
        if run.modes.is_empty() {
            run.modes.push(own.settings.retrieve.mode);
        }
        let done = evaluate_system(&system, &run, stop).await?;
        out.push(SweepCombination {
            number: out.len() + 1,
            settings,
            run_id: done.evaluation.summary.run_id,
            config_hash: done.evaluation.provenance.config_hash,
            summary: MetricSummary::default(),
            failed: done.failed,
        });
        runs.push(done.evaluation.rows);
    }

    // With one mode, rows are in the order of the questions.
    let failed = |at: &usize| runs.iter().any(|rows| rows[*at].error.is_some());
    let (left_out, kept): (Vec<usize>, Vec<usize>) = (0..set.queries.len()).partition(failed);
    let asked: Vec<&Query> = kept.iter().map(|at| &set.queries[*at]).collect();
    let of = |rows: &Vec<Row>| kept.iter().map(|at| measure.value(&rows[*at])).collect();
    let values: Vec<Vec<Option<f64>>> = runs.iter().map(of).collect();
    let seed = loaded.settings.eval.seed;
    let choice = choose(&measure, &asked, &values, seed);
    let Some(best) = choice.best else {
        return Err(wrong(format!(
            "no question that every combination answered has a value of {}: the metric may need labels that the query set \
             lacks, such as gold_evidence",
            request.metric
        )));
    };
    for (own, values) in out.iter_mut().zip(&values) {
        own.summary = measure.summarise(&asked, values, seed);
    }
    let number = |place: usize| place + 1;
    let choice_number = if choice.is_better(&measure) { number(best) } else { 1 };
    let verdict = match choice_number {
        1 => "keep the settings: no choice was shown to be better on questions that took no part in it"
            .to_owned(),
        best => format!(
            "use {best}: choosing by this sweep is better on questions that took no part in the choice"
        ),
    };
    Ok(Sweep {
        query_set: name_of(&request.eval.queries),
        metric: request.metric.clone(),
        questions: asked.len(),
        left_out: left_out.iter().map(|at| set.queries[*at].id.clone()).collect(),
        combinations: out,
        best: number(best),
        chosen: choice.chosen.map(|half| half.map(number)),
        choice: choice_number,
        verdict,
        held_out: choice.held_out,
        against_start: choice.against_start,
    })
}

/// The settings as they are, then those of each combination of the values, with what it changes; none twice.
///
/// # Errors
/// When a value cannot be read or is out of range, or a setting shapes no answers or needs a new index.
fn combinations(loaded: &Loaded, vary: &[String]) -> Result<Vec<(Vec<String>, Loaded)>, LabError> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for text in vary {
        let (key, values) = text
            .split_once('=')
            .ok_or_else(|| wrong(format!("{text:?} is not of the form KEY=VALUE,VALUE")))?;
        check_key(loaded, key)?;
        let extended = all.iter().flat_map(|own| {
            let with = |value: &str| [&own[..], &[format!("{key}={}", value.trim())]].concat();
            values.split(',').map(with)
        });
        all = extended.collect();
    }
    let mut out = vec![(Vec::new(), loaded.clone())];
    for changes in all {
        let own = loaded.with(&changes)?;
        if !out.iter().any(|(_, other)| other.settings == own.settings) {
            out.push((changes, own));
        }
    }
    Ok(out)
}

/// # Errors
/// When a setting cannot be varied.
fn check_key(loaded: &Loaded, key: &str) -> Result<(), LabError> {
    if let Err(error @ SettingsError::Unknown { .. }) = loaded.with(&[format!("{key}=")]) {
        return Err(error.into());
    }
    let section = key.split('.').next().unwrap_or_default();
    if NOT_VARIED.contains(&section) || !engine::settings::shapes_results(key) {
        return Err(wrong(format!(
            "{key} cannot be varied: it needs an index of its own, or shapes no answer"
        )));
    }
    Ok(())
}

fn wrong(text: String) -> LabError {
    LabError::Message(text)
}
