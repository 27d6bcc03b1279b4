//! Judges the stored answers of a run again, and stores the verdicts as a run of its own.

use super::{check_mode, compared, named, open, stored};
use crate::{
    dry_run::{DryRun, Planned, counted, document as planned_document},
    error::LabError,
    eval_run::{self, architecture, completed, new_run_id, program_identity, run_identity, version},
};
use ::eval::{
    Judge, PartialRows, QuerySet, RowSink as _, RunJob, RunKey, RunSettings,
    report::Provenance,
    runlog::{LogIndex, RunHeader, check_name, resolve},
    stored::{Compared, RunInfo, StoredAnswers, StoredRun},
};
use engine::{
    ComputePool,
    chat_models::{self, ChatModels},
    natives::Natives,
    settings::Loaded,
    stages,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use types::{BoxError, Mode, Reporter, RunRecord, Spent, Stop, digest};

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
        let (run, mode) = named(log, &request.run)?;
        if let Some(mode) = &mode {
            check_mode(run, mode)?;
        }
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

    fn settings(&self, loaded: &Loaded, run_id: &str) -> RunSettings {
        let own = eval_run::run_settings(&loaded.settings, run_id);
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
    let judge = judge(loaded, &models, reporter)?;
    let provenance = work.provenance(loaded, &models, &judge.id());
    let modes: Vec<String> = work.modes.iter().map(ToString::to_string).collect();
    let key = RunKey {
        config_hash: provenance.config_hash.clone(),
        query_set_hash: format!("{}/{}", work.set.hash(), modes.join("+")),
        generation: format!("answers of {}", work.run.id()),
        version: format!("{} {}", version(), program_identity()),
    };
    let partial = format!("rows.partial.{}.jsonl", run_identity(&key));
    let partial = settings.log.reports.join(partial);
    let (mut sink, mut resumed) =
        PartialRows::open(&partial, &key, &new_run_id(&key.config_hash), request.fresh)?;
    eval_run::resume::ask_again(settings, &mut resumed, reporter)?;
    let mut header = Some(RunHeader {
        name: request.name.clone(),
        started,
        judged_from: Some(work.run.id().to_owned()),
        ..RunHeader::new(provenance.clone(), &work.set, &work.modes, false)
    });
    let mut on_record = |record: RunRecord| -> Result<(), BoxError> {
        let mut record = completed(record, &provenance);
        if let Some(header) = header.take() {
            header.attach(&mut record)?;
        }
        crate::log::append(settings, &record).map_err(Into::into)
    };
    let answers = StoredAnswers::new(&work.run);
    let own = work.settings(loaded, &resumed.run_id);
    let job = RunJob {
        done: resumed.rows,
        answers: resumed.answers,
        ..RunJob::new((&work.set, &work.modes), &answers, &*judge, own, reporter)
    };
    let outcome = ::eval::run(job, &mut sink, &mut on_record, stop).await?;
    if outcome.interrupted {
        return Err(LabError::Stopped(sink.remains()));
    }
    let written = LogIndex::open(&settings.log.file)?;
    let new = resolve(&written, &resumed.run_id)?;
    let new = stored(settings, &written, new, reporter).await?;
    crate::report::evaluation::write(&new.with_log(None), &settings.log.reports)?;
    // Questions that the old run did not answer fail every time: they leave nothing to continue.
    if outcome.failed <= work.unanswered() {
        sink.finish()?;
    }
    let comparisons = modes.iter().map(|mode| {
        let one = compared((&new, Some(mode)), (&work.run, Some(mode)), settings.eval.seed)?;
        Ok(one.comparisons)
    });
    Ok(RunRejudged {
        run: new.info(),
        comparisons: comparisons.collect::<Result<Vec<_>, LabError>>()?.concat(),
        resumed: outcome.resumed,
        failed: outcome.failed,
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
    let judge = judge(loaded, &models, reporter)?;
    let answers = StoredAnswers::new(&work.run);
    let own = work.settings(loaded, "dry-run");
    let job = RunJob::new((&work.set, &work.modes), &answers, &*judge, own, reporter);
    let (rows, _) = counted(job, stop).await?;
    let judged = rows.iter().filter_map(|row| row.judge_usage);
    let used = judged.fold(Spent::default(), |mut used, usage| {
        used.add(Spent::JUDGE, usage);
        used
    });
    let planned = Planned {
        name: work.run.evaluation.provenance.query_set.clone(),
        modes: work.modes.iter().map(ToString::to_string).collect(),
        questions: work.set.queries.len(),
        rows: rows.len(),
        generated: 0,
    };
    Ok(planned_document(&models, planned, &[(settings, used)]))
}

fn judge<'a>(
    loaded: &Loaded,
    models: &ChatModels,
    reporter: &'a dyn Reporter,
) -> Result<Box<dyn Judge + 'a>, LabError> {
    let settings = &loaded.settings;
    let support = || stages::support_alone(settings, &Natives::find(settings), reporter);
    eval_run::judge(settings, models, support, &ComputePool::default())
}
