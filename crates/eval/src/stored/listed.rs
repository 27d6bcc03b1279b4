//! A run on a few lines of a list.

use crate::paired::metric_summary;
use crate::runlog::{LogIndex, LogRun, RunHeader};
use crate::{EvalError, MetricSummary, ModeSummary, Row, metrics};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The metrics of a list of runs.
pub const MAIN: [&str; 5] =
    ["coverage", "unanswerable_accuracy", "faithful", "gold_recall_context", "gold_recall_answer"];

/// A run of a log, in short.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "RunListed")]
pub struct Listed {
    /// The run.
    pub run: RunInfo,
    /// [`MAIN`] by mode, in the order of the header.
    pub modes: Vec<RunMode>,
}

/// What is known of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunInfo {
    /// Its id.
    pub run_id: String,
    /// The name that `--name` gave it.
    pub name: Option<String>,
    /// When it began, RFC 3339; null in logs that do not say it.
    pub started: Option<String>,
    /// The query set; null in logs that do not name it.
    pub query_set: Option<String>,
    /// Rows: one for each query and mode.
    pub rows: usize,
    /// Rows without an answer or a verdict.
    pub errors: usize,
    /// Rows whose records in the log cannot be read.
    pub damaged: usize,
    /// Hash of the settings that can change a result.
    pub config_hash: Option<String>,
    /// The judge.
    pub judge: Option<String>,
    /// The run whose answers were judged again.
    pub judged_from: Option<String>,
}

impl RunInfo {
    /// What a header says, with nothing counted.
    pub(super) fn new(run_id: &str, started: &str, header: Option<&RunHeader>) -> Self {
        let from = header.map(|header| &header.provenance);
        Self {
            run_id: run_id.to_owned(),
            name: header.and_then(|header| header.name.clone()),
            started: known(started),
            query_set: from.and_then(|from| known(&from.query_set)),
            config_hash: from.and_then(|from| known(&from.config_hash)),
            judge: from.and_then(|from| from.models.get("judge").cloned()),
            judged_from: header.and_then(|header| header.judged_from.clone()),
            ..Self::default()
        }
    }
}

/// A text; `None` if it is empty.
pub(super) fn known(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Metrics of one mode.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunMode {
    /// The mode.
    pub mode: String,
    /// By metric.
    pub metrics: BTreeMap<String, MetricSummary>,
}

impl RunMode {
    /// The metrics of a mode, by name.
    pub fn new(mode: &str, metrics: ModeSummary) -> Self {
        Self { mode: mode.to_owned(), metrics: metrics.into_iter().collect() }
    }
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
    let mut names: Vec<String> = header.as_ref().map(|header| header.modes.clone()).unwrap_or_default();
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
        RunMode::new(&mode, summary.collect())
    });
    let started = header.as_ref().map(|header| header.started.as_str());
    let started = started.filter(|started| !started.is_empty()).unwrap_or(&run.first_timestamp);
    let info = RunInfo::new(run.run_id.as_deref().unwrap_or_default(), started, header.as_ref());
    Ok(Listed {
        run: RunInfo { rows: run.len() + run.damaged.len(), errors, damaged, ..info },
        modes: modes.collect(),
    })
}
