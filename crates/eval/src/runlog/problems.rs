//! What a reader cannot read of a log, or of one run.

use super::{LogIndex, LogRun, lost::Lost};
use crate::{Problem, words::plural};
use indexmap::IndexMap;

/// Problems that a sentence names; the rest are counted.
const NAMED: usize = 10;

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

    /// What cannot be read: lines of this run, or of all if none is given, those that name no run of the log, and `unread`.
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
        unreadable(&self.path().display().to_string(), &self.problems(run, unread))
    }
}

/// A sentence about lines of a log that cannot be read whole; `None` if there are none. Lines with one reason are one problem.
pub(crate) fn unreadable(log: &str, problems: &[&Problem]) -> Option<String> {
    let mut reasons: IndexMap<&str, Vec<&Problem>> = IndexMap::new();
    for problem in problems {
        reasons.entry(&problem.reason).or_default().push(problem);
    }
    let named = reasons.iter().take(NAMED).map(|(reason, lines)| match lines[..] {
        [only] => only.to_string(),
        [first, .., last] => {
            format!("{} from {} to {}: {reason}", plural(lines.len(), "line"), first.line, last.line)
        }
        [] => String::new(),
    });
    let named: Vec<String> = named.collect();
    let more = match reasons.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let lines = plural(problems.len(), "line");
    (!problems.is_empty())
        .then(|| format!("{lines} of {log} cannot be read whole: {}{more}", named.join("; ")))
}
