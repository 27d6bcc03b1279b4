//! The run: every query in every mode, a few at a time, each finished row stored at once.
//!
//! A query that fails is tried again, alone, after all others. A run that is cancelled, or whose process is
//! killed, leaves its finished rows behind ([`PartialRows`]); the next one takes them up. A run that ends
//! leaves every row scored: value, n/a or error.

mod store;

pub use store::{PartialRows, Resumed, RowSink, RunKey};

use crate::evaluate::{evaluate, failed_row};
use crate::metrics::gold::GoldChunks;
use crate::{EvalError, Judge, Query, QuerySet, Row};
use futures::{FutureExt, StreamExt};
use std::collections::HashSet;
use std::error::Error;
use std::fmt::Write;
use std::panic::AssertUnwindSafe;
use types::{Answerer, BoxError, BoxFuture, Mode, Reporter, ResponseRecord, RetrievalRecord, RunRecord};

/// Settings of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSettings {
    /// Names the run in rows and records.
    pub run_id: String,
    /// Queries in flight at once, at least 1.
    pub workers: usize,
    /// Further tries of a query that failed, one after the other at the end.
    pub retries: u32,
    /// Whether refusals count as faithful, with citation precision 1, as the earlier system counted them.
    pub perfect_refusals: bool,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            run_id: String::new(),
            workers: 4,
            retries: 2,
            perfect_refusals: false,
        }
    }
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
    /// Rows of an unfinished run with the same key, which are not asked again.
    pub done: Vec<Row>,
    /// Shows progress.
    pub reporter: &'a dyn Reporter,
    /// Where the gold quotes stand, for [`Row::gold_ranks`].
    pub gold: Option<&'a GoldChunks>,
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
    /// Rows that failed every time.
    pub failed: usize,
}

/// One query in one mode.
#[derive(Clone, Copy)]
struct Item<'a> {
    query: &'a Query,
    mode: Mode,
}

/// What became of one try.
type Tried<'a> = (Item<'a>, Result<(Row, RunRecord), String>);

/// Runs the queries. Each finished row goes first to `on_record` inside its record (for the run log), then to
/// `sink`; a query without an answer is recorded too, with its error. The record of such a row has no
/// timestamp, configuration or models: the caller fills in what it knows. When `cancel` completes, work in
/// flight is dropped and the outcome says so.
///
/// # Errors
/// Only when a row cannot be stored or a record is not taken; a query that fails is a row.
pub async fn run(
    job: RunJob<'_>,
    sink: &mut (dyn RowSink + Send),
    on_record: &mut (dyn FnMut(RunRecord) -> Result<(), BoxError> + Send),
    cancel: BoxFuture<'_, ()>,
) -> Result<RunOutcome, EvalError> {
    let wanted: Vec<Item<'_>> = items(&job).collect();
    let mut rows = take_over(&job, &wanted);
    let known: HashSet<(String, String)> = rows
        .iter()
        .map(|r| (r.query_id.clone(), r.mode.clone()))
        .collect();
    let open: Vec<Item<'_>> = wanted
        .into_iter()
        .filter(|i| !known.contains(&(i.query.id.clone(), i.mode.to_string())))
        .collect();
    let mut outcome = RunOutcome {
        resumed: rows.len(),
        ..RunOutcome::default()
    };
    let task = job
        .reporter
        .task("evaluating", "queries", Some((rows.len() + open.len()) as u64));
    task.advance(rows.len() as u64);

    let mut cancel = cancel.fuse();
    let mut failed: Vec<(Item<'_>, String)> = Vec::new();
    let tries: Vec<BoxFuture<'_, Tried<'_>>> = open.into_iter().map(|item| attempt(&job, item)).collect();
    let mut stream = futures::stream::iter(tries).buffer_unordered(job.settings.workers.max(1));
    loop {
        let next = tokio::select! {
            biased;
            () = &mut cancel => { outcome.interrupted = true; break }
            next = stream.next() => next,
        };
        match next {
            None => break,
            Some((_, Ok((row, record)))) => {
                store(row, record, &mut rows, sink, on_record)?;
                task.advance(1);
            }
            Some((item, Err(reason))) => failed.push((item, reason)),
        }
    }
    drop(stream);

    // The order of completion is chance; the order of retrying is not.
    failed.sort_by_cached_key(|(item, _)| place(&job, &item.query.id, item.mode.as_str()));
    let mut given_up: Vec<(String, String)> = Vec::new();
    for (item, first_reason) in failed {
        if outcome.interrupted {
            break;
        }
        let mut last = Err(first_reason);
        let mut attempts = 1;
        while last.is_err() && attempts <= job.settings.retries {
            let tried = tokio::select! {
                biased;
                () = &mut cancel => None,
                tried = attempt(&job, item) => Some(tried.1),
            };
            let Some(result) = tried else {
                outcome.interrupted = true;
                break;
            };
            last = result;
            attempts += 1;
        }
        if outcome.interrupted {
            break;
        }
        let (mut row, mut record) = last.unwrap_or_else(|reason| {
            outcome.failed += 1;
            given_up.push((format!("{} ({})", item.query.id, item.mode), reason.clone()));
            failure(&job, item, &reason, attempts)
        });
        outcome.recovered += usize::from(row.error.is_none());
        row.attempts = attempts;
        record.evaluation = as_evaluation(&row)?;
        store(row, record, &mut rows, sink, on_record)?;
        task.advance(1);
    }
    for warning in grouped(&given_up) {
        job.reporter.warn(&warning);
    }
    rows.sort_by_cached_key(|row| place(&job, &row.query_id, &row.mode));
    outcome.rows = rows;
    Ok(outcome)
}

/// One line for each reason, with the rows that it befell.
fn grouped(given_up: &[(String, String)]) -> Vec<String> {
    const SHOWN: usize = 5;
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (row, reason) in given_up {
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, rows)) => rows.push(row),
            None => reasons.push((reason, vec![row])),
        }
    }
    let said = |(reason, rows): (&str, Vec<&str>)| {
        let first = rows[..rows.len().min(SHOWN)].join(", ");
        let more = match rows.len() {
            n if n > SHOWN => format!(" and {} more", n - SHOWN),
            _ => String::new(),
        };
        format!("no answer to {first}{more}: {reason}")
    };
    reasons.into_iter().map(said).collect()
}

fn items<'a>(job: &RunJob<'a>) -> impl Iterator<Item = Item<'a>> {
    let modes = job.modes;
    job.set
        .queries
        .iter()
        .flat_map(move |query| modes.iter().map(move |mode| Item { query, mode: *mode }))
}

/// Rows of the unfinished run that this run wants, each once; rows that failed are tried again.
fn take_over(job: &RunJob<'_>, wanted: &[Item<'_>]) -> Vec<Row> {
    let wanted: HashSet<(&str, &str)> = wanted
        .iter()
        .map(|i| (i.query.id.as_str(), i.mode.as_str()))
        .collect();
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

/// Answers and scores once. A panic in a stage is that query's failure, not the run's.
fn attempt<'a>(job: &'a RunJob<'_>, item: Item<'a>) -> BoxFuture<'a, Tried<'a>> {
    Box::pin(async move {
        let work = async {
            let mut record = job
                .answerer
                .answer(&item.query.query, item.mode)
                .await
                .map_err(|e| chain(e.as_ref()))?;
            record.run_id = Some(job.settings.run_id.clone());
            record.query_id = Some(item.query.id.clone());
            record.mode = Some(item.mode);
            record
                .models
                .entry("judge".to_owned())
                .or_insert_with(|| job.judge.id());
            let mut row = evaluate(&record, Some(item.query), Some(job.judge)).await;
            row.gold_ranks = job.gold.map(|gold| gold.ranks(&record)).unwrap_or_default();
            if job.settings.perfect_refusals {
                row.count_refusal_as_perfect();
            }
            record.evaluation = as_evaluation(&row).map_err(|e| chain(&e))?;
            Ok((row, record))
        };
        let result = AssertUnwindSafe(work).catch_unwind().await;
        (
            item,
            result.unwrap_or_else(|_| Err("a stage panicked; its message is on standard error".to_owned())),
        )
    })
}

fn failure(job: &RunJob<'_>, item: Item<'_>, reason: &str, attempts: u32) -> (Row, RunRecord) {
    let record = RunRecord {
        query: item.query.query.clone(),
        run_id: Some(job.settings.run_id.clone()),
        query_id: Some(item.query.id.clone()),
        mode: Some(item.mode),
        retrieval: RetrievalRecord {
            method: item.mode.to_string(),
            ..RetrievalRecord::default()
        },
        response: ResponseRecord {
            caveats: vec![format!("no answer: {reason}")],
            ..ResponseRecord::default()
        },
        ..RunRecord::default()
    };
    (
        failed_row(item.query, item.mode.as_str(), reason, attempts),
        record,
    )
}

fn as_evaluation(row: &Row) -> Result<Option<serde_json::Value>, EvalError> {
    serde_json::to_value(row)
        .map(Some)
        .map_err(|source| EvalError::Json {
            what: "a row",
            source,
        })
}

/// Log first, then the row: a crash between the two repeats a line of the log, which readers fold into one,
/// and loses nothing.
fn store(
    row: Row,
    record: RunRecord,
    rows: &mut Vec<Row>,
    sink: &mut (dyn RowSink + Send),
    on_record: &mut (dyn FnMut(RunRecord) -> Result<(), BoxError> + Send),
) -> Result<(), EvalError> {
    on_record(record).map_err(|source| EvalError::Record {
        query_id: row.query_id.clone(),
        source,
    })?;
    sink.append(&row)?;
    rows.push(row);
    Ok(())
}

/// An error with its causes, each once.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut out = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !out.contains(&text) {
            // Writing to a string cannot fail.
            let _ = write!(out, ": {text}");
        }
        cause = error.source();
    }
    out
}
