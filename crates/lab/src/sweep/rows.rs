//! What is kept of each row.

use eval::{Row, Score, metrics, sweep::Measure};
use types::{Spent, Usage};

/// A row, as far as a sweep needs it.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// The score by the measure of the sweep.
    pub(super) score: Score,
    /// The values of [`metrics::keys`], in that order.
    pub(super) values: Vec<Option<f64>>,
    /// Whether the answer is a refusal.
    pub(super) refused: Option<bool>,
    /// Milliseconds of the answer, if it was timed.
    pub(super) latency_ms: Option<f64>,
    /// What the answer cost by stage, without the judge.
    pub(super) spent: Spent,
    /// Why there is no score.
    pub(super) error: Option<String>,
}

impl Kept {
    pub(super) fn of(row: &Row, measure: &Measure) -> Self {
        let judged = row.usage.get(Spent::JUDGE).unwrap_or_default();
        Self {
            score: match &row.error {
                Some(error) => Score::Error(error.clone()),
                None => measure.score(row),
            },
            values: metrics::keys().iter().map(|key| row.value(key)).collect(),
            refused: row.no_evidence,
            latency_ms: row.timings_ms.get("total").copied(),
            spent: row.usage.without(&Spent::of(Spent::JUDGE, judged)),
            error: row.error.clone(),
        }
    }

    /// Calls and tokens of the answer.
    pub(super) fn usage(&self) -> Usage {
        self.spent.total()
    }
}
