//! Errors of building and running stages.

use crate::natives::{NativesError, SetupError};
use crate::settings::SettingsError;
use std::{path::PathBuf, time::Duration};
use types::{AnswerFailure, Explain, FailureKind, SourceId, Spent};

/// Why a job could not be done.
#[derive(Debug, thiserror::Error, Explain)]
#[explain(values(path, configured))]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum EngineError {
    /// The settings are wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A native file is missing.
    #[error(transparent)]
    Natives(#[from] NativesError),
    /// Set-up could not finish.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A model could not be loaded.
    #[error(transparent)]
    Models(#[from] models::ModelsError),
    /// A model failed.
    #[explain(code = "model_failed", value = inner.model)]
    #[error(transparent)]
    Model(#[from] types::ModelError),
    /// The language model's settings are wrong.
    #[error(transparent)]
    Llm(#[from] llm::LlmError),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] index::IndexError),
    /// The index could not be built or maintained.
    #[error(transparent)]
    Indexer(#[from] crate::indexer::IndexerError),
    /// The store could not be read while a question was answered.
    #[error(transparent)]
    Store(#[from] types::StoreError),
    /// Reranking failed.
    #[error(transparent)]
    Rerank(#[from] rerank::RerankError),
    /// Verification of an answer failed.
    #[error(transparent)]
    Verify(#[from] guardrail::VerifyError),
    /// Generation failed.
    #[error(transparent)]
    Generate(#[from] types::GenerationFailure),
    /// A question got no answer after a language model was asked.
    #[explain(from = source)]
    #[error("{source}")]
    Unanswered { source: Box<EngineError>, spent: Spent },
    /// A file could not be parsed.
    #[explain(from = reason)]
    #[error("{path}: {reason}")]
    Parse { path: PathBuf, reason: ingest::ParseError },
    /// The settings require OCR for pages without text, but it is not available.
    #[explain(code = "no_ocr")]
    #[error("{detail}; {hint}")]
    Ocr { detail: String, hint: String },
    /// No such file or folder.
    #[error(
        "{path} does not exist; name a paper (PDF, HTML, DOCX, Markdown, text, JATS, BEIR, zip) or a folder of papers"
    )]
    NoSuchPath { path: PathBuf },
    /// A paper has no page of this number.
    #[explain(value = page.to_string())]
    #[error("{source_id} has no page {page}; the last known page is {pages}")]
    NoSuchPage { source_id: SourceId, page: u32, pages: u32 },
    /// A quote is not on the page.
    #[explain(value = quote)]
    #[error(
        "the quote is not on page {page} of {source_id}; give it as the answer has it, with the page of its citation"
    )]
    QuoteNotOnPage { source_id: SourceId, page: u32, quote: String },
    /// A quote that no answer gives.
    #[explain(value = quote)]
    #[error("the quote must have from 1 to {most} characters")]
    BadQuote { quote: String, most: usize },
    /// A page could not be read, which may be due to the machine.
    #[explain(value = source_id.to_string())]
    #[error("page {page} of {source_id} could not be read: {reason}")]
    PageUnread { source_id: SourceId, page: u32, reason: ingest::ParseError },
    /// A page cannot be shown.
    #[explain(value = source_id.to_string())]
    #[error(
        "{source_id} cannot be shown as it is printed: {reason}; only the PDF that was ingested can be shown, in its place"
    )]
    NoPageImage { source_id: SourceId, reason: String },
    /// The index was made with another model.
    #[explain(code = "other_embedding_model")]
    #[error(
        "the index was made with the embedding model {indexed}, the settings name {configured}; ingest again, or set embedding.model back"
    )]
    OtherModel { indexed: String, configured: String },
    /// A filter names something that the index does not hold.
    #[error("{0}")]
    Filter(String),
    /// An empty question.
    #[error("the question is empty; give at least one word")]
    EmptyQuestion,
    /// A question that is too long.
    #[error("the question {length}; ask it in fewer words")]
    LongQuestion { length: String },
    /// The checks of an answer took too long.
    #[error("the answer was not checked within the time limit for one question, {} s; raise llm.question_seconds", limit.as_secs())]
    ChecksTooSlow { limit: Duration },
    /// A file could not be read or written.
    #[error("cannot {action} {path}: {source}")]
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    /// Anything else, in words for people.
    #[explain(code = "failed")]
    #[error("{0}")]
    Message(String),
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
        Self::Unanswered { source: Box::new(self), spent }
    }

    /// Whether a retry may succeed. Everything except language models and the disk would give the same result again.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Unanswered { source, .. } => source.kind(),
            Self::Rerank(error) => error.kind(),
            Self::Verify(error) => error.kind(),
            Self::Generate(failure) => failure.kind,
            Self::Store(error) => error.kind,
            Self::Io { .. } | Self::PageUnread { reason: ingest::ParseError::TimedOut { .. }, .. } => {
                FailureKind::Transient
            }
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
        Self { kind: error.kind(), source: Box::new(error), spent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use index::IndexError;

    #[test]
    fn the_parts_are_those_of_the_stage_that_failed() {
        let check = |error: EngineError, code: &str, value: Option<&str>, hint: Option<&str>| {
            let parts = error.explain();
            assert_eq!(parts.to_string(), error.to_string());
            assert_eq!((parts.code, parts.value.as_deref(), parts.hint.as_deref()), (code, value, hint));
        };
        let path = || std::path::PathBuf::from("a; b");
        check(
            IndexError::Missing { path: path() }.into(),
            "index_missing",
            Some("a; b"),
            Some("run `pipeline ingest FOLDER` first"),
        );
        check(
            NativesError::Missing { what: "PDFium", path: path(), key: "natives.pdfium" }.into(),
            "natives_missing",
            Some("a; b"),
            Some("run `pipeline setup`, or set natives.pdfium"),
        );
        let too_large = ingest::ParseError::TooLarge { bytes: 2, limit: 1 };
        check(
            EngineError::Parse { path: path(), reason: too_large },
            "paper_too_large",
            Some("a; b"),
            Some("raise ingest.max_file_mib to read it"),
        );
        check(
            EngineError::Ocr { detail: "tesseract: no; not there".to_owned(), hint: "install it".to_owned() },
            "no_ocr",
            None,
            Some("install it"),
        );
        check(
            crate::indexer::IndexerError::EmptiedRoot { path: path(), state: "is missing", papers: 1 }.into(),
            "emptied_folder",
            Some("a; b"),
            Some("mount or restore the folder, or pass --prune-all to remove them from the index"),
        );
        check(EngineError::Message("no; hint".to_owned()), "failed", None, None);
    }
}
