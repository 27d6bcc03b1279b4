//! One try of one query in one mode.

use super::{Kept, RunJob};
use crate::evaluate::{evaluate_once, failed_row};
use crate::{EvalError, Query, Row};
use futures::FutureExt;
use std::error::Error;
use std::fmt::Write;
use std::panic::AssertUnwindSafe;
use types::{BoxFuture, FailureKind, Mode, ResponseRecord, RetrievalRecord, RunRecord, Spent};

/// One query in one mode.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    /// Its place in the output.
    pub(super) at: usize,
    pub(super) query: &'a Query,
    pub(super) mode: Mode,
    /// What an unfinished run left of it.
    pub(super) earlier: Option<&'a Kept>,
}

impl<'a> Item<'a> {
    /// The answer of the unfinished run, where only its verdict is missing.
    pub(super) fn answer(&self) -> Option<&'a RunRecord> {
        self.earlier?.1.as_ref()
    }

    /// What the unfinished run spent on the row. What its answer cost is left out if that is used again: the new row counts it.
    pub(super) fn spent(&self) -> Spent {
        match self.earlier {
            None => Spent::default(),
            Some((row, Some(record))) => row.usage.without(&record.usage_by_stage),
            Some((row, None)) => row.usage.clone(),
        }
    }
}

/// A try that did not give a scored row.
pub(super) struct Failed {
    /// Why.
    pub(super) reason: String,
    /// Whether another try can help.
    pub(super) kind: FailureKind,
    /// What the try spent.
    pub(super) spent: Spent,
    /// The answer and its scores, where only the judge failed: the next try asks the judge alone.
    pub(super) answered: Option<Box<(Row, RunRecord)>>,
}

impl Failed {
    /// A query that was not asked.
    pub(super) fn without_a_try(reason: String) -> Self {
        Self { reason, kind: FailureKind::Permanent, spent: Spent::default(), answered: None }
    }
}

/// How a try of an item ended.
pub(super) type Tried<'a> = (Item<'a>, Result<(Row, RunRecord), Failed>);

/// Answers, unless there is an answer, and scores. A panic in a stage is that query's failure, not the run's.
pub(super) fn attempt<'a>(
    job: &'a RunJob<'_>,
    item: Item<'a>,
    answered: Option<RunRecord>,
) -> BoxFuture<'a, Tried<'a>> {
    Box::pin(async move {
        let work = async {
            let record = match answered {
                Some(record) => record,
                None => answer(job, item).await?,
            };
            judge(job, item, record).await
        };
        let result = AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
            let reason = "a stage panicked; its message is on standard error".to_owned();
            Err(Failed { kind: FailureKind::Transient, ..Failed::without_a_try(reason) })
        });
        (item, result)
    })
}

async fn answer(job: &RunJob<'_>, item: Item<'_>) -> Result<RunRecord, Failed> {
    let answered = job.answerer.answer(&item.query.query, item.mode).await;
    let mut record = answered.map_err(|failure| Failed {
        reason: chain(failure.source.as_ref()),
        kind: failure.kind,
        spent: failure.spent,
        answered: None,
    })?;
    record.run_id = Some(job.settings.run_id.clone());
    record.query_id = Some(item.query.id.clone());
    record.mode = Some(item.mode);
    record.models.entry("judge".to_owned()).or_insert_with(|| job.judge.id());
    Ok(record)
}

async fn judge(job: &RunJob<'_>, item: Item<'_>, record: RunRecord) -> Result<(Row, RunRecord), Failed> {
    let (mut row, failure) = evaluate_once(&record, Some(item.query), Some(job.judge)).await;
    let ranks = match job.gold {
        Some(gold) => gold.ranks(&record),
        None => stored_ranks(&record),
    };
    row.follow(&record, Some(item.query), ranks);
    if job.settings.perfect_refusals {
        row.count_refusal_as_perfect();
    }
    let Some(kind) = failure else {
        return Ok((row, record));
    };
    Err(Failed {
        reason: row.error.clone().unwrap_or_default(),
        kind,
        spent: row.usage.get(Spent::JUDGE).map_or_else(Spent::default, |u| Spent::of(Spent::JUDGE, u)),
        answered: Some(Box::new((row, record))),
    })
}

/// The ranks that an earlier run found for the same candidates, where the record is one of an earlier run.
fn stored_ranks(record: &RunRecord) -> Vec<Option<usize>> {
    let stored = record.evaluation.as_ref().and_then(|row| row.get("gold_ranks"));
    stored.and_then(|ranks| serde_json::from_value(ranks.clone()).ok()).unwrap_or_default()
}

/// The row and the record of a query that failed for good.
pub(super) fn failure(job: &RunJob<'_>, item: Item<'_>, failed: Failed) -> (Row, RunRecord) {
    if let Some(answered) = failed.answered {
        return *answered;
    }
    let record = RunRecord {
        query: item.query.query.clone(),
        run_id: Some(job.settings.run_id.clone()),
        query_id: Some(item.query.id.clone()),
        mode: Some(item.mode),
        retrieval: RetrievalRecord { method: item.mode.to_string(), ..RetrievalRecord::default() },
        response: ResponseRecord {
            caveats: vec![format!("no answer: {}", failed.reason)],
            ..ResponseRecord::default()
        },
        usage: (!failed.spent.is_empty()).then(|| failed.spent.total()),
        usage_by_stage: failed.spent.clone(),
        ..RunRecord::default()
    };
    let mut row = failed_row(item.query, item.mode.as_str(), &failed.reason, 1);
    row.usage.merge(&failed.spent);
    (row, record)
}

pub(super) fn as_evaluation(row: &Row) -> Result<Option<serde_json::Value>, EvalError> {
    serde_json::to_value(row).map(Some).map_err(|source| EvalError::Json { what: "a row", source })
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
