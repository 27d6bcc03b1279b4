//! Asks every question with every combination.

use super::{
    SweepRequest,
    combinations::{Combination, Combinations},
    document::Sweep,
    results::{Measured, results},
    rows::Kept,
    watch::Watch,
};
use crate::{benchmark::check_output, error::LabError, eval_run};
use engine::{Pipeline, chat_models::ChatModels, settings::Loaded};
use eval::{
    Judge, QuerySet, Row, RunJob,
    judge::{JudgeError, JudgeInput, JudgeOutput},
    sweep::Measure,
};
use std::sync::Arc;
use types::{BoxFuture, Reporter, Stop, written::write_output};

/// Evaluates the combinations. After a stop, the next sweep takes what language models replied from the cache.
///
/// # Errors
/// When a value cannot be varied, the query set is wrong, there is no index, too many questions failed in a row, the sweep
/// was cancelled, or a result cannot be written. A question that fails is counted, not an error.
pub async fn sweep(
    loaded: &Loaded,
    request: &SweepRequest,
    reporter: &dyn Reporter,
    stop: &Stop,
) -> Result<Sweep, LabError> {
    let measure = measure(request)?;
    for path in [&request.output, &request.csv].into_iter().flatten() {
        check_output(path)?;
    }
    let combinations = Combinations::new(loaded, request)?;
    let settings = &loaded.settings;
    let set = eval_run::questions(&request.queries, request.limit, reporter)?;
    let models = Arc::new(ChatModels::new(settings)?.with_budget(request.max_cost).as_if_sent());
    let (pipeline, judge) = eval_run::open(settings, &models, reporter).await?;
    eval_run::warn_of_unknown_targets(&set, &pipeline, reporter).await?;
    let job = Job {
        loaded,
        set: &set,
        pipeline: &pipeline,
        models: &models,
        judge: measure.needs_judge().then_some(&*judge),
        stop,
    };
    let total = combinations.all.len() * set.queries.len();
    let watch = Watch::new(reporter, total as u64);
    let mut rows = Vec::new();
    for combination in &combinations.all {
        let own = job.ask(combination, &watch).await?;
        rows.push(own.iter().map(|row| Kept::of(row, &measure)).collect());
    }
    drop(watch);

    let measured = Measured {
        combinations: &combinations,
        set: &set,
        measure,
        rows: &rows,
        models: &models,
        generation: pipeline.store().info().await?.generation,
        folds: request.folds,
        sampled: request.sample.is_some().then_some(combinations.in_grid),
        name: eval_run::name_of(&request.queries),
        seed: settings.eval.seed,
    };
    let document = results(&measured)?;
    if let Some(path) = &request.output {
        let json = serde_json::to_value(&document).map_err(|error| LabError::Message(error.to_string()))?;
        write_output(path, &[format!("{json:#}\n").as_bytes()]).map_err(LabError::io("write", path))?;
    }
    if let Some(path) = &request.csv {
        let text = super::csv::text(&measured);
        write_output(path, &[text.as_bytes()]).map_err(LabError::io("write", path))?;
    }
    if document.failed > 0 {
        reporter.warn(&format!(
            "{} of {total} rows failed; {}",
            document.failed,
            eval_run::remains(settings)
        ));
    }
    Ok(document)
}

/// What combinations are compared by.
///
/// # Errors
/// When there is no such metric, or too few folds.
pub(super) fn measure(request: &SweepRequest) -> Result<Measure, LabError> {
    if request.folds < 2 {
        return Err(LabError::Sweep {
            problems: vec![format!("--folds {} holds no question out", request.folds)],
            hint: "give a number from 2".to_owned(),
        });
    }
    Measure::find(&request.metric).ok_or_else(|| LabError::Sweep {
        problems: vec![format!("there is no metric {:?}", request.metric)],
        hint: format!("the metrics are {}", Measure::keys().join(", ")),
    })
}

/// What the questions are asked with.
pub(super) struct Job<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) set: &'a QuerySet,
    pub(super) pipeline: &'a Pipeline,
    pub(super) models: &'a Arc<ChatModels>,
    /// `None` if the measure needs no verdict.
    pub(super) judge: Option<&'a dyn Judge>,
    pub(super) stop: &'a Stop,
}

impl Job<'_> {
    /// Asks every question with a combination: a row for each, in their order.
    pub(super) async fn ask(
        &self,
        combination: &Combination,
        reporter: &dyn Reporter,
    ) -> Result<Vec<Row>, LabError> {
        // It shares store and models with the others.
        let pipeline = self.pipeline.with(&combination.settings)?;
        let unjudged = Unjudged;
        let judge = self.judge.unwrap_or(&unjudged);
        let settings = eval_run::run_settings(&self.loaded.settings, "sweep");
        let modes = [combination.mode()];
        let job = RunJob::new((self.set, &modes), &pipeline, judge, settings, reporter);
        let mut remains = eval_run::remains(&self.loaded.settings);
        let outcome = eval::run(job, &mut remains, &mut |_| Ok(()), self.stop).await?;
        if outcome.interrupted {
            return Err(LabError::Stopped(remains));
        }
        if outcome.not_asked > 0 {
            return Err(LabError::Sweep {
                problems: vec!["too many questions failed in a row".to_owned()],
                hint: format!("check the language model, then {remains}"),
            });
        }
        let mut rows = outcome.rows;
        if self.models.counts().hits() > 0 {
            for row in &mut rows {
                row.timings_ms.clear();
            }
        }
        Ok(rows)
    }
}

/// Judges nothing: for measures that need no verdict.
struct Unjudged;

impl Judge for Unjudged {
    fn id(&self) -> String {
        "none".to_owned()
    }

    fn judge<'a>(&'a self, _: &'a JudgeInput) -> BoxFuture<'a, Result<JudgeOutput, JudgeError>> {
        let reason = "the metric of the sweep needs no verdict";
        Box::pin(std::future::ready(Err(JudgeError::NotApplicable(reason.to_owned()))))
    }
}
