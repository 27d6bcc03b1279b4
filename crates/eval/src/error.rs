//! What can go wrong in an evaluation, apart from a query that fails: that is a row, not an error.

mod explain;
mod run;

pub(crate) use run::LISTED;
pub use run::RunError;

use std::{fmt, io, path::PathBuf};
use types::BoxError;

/// A file with more problems is not read to its end.
pub(crate) const MAX_PROBLEMS: usize = 1_000;

/// Something wrong with one line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong and what to do.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            f.write_str(&self.reason)
        } else {
            write!(f, "line {}: {}", self.line, self.reason)
        }
    }
}

/// Why an evaluation could not be prepared, stored or reported.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// A file could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process is at the same run.
    #[error("{path} is in use by another evaluation: wait for it, or write to another folder")]
    Busy {
        /// The file of unfinished rows.
        path: PathBuf,
    },
    /// A query set that must not be used as it is.
    #[error("{name} is not a usable query set: {}", list(problems))]
    QuerySet {
        /// The set, as the caller names it.
        name: String,
        /// Everything wrong with it, in line order.
        problems: Vec<Problem>,
    },
    /// A value that cannot be written as JSON.
    #[error("cannot write {what} as JSON: {source}")]
    Json {
        /// What was being written.
        what: &'static str,
        /// What the serialiser said.
        source: serde_json::Error,
    },
    /// The caller could not take a record, for example because the run log cannot be written.
    #[error("the record of query {query_id} was not taken: {source}; the run stopped and can be resumed")]
    Record {
        /// The query.
        query_id: String,
        /// What the caller said.
        source: BoxError,
    },
    /// A log and a query set that do not belong together.
    #[error(
        "none of the log's {records} records asks a question of {set}; {}",
        explain::NOT_IN_LOG
    )]
    NotInLog {
        /// The set.
        set: String,
        /// Records that were looked at.
        records: usize,
    },
    /// A file that is not a baseline.
    #[error("{path} is not a baseline: {reason}; {}", explain::BASELINE)]
    Baseline {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A record that cannot be read whole.
    #[error("{path}: {problem}")]
    Log {
        /// The log.
        path: PathBuf,
        /// What is wrong.
        problem: Problem,
    },
    /// Two runs that were asked different questions.
    #[error("{first} and {second} have no question in common; {}", explain::IN_COMMON)]
    NothingInCommon {
        /// The first run and its mode.
        first: String,
        /// The second run and its mode.
        second: String,
    },
    /// An export that its format cannot hold.
    #[error("cannot export {value:?}: {reason}; {}", explain::EXPORT)]
    Export {
        /// What cannot be written.
        value: String,
        /// Why.
        reason: &'static str,
    },
    /// An export could not be written.
    #[error("cannot write the export: {source}")]
    Output {
        /// What the system said.
        source: io::Error,
    },
    /// A word that names no run of a log, or a name that a run cannot have.
    #[error(transparent)]
    Run(#[from] RunError),
    /// No query can succeed until something is set right.
    #[error("the run stopped at query {query_id}: {reason}; {}", explain::FATAL)]
    Fatal {
        /// The query.
        query_id: String,
        /// Why, and what to do.
        reason: String,
    },
    /// An `evaluation_report.json` that must not be used as it is.
    #[error("{path}: {}; {}", list(problems), explain::EVALUATION_REPORT)]
    EvaluationReport {
        /// The file.
        path: PathBuf,
        /// Everything wrong with it, in the order of its rows.
        problems: Vec<Problem>,
    },
    /// A mode that `evaluation_report.json` has no list for.
    #[error(
        "evaluation_report.json has no list for mode {mode:?}; {}",
        explain::REPORT_MODE
    )]
    ReportMode {
        /// The mode.
        mode: String,
    },
    /// A gate that names no metric, or no number.
    #[error("cannot read the gate {gate:?}: {reason}; {}", explain::gate(example))]
    Gate {
        /// The gate as given.
        gate: String,
        /// What is wrong.
        reason: String,
        /// A gate that can be read.
        example: &'static str,
    },
    /// A file of a benchmark that must not be used as it is.
    #[error("{path}: {}; {hint}", list(problems))]
    Benchmark {
        /// The file.
        path: PathBuf,
        /// Everything wrong with it, in line order.
        problems: Vec<Problem>,
        /// What its lines must be.
        hint: &'static str,
    },
    /// A ranking that cannot be scored or written.
    #[error("the ranking cannot be used because of {document:?}: {reason}")]
    Ranking {
        /// The document, or the query.
        document: String,
        /// What is wrong.
        reason: String,
    },
}

/// The first problems in one line; the rest as a number.
fn list(problems: &[Problem]) -> String {
    const SHOWN: usize = 20;
    let mut out: Vec<String> = problems.iter().take(SHOWN).map(Problem::to_string).collect();
    if problems.len() > SHOWN {
        out.push(format!("and {} more", problems.len() - SHOWN));
    }
    out.join("; ")
}
