//! The same query set in earlier runs of the log.

use crate::paired::metric_summary;
use crate::runlog::{LogIndex, LogRun, RunHeader};
use crate::{EvalError, MetricSummary, Ordered, Row, metrics};

/// The metrics whose course is shown.
pub const TREND_METRICS: [&str; 4] = [
    "answerable_answered",
    "unanswerable_refused",
    "gold_recall_context",
    "gold_recall_answer",
];

/// The means of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendRun {
    /// The run.
    pub run_id: String,
    /// Whether it is the run of the report.
    pub is_this: bool,
    /// By mode, then by metric of [`TREND_METRICS`].
    pub modes: Ordered<Ordered<MetricSummary>>,
}

/// Most runs that are shown, the one of the report included: each is read whole.
const MOST_RUNS: usize = 12;

/// The run and those before it in the log that asked the same questions, in the order of the log; at most 12.
/// Runs that were stopped, and those whose scores have another form, are left out. Records are read one at a time.
///
/// # Errors
/// [`EvalError::Read`] when the log cannot be read.
pub fn trends(log: &LogIndex, run: &LogRun) -> Result<Vec<TrendRun>, EvalError> {
    let Some(own) = RunHeader::of(run) else {
        return Ok(Vec::new());
    };
    let upto = log.runs.iter().position(|other| other.run_id == run.run_id);
    let before = &log.runs[..upto.map_or(0, |at| at + 1)];
    let mut out: Vec<TrendRun> = Vec::new();
    for other in before.iter().rev() {
        if out.len() == MOST_RUNS {
            break;
        }
        let Some(header) = RunHeader::of(other) else {
            continue;
        };
        let same = header.provenance.query_set_hash == own.provenance.query_set_hash
            && header.queries == own.queries;
        if same
            && other.len() == header.queries.len() * header.modes.len()
            && let Some(modes) = means(log, other, &header)?
        {
            out.push(TrendRun {
                run_id: other.run_id.clone().unwrap_or_default(),
                is_this: other.run_id == run.run_id,
                modes,
            });
        }
    }
    out.reverse();
    Ok(out)
}

/// The means of a run; `None` if a record has no row.
fn means(
    log: &LogIndex,
    run: &LogRun,
    header: &RunHeader,
) -> Result<Option<Ordered<Ordered<MetricSummary>>>, EvalError> {
    let mut rows: Ordered<Vec<Row>> = Ordered::default();
    for mode in &header.modes {
        rows.insert(mode.clone(), Vec::new());
    }
    for record in log.records(run)? {
        let row = record.ok().and_then(|found| found.record.evaluation);
        let Some(mut row) = row.and_then(|row| serde_json::from_value::<Row>(row).ok()) else {
            return Ok(None);
        };
        // Only scores are averaged: what takes room is not held.
        row.answer = String::new();
        row.gold = Vec::new();
        row.missed_gold = Vec::new();
        let mode = row.mode.clone();
        rows.entry(&mode).push(row);
    }
    let seed = header.provenance.seed;
    let of_mode = |rows: &Vec<Row>| {
        let rows: Vec<&Row> = rows.iter().collect();
        let columns = TREND_METRICS.iter().filter_map(|key| metrics::find(key));
        columns
            .map(|column| (column.key(), metric_summary(&rows, column, seed)))
            .collect()
    };
    Ok(Some(
        rows.iter()
            .map(|(mode, rows)| (mode.to_owned(), of_mode(rows)))
            .collect(),
    ))
}
