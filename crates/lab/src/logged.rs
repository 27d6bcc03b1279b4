//! A run whose records go to the log, and which goes on where one that was stopped ended.

use crate::{error::LabError, provenance::version};
use engine::settings::{RefusalScores, Settings};
use eval::{
    PartialRows, Resumed, RunJob, RunOutcome, RunSettings,
    report::Provenance,
    runlog::{LogIndex, RunHeader},
};
use std::collections::HashSet;
use types::{BoxError, Reporter, RunRecord, Stop};

/// What is asked, and what is said of it in the log.
pub(crate) struct LoggedRun<'a> {
    pub(crate) settings: &'a Settings,
    /// The run, not begun yet.
    pub(crate) job: RunJob<'a>,
    pub(crate) header: RunHeader,
    /// Names what answers: the state of the index, or another run.
    pub(crate) answers: String,
    /// Start over instead of resuming.
    pub(crate) fresh: bool,
    /// Whether the run is worth nothing if it cannot be logged.
    pub(crate) must_log: bool,
}

/// What came of it.
pub(crate) struct Logged {
    pub(crate) run_id: String,
    pub(crate) outcome: RunOutcome,
    /// What is to be removed once nothing is left to continue.
    pub(crate) kept: PartialRows,
    /// Whether every record is in the log.
    pub(crate) in_log: bool,
}

impl LoggedRun<'_> {
    /// Runs to the end; `seen` gets each new record first.
    ///
    /// # Errors
    /// When the run was stopped, no query can succeed until a setting is changed, or a record must be logged and cannot be.
    pub(crate) async fn run(
        self,
        seen: &mut (dyn FnMut(&RunRecord) + Send),
        stop: &Stop,
    ) -> Result<Logged, LabError> {
        let Self { settings, mut job, header, answers, fresh, must_log } = self;
        let (reporter, from) = (job.reporter, header.provenance.clone());
        let asked = format!("{}/{}", job.set.hash(), header.modes.join("+"));
        let program = format!("{} {}", version(), program_identity());
        let key = [&from.config_hash, &asked, &answers, &program].map(String::as_str);
        let new_run_id = new_run_id(&from.config_hash);
        let (mut kept, mut resumed) = PartialRows::open(&settings.log.reports, &key, &new_run_id, fresh)?;
        ask_again(settings, &mut resumed, reporter)?;
        let run_id = resumed.run_id;
        job.settings.run_id.clone_from(&run_id);
        job.done = resumed.rows;
        let (mut header, mut in_log) = (Some(header), true);
        let mut on_record = |record: RunRecord| -> Result<(), BoxError> {
            seen(&record);
            let mut record = completed(record, &from);
            if let Some(header) = header.take() {
                header.attach(&mut record)?;
            }
            if in_log && let Err(error) = crate::log::append(settings, &record) {
                if must_log {
                    return Err(error.into());
                }
                in_log = false;
                reporter.warn(&crate::log::unwritten(&error));
            }
            Ok(())
        };
        let outcome = finished(job, &mut kept, &mut on_record, stop).await?;
        Ok(Logged { run_id, outcome, kept, in_log })
    }
}

/// Runs to the end.
///
/// # Errors
/// When the run was stopped, no query can succeed until a setting is changed, or a record is not taken.
pub(crate) async fn finished(
    job: RunJob<'_>,
    kept: &mut PartialRows,
    on_record: &mut (dyn FnMut(RunRecord) -> Result<(), BoxError> + Send),
    stop: &Stop,
) -> Result<RunOutcome, LabError> {
    let outcome = eval::run(job, kept, on_record, stop).await?;
    if outcome.interrupted {
        return Err(LabError::Stopped(kept.remains()));
    }
    Ok(outcome)
}

/// How a run goes, as the settings have it.
pub(crate) fn run_settings(settings: &Settings) -> RunSettings {
    RunSettings {
        run_id: String::new(),
        workers: settings.eval.workers,
        retries: settings.eval.retries,
        perfect_refusals: settings.eval.refusals == RefusalScores::Perfect,
        stop_after: settings.eval.stop_after,
    }
}

/// Distinguishes builds of the same commit: length and time of the program's file.
fn program_identity() -> String {
    let program = std::env::current_exe().and_then(std::fs::metadata);
    program.map_or_else(
        |_| "unknown".to_owned(),
        |meta| {
            let written = meta.modified().ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
            format!("{}-{}", meta.len(), written.map_or(0, |t| t.as_secs()))
        },
    )
}

/// The id of a run that begins now.
fn new_run_id(config_hash: &str) -> String {
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    format!("{now}-{}", &config_hash[..8.min(config_hash.len())])
}

/// A record of a question without an answer lacks what the answerer would have filled in.
fn completed(mut record: RunRecord, provenance: &Provenance) -> RunRecord {
    if record.timestamp.is_empty() {
        record.timestamp = engine::timestamp();
    }
    if record.config_hash.is_empty() {
        record.config_hash.clone_from(&provenance.config_hash);
        record.git_commit.clone_from(&provenance.git_commit);
    }
    for (role, model) in &provenance.models {
        record.models.entry(role.clone()).or_insert_with(|| model.clone());
    }
    record
}

/// Warns of what is not used. Of an unfinished run whose log is damaged, the rows without a record that can be read are
/// asked again.
fn ask_again(settings: &Settings, resumed: &mut Resumed, reporter: &dyn Reporter) -> Result<(), LabError> {
    for warning in &resumed.warnings {
        reporter.warn(warning);
    }
    if resumed.rows.is_empty() || !settings.log.file.exists() {
        return Ok(());
    }
    let log = LogIndex::open(&settings.log.file)?;
    let run = log.runs.iter().find(|run| run.run_id.as_ref() == Some(&resumed.run_id));
    let Some(warning) = log.warning(run, &[]) else {
        return Ok(());
    };
    let mut whole = HashSet::new();
    for found in run.into_iter().flat_map(|run| log.records(run)).flatten() {
        whole.insert((found.record.query_id, found.record.mode.map(|mode| mode.to_string())));
    }
    let before = resumed.rows.len();
    resumed.rows.retain(|(row, _)| {
        row.pending || whole.contains(&(Some(row.query_id.clone()), Some(row.mode.clone())))
    });
    let again = before - resumed.rows.len();
    if again > 0 {
        reporter.warn(&format!("{warning}; questions that are asked again: {again}"));
    }
    Ok(())
}
