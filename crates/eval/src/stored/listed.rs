//! A run on a few lines of a list.

use crate::paired::metric_summary;
use crate::runlog::{LogIndex, LogRun, RunHeader};
use crate::{EvalError, ModeSummary, Ordered, Row, metrics};

/// The metrics of a list of runs.
pub const MAIN: [&str; 5] = [
    "answerable_answered",
    "unanswerable_refused",
    "faithful",
    "gold_recall_context",
    "gold_recall_answer",
];

/// A run of a log, in short.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Its id.
    pub run_id: String,
    /// What its first record says of it.
    pub header: Option<RunHeader>,
    /// When it began; empty in logs that do not say it.
    pub started: String,
    /// Rows.
    pub rows: usize,
    /// Rows without an answer or a verdict.
    pub errors: usize,
    /// Rows whose records cannot be read.
    pub damaged: usize,
    /// [`MAIN`] by mode, in the order of the header.
    pub modes: Ordered<ModeSummary>,
}

/// The short form of a run. Records are read one at a time; records without scores are counted as errors.
///
/// # Errors
/// [`EvalError::Read`] when the log cannot be read.
pub fn listed(log: &LogIndex, run: &LogRun, seed: u64) -> Result<Listed, EvalError> {
    let header = RunHeader::of(run);
    let (mut rows, mut errors, mut damaged): (Vec<Row>, usize, usize) = (Vec::new(), 0, run.damaged.len());
    for record in log.records(run)? {
        let Ok(found) = record else {
            damaged += 1;
            continue;
        };
        match found.record.evaluation.map(serde_json::from_value::<Row>) {
            Some(Ok(row)) => {
                errors += usize::from(row.error.is_some());
                rows.push(row);
            }
            _ => errors += 1,
        }
    }
    let mut names: Vec<String> = header
        .as_ref()
        .map(|header| header.modes.clone())
        .unwrap_or_default();
    for row in &rows {
        if !names.contains(&row.mode) {
            names.push(row.mode.clone());
        }
    }
    let seed = header.as_ref().map_or(seed, |header| header.provenance.seed);
    let modes = names.into_iter().map(|mode| {
        let own: Vec<&Row> = rows.iter().filter(|row| row.mode == mode).collect();
        let main = MAIN.into_iter().filter_map(metrics::find);
        let summary = main.map(|column| (column.key(), metric_summary(&own, column, seed)));
        (mode, summary.collect())
    });
    let started = header.as_ref().map(|header| header.started.clone());
    Ok(Listed {
        run_id: run.run_id.clone().unwrap_or_default(),
        started: started
            .filter(|started| !started.is_empty())
            .unwrap_or_else(|| run.first_timestamp.clone()),
        rows: run.len() + run.damaged.len(),
        errors,
        damaged,
        modes: modes.collect(),
        header,
    })
}
