//! Rows given to a judge: a few at a time, all dimensions of a row at once.

use super::{judge::Judge, keeps_replies};
use crate::error::LabError;
use assess::dimensions::{Dimension, Verdict};
use engine::{ComputePool, settings::Settings};
use eval::{EvalError, judge::JudgeError};
use futures::{StreamExt, future::join_all};
use rows::AnswerRow;
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use types::{FailureKind, Reporter, Spent, Stop, Usage};

/// The verdicts on a row.
pub(super) struct Scored {
    /// In the order of [`Dimension::ALL`].
    pub(super) verdicts: Vec<(Dimension, Result<Verdict, JudgeError>)>,
    /// What the language model spent, failed calls included.
    pub(super) usage: Usage,
    /// What its replies note.
    notes: Vec<String>,
}

impl Scored {
    /// The first failure, and whether it is one that every row would meet.
    fn failure(&self) -> Option<(&JudgeError, bool)> {
        let mut failures = self.verdicts.iter().filter_map(|(_, verdict)| match verdict {
            Err(JudgeError::NotApplicable(_)) | Ok(_) => None,
            Err(error) => Some((error, error.kind() == FailureKind::Fatal)),
        });
        let first = failures.next();
        failures.find(|(_, fatal)| *fatal).or(first)
    }
}

/// Scores the rows, in their order.
///
/// # Errors
/// When the user stops the work, or no row can succeed until a setting is changed.
pub(super) async fn run(
    settings: &Settings,
    judge: &Judge,
    rows: &[AnswerRow],
    stop: &Stop,
    reporter: &dyn Reporter,
) -> Result<Vec<Scored>, LabError> {
    let task = reporter.task("scoring", "rows", Some(rows.len() as u64));
    let pool = ComputePool::default();
    let limit = Duration::from_secs(settings.llm.question_seconds);
    let scored = rows.iter().map(|row| score(settings, judge, row, &pool, limit));
    let mut scored = futures::stream::iter(scored).buffered(settings.eval.workers.max(1));
    let mut out: Vec<Scored> = Vec::with_capacity(rows.len());
    let mut said: BTreeSet<String> = BTreeSet::new();
    let (mut in_a_row, mut not_asked): (usize, Option<String>) = (0, None);
    for row in rows {
        if let Some(reason) = &not_asked {
            out.push(unasked(settings, reason));
            continue;
        }
        let next = tokio::select! {
            biased;
            () = stop.requested() => return Err(LabError::Stopped),
            next = scored.next() => next,
        };
        let Some(next) = next else { break };
        for note in &next.notes {
            if said.insert(note.clone()) {
                reporter.warn(&format!("judging: {note}"));
            }
        }
        match next.failure() {
            Some((error, true)) if keeps_replies(settings) => {
                return Err(LabError::Eval(EvalError::Fatal {
                    query_id: row.id.clone(),
                    reason: error.to_string(),
                }));
            }
            Some((error, true)) => {
                let reason = format!("the run stopped at row {}: {error}", row.id);
                return Err(LabError::Message(reason));
            }
            Some((error, false)) => {
                in_a_row += 1;
                if in_a_row == settings.eval.stop_after {
                    let reason = format!("{in_a_row} rows failed in a row, the last because {error}");
                    reporter.warn(&format!("stopped judging: {reason}"));
                    not_asked = Some(reason);
                }
            }
            None => in_a_row = 0,
        }
        out.push(next);
        task.advance(1);
    }
    Ok(out)
}

/// A row that was not given to the judge.
fn unasked(settings: &Settings, reason: &str) -> Scored {
    let error = || JudgeError::Failed {
        judge: "the judge".to_owned(),
        reason: format!("it was not asked: {reason}"),
    };
    let verdict = |dimension| {
        (
            dimension,
            left_out(settings, dimension).unwrap_or_else(|| Err(error())),
        )
    };
    Scored {
        verdicts: Dimension::ALL.into_iter().map(verdict).collect(),
        usage: Usage::default(),
        notes: Vec::new(),
    }
}

/// A dimension without weight is not judged.
fn left_out(settings: &Settings, dimension: Dimension) -> Option<Result<Verdict, JudgeError>> {
    let reason = || format!("evaluate.{}_weight is 0", dimension.key());
    (settings.evaluate.weights.of(dimension) == 0.0).then(|| Err(JudgeError::NotApplicable(reason())))
}

async fn score(
    settings: &Settings,
    judge: &Judge,
    row: &AnswerRow,
    pool: &ComputePool,
    limit: Duration,
) -> Scored {
    let row = Arc::new(row.clone());
    let each = Dimension::ALL.into_iter().map(|dimension| {
        let (own, row) = (Arc::clone(&judge.dimensions), Arc::clone(&row));
        async move {
            if let Some(verdict) = left_out(settings, dimension) {
                return (dimension, verdict);
            }
            let verdict = pool.drive(judge.computes, async move { own.judge(dimension, &row).await });
            (dimension, verdict.await)
        }
    });
    let (verdicts, calls) = llm::metered(llm::with_deadline(limit, join_all(each))).await;
    Scored {
        verdicts,
        usage: calls.spent.get(Spent::JUDGE).unwrap_or_default(),
        notes: calls.notes,
    }
}
