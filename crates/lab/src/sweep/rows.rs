//! What is kept of each row, in memory and for a sweep that goes on.

use super::watch::Watch;
use eval::{EvalError, PartialRows, Row, RowSink, Score, metrics, sweep::Measure};
use llm::CacheCounts;
use std::collections::BTreeMap;
use types::{RunRecord, Spent, Usage};

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

/// Stores the rows of one combination in the file of the sweep. A row names its combination in its mode, and leaves out what
/// a sweep does not need.
pub(super) struct Tagged<'a> {
    pub(super) rows: &'a mut PartialRows,
    pub(super) name: &'a str,
    pub(super) counts: &'a CacheCounts,
    pub(super) watch: &'a Watch<'a>,
}

impl Tagged<'_> {
    fn tagged(&self, row: &Row) -> Row {
        let mut row = Row {
            mode: self.name.to_owned(),
            unsupported: Vec::new(),
            unsupported_raw: Vec::new(),
            guardrails: Vec::new(),
            caveats: Vec::new(),
            preview: String::new(),
            answer: String::new(),
            missed_gold: Vec::new(),
            ..row.clone()
        };
        if self.counts.hits() > 0 {
            untimed(&mut row);
        }
        row
    }
}

/// Removes the times of a row. From the first reply of a cache on they would not be those of the language model.
pub(super) fn untimed(row: &mut Row) {
    row.timings_ms = BTreeMap::new();
}

impl RowSink for Tagged<'_> {
    fn append(&mut self, row: &Row) -> Result<(), EvalError> {
        let tagged = self.tagged(row);
        self.watch.advance(1);
        self.rows.append(&tagged)
    }

    fn append_pending(&mut self, row: &Row, answer: &RunRecord) -> Result<(), EvalError> {
        let tagged = self.tagged(row);
        self.watch.advance(1);
        self.rows.append_pending(&tagged, answer)
    }
}
