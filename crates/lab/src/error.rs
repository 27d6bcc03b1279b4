//! Errors of the jobs of evaluation.

use engine::EngineError;
use std::path::PathBuf;
use types::{AnswerFailure, Explain, FailureKind};

const STOPPED: &str = "run the same command again to continue";

/// Why a job could not be done.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The pipeline failed, or could not be opened.
    #[error(transparent)]
    Engine(EngineError),
    /// Evaluation failed.
    #[error(transparent)]
    Eval(#[from] eval::EvalError),
    /// A file of answers cannot be used.
    #[error(transparent)]
    Rows(#[from] rows::RowsError),
    /// A benchmark's folder, or a file named beside it, that cannot be used.
    #[error("{path} {reason}; {hint}")]
    Benchmark {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
        /// What to do.
        hint: String,
    },
    /// Settings cannot be varied as given.
    #[error("{}; {hint}", problems.join("; "))]
    Sweep {
        /// Everything that is wrong.
        problems: Vec<String>,
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
    Message(String),
    /// The user stopped the work.
    #[error("stopped; {STOPPED}")]
    Stopped,
}

impl LabError {
    /// Wraps an I/O error with what was tried.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }

    /// Whether a retry may succeed.
    pub(crate) fn kind(&self) -> FailureKind {
        match self {
            Self::Engine(error) => error.kind(),
            Self::Io { .. } => FailureKind::Transient,
            _ => FailureKind::Permanent,
        }
    }

    /// The error of a stage that this one wraps.
    fn inner(&self) -> Option<&dyn Explain> {
        match self {
            Self::Engine(error) => Some(error),
            Self::Eval(error) => Some(error),
            _ => None,
        }
    }
}

impl Explain for LabError {
    fn code(&self) -> &'static str {
        match self {
            Self::Rows(_) => "answers",
            Self::Benchmark { .. } => "benchmark",
            Self::Sweep { .. } => "sweep",
            Self::Io { .. } => "io",
            Self::Stopped => "stopped",
            _ => self.inner().map_or("failed", Explain::code),
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Benchmark { path, .. } | Self::Io { path, .. } => Some(path.display().to_string()),
            Self::Rows(error) => Some(error.value().to_owned()),
            _ => self.inner().and_then(Explain::value),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Rows(error) => Some(error.hint()),
            Self::Benchmark { hint, .. } | Self::Sweep { hint, .. } => Some(hint.clone()),
            Self::Stopped => Some(STOPPED.to_owned()),
            _ => self.inner().and_then(Explain::hint),
        }
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

from_stages!(
    EngineError,
    settings::SettingsError,
    types::ModelError,
    types::StoreError,
    types::GenerationFailure,
    retrieve::IndexError,
    rerank::RerankError,
    indexer::IndexerError,
);

impl From<LabError> for AnswerFailure {
    fn from(error: LabError) -> Self {
        match error {
            LabError::Engine(error) => error.into(),
            other => Self {
                kind: other.kind(),
                source: Box::new(other),
                spent: types::Spent::default(),
            },
        }
    }
}

impl From<eval::runlog::RunError> for LabError {
    fn from(error: eval::runlog::RunError) -> Self {
        Self::Eval(error.into())
    }
}
