//! What can go wrong with an experiment, apart from an answer that fails: that is a row, not an error.

use rows::RowsError;
use std::{io, path::PathBuf};

/// Why a data set or the results of an experiment cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AssessError {
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
    /// A file of questions that cannot be read.
    #[error(transparent)]
    Questions(#[from] RowsError),
    /// Two questions with one id.
    #[error("the id {id:?} is already in the data set; give each question an id of its own, or none")]
    DuplicateId {
        /// The id.
        id: String,
    },
    /// A file that does not hold the results of an experiment.
    #[error("{path} does not hold the results of an experiment: {source}; write it with Results::save")]
    Results {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// Results that cannot be written as JSON.
    #[error("cannot write the results as JSON: {0}")]
    Json(serde_json::Error),
    /// Two experiments that cannot be compared.
    #[error("cannot compare {first:?} with {second:?}: {reason}")]
    Compare {
        /// This experiment.
        first: String,
        /// The other one.
        second: String,
        /// What differs, and what to do.
        reason: String,
    },
}
