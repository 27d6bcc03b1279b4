//! What can go wrong when stages are built or run.

use crate::{natives::NativesError, settings::SettingsError};
use std::path::PathBuf;
use types::{AnswerFailure, FailureKind, Spent};

/// Why a job could not be done.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The settings are wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A native file is missing.
    #[error(transparent)]
    Natives(#[from] NativesError),
    /// Set-up could not finish.
    #[error(transparent)]
    Setup(#[from] crate::setup::SetupError),
    /// A model could not be loaded.
    #[error(transparent)]
    Models(#[from] models::ModelsError),
    /// A model failed.
    #[error(transparent)]
    Model(#[from] types::ModelError),
    /// The language model's settings are wrong.
    #[error(transparent)]
    Llm(#[from] llm::LlmError),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] retrieve::IndexError),
    /// The index could not be read while a question was answered.
    #[error(transparent)]
    Store(#[from] types::StoreError),
    /// Reranking failed.
    #[error(transparent)]
    Rerank(#[from] rerank::RerankError),
    /// Generation failed.
    #[error(transparent)]
    Generate(#[from] generate::GenerateError),
    /// A question got no answer after a language model was asked.
    #[error("{source}")]
    Unanswered {
        /// Why.
        source: Box<EngineError>,
        /// What language models spent on it.
        spent: Spent,
    },
    /// Evaluation failed.
    #[error(transparent)]
    Eval(#[from] eval::EvalError),
    /// A file could not be parsed.
    #[error("{path}: {reason}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: ingest::ParseError,
    },
    /// Pages without text cannot be recognised, though the settings ask for it.
    #[error("{detail}")]
    Ocr {
        /// What is missing and what to do.
        detail: String,
    },
    /// No such file or folder.
    #[error("{path} does not exist; name a paper (PDF, Markdown, text, JATS, BEIR) or a folder of papers")]
    NoSuchPath {
        /// As given.
        path: PathBuf,
    },
    /// Nothing to do.
    #[error(
        "no paper was found in {paths}{}; name a paper (PDF, Markdown, text, JATS, BEIR) or a folder of papers",
        looked_over(skipped)
    )]
    NothingFound {
        /// Where.
        paths: String,
        /// What was there and is no paper, each with the reason.
        skipped: Vec<String>,
    },
    /// A folder of which the index holds papers is empty or missing.
    #[error(
        "{path} {state}, but the index holds {papers} {} from there; nothing was changed, the papers are kept; mount or \
         restore the folder, or pass --prune-all to remove them from the index",
        if *papers == 1 { "paper" } else { "papers" }
    )]
    EmptiedRoot {
        /// The folder or file that was named.
        path: PathBuf,
        /// Whether it is missing or holds no paper.
        state: &'static str,
        /// Papers of the index that were read from there.
        papers: usize,
    },
    /// The index was made with another model.
    #[error(
        "the index was made with the embedding model {indexed}, the settings name {configured}; ingest again, or set \
         embedding.model back"
    )]
    OtherModel {
        /// Of the index.
        indexed: String,
        /// Of the settings.
        configured: String,
    },
    /// A filter names something that the index does not hold.
    #[error("{0}")]
    Filter(String),
    /// An empty question.
    #[error("the question is empty; give at least one word")]
    EmptyQuestion,
    /// A file could not be read or written.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's word.
        source: std::io::Error,
    },
    /// Anything else, in words for people.
    #[error("{0}")]
    Message(String),
    /// The user stopped the work.
    #[error("stopped; run the same command again to continue")]
    Stopped,
}

/// What was passed over, shortened.
fn looked_over(skipped: &[String]) -> String {
    const SHOWN: usize = 5;
    let first = skipped.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match skipped.len() {
        0 => String::new(),
        n if n > SHOWN => format!("; skipped {first} and {} more", n - SHOWN),
        _ => format!("; skipped {first}"),
    }
}

impl EngineError {
    /// Wraps an I/O error with what was tried.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }

    /// The same error with what was spent before it.
    pub(crate) fn after_spending(self, spent: Spent) -> Self {
        if spent.is_empty() {
            return self;
        }
        Self::Unanswered {
            source: Box::new(self),
            spent,
        }
    }

    /// Whether the same question may succeed later. All but language models and the disk give the same result again.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Unanswered { source, .. } => source.kind(),
            Self::Rerank(error) => error.kind(),
            Self::Generate(error) => error.kind(),
            Self::Io { .. } => FailureKind::Transient,
            _ => FailureKind::Permanent,
        }
    }
}

impl From<EngineError> for AnswerFailure {
    fn from(error: EngineError) -> Self {
        let spent = match &error {
            EngineError::Unanswered { spent, .. } => spent.clone(),
            _ => Spent::default(),
        };
        Self {
            kind: error.kind(),
            source: Box::new(error),
            spent,
        }
    }
}
