//! What can go wrong outside of what is measured.

use std::{io, path::PathBuf};

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
        /// What the system said.
        source: io::Error,
    },
    /// Standard output failed.
    #[error("cannot write the result: {source}")]
    Output {
        /// What the system said.
        #[from]
        source: io::Error,
    },
    /// The folder holds nothing to measure.
    #[error("{} holds {what}", path.display())]
    Nothing {
        /// The folder.
        path: PathBuf,
        /// What is missing and how it should look.
        what: &'static str,
    },
    /// A `--min` that cannot be read.
    #[error("--min {gate}: {reason}")]
    Gate {
        /// As given.
        gate: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A `--baseline` that is no result of ours.
    #[error("{} is no result of `bench score-structure --format json`: {reason}", path.display())]
    Baseline {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// PDFium could not read a file's plain text.
    #[error("no plain text of {}: {reason}", path.display())]
    RawText {
        /// The file.
        path: PathBuf,
        /// What PDFium or the system said.
        reason: String,
    },
    /// A measurement could not be made.
    #[error("{script} cannot be measured: {reason}")]
    Peer {
        /// The script or the stage.
        script: String,
        /// What it or the system said.
        reason: String,
    },
    /// The pipeline refused.
    #[error(transparent)]
    Engine(#[from] engine::EngineError),
    /// An index could not be built.
    #[error(transparent)]
    Index(#[from] retrieve::IndexError),
}

impl BenchError {
    /// For `map_err`.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

impl From<engine::settings::SettingsError> for BenchError {
    fn from(error: engine::settings::SettingsError) -> Self {
        Self::Engine(error.into())
    }
}
