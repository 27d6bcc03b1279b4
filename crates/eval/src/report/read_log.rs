//! Adds to an evaluation what only the log has.

use super::Evaluation;
use crate::runlog::{LogIndex, LogRun};

impl Evaluation {
    /// A warning of lines that cannot be read whole, if there are any: those of the run, and those of no known run.
    pub fn warning(&self, log: &LogIndex, run: &LogRun) -> Option<String> {
        log.warning(Some(run), &[&self.unread[..], &self.without_text].concat())
    }

    /// Reads from the log what is shown beyond the rows: answers with their quotes and contexts, and the date.
    pub fn read_log(&mut self, log: &LogIndex, run: &LogRun) {
        self.details.get_or_insert_default().read(log, run);
        self.started = run.started();
    }
}
