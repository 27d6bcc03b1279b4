//! Errors of naming a run.

use std::path::PathBuf;
use types::words::first_of;
use types::{Explain, path_text::shown};

/// Runs that an error lists.
pub(crate) const LISTED: usize = 10;

/// A word that names no run, or several, or a name that a run cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Explain)]
#[explain(code = "eval_run", values(wanted, name, path))]
pub enum RunError {
    /// The log has no run at all.
    #[error("{} has no run; `pipeline eval` writes one", shown(path))]
    Empty {
        /// The log.
        path: PathBuf,
    },
    /// No run has this id or name.
    #[explain(hint = Self::known(runs))]
    #[error("{} has no run {wanted:?}; {}", shown(path), Self::known(runs))]
    Unknown {
        /// The log.
        path: PathBuf,
        /// As given.
        wanted: String,
        /// The latest runs, the latest first, and how many there are in all.
        runs: (Vec<String>, usize),
    },
    /// Several ids begin like this.
    #[error("the ids of {} runs begin with {wanted:?}: {}; write more of the id", ids.len(), Self::list(ids))]
    Ambiguous {
        /// As given.
        wanted: String,
        /// These ids.
        ids: Vec<String>,
    },
    /// A name that cannot be given to a run.
    #[error("{name:?} cannot be the name of a run: {reason}; use at most 80 printable characters")]
    Name {
        /// As given.
        name: String,
        /// What is wrong.
        reason: &'static str,
    },
}

impl RunError {
    fn known((latest, all): &(Vec<String>, usize)) -> String {
        let list = latest.join(", ");
        match all {
            n if *n > latest.len() => format!("the latest of its {n} runs are {list}"),
            _ => format!("its runs are {list}"),
        }
    }

    fn list(ids: &[String]) -> String {
        first_of(ids, LISTED)
    }
}
