//! What can go wrong outside of what is measured.

use std::{fmt::Display, io, path::PathBuf};

/// Why there is no measurement.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// "read", "write".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A measurement could not be made.
    #[error("cannot measure {what}: {reason}")]
    Failed {
        /// The input or the stage.
        what: String,
        /// What it or the system said.
        reason: String,
    },
    /// The pipeline refused.
    #[error(transparent)]
    Engine(#[from] engine::EngineError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] types::StoreError),
}

impl BenchError {
    /// For `map_err`.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }

    /// For `map_err`.
    pub(crate) fn failed<E: Display>(what: impl Into<String>) -> impl FnOnce(E) -> Self {
        let what = what.into();
        move |reason| Self::Failed { what, reason: reason.to_string() }
    }
}
