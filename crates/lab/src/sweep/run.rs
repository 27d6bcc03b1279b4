//! Asks every question with every combination.

use super::{
    SweepRequest,
    combinations::{Combination, Combinations},
    document::Sweep,
    results::{Measured, results},
    rows::{Kept, Tagged, untimed},
    watch::Watch,
};
use crate::{benchmark::check_output, error::LabError, eval_run};
use engine::{Pipeline, chat_models::ChatModels, settings::Loaded};
use eval::{
    Judge, PartialRows, QuerySet, Row, RowSink, RunJob, RunKey,
    judge::{JudgeError, JudgeInput, JudgeOutput},
    sweep::Measure,
};
use std::{collections::BTreeMap, sync::Arc};
use types::{BoxFuture, Reporter, RunRecord, Stop, digest::sha256_of_parts, written::write_output};

/// Evaluates the combinations. After a stop, the next sweep with the same combinations continues with what is finished.
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
    let models = Arc::new(
        ChatModels::new(settings)?
            .with_budget(request.max_cost)
            .as_if_sent(),
    );
    let (pipeline, judge) = eval_run::open(settings, &models, reporter).await?;
    eval_run::warn_of_unknown_targets(&set, &pipeline, reporter).await?;
    let info = pipeline.store().info().await?;
    let names: Vec<String> = combinations.all.iter().map(Combination::name).collect();
    let mut parts: Vec<&[u8]> = names.iter().map(String::as_bytes).collect();
    parts.sort_unstable();
    parts.push(if measure.needs_judge() { b"judged" } else { b"" });
    let key = RunKey {
        config_hash: sha256_of_parts(&parts),
        query_set_hash: set.hash().to_owned(),
        generation: info.identity.clone(),
        version: format!("{} {}", eval_run::version(), eval_run::program_identity()),
    };
    let file = format!("sweep.partial.{}.jsonl", eval_run::run_identity(&key));
    let file = settings.log.reports.join(file);
    let (mut partial, resumed) = PartialRows::open(&file, &key, "sweep", request.fresh)?;
    resumed.warn(reporter);

    let mut kept = Table::new(&combinations, &set, &measure);
    let taken = kept.take(&resumed.rows);
    let job = Job {
        loaded,
        combinations: &combinations,
        set: &set,
        pipeline: &pipeline,
        models: &models,
        judge: measure.needs_judge().then_some(&*judge),
        stop,
    };
    let total = combinations.all.len() * set.queries.len();
    let watch = Watch::new(reporter, total as u64);
    watch.advance(taken as u64);
    job.run(&mut kept, &mut partial, &resumed.answers, &watch).await?;
    drop(watch);

    let measured = Measured {
        combinations: &combinations,
        set: &set,
        measure,
        rows: &kept.rows,
        models: &models,
        resumed: taken,
        generation: info.generation,
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
    if document.failed == 0 {
        partial.finish()?;
    } else {
        reporter.warn(&format!(
            "{} of {total} rows failed; run the same command again to retry only those, or with --fresh to start over",
            document.failed
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

/// The rows by combination and question.
pub(super) struct Table<'a> {
    names: Vec<String>,
    places: BTreeMap<&'a str, usize>,
    measure: &'a Measure,
    /// By combination, then by question; `None` for what was not asked.
    pub(super) rows: Vec<Vec<Option<Kept>>>,
}

impl<'a> Table<'a> {
    pub(super) fn new(combinations: &Combinations, set: &'a QuerySet, measure: &'a Measure) -> Self {
        let (wide, high) = (set.queries.len(), combinations.all.len());
        Self {
            names: combinations.all.iter().map(Combination::name).collect(),
            places: set
                .queries
                .iter()
                .map(|query| query.id.as_str())
                .zip(0..)
                .collect(),
            measure,
            rows: vec![vec![None; wide]; high],
        }
    }

    /// Takes over the rows of a sweep that was stopped, but for those that failed. Returns how many.
    fn take(&mut self, rows: &[Row]) -> usize {
        let whole = rows.iter().filter(|row| row.error.is_none());
        let mut taken = 0;
        for row in whole {
            let combination = self.names.iter().position(|name| *name == row.mode);
            taken += usize::from(combination.is_some_and(|at| self.put(at, row)));
        }
        taken
    }

    fn put(&mut self, combination: usize, row: &Row) -> bool {
        let Some(place) = self.places.get(row.query_id.as_str()) else {
            return false;
        };
        self.rows[combination][*place] = Some(Kept::of(row, self.measure));
        true
    }

    fn lacks(&self, combination: usize, query_id: &str) -> bool {
        let place = self.places.get(query_id);
        place.is_some_and(|at| self.rows[combination][*at].is_none())
    }
}

/// What the questions are asked with.
pub(super) struct Job<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) combinations: &'a Combinations,
    pub(super) set: &'a QuerySet,
    pub(super) pipeline: &'a Pipeline,
    pub(super) models: &'a Arc<ChatModels>,
    /// `None` if the measure needs no verdict.
    pub(super) judge: Option<&'a dyn Judge>,
    pub(super) stop: &'a Stop,
}

impl Job<'_> {
    /// Asks what the table lacks, combination by combination.
    async fn run(
        &self,
        kept: &mut Table<'_>,
        partial: &mut PartialRows,
        answers: &[RunRecord],
        watch: &Watch<'_>,
    ) -> Result<(), LabError> {
        for (at, combination) in self.combinations.all.iter().enumerate() {
            let set = self.set.only(|query| kept.lacks(at, &query.id));
            if set.queries.is_empty() {
                continue;
            }
            let name = combination.name();
            let hash = combination.settings.config_hash();
            let own =
                |answer: &&RunRecord| answer.config_hash == hash && answer.mode == Some(combination.mode());
            let mut sink = Tagged {
                rows: partial,
                name: &name,
                counts: self.models.counts(),
                watch,
            };
            let answers = answers.iter().filter(own).cloned().collect();
            for row in self.ask(combination, &set, answers, &mut sink, watch).await? {
                kept.put(at, &row);
            }
        }
        Ok(())
    }

    /// Asks the questions of a set with a combination.
    pub(super) async fn ask(
        &self,
        combination: &Combination,
        set: &QuerySet,
        answers: Vec<RunRecord>,
        sink: &mut (dyn RowSink + Send),
        reporter: &dyn Reporter,
    ) -> Result<Vec<Row>, LabError> {
        // It shares store and models with the others.
        let pipeline = self.pipeline.with(&combination.settings)?;
        let unjudged = Unjudged;
        let judge = self.judge.unwrap_or(&unjudged);
        let settings = eval_run::run_settings(&self.loaded.settings, "sweep");
        let modes = [combination.mode()];
        let job = RunJob {
            answers,
            ..RunJob::new((set, &modes), &pipeline, judge, settings, reporter)
        };
        let outcome = eval::run(job, sink, &mut |_| Ok(()), self.stop).await?;
        if outcome.interrupted {
            return Err(LabError::Stopped);
        }
        if outcome.not_asked > 0 {
            return Err(LabError::Sweep {
                problems: vec!["too many questions failed in a row".to_owned()],
                hint: "finished rows are kept: run the same command again when the language model can be reached".to_owned(),
            });
        }
        let cached = self.models.counts().hits() > 0;
        let mut rows = outcome.rows;
        if cached {
            rows.iter_mut().for_each(untimed);
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
        Box::pin(std::future::ready(Err(JudgeError::NotApplicable(
            reason.to_owned(),
        ))))
    }
}
