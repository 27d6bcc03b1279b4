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
use futures::StreamExt;
use std::collections::HashSet;
use types::{Answerer, BoxError, BoxFuture, FailureKind, Mode, Reporter, RunRecord, Spent, Stop, Task};
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
    let rows = take_over(&job, &wanted);
    let known: HashSet<(String, String)> =
        rows.iter().map(|r| (r.query_id.clone(), r.mode.clone())).collect();
    let open: Vec<Item<'_>> =
        wanted.into_iter().filter(|i| !known.contains(&(i.query.id.clone(), i.mode.to_string()))).collect();
    let task = job.reporter.task("evaluating", "queries", Some((rows.len() + open.len()) as u64));
    task.advance(rows.len() as u64);
    let outcome = RunOutcome { resumed: rows.len(), ..RunOutcome::default() };
    let mut run = Run { job: &job, rows, outcome, task, sink, on_record };
    let mut stop: BoxFuture<'_, ()> = Box::pin(stop.requested());
    let (mut failed, stopped) = run.ask(&open, &mut stop).await?;
    // The order of completion is chance; the order of retrying is not.
    failed.sort_by_cached_key(|(item, _)| place(&job, &item.query.id, item.mode.as_str()));
    let mut not_asked: Vec<&Item<'_>> = Vec::new();
    if let Some(stopped) = &stopped {
        let asked: HashSet<(&str, Mode)> =
            failed.iter().map(|(item, _)| (item.query.id.as_str(), item.mode)).collect();
        let has_row = |item: &Item<'_>| {
            run.rows.iter().any(|row| row.query_id == item.query.id && row.mode == item.mode.as_str())
        };
        not_asked.extend(
            open.iter()
                .filter(|item| !asked.contains(&(item.query.id.as_str(), item.mode)) && !has_row(item)),
        );
        run.outcome.not_asked = not_asked.len();
        job.reporter.warn(&stopped.warning(not_asked.len()));
    }
    run.try_again(failed, stopped.is_none(), &mut stop).await?;
    if let Some(stopped) = stopped.filter(|_| !run.outcome.interrupted) {
        for item in not_asked {
            run.outcome.failed += 1;
            let failed = failure(&job, *item, Failed::without_a_try(stopped.reason()));
            run.keep(failed, &earlier::spent(&job, *item))?;
        }
    }
    run.rows.sort_by_cached_key(|row| place(&job, &row.query_id, &row.mode));
    Ok(RunOutcome { rows: run.rows, ..run.outcome })
}

/// Why a run stopped asking.
struct Stopped {
    failures: usize,
    last: String,
}

impl Stopped {
    fn warning(&self, not_asked: usize) -> String {
        let rows = match not_asked {
            1 => "1 row was".to_owned(),
            n => format!("{n} rows were"),
        };
        let failures = plural(self.failures, "failure");
        format!("stopped asking after {failures} in a row, {rows} not asked; the last failure: {}", self.last)
    }

    fn reason(&self) -> String {
        let Self { failures, last } = self;
        format!("not asked: {failures} queries before it had failed in a row, the last because {last}")
    }
}

/// A run on its way.
struct Run<'a> {
    job: &'a RunJob<'a>,
    rows: Vec<Row>,
    outcome: RunOutcome,
    task: Box<dyn Task>,
    sink: &'a mut (dyn RowSink + Send),
    on_record: &'a mut (dyn FnMut(RunRecord) -> Result<(), BoxError> + Send),
}

impl<'a> Run<'a> {
    /// Asks each query once, a few at a time. Returns those that failed, and why it stopped asking, if it did.
    async fn ask(
        &mut self,
        open: &[Item<'a>],
        stop: &mut BoxFuture<'_, ()>,
    ) -> Result<(Vec<(Item<'a>, Failed)>, Option<Stopped>), EvalError> {
        let job = self.job;
        let tries: Vec<BoxFuture<'a, Tried<'a>>> =
            open.iter().map(|item| attempt(job, *item, earlier::answer(job, *item).cloned())).collect();
        let mut stream = futures::stream::iter(tries).buffer_unordered(job.settings.workers.max(1));
        let (mut failed, mut in_a_row) = (Vec::new(), 0);
        loop {
            let next = tokio::select! {
                biased;
                () = &mut *stop => { self.outcome.interrupted = true; break }
                next = stream.next() => next,
            };
            match next {
                None => break,
                Some((item, Ok(done))) => {
                    in_a_row = 0;
                    self.keep(done, &earlier::spent(job, item))?;
                }
                Some((item, Err(failure))) => {
                    ends_the_run(item, &failure, self.sink.remains())?;
                    // An answer that waits for its verdict says nothing of the next question.
                    let pending = failure.answered.as_ref().is_some_and(|answered| answered.0.pending);
                    in_a_row += usize::from(!pending);
                    let last = failure.reason.clone();
                    failed.push((item, failure));
                    if in_a_row == job.settings.stop_after && !pending {
                        return Ok((failed, Some(Stopped { failures: in_a_row, last })));
                    }
                }
            }
        }
        Ok((failed, None))
    }

    /// Tries each query that failed again, alone, where another try can help; what fails for good is a row too.
    async fn try_again(
        &mut self,
        failed: Vec<(Item<'a>, Failed)>,
        asks: bool,
        stop: &mut BoxFuture<'_, ()>,
    ) -> Result<(), EvalError> {
        let job = self.job;
        let mut given_up: Vec<GivenUp> = Vec::new();
        for (item, first) in failed {
            if self.outcome.interrupted {
                break;
            }
            let mut last = Err(first);
            let mut attempts = 1;
            let mut earlier = earlier::spent(job, item);
            while attempts <= job.settings.retries && asks {
                match last {
                    Err(failure) if failure.kind == FailureKind::Transient => {
                        earlier.merge(&failure.spent);
                        let answered = failure.answered.map(|answered| answered.1);
                        last = tokio::select! {
                            biased;
                            () = &mut *stop => { self.outcome.interrupted = true; return Ok(()) }
                            tried = attempt(job, item, answered) => tried.1,
                        };
                        attempts += 1;
                    }
                    _ => break,
                }
            }
            let (mut row, record) = match last {
                Ok(done) => {
                    self.outcome.recovered += 1;
                    done
                }
                Err(failed) => {
                    ends_the_run(item, &failed, self.sink.remains())?;
                    self.outcome.failed += 1;
                    given_up.push(GivenUp::new(item, attempts, &failed.reason));
                    failure(job, item, failed)
                }
            };
            row.attempts = attempts;
            self.keep((row, record), &earlier)?;
        }
        for warning in grouped(&given_up) {
            job.reporter.warn(&warning);
        }
        Ok(())
    }

    /// Log first, then the row: a crash between the two repeats a line of the log, which readers fold into one,
    /// and loses nothing.
    fn keep(&mut self, (mut row, mut record): (Row, RunRecord), earlier: &Spent) -> Result<(), EvalError> {
        row.add_spent(earlier);
        record.evaluation = as_evaluation(&row)?;
        let answer = row.pending.then(|| record.clone());
        (self.on_record)(record)
            .map_err(|source| EvalError::Record { query_id: row.query_id.clone(), source })?;
        let kept = match &answer {
            Some(answer) => self.sink.append_pending(&row, answer),
            None => self.sink.append(&row),
        };
        if let Err(error) = kept {
            self.job.reporter.warn(&store::unkept(error));
        }
        self.rows.push(row);
        self.task.advance(1);
        Ok(())
    }
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
