//! The run: every query in every mode, a few at a time, each finished row stored at once.
//!
//! A query that failed is tried again, alone, after all others, where another try can help. After several failures in a
//! row the run stops asking, and rows that were not asked are errors that say so. A key that the server refuses, or a
//! model that it does not serve, ends the run at once. A run that is cancelled, or whose process is killed, leaves its
//! finished rows behind ([`PartialRows`]); the next one takes them up. A run that ends leaves every row scored: value,
//! n/a or error.

mod attempt;
mod store;
mod warnings;

pub use store::{Kept, PartialRows, Resumed};

use crate::metrics::gold::GoldChunks;
use crate::words::plural;
use crate::{EvalError, Judge, QuerySet, Row};
use attempt::{Failed, Item, Tried, as_evaluation, attempt, failure};
use futures::StreamExt;
use std::collections::BTreeSet;
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
    /// Rows of an unfinished run. Those without an error are not asked again; what the others spent is added to what the next
    /// try spends, and of those that wait only for a verdict the judge alone is asked.
    pub done: Vec<Kept>,
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
        Self { set, modes, answerer, judge, settings, done: Vec::new(), reporter, gold: None }
    }

    /// Every query in every mode, in the order of the output.
    fn items(&self) -> Vec<Item<'_>> {
        let all = self.set.queries.iter().flat_map(|query| self.modes.iter().map(move |mode| (query, *mode)));
        let earlier = |id: &str, mode: Mode| {
            self.done.iter().find(|(row, _)| row.query_id == id && row.mode == mode.as_str())
        };
        let item = |(at, (query, mode))| Item { at, query, mode, earlier: earlier(&query.id, mode) };
        all.enumerate().map(item).collect()
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
    /// Rows that are errors: their query got no answer, no verdict, or was not asked.
    pub failed: usize,
}

/// Runs the queries. Each finished row goes first to `on_record` inside its record (for the run log), then to
/// `kept`; a query without an answer is recorded too, with its error. The record of such a row has no
/// timestamp, configuration or models: the caller fills in what it knows. When `stop` is requested, work in
/// flight is dropped and the outcome says so.
///
/// # Errors
/// When a record is not taken, or a failure is [`FailureKind::Fatal`]; any other query that
/// fails is a row.
pub async fn run(
    job: RunJob<'_>,
    kept: &mut PartialRows,
    on_record: &mut (dyn FnMut(RunRecord) -> Result<(), BoxError> + Send),
    stop: &Stop,
) -> Result<RunOutcome, EvalError> {
    let items = job.items();
    let done = |item: &Item<'_>| Some(&item.earlier?.0).filter(|row| row.error.is_none()).cloned();
    let rows: Vec<Option<Row>> = items.iter().map(done).collect();
    let open: Vec<Item<'_>> = items.into_iter().filter(|item| rows[item.at].is_none()).collect();
    let task = job.reporter.task("evaluating", "queries", Some(rows.len() as u64));
    let resumed = rows.len() - open.len();
    task.advance(resumed as u64);
    let outcome = RunOutcome { resumed, ..RunOutcome::default() };
    let mut run = Run { job: &job, rows, outcome, task, kept, on_record };
    let mut stop: BoxFuture<'_, ()> = Box::pin(stop.requested());
    let (mut failed, stopped) = run.ask(&open, &mut stop).await?;
    // The order of completion is chance; the order of retrying is not.
    failed.sort_by_key(|(item, _)| item.at);
    let tried: BTreeSet<usize> = failed.iter().map(|(item, _)| item.at).collect();
    let not_asked = |item: &Item<'_>| run.rows[item.at].is_none() && !tried.contains(&item.at);
    let not_asked: Vec<Item<'_>> = open.into_iter().filter(not_asked).collect();
    if let Some((failures, last)) = &stopped {
        let rows = match not_asked.len() {
            1 => "1 row was".to_owned(),
            n => format!("{n} rows were"),
        };
        let failures = plural(*failures, "failure");
        job.reporter.warn(&format!(
            "stopped asking after {failures} in a row, {rows} not asked; the last failure: {last}"
        ));
    }
    run.try_again(failed, stopped.is_none(), &mut stop).await?;
    if let Some((failures, last)) = stopped.filter(|_| !run.outcome.interrupted) {
        for item in not_asked {
            let reason = format!(
                "not asked: {failures} queries before it had failed in a row, the last because {last}"
            );
            run.outcome.failed += 1;
            run.keep(item, failure(&job, item, Failed::without_a_try(reason)), &item.spent())?;
        }
    }
    Ok(RunOutcome { rows: run.rows.into_iter().flatten().collect(), ..run.outcome })
}

/// A run on its way.
struct Run<'a> {
    job: &'a RunJob<'a>,
    /// By place: what is finished.
    rows: Vec<Option<Row>>,
    outcome: RunOutcome,
    task: Box<dyn Task>,
    kept: &'a mut PartialRows,
    on_record: &'a mut (dyn FnMut(RunRecord) -> Result<(), BoxError> + Send),
}

impl<'a> Run<'a> {
    /// Asks each query once, a few at a time. Returns those that failed and, if it stopped asking, after how many failures in
    /// a row, and what the last one said.
    async fn ask(
        &mut self,
        open: &[Item<'a>],
        stop: &mut BoxFuture<'_, ()>,
    ) -> Result<(Vec<(Item<'a>, Failed)>, Option<(usize, String)>), EvalError> {
        let job = self.job;
        let tries: Vec<BoxFuture<'a, Tried<'a>>> =
            open.iter().map(|item| attempt(job, *item, item.answer().cloned())).collect();
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
                    self.keep(item, done, &item.spent())?;
                }
                Some((item, Err(failure))) => {
                    self.go_on_after(item, &failure)?;
                    // An answer that waits for its verdict says nothing of the next question.
                    let pending = failure.answered.as_ref().is_some_and(|answered| answered.0.pending);
                    in_a_row += usize::from(!pending);
                    let last = failure.reason.clone();
                    failed.push((item, failure));
                    if in_a_row == job.settings.stop_after && !pending {
                        return Ok((failed, Some((in_a_row, last))));
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
            let mut earlier = item.spent();
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
                Ok(done) => done,
                Err(failed) => {
                    self.go_on_after(item, &failed)?;
                    self.outcome.failed += 1;
                    given_up.push(GivenUp::new(item, attempts, &failed.reason));
                    failure(job, item, failed)
                }
            };
            row.attempts = attempts;
            self.keep(item, (row, record), &earlier)?;
        }
        for warning in grouped(&given_up) {
            job.reporter.warn(&warning);
        }
        Ok(())
    }

    /// Log first, then the row: a crash between the two repeats a line of the log, which readers fold into one,
    /// and loses nothing.
    fn keep(
        &mut self,
        item: Item<'_>,
        (mut row, mut record): (Row, RunRecord),
        earlier: &Spent,
    ) -> Result<(), EvalError> {
        row.usage.merge(earlier);
        record.evaluation = as_evaluation(&row)?;
        let answer = row.pending.then(|| record.clone());
        (self.on_record)(record)
            .map_err(|source| EvalError::Record { query_id: row.query_id.clone(), source })?;
        if let Err(error) = self.kept.append(&row, answer.as_ref()) {
            self.job.reporter.warn(&store::unkept(error));
        }
        self.rows[item.at] = Some(row);
        self.task.advance(1);
        Ok(())
    }

    /// # Errors
    /// When no query can succeed until a setting or a key is changed.
    fn go_on_after(&self, item: Item<'_>, failed: &Failed) -> Result<(), EvalError> {
        if failed.kind != FailureKind::Fatal {
            return Ok(());
        }
        let (query_id, reason) = (item.query.id.clone(), failed.reason.clone());
        Err(EvalError::Fatal { query_id, reason, remains: self.kept.remains() })
    }
}
