//! How much each control moves each metric.

use super::{Control, damaged};
use crate::Sample;
use crate::metrics::{Scored, all, testing::scores};
use crate::{Ordered, Score};

/// What a control does to one metric.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    /// Mean change over the rows with a value before and after; `None` without such a row.
    pub change: Option<f64>,
    /// Rows with a value before and after.
    pub n: usize,
    /// Rows whose value changed.
    pub moved: usize,
    /// Rows with a value before and none after.
    pub lost: usize,
    /// Rows with a value after and none before.
    pub gained: usize,
}

impl Cell {
    /// What it does to the metric.
    pub(super) fn effect(&self) -> Effect {
        match self.change {
            Some(_) if self.moved > 0 => Effect::Moves,
            _ if self.lost > 0 => Effect::TurnsNa,
            Some(_) => Effect::Still,
            None => Effect::NoValue,
        }
    }
}

/// What a control does to a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// At least one row has another value.
    Moves,
    /// No row has another value, but rows lose theirs.
    TurnsNa,
    /// It does not move.
    Still,
    /// No row has a value.
    NoValue,
}

/// Metrics by control.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    /// Number of rows.
    pub rows: usize,
    /// The mean of each metric over the good rows; `None` if no row has a value.
    pub good: Ordered<Option<f64>>,
    /// By metric, then by control.
    pub cells: Ordered<Ordered<Cell>>,
}

/// Scores the rows, damaged in each way.
pub(super) fn table(rows: &[Sample], seed: u64) -> Table {
    let score_all = |rows: &[Sample]| -> Vec<Scored> { rows.iter().map(scores).collect() };
    let good = score_all(rows);
    let bad = Control::ALL.map(|control| (control, score_all(&damaged(rows, control, seed))));
    let mut out = Table {
        rows: rows.len(),
        ..Table::default()
    };
    for spec in all() {
        let values: Vec<f64> = good.iter().filter_map(|row| value(row, spec.key)).collect();
        out.good.insert(spec.key, mean(&values));
        for (control, bad) in &bad {
            let cell = cell(&good, bad, spec.key);
            out.cells.entry(spec.key).insert(control.key(), cell);
        }
    }
    out
}

fn value(row: &Scored, key: &str) -> Option<f64> {
    row.scores.get(key).and_then(Score::get)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn cell(good: &[Scored], bad: &[Scored], key: &str) -> Cell {
    let pairs = || {
        good.iter()
            .zip(bad)
            .map(|(good, bad)| (value(good, key), value(bad, key)))
    };
    let changes: Vec<f64> = pairs()
        .filter_map(|(before, after)| Some(after? - before?))
        .collect();
    Cell {
        change: mean(&changes),
        n: changes.len(),
        moved: changes.iter().filter(|change| change.abs() > 1e-9).count(),
        lost: pairs()
            .filter(|(before, after)| before.is_some() && after.is_none())
            .count(),
        gained: pairs()
            .filter(|(before, after)| before.is_none() && after.is_some())
            .count(),
    }
}
