//! Lines of a log that cannot be read, and the rows that they held.

use crate::{Problem, words::plural};

/// The most characters of the name of a run.
pub const LONGEST_NAME: usize = 80;
/// Problems that a sentence names; the rest are counted.
const NAMED: usize = 10;

/// A line that cannot be read.
pub(super) struct Lost {
    pub(super) problem: Problem,
    /// The run, the query and the mode of each record in it, as far as they can be read.
    pub(super) rows: Vec<[String; 3]>,
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

/// A sentence about lines of a log that are left out; `None` if there are none.
pub(crate) fn left_out(log: &str, problems: &[&Problem]) -> Option<String> {
    let named: Vec<String> = problems.iter().take(NAMED).map(ToString::to_string).collect();
    let more = match problems.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let lines = plural(problems.len(), "line");
    let are = if problems.len() == 1 { "is" } else { "are" };
    (!problems.is_empty()).then(|| format!("{lines} of {log} {are} left out: {}{more}", named.join("; ")))
}
