//! The answers of a run that a judge judged.

use crate::{error::EngineError, report_run::choose};
use eval::{
    Row,
    runlog::{LogIndex, LogRun},
    seed_of,
};
use std::path::Path;
use types::RunRecord;

/// An answer with the verdict of the judge of its run.
pub(super) struct Answer {
    /// Its query.
    pub(super) id: String,
    /// The judge's score; in logs that have none, its verdict.
    pub(super) score: f64,
    /// Whether the judge calls it faithful.
    pub(super) verdict: bool,
}

/// The judged answers of one run and mode, in the order of the log.
pub(super) struct Answers {
    pub(super) run_id: String,
    pub(super) mode: String,
    pub(super) rows: Vec<Answer>,
    log: LogIndex,
    run: LogRun,
}

impl Answers {
    /// Reads them. Refusals, failed rows and rows without a verdict are left out.
    ///
    /// # Errors
    /// When the log cannot be read, the run is not in it, or nothing is left.
    pub(super) fn read(path: &Path, run: Option<&str>, mode: Option<&str>) -> Result<Self, EngineError> {
        let log = LogIndex::open(path)?;
        let run = choose(&log.runs, run, path)?.clone();
        let mut found = Self {
            run_id: run.run_id.clone().unwrap_or_else(|| "unnamed".to_owned()),
            mode: mode.unwrap_or_default().to_owned(),
            rows: Vec::new(),
            log,
            run,
        };
        let (mut rows, mut own_mode) = (Vec::new(), found.mode.clone());
        found.each(&mut |row, record| {
            let Some(verdict) = row
                .value("faithful")
                .filter(|_| record.context.is_some() && row.grade.is_some())
            else {
                return;
            };
            if own_mode.is_empty() {
                own_mode.clone_from(&row.mode);
            }
            if row.mode == own_mode {
                rows.push(Answer {
                    id: row.query_id.clone(),
                    score: row.judge_score.unwrap_or(verdict),
                    verdict: verdict >= 0.5,
                });
            }
        })?;
        (found.mode, found.rows) = (own_mode, rows);
        if found.rows.is_empty() {
            let mode = mode
                .map(|mode| format!(" in the mode {mode}"))
                .unwrap_or_default();
            return Err(EngineError::Message(format!(
                "the run {} of {} has no answer with a verdict of a judge{mode}; evaluate a query set with `pipeline eval`",
                found.run_id,
                path.display()
            )));
        }
        Ok(found)
    }

    /// The scores.
    pub(super) fn scores(&self) -> Vec<f64> {
        self.rows.iter().map(|row| row.score).collect()
    }

    /// Hands on the record of each answer, by its query.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(super) fn each_record(&self, take: &mut dyn FnMut(&str, &RunRecord)) -> Result<(), EngineError> {
        self.each(&mut |row, record| {
            if row.mode == self.mode {
                take(&row.query_id, record);
            }
        })
    }

    /// Every record with its scores, one at a time: a log may be larger than memory.
    fn each(&self, take: &mut dyn FnMut(&Row, &RunRecord)) -> Result<(), EngineError> {
        for record in self.log.records(&self.run)?.flatten() {
            let scores = record.record.evaluation.clone();
            let row = scores.and_then(|scores| serde_json::from_value::<Row>(scores).ok());
            if let Some(row) = row {
                take(&row, &record.record);
            }
        }
        Ok(())
    }
}

/// A letter for each stratum, in an order that says nothing about the judge's scores.
pub(super) fn letters(strata: &[usize], seed: u64) -> Vec<String> {
    let count = strata.iter().max().map_or(0, |last| last + 1);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|stratum| seed_of(seed, &format!("stratum {stratum}")));
    let mut letters = vec![String::new(); count];
    for (letter, stratum) in ('A'..='Z').zip(order) {
        letters[stratum] = letter.to_string();
    }
    letters
}
