//! A run on a few lines of a list.

use crate::paired::metric_summary;
use crate::runlog::{LogIndex, LogRun, RunHeader};
use crate::{ModeSummary, Ordered, Row, metrics};
use schemars::JsonSchema;
use serde::Serialize;

/// The metrics of a list of runs.
const MAIN: [&str; 4] = ["coverage", "unanswerable_accuracy", "faithful", "gold_recall_answer"];

/// What is known of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
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
    /// Metrics by mode, in the order of the run; in a list of runs the main ones.
    pub modes: Ordered<ModeSummary>,
}

impl RunInfo {
    /// What a header says, with nothing counted.
    pub(super) fn new(run: &LogRun, header: Option<&RunHeader>) -> Self {
        let from = header.map(|header| &header.provenance);
        Self {
            run_id: run.run_id.clone().unwrap_or_default(),
            name: header.and_then(|header| header.name.clone()),
            started: known(&run.started()),
            query_set: from.and_then(|from| known(&from.query_set)),
            config_hash: from.and_then(|from| known(&from.config_hash)),
            judge: from.and_then(|from| from.models.get("judge").cloned()),
            judged_from: header.and_then(|header| header.judged_from.clone()),
            ..Self::default()
        }
    }
}

/// A text; `None` if it is empty.
fn known(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// The short form of a run. Records are read one at a time; records without scores are counted as errors.
pub fn listed(log: &LogIndex, run: &LogRun, seed: u64) -> RunInfo {
    let header = RunHeader::of(run);
    let mut rows: Ordered<Vec<Row>> = Ordered::default();
    for mode in header.iter().flat_map(|header| &header.modes) {
        rows.entry(mode);
    }
    let (mut errors, mut damaged) = (0, run.damaged.len());
    for record in log.records(run) {
        let Ok(found) = record else {
            damaged += 1;
            continue;
        };
        match found.record.evaluation.map(serde_json::from_value::<Row>) {
            Some(Ok(row)) => {
                errors += usize::from(row.error.is_some());
                rows.entry(&row.mode.clone()).push(row);
            }
            _ => errors += 1,
        }
    }
    let seed = header.as_ref().map_or(seed, |header| header.provenance.seed);
    let modes = rows.iter().map(|(mode, rows)| {
        let own: Vec<&Row> = rows.iter().collect();
        let main = MAIN.into_iter().filter_map(metrics::find);
        let summary = main.map(|column| (column.key(), metric_summary(&own, column, seed)));
        (mode.to_owned(), summary.collect())
    });
    let info = RunInfo::new(run, header.as_ref());
    RunInfo { rows: run.len() + run.damaged.len(), errors, damaged, modes: modes.collect(), ..info }
}
