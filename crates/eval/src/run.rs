//! The run: every query in every mode, a few at a time, each finished row stored at once.
//!
//! A query that failed is tried again, alone, after all others, where another try can help. After several failures in a
//! row the run stops asking, and rows that were not asked are errors that say so. A key that the server refuses, or a
//! model that it does not serve, ends the run at once. A run that is cancelled, or whose process is killed, leaves its
//! finished rows behind ([`PartialRows`]); the next one takes them up. A run that ends leaves every row scored: value,
//! n/a or error.

mod attempt;
mod earlier;
mod store;
mod warnings;

pub use store::{PartialRows, Resumed, RowSink, RunKey};

use crate::metrics::gold::GoldChunks;
use crate::words::plural;
use crate::{EvalError, Judge, QuerySet, Remains, Row};
use attempt::{Failed, Item, Tried, as_evaluation, attempt, failure};
use futures::{FutureExt, StreamExt};
use std::collections::HashSet;
use types::{Answerer, BoxError, BoxFuture, FailureKind, Mode, Reporter, RunRecord, Stop};
use warnings::{GivenUp, grouped};

/// Settings of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSettings {
    /// Names the run in rows and records.
    pub run_id: String,
    /// Queries in flight at once, at least 1.
    pub workers: usize,
    /// Further tries of a query that failed and may succeed later, one after the other at the end.
    pub retries: u32,
    /// Whether refusals count as faithful, with citation precision 1, as the earlier system counted them.
    pub perfect_refusals: bool,
    /// Failed queries in a row after which no other is asked; 0: never.
    pub stop_after: usize,
}

/// All that a run needs.
pub struct RunJob<'a> {
    /// The questions.
    pub set: &'a QuerySet,
    /// The modes, in the order of the output.
    pub modes: &'a [Mode],
    /// Who answers.
    pub answerer: &'a dyn Answerer,
    /// Who judges.
    pub judge: &'a dyn Judge,
    /// Settings.
    pub settings: RunSettings,
    /// Rows of an unfinished run with the same key. Those without an error are not asked again; what the others spent is added
    /// to what the next try spends.
    pub done: Vec<Row>,
    /// Answers of those rows that wait only for a verdict: the judge alone is asked.
    pub answers: Vec<RunRecord>,
    /// Shows progress.
    pub reporter: &'a dyn Reporter,
    /// Where the gold quotes stand, for [`Row::gold_ranks`]; `None` keeps the ranks of records that have scores already.
    pub gold: Option<&'a GoldChunks>,
}

impl<'a> RunJob<'a> {
    /// A run that takes up nothing.
    pub fn new(
        (set, modes): (&'a QuerySet, &'a [Mode]),
        answerer: &'a dyn Answerer,
        judge: &'a dyn Judge,
        settings: RunSettings,
        reporter: &'a dyn Reporter,
    ) -> Self {
        Self {
            set,
            modes,
            answerer,
            judge,
            settings,
            done: Vec::new(),
            answers: Vec::new(),
            reporter,
            gold: None,
        }
    }
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunOutcome {
    /// Rows in query order, then mode order, each at most once; all of them unless interrupted.
    pub rows: Vec<Row>,
    /// Whether the run was cancelled; what is missing can be resumed.
    pub interrupted: bool,
    /// Rows taken over from an unfinished run.
    pub resumed: usize,
    /// Rows that succeeded only after another try.
    pub recovered: usize,
    /// Rows that are errors: their query got no answer, no verdict, or was not asked.
    pub failed: usize,
    /// Rows of these that were not asked, since too many before them had failed.
    pub not_asked: usize,
}

/// Runs the queries. Each finished row goes first to `on_record` inside its record (for the run log), then to
/// `sink`; a query without an answer is recorded too, with its error. The record of such a row has no
/// timestamp, configuration or models: the caller fills in what it knows. When `stop` is requested, work in
/// flight is dropped and the outcome says so.
///
/// # Errors
/// When a record is not taken, or a failure is [`FailureKind::Fatal`]; any other query that
/// fails is a row.
pub async fn run(
    job: RunJob<'_>,
    sink: &mut (dyn RowSink + Send),
    on_record: &mut (dyn FnMut(RunRecord) -> Result<(), BoxError> + Send),
    stop: &Stop,
) -> Result<RunOutcome, EvalError> {
    let wanted: Vec<Item<'_>> = items(&job).collect();
    let mut rows = take_over(&job, &wanted);
    let known: HashSet<(String, String)> =
        rows.iter().map(|r| (r.query_id.clone(), r.mode.clone())).collect();
    let mut open: Vec<Item<'_>> =
        wanted.into_iter().filter(|i| !known.contains(&(i.query.id.clone(), i.mode.to_string()))).collect();
    let mut outcome = RunOutcome { resumed: rows.len(), ..RunOutcome::default() };
    let task = job.reporter.task("evaluating", "queries", Some((rows.len() + open.len()) as u64));
    task.advance(rows.len() as u64);

    let mut stop = Box::pin(stop.requested()).fuse();
    let mut failed: Vec<(Item<'_>, Failed)> = Vec::new();
    let mut in_a_row = 0;
    let mut stopped = None;
    let tries: Vec<BoxFuture<'_, Tried<'_>>> =
        open.iter().map(|item| attempt(&job, *item, earlier::answer(&job, *item).cloned())).collect();
    let mut stream = futures::stream::iter(tries).buffer_unordered(job.settings.workers.max(1));
    loop {
        let next = tokio::select! {
            biased;
            () = &mut stop => { outcome.interrupted = true; break }
            next = stream.next() => next,
        };
        match next {
            None => break,
            Some((item, Ok((mut row, mut record)))) => {
                in_a_row = 0;
                row.add_spent(&earlier::spent(&job, item));
                record.evaluation = as_evaluation(&row)?;
                store(job.reporter, (row, record), &mut rows, sink, on_record)?;
                task.advance(1);
            }
            Some((item, Err(failure))) => {
                ends_the_run(item, &failure, sink.remains())?;
                // An answer that waits for its verdict says nothing of the next question.
                let pending = failure.answered.as_ref().is_some_and(|answered| answered.0.pending);
                in_a_row += usize::from(!pending);
                let reason = failure.reason.clone();
                failed.push((item, failure));
                if in_a_row == job.settings.stop_after && !pending {
                    stopped = Some(reason);
                    break;
                }
            }
        }
    }
    drop(stream);

    // The order of completion is chance; the order of retrying is not.
    failed.sort_by_cached_key(|(item, _)| place(&job, &item.query.id, item.mode.as_str()));
    let mut given_up: Vec<GivenUp> = Vec::new();
    if let Some(reason) = &stopped {
        let ended = |item: &Item<'_>| {
            let same = |id: &str, mode: &str| id == item.query.id && mode == item.mode.as_str();
            rows.iter().any(|row| same(&row.query_id, &row.mode))
                || failed.iter().any(|(own, _)| same(&own.query.id, own.mode.as_str()))
        };
        open.retain(|item| !ended(item));
        outcome.not_asked = open.len();
        let rows = match outcome.not_asked {
            1 => "1 row was".to_owned(),
            n => format!("{n} rows were"),
        };
        let failures = plural(in_a_row, "failure");
        job.reporter.warn(&format!(
            "stopped asking after {failures} in a row, {rows} not asked; the last failure: {reason}"
        ));
    } else {
        open.clear();
    }
    for (item, first) in failed {
        if outcome.interrupted {
            break;
        }
        let mut last = Err(first);
        let mut attempts = 1;
        let mut earlier = earlier::spent(&job, item);
        while attempts <= job.settings.retries && stopped.is_none() {
            match last {
                Err(failure) if failure.kind == FailureKind::Transient => {
                    earlier.merge(&failure.spent);
                    let answered = failure.answered.map(|answered| answered.1);
                    let tried = tokio::select! {
                        biased;
                        () = &mut stop => None,
                        tried = attempt(&job, item, answered) => Some(tried.1),
                    };
                    let Some(result) = tried else {
                        outcome.interrupted = true;
                        return Ok(finish(&job, outcome, rows));
                    };
                    last = result;
                    attempts += 1;
                }
                _ => break,
            }
        }
        let (mut row, mut record) = match last {
            Ok(done) => {
                outcome.recovered += 1;
                done
            }
            Err(failed) => {
                ends_the_run(item, &failed, sink.remains())?;
                outcome.failed += 1;
                given_up.push(GivenUp::new(item, attempts, &failed.reason));
                failure(&job, item, failed)
            }
        };
        row.attempts = attempts;
        row.add_spent(&earlier);
        record.evaluation = as_evaluation(&row)?;
        store(job.reporter, (row, record), &mut rows, sink, on_record)?;
        task.advance(1);
    }
    for warning in grouped(&given_up) {
        job.reporter.warn(&warning);
    }
    for item in open.into_iter().filter(|_| !outcome.interrupted) {
        let reason = format!(
            "not asked: {in_a_row} queries before it had failed in a row, the last because {}",
            stopped.as_deref().unwrap_or_default()
        );
        outcome.failed += 1;
        let (mut row, mut record) = failure(&job, item, Failed::without_a_try(reason));
        row.add_spent(&earlier::spent(&job, item));
        record.evaluation = as_evaluation(&row)?;
        store(job.reporter, (row, record), &mut rows, sink, on_record)?;
        task.advance(1);
    }
    Ok(finish(&job, outcome, rows))
}

fn finish(job: &RunJob<'_>, mut outcome: RunOutcome, mut rows: Vec<Row>) -> RunOutcome {
    rows.sort_by_cached_key(|row| place(job, &row.query_id, &row.mode));
    outcome.rows = rows;
    outcome
}

/// # Errors
/// When no query can succeed until a setting or a key is changed.
fn ends_the_run(item: Item<'_>, failed: &Failed, remains: Remains) -> Result<(), EvalError> {
    if failed.kind == FailureKind::Fatal {
        return Err(EvalError::Fatal {
            query_id: item.query.id.clone(),
            reason: failed.reason.clone(),
            remains,
        });
    }
    Ok(())
}

fn items<'a>(job: &RunJob<'a>) -> impl Iterator<Item = Item<'a>> {
    let modes = job.modes;
    job.set.queries.iter().flat_map(move |query| modes.iter().map(move |mode| Item { query, mode: *mode }))
}

/// Rows of the unfinished run that this run wants, each once; rows that failed are tried again.
fn take_over(job: &RunJob<'_>, wanted: &[Item<'_>]) -> Vec<Row> {
    let wanted: HashSet<(&str, &str)> =
        wanted.iter().map(|i| (i.query.id.as_str(), i.mode.as_str())).collect();
    let mut seen = HashSet::new();
    let usable = job.done.iter().filter(|row| {
        row.error.is_none()
            && wanted.contains(&(row.query_id.as_str(), row.mode.as_str()))
            && seen.insert((row.query_id.as_str(), row.mode.as_str()))
    });
    usable.cloned().collect()
}

/// Where a row stands in the output.
fn place(job: &RunJob<'_>, query_id: &str, mode: &str) -> (usize, usize) {
    let query = job.set.queries.iter().position(|q| q.id == query_id);
    let mode = job.modes.iter().position(|m| m.as_str() == mode);
    (query.unwrap_or(usize::MAX), mode.unwrap_or(usize::MAX))
}

/// Log first, then the row: a crash between the two repeats a line of the log, which readers fold into one,
/// and loses nothing.
fn store(
    reporter: &dyn Reporter,
    (row, record): (Row, RunRecord),
    rows: &mut Vec<Row>,
    sink: &mut (dyn RowSink + Send),
    on_record: &mut (dyn FnMut(RunRecord) -> Result<(), BoxError> + Send),
) -> Result<(), EvalError> {
    let answer = row.pending.then(|| record.clone());
    on_record(record).map_err(|source| EvalError::Record { query_id: row.query_id.clone(), source })?;
    let kept = match &answer {
        Some(answer) => sink.append_pending(&row, answer),
        None => sink.append(&row),
    };
    if let Err(error) = kept {
        reporter.warn(&store::unkept(error));
    }
    rows.push(row);
    Ok(())
}
