//! What a reader leaves out of a log, or of one run.

use super::damage::{Lost, left_out};
use super::{LogIndex, LogRun};
use crate::Problem;

impl LogIndex {
    /// Gives each line that cannot be read to the run that it names. A record that was logged again is not lost.
    pub(super) fn assign(&mut self, lost: Vec<Lost>) {
        for Lost { problem, rows } in lost {
            let mut of_no_run = rows.is_empty();
            for [id, query, mode] in &rows {
                match self.runs.iter_mut().find(|run| run.run_id.as_ref() == Some(id)) {
                    Some(run) if run.has_later(query, mode, problem.line) => {}
                    Some(run) => run.damaged.push(problem.clone()),
                    None => of_no_run = true,
                }
            }
            if of_no_run {
                self.skipped.push(problem);
            }
        }
    }

    /// What is left out: lines of this run, or of all if none is given, those that name no run of the log, and `unread`.
    pub fn problems<'a>(&'a self, run: Option<&'a LogRun>, unread: &'a [Problem]) -> Vec<&'a Problem> {
        let runs = self.runs.iter().filter(|_| run.is_none()).chain(run);
        let damaged = runs.flat_map(|run| &run.damaged);
        let mut all: Vec<&Problem> = self.skipped.iter().chain(damaged).chain(unread).collect();
        all.sort_by_key(|problem| problem.line);
        all.dedup();
        all
    }

    /// A sentence about [`Self::problems`]; `None` if there are none.
    pub fn warning(&self, run: Option<&LogRun>, unread: &[Problem]) -> Option<String> {
        left_out(&self.path().display().to_string(), &self.problems(run, unread))
    }
}
