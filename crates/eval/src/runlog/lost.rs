//! Lines of a log that cannot be read, and the rows that they had.

use crate::Problem;

/// The most characters of the name of a run.
pub const LONGEST_NAME: usize = 80;

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
        let named =
            rows.iter().map(|[run, query, mode]| format!(" (run {run:?}, query {query:?}, mode {mode:?})"));
        let reason = format!("{reason}{}", named.collect::<String>());
        Self { problem: Problem::at(line, reason), rows }
    }
}

/// What follows the key of the run: its id, the query and the mode, in the order in which records are written.
fn row(text: &str) -> [String; 3] {
    let value = |rest: &str| rest.chars().take_while(|c| *c != '"').take(LONGEST_NAME).collect();
    let after = |key: &str| text.split_once(key).map_or("", |(_, rest)| rest);
    [text, after("\"query_id\":\""), after("\"mode\":\"")].map(value)
}
