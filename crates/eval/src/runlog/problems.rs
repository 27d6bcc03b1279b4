//! What a reader cannot read of a log, or of one run.

use super::{LogIndex, LogRun};
use crate::{Problem, words::plural};
use indexmap::IndexMap;

/// The most characters of the name of a run.
pub const LONGEST_NAME: usize = 80;
/// Problems that a sentence names; the rest are counted.
const NAMED: usize = 10;

/// A line that cannot be read.
pub(super) struct Lost {
    pub(super) problem: Problem,
    /// The run, the query and the mode of each record in it, as far as they can be read.
    rows: Vec<[String; 3]>,
}

impl Lost {
    pub(super) fn new(line: usize, reason: &str, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let rows: Vec<[String; 3]> = text.split("\"run_id\":\"").skip(1).map(row).collect();
        let named = rows
            .iter()
            .map(|[run, query, mode]| format!(" (run {run:?}, query {query:?}, mode {mode:?})"));
        let reason = format!("{reason}{}", named.collect::<String>());
        Self {
            problem: Problem::at(line, reason),
            rows,
        }
    }
}

/// What follows the key of the run: its id, the query and the mode, in the order in which records are written.
fn row(text: &str) -> [String; 3] {
    let value = |rest: &str| {
        rest.chars()
            .take_while(|c| *c != '"')
            .take(LONGEST_NAME)
            .collect()
    };
    let after = |key: &str| text.split_once(key).map_or("", |(_, rest)| rest);
    [text, after("\"query_id\":\""), after("\"mode\":\"")].map(value)
}

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
        [first, .., last] => format!(
            "{} from {} to {}: {reason}",
            plural(lines.len(), "line"),
            first.line,
            last.line
        ),
        [] => String::new(),
    });
    let named: Vec<String> = named.collect();
    let more = match reasons.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let lines = plural(problems.len(), "line");
    (!problems.is_empty()).then(|| {
        format!(
            "{lines} of {log} cannot be read whole: {}{more}",
            named.join("; ")
        )
    })
}
