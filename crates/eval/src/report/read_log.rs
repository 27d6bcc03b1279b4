//! Adds to an evaluation what only the log has.

use super::trends::trends;
use super::{Details, Evaluation};
use crate::EvalError;
use crate::runlog::{LogIndex, LogRun};

impl Evaluation {
    /// A warning of lines that cannot be read whole, if there are any: those of the run, and those of no known run.
    pub fn warning(&self, log: &LogIndex, run: &LogRun) -> Option<String> {
        log.warning(Some(run), &[&self.unread[..], &self.without_text].concat())
    }

    /// Reads from the log what the page shows beyond the rows: answers with their quotes and contexts, and earlier runs.
    ///
    /// # Errors
    /// [`EvalError::Read`] when the log cannot be read.
    pub fn read_log(&mut self, log: &LogIndex, run: &LogRun) -> Result<(), EvalError> {
        self.details = Some(Details::read(log, run)?);
        self.trends = trends(log, run)?;
        Ok(())
    }
}
