//! The answers of a run that a judge judged.

use crate::error::LabError;
use eval::{
    Problem, Row,
    runlog::{LATEST, LogIndex, LogRun, resolve},
};
use std::path::Path;
use types::{Reporter, RunRecord};

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
    /// Reads them. Refusals, failed rows and rows without a verdict are left out. Lines that cannot be read are left out with
    /// a warning.
    ///
    /// # Errors
    /// When the log cannot be read, the run is not in it, or nothing is left.
    pub(super) fn read(
        path: &Path,
        run: Option<&str>,
        mode: Option<&str>,
        reporter: &dyn Reporter,
    ) -> Result<Self, LabError> {
        let log = LogIndex::open(path)?;
        let run = resolve(&log, run.unwrap_or(LATEST))?.clone();
        let mut found = Self {
            run_id: run.run_id.clone().unwrap_or_else(|| "unnamed".to_owned()),
            mode: mode.unwrap_or_default().to_owned(),
            rows: Vec::new(),
            log,
            run,
        };
        let (mut rows, mut own_mode) = (Vec::new(), found.mode.clone());
        let problems = found.each(&mut |row, record| {
            let Some(verdict) =
                row.value("faithful").filter(|_| record.context.is_some() && row.grade.is_some())
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
        if let Some(warning) = found.log.warning(Some(&found.run), &problems) {
            reporter.warn(&warning);
        }
        if found.rows.is_empty() {
            let mode = mode.map(|mode| format!(" in the mode {mode}")).unwrap_or_default();
            return Err(LabError::Message(format!(
                "the run {} of {} has no answer with a verdict of a judge{mode}; evaluate a query set with `pipeline eval`",
                found.run_id,
                path.display()
            )));
        }
        Ok(found)
    }

    /// Hands on the record of each answer, by its query.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(super) fn each_record(&self, take: &mut dyn FnMut(&str, &RunRecord)) -> Result<(), LabError> {
        // `read` has warned of what cannot be read.
        self.each(&mut |row, record| {
            if row.mode == self.mode {
                take(&row.query_id, record);
            }
        })?;
        Ok(())
    }

    /// Every record with its scores, one at a time: a log may be larger than memory. Gives the records that cannot be read.
    fn each(&self, take: &mut dyn FnMut(&Row, &RunRecord)) -> Result<Vec<Problem>, LabError> {
        let mut problems = Vec::new();
        for found in self.log.records(&self.run) {
            let found = match found {
                Ok(found) => {
                    problems.extend(found.without_text.clone());
                    found
                }
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            // A record without scores is of a question that was asked outside an evaluation.
            let Some(scores) = found.record.evaluation.clone() else {
                continue;
            };
            match serde_json::from_value::<Row>(scores) {
                Ok(row) => take(&row, &found.record),
                Err(error) => {
                    problems.push(Problem::at(found.line, format!("its scores have another form: {error}")))
                }
            }
        }
        Ok(problems)
    }
}
