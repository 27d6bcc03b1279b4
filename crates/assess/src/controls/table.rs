//! How much each control moves each metric.

use super::{Control, damaged};
use crate::metrics::{Scored, Tools, scored, specs};
use eval::{Ordered, Score};
use rows::AnswerRow;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A mean that moves less than this does not move.
const STILL: f64 = 0.0005;

/// What a control does to one metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
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
    pub fn effect(&self) -> Effect {
        match self.change {
            Some(_) if self.moved > 0 => Effect::Moves,
            _ if self.lost > 0 => Effect::TurnsNa,
            Some(_) => Effect::Still,
            None => Effect::NoValue,
        }
    }
}

/// What a control does to a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Number of rows.
    pub rows: usize,
    /// The mean of each metric over the good rows; `None` if no row has a value.
    pub good: Ordered<Option<f64>>,
    /// By metric, then by control.
    pub cells: Ordered<Ordered<Cell>>,
}

/// Scores the rows, damaged in each way.
pub fn table(rows: &[AnswerRow], tools: &Tools<'_>, seed: u64) -> Table {
    let score_all =
        |rows: &[AnswerRow]| -> Vec<Scored> { rows.iter().map(|row| scored(row, tools)).collect() };
    let good = score_all(rows);
    let bad = Control::ALL.map(|control| (control, score_all(&damaged(rows, control, seed))));
    let mut out = Table {
        rows: rows.len(),
        ..Table::default()
    };
    for spec in specs() {
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

impl Table {
    /// As a table in Markdown: a row for each metric that has a value, a column for each control.
    pub fn markdown(&self) -> String {
        let mut out = String::from("| Metric | Good rows |");
        for control in Control::ALL {
            let _ = write!(out, " {} |", control.key());
        }
        let _ = write!(out, "\n|---|---|{}\n", "---|".repeat(Control::ALL.len()));
        for (key, cells) in self.cells.iter() {
            let Some(good) = self.good.get(key).copied().flatten() else {
                continue;
            };
            let _ = write!(out, "| `{key}` | {good:.3} |");
            for (_, cell) in cells.iter() {
                let _ = write!(out, " {} |", shown(cell));
            }
            out.push('\n');
        }
        out
    }
}

fn shown(cell: &Cell) -> String {
    match (cell.effect(), cell.change) {
        (Effect::Moves, Some(change)) if change.abs() < STILL => "±0 on average".to_owned(),
        (Effect::Moves, Some(change)) => {
            let lost = if cell.lost > 0 {
                format!(" ({} n/a)", cell.lost)
            } else {
                String::new()
            };
            format!("{change:+.3}{lost}")
        }
        (Effect::TurnsNa, _) => format!("n/a ({})", cell.lost),
        (Effect::Still, _) => "does not move".to_owned(),
        _ => "–".to_owned(),
    }
}
