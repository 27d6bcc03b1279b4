//! Adds to an evaluation what only the log has.

use super::trends::trends;
use super::{Details, Evaluation};
use crate::EvalError;
use crate::runlog::{LogIndex, LogRun};

impl Evaluation {
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
