//! Rows given to a judge and scored, a few at a time.

use super::judge::Judge;
use crate::{
    error::LabError,
    judging::{InOrder, Said},
};
use engine::{ComputePool, settings::Settings};
use eval::{
    Sample,
    judge::{Decision, JudgeError, Judged, Verdicts, dimensions::Dimension},
    metrics::{self, Scores, Tools},
};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use types::{FailureKind, Reporter, Spent, Stop, Usage};

/// A row with what was said of it.
pub(super) struct JudgedRow {
    /// Its scores.
    pub(super) scores: Scores,
    /// The verdicts behind them.
    pub(super) verdicts: Verdicts,
    /// What the language model spent, failed calls included.
    pub(super) usage: Usage,
    /// What its replies note.
    notes: Vec<String>,
}

impl JudgedRow {
    /// What its first failure says; a failure that every row would meet comes before others.
    fn said(&self) -> Said {
        let decided = self.verdicts.decided.values().filter_map(Judged::failure);
        let mut failures = self.verdicts.claims.failure().into_iter().chain(decided);
        let first = failures.next();
        let fatal = first.into_iter().chain(failures).find(|error| error.kind() == FailureKind::Fatal);
        fatal.or(first).map_or(Said::Done, |error| Said::Failed(error.kind(), error.to_string()))
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
    pool: &ComputePool,
    stop: &Stop,
    reporter: &dyn Reporter,
) -> Result<Vec<JudgedRow>, LabError> {
    let limit = Duration::from_secs(settings.llm.question_seconds);
    let shared = Arc::new(settings.clone());
    let work =
        rows.iter().map(|row| (row.id.clone(), score(&shared, judge, (row, &Dimension::ALL), pool, limit)));
    let mut out: Vec<JudgedRow> = Vec::with_capacity(rows.len());
    let mut noted: BTreeSet<String> = BTreeSet::new();
    let mut take = |at: usize, found: Result<JudgedRow, String>| {
        let found = found.unwrap_or_else(|reason| unasked(settings, judge, &rows[at], &reason));
        for note in &found.notes {
            if noted.insert(note.clone()) {
                reporter.warn(&format!("judging: {note}"));
            }
        }
        out.push(found);
        Ok(())
    };
    let in_order = InOrder::new(settings, stop, reporter);
    in_order.run("scoring", work, JudgedRow::said, &mut take).await?;
    Ok(out)
}

/// A row that was not given to the judge.
fn unasked(settings: &Settings, judge: &Judge, row: &Sample, reason: &str) -> JudgedRow {
    let error = JudgeError::Failed { judge: "the judge".to_owned(), reason: reason.to_owned() };
    let keys = Dimension::ALL.into_iter().flat_map(|dimension| dimension.keys(row));
    let verdicts = Verdicts {
        claims: Judged::Error(error.clone()),
        decided: keys.map(|key| (key, Judged::<Decision>::Error(error.clone()))).collect(),
    };
    scored(settings, judge, row, verdicts)
}

fn scored(settings: &Settings, judge: &Judge, row: &Sample, verdicts: Verdicts) -> JudgedRow {
    let tools = Tools { support: &*judge.support, limits: &settings.evaluate.limits };
    JudgedRow {
        scores: metrics::score(row, tools, &verdicts),
        verdicts,
        usage: Usage::default(),
        notes: Vec::new(),
    }
}

/// The scores of one row; a language model is asked about these dimensions.
pub(super) async fn score(
    settings: &Arc<Settings>,
    judge: &Arc<Judge>,
    (row, dimensions): (&Sample, &'static [Dimension]),
    pool: &ComputePool,
    limit: Duration,
) -> JudgedRow {
    let row = Arc::new(row.clone());
    let (own, judged) = (Arc::clone(judge), Arc::clone(&row));
    let asked = async move { own.verdicts(&judged, dimensions).await };
    let (verdicts, calls) = if judge.asks_a_model() {
        llm::metered(llm::with_deadline(limit, asked)).await
    } else {
        (pool.drive(true, asked).await, llm::Calls::default())
    };
    let (own, settings) = (Arc::clone(judge), Arc::clone(settings));
    let scored = pool.run(move || scored(&settings, &own, &row, verdicts)).await;
    JudgedRow { usage: calls.spent.get(Spent::JUDGE).unwrap_or_default(), notes: calls.notes, ..scored }
}
