//! What can go wrong in an evaluation, apart from a query that fails: that is a row, not an error.

mod run;

pub(crate) use run::LISTED;
pub use run::RunError;

use crate::Remains;
use std::{io, path::PathBuf};
use types::{BoxError, Explain, Problem};

/// A file with more problems is not read to its end.
pub(crate) const MAX_PROBLEMS: usize = 1_000;

/// Why an evaluation could not be prepared, stored or reported.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(prefix = "eval", values(path, query_id, set, first, value, mode, gate, document, name))]
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
    #[error("{name} is not a usable query set: {}", Problem::list(problems))]
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
    #[explain(no_hint)]
    #[error("the record of query {query_id} was not taken: {source}; the run stopped and can be resumed")]
    Record {
        /// The query.
        query_id: String,
        /// What the caller said.
        source: BoxError,
    },
    /// A log and a query set that do not belong together.
    #[error(
        "none of the log's {records} records asks a question of {set}; name the query set that the log was made with"
    )]
    NotInLog {
        /// The set.
        set: String,
        /// Records that were looked at.
        records: usize,
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
    #[error("{first} and {second} have no question in common; compare runs of the same query set")]
    NothingInCommon {
        /// The first run and its mode.
        first: String,
        /// The second run and its mode.
        second: String,
    },
    /// An export that its format cannot hold.
    #[error("cannot export {value:?}: {reason}; choose another --format")]
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
    #[error("the run stopped at query {query_id}: {reason}; {remains}")]
    Fatal {
        /// The query.
        query_id: String,
        /// Why, and what to do.
        reason: String,
        /// What the next run finds.
        remains: Remains,
    },
    /// An `evaluation_report.json` that must not be used as it is.
    #[error(
        "{path}: {}; correct these rows: the file is {{\"hybrid\": [ROW, ...], \"vector_only\": [ROW, ...]}}",
        Problem::list(problems)
    )]
    EvaluationReport {
        /// The file.
        path: PathBuf,
        /// Everything wrong with it, in the order of its rows.
        problems: Vec<Problem>,
    },
    /// A mode that `evaluation_report.json` has no list for.
    #[error(
        "evaluation_report.json has no list for mode {mode:?}; it holds rows of the modes hybrid, vector and bm25"
    )]
    ReportMode {
        /// The mode.
        mode: String,
    },
    /// A gate that names no metric, or no number.
    #[error("cannot read the gate {gate:?}: {reason}; write METRIC=VALUE, for example {example}")]
    Gate {
        /// The gate as given.
        gate: String,
        /// What is wrong.
        reason: String,
        /// A gate that can be read.
        example: &'static str,
    },
    /// A file of one row a line that must not be used as it is: responses to judge, labels, queries, judgements.
    #[error("{path}: {}; {hint}", Problem::list(problems))]
    Lines {
        /// The file.
        path: PathBuf,
        /// Everything wrong with it, in line order.
        problems: Vec<Problem>,
        /// What its lines must be.
        hint: &'static str,
    },
    /// A ranking that cannot be scored or written.
    #[explain(code = "benchmark_ranking")]
    #[error("the ranking cannot be used because of {document:?}: {reason}")]
    Ranking {
        /// The document, or the query.
        document: String,
        /// What is wrong.
        reason: String,
    },
}
