//! Errors of the jobs of evaluation.

use engine::EngineError;
use std::path::PathBuf;
use types::Explain;

/// Why a job could not be done.
#[derive(Debug, thiserror::Error, Explain)]
pub enum LabError {
    /// The pipeline failed, or could not be opened.
    #[error(transparent)]
    Engine(EngineError),
    /// Evaluation failed.
    #[error(transparent)]
    Eval(#[from] eval::EvalError),
    /// A file of answers cannot be used.
    #[error(transparent)]
    Rows(#[from] eval::rows::RowsError),
    /// A file or folder that cannot be used.
    #[error("{path} {reason}; {hint}")]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
        /// What to do.
        hint: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Anything else, in words for people.
    #[error("{0}")]
    #[explain(code = "failed")]
    Message(String),
    /// The user stopped the work.
    #[error("stopped; {0}")]
    #[explain(hint = inner.to_string())]
    Stopped(eval::Remains),
}

impl LabError {
    /// Wraps an I/O error with what was tried.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }

    /// A file or folder that cannot be used: what is wrong with it, and what to do.
    pub(crate) fn unusable(
        path: impl Into<PathBuf>,
        reason: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self::Unusable { path: path.into(), reason: reason.into(), hint: hint.into() }
    }
}

/// What a stage reports is an error of the pipeline.
macro_rules! from_stages {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for LabError {
            fn from(error: $error) -> Self {
                Self::Engine(error.into())
            }
        }
    )*};
}

from_stages!(EngineError, engine::settings::SettingsError, types::StoreError, engine::indexer::IndexerError,);

impl From<eval::runlog::RunError> for LabError {
    fn from(error: eval::runlog::RunError) -> Self {
        Self::Eval(error.into())
    }
}
