//! Rows given to a judge and scored, a few at a time.

use super::{judge::Judge, keeps_replies};
use crate::error::LabError;
use engine::{ComputePool, settings::Settings};
use eval::{
    EvalError, Sample,
    judge::{Decision, JudgeError, Judged, Verdicts, dimensions::Dimension},
    metrics::{self, Tools},
};
use futures::{StreamExt, future::join};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use types::{FailureKind, Reporter, Spent, Stop, Usage};

/// A row with what was said of it.
pub(super) struct Scored {
    /// Its scores.
    pub(super) scores: metrics::Scored,
    /// The verdicts behind them.
    pub(super) verdicts: Verdicts,
    /// What the language model spent, failed calls included.
    pub(super) usage: Usage,
    /// What its replies note.
    notes: Vec<String>,
}

impl Scored {
    /// The first failure, and whether it is one that every row would meet.
    fn failure(&self) -> Option<(&JudgeError, bool)> {
        let decided = self.verdicts.decided.values().filter_map(Judged::failure);
        let mut failures = (self.verdicts.claims.failure().into_iter().chain(decided))
            .map(|error| (error, error.kind() == FailureKind::Fatal));
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
    judge: &Arc<Judge>,
    rows: &[Sample],
    stop: &Stop,
    reporter: &dyn Reporter,
) -> Result<Vec<Scored>, LabError> {
    let task = reporter.task("scoring", "rows", Some(rows.len() as u64));
    let pool = ComputePool::default();
    let limit = Duration::from_secs(settings.llm.question_seconds);
    let shared = Arc::new(settings.clone());
    let scored = rows.iter().map(|row| score(&shared, judge, row, &pool, limit));
    let mut scored = futures::stream::iter(scored).buffered(settings.eval.workers.max(1));
    let mut out: Vec<Scored> = Vec::with_capacity(rows.len());
    let mut said: BTreeSet<String> = BTreeSet::new();
    let (mut in_a_row, mut not_asked): (usize, Option<String>) = (0, None);
    for row in rows {
        if let Some(reason) = &not_asked {
            out.push(unasked(settings, judge, row, reason));
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
fn unasked(settings: &Settings, judge: &Judge, row: &Sample, reason: &str) -> Scored {
    let error = JudgeError::Failed {
        judge: "the judge".to_owned(),
        reason: format!("it was not asked: {reason}"),
    };
    let keys = Dimension::ALL.into_iter().flat_map(Dimension::keys);
    let verdicts = Verdicts {
        claims: Judged::Error(error.clone()),
        decided: keys
            .map(|key| (key, Judged::<Decision>::Error(error.clone())))
            .collect(),
    };
    scored(settings, judge, row, verdicts)
}

fn scored(settings: &Settings, judge: &Judge, row: &Sample, verdicts: Verdicts) -> Scored {
    let tools = Tools {
        support: &*judge.support,
        limits: &settings.evaluate.limits,
    };
    Scored {
        scores: metrics::score(row, tools, &verdicts),
        verdicts,
        usage: Usage::default(),
        notes: Vec::new(),
    }
}

async fn score(
    settings: &Arc<Settings>,
    judge: &Arc<Judge>,
    row: &Sample,
    pool: &ComputePool,
    limit: Duration,
) -> Scored {
    let row = Arc::new(row.clone());
    let (own, judged) = (Arc::clone(judge), Arc::clone(&row));
    let claims = pool.drive(true, async move { own.claims(&judged).await });
    let asked = llm::with_deadline(limit, judge.decided(&row));
    let (claims, (decided, calls)) = join(claims, llm::metered(asked)).await;
    let verdicts = Verdicts { claims, decided };
    let (own, settings) = (Arc::clone(judge), Arc::clone(settings));
    let scored = pool.run(move || scored(&settings, &own, &row, verdicts)).await;
    Scored {
        usage: calls.spent.get(Spent::JUDGE).unwrap_or_default(),
        notes: calls.notes,
        ..scored
    }
}
