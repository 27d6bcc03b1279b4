//! Judges the stored answers of a run again, and stores the verdicts as a run of its own.

use super::{compared, named, open, stored};
use crate::{
    dry_run::{DryRun, counted, document},
    error::LabError,
    judging::judge_alone,
    logged::{LoggedRun, run_settings},
    provenance::architecture,
};
use ::eval::{
    QuerySet, RunJob, RunSettings,
    report::Provenance,
    runlog::{LogIndex, RunHeader, check_name, resolve},
    stored::{Compared, RunInfo, StoredAnswers, StoredRun},
};
use engine::{
    chat_models::{self, ChatModels},
    settings::Loaded,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use types::{Mode, Reporter, Spent, Stop, digest};

/// What to judge again.
#[derive(Clone, Debug, Default)]
pub struct RejudgeRequest {
    /// The log; the settings' own when `None`.
    pub log: Option<PathBuf>,
    /// The run, or `RUN:MODE`.
    pub run: String,
    /// The name of the new run.
    pub name: Option<String>,
    /// Start over instead of resuming.
    pub fresh: bool,
    /// The most that calls to language models may cost, in US dollars.
    pub max_cost: Option<f64>,
}

/// What `runs rejudge` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunRejudged {
    /// The new run.
    pub run: RunInfo,
    /// The new verdicts against the old ones, by mode.
    pub comparisons: Vec<Compared>,
    /// Rows that a stopped run of the same judge had finished.
    pub resumed: usize,
    /// Rows without a verdict.
    pub failed: usize,
}

/// A run to be judged: its answers, its questions and its modes.
struct Work<'a> {
    run: StoredRun<'a>,
    set: QuerySet,
    modes: Vec<Mode>,
}

impl<'a> Work<'a> {
    async fn new(
        loaded: &Loaded,
        request: &RejudgeRequest,
        log: &'a LogIndex,
        reporter: &dyn Reporter,
    ) -> Result<Self, LabError> {
        let (run, mode) = named(log, &request.run, None)?;
        let run = stored(&loaded.settings, log, run, reporter).await?;
        if run.id().is_empty() {
            return Err(LabError::Message(
                "the log has no run; `report --queries` scores records of single questions".to_owned(),
            ));
        }
        let Some(mut set) = run.labels.clone() else {
            return Err(LabError::Message(format!(
                "the run {} did not log the labels of its questions",
                run.id()
            )));
        };
        let asked: Vec<&str> = run.evaluation.rows.iter().map(|row| row.query_id.as_str()).collect();
        set.queries.retain(|query| asked.contains(&query.id.as_str()));
        let all = run.modes();
        let own = all.iter().filter(|own| mode.as_deref().is_none_or(|mode| mode == **own));
        let modes = own.map(|mode| mode.parse::<Mode>());
        let modes = modes.collect::<Result<Vec<Mode>, _>>().map_err(|_| {
            LabError::Message(format!("the run {} does not say in which mode it was made", run.id()))
        })?;
        Ok(Self { run, set, modes })
    }

    fn settings(&self, loaded: &Loaded) -> RunSettings {
        let own = run_settings(&loaded.settings);
        let unanswered = self.run.evaluation.rows.iter().any(|row| row.error.is_some());
        RunSettings {
            // A question that had no answer is not an outage.
            stop_after: if unanswered { 0 } else { own.stop_after },
            ..own
        }
    }

    /// Rows of the old run, in the modes asked, that have no answer.
    fn unanswered(&self) -> usize {
        let rows = self.run.evaluation.rows.iter();
        rows.filter(|row| {
            row.no_evidence.is_none() && self.modes.iter().any(|mode| mode.as_str() == row.mode)
        })
        .count()
    }

    /// Where the new rows come from: the answers from the old run, the verdicts from this judge.
    fn provenance(&self, loaded: &Loaded, models: &ChatModels, judge: &str) -> Provenance {
        let mut from = self.run.evaluation.provenance.clone();
        from.architecture.retain(|setting| setting.section != "eval");
        let own = architecture(&loaded.layers).into_iter();
        from.architecture.extend(own.filter(|setting| setting.section == "eval"));
        let tau = loaded.settings.eval.support_threshold.to_string();
        let refusals = format!("{:?}", loaded.settings.eval.refusals);
        let named = chat_models::by_stage(&loaded.settings);
        let model = named.get(Spent::JUDGE).map(|model| chat_models::identity(model)).unwrap_or_default();
        let parts = [&from.config_hash, judge, &tau, &refusals, &model].map(str::as_bytes);
        let mut hash = digest::sha256_of_parts(&parts);
        hash.truncate(from.config_hash.len().max(8));
        from.config_hash = hash;
        from.models.insert("judge".to_owned(), judge.to_owned());
        from.prices.remove(Spent::JUDGE);
        if let Some(price) = named.get(Spent::JUDGE).and_then(|model| models.price(model)) {
            from.prices.insert(Spent::JUDGE.to_owned(), price);
        }
        from
    }
}

/// Scores the stored answers again with the judge that the settings name. No question is asked again. After `stop`, the
/// next call continues with what is finished.
///
/// # Errors
/// When the log has no such run, its labels are not known, the judge cannot be used, or a result cannot be written.
pub async fn rejudge(
    loaded: &Loaded,
    request: &RejudgeRequest,
    reporter: &dyn Reporter,
    stop: &Stop,
) -> Result<RunRejudged, LabError> {
    let settings = &loaded.settings;
    let started = engine::timestamp();
    if let Some(name) = &request.name {
        check_name(name)?;
    }
    if settings.log.file.as_os_str().is_empty() {
        return Err(LabError::Message(
            "the setting log.file is empty: the new run cannot be stored".to_owned(),
        ));
    }
    let log = open(settings, request.log.as_ref())?;
    let work = Work::new(loaded, request, &log, reporter).await?;
    let models = ChatModels::new(settings)?.with_budget(request.max_cost);
    let judge = judge_alone(settings, &models, reporter)?;
    let provenance = work.provenance(loaded, &models, &judge.id());
    let answers = StoredAnswers::new(&work.run);
    let own = work.settings(loaded);
    let run = LoggedRun {
        settings,
        job: RunJob::new((&work.set, &work.modes), &answers, &*judge, own, reporter),
        header: RunHeader {
            name: request.name.clone(),
            started,
            judged_from: Some(work.run.id().to_owned()),
            ..RunHeader::new(provenance, &work.set, &work.modes, false)
        },
        answers: format!("answers of {}", work.run.id()),
        fresh: request.fresh,
        must_log: true,
    };
    let done = run.run(&mut |_| (), stop).await?;
    let written = LogIndex::open(&settings.log.file)?;
    let new = resolve(&written, &done.run_id)?;
    let new = stored(settings, &written, new, reporter).await?;
    crate::report::evaluation::write(&new.with_log(None), &settings.log.reports)?;
    // Questions that the old run did not answer fail every time: they leave nothing to continue.
    if done.outcome.failed <= work.unanswered() {
        done.kept.finish()?;
    }
    let comparisons = work.modes.iter().map(|mode| {
        let mode = Some(mode.as_str());
        Ok(compared((&new, mode), (&work.run, mode), settings.eval.seed)?.comparisons)
    });
    Ok(RunRejudged {
        run: new.info(),
        comparisons: comparisons.collect::<Result<Vec<_>, LabError>>()?.concat(),
        resumed: done.outcome.resumed,
        failed: done.outcome.failed,
    })
}

/// What [`rejudge`] would ask of language models.
///
/// # Errors
/// As [`rejudge`].
pub async fn dry_run(
    loaded: &Loaded,
    request: &RejudgeRequest,
    reporter: &dyn Reporter,
    stop: &Stop,
) -> Result<DryRun, LabError> {
    let settings = &loaded.settings;
    let log = open(settings, request.log.as_ref())?;
    let work = Work::new(loaded, request, &log, reporter).await?;
    let models = ChatModels::new(settings)?.counting();
    let judge = judge_alone(settings, &models, reporter)?;
    let answers = StoredAnswers::new(&work.run);
    let own = work.settings(loaded);
    let job = RunJob::new((&work.set, &work.modes), &answers, &*judge, own, reporter);
    let (rows, _) = counted(job, stop).await?;
    let mut used = Spent::default();
    for usage in rows.iter().filter_map(|row| row.usage.get(Spent::JUDGE)) {
        used.add(Spent::JUDGE, usage);
    }
    let planned = DryRun {
        query_set: work.run.evaluation.provenance.query_set.clone(),
        modes: work.modes.iter().map(ToString::to_string).collect(),
        questions: work.set.queries.len(),
        rows: rows.len(),
        ..DryRun::default()
    };
    Ok(document(&models, settings, &used, planned))
}
