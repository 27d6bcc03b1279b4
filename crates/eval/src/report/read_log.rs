//! Adds to an evaluation what only the log has.

use super::Evaluation;
use crate::EvalError;
use crate::runlog::{LogIndex, LogRun, RunHeader};

impl Evaluation {
    /// A warning of lines that cannot be read whole, if there are any: those of the run, and those of no known run.
    pub fn warning(&self, log: &LogIndex, run: &LogRun) -> Option<String> {
        log.warning(Some(run), &[&self.unread[..], &self.without_text].concat())
    }

    /// Reads from the log what is shown beyond the rows: answers with their quotes and contexts, and the date.
    ///
    /// # Errors
    /// [`EvalError::Read`] when the log cannot be read.
    pub fn read_log(&mut self, log: &LogIndex, run: &LogRun) -> Result<(), EvalError> {
        self.details.get_or_insert_default().read(log, run)?;
        self.started = started(run);
        Ok(())
    }
}

/// When a run began: its header says it, or its first record.
fn started(run: &LogRun) -> String {
    let header = RunHeader::of(run).map(|header| header.started);
    header.filter(|started| !started.is_empty()).unwrap_or_else(|| run.first_timestamp.clone())
}
