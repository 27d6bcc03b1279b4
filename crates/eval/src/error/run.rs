//! Errors of naming a run.

use std::path::PathBuf;
use types::path_text::shown;
use types::words::first_of;

/// Runs that an error lists.
pub(crate) const LISTED: usize = 10;

/// A word that names no run, or several, or a name that a run cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The log has no run at all.
    #[error("{} has no run; {}", shown(path), Self::NO_RUN)]
    Empty {
        /// The log.
        path: PathBuf,
    },
    /// No run has this id or name.
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
    #[error("the ids of {} runs begin with {wanted:?}: {}; {}", ids.len(), Self::list(ids), Self::MORE)]
    Ambiguous {
        /// As given.
        wanted: String,
        /// These ids.
        ids: Vec<String>,
    },
    /// A name that cannot be given to a run.
    #[error("{name:?} cannot be the name of a run: {reason}; {}", Self::NAME)]
    Name {
        /// As given.
        name: String,
        /// What is wrong.
        reason: &'static str,
    },
}

impl RunError {
    const NO_RUN: &str = "`pipeline eval` writes one";
    const MORE: &str = "write more of the id";
    const NAME: &str = "use at most 80 printable characters";

    /// What to do.
    pub(super) fn hint(&self) -> String {
        match self {
            Self::Empty { .. } => Self::NO_RUN.to_owned(),
            Self::Unknown { runs, .. } => Self::known(runs),
            Self::Ambiguous { .. } => Self::MORE.to_owned(),
            Self::Name { .. } => Self::NAME.to_owned(),
        }
    }

    /// The word, the name or the log.
    pub(super) fn value(&self) -> String {
        match self {
            Self::Empty { path } => path.display().to_string(),
            Self::Unknown { wanted, .. } | Self::Ambiguous { wanted, .. } => wanted.clone(),
            Self::Name { name, .. } => name.clone(),
        }
    }

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
