//! The parts of [`EngineError`]: those of the stage that failed, or its own.

use super::EngineError;
use types::Explain;

pub(super) const NAME_A_PAPER: &str = "name a paper (PDF, Markdown, text, JATS, BEIR) or a folder of papers";
pub(super) const OTHER_MODEL: &str = "ingest again, or set embedding.model back";
pub(super) const EMPTY_QUESTION: &str = "give at least one word";
pub(super) const CHECKS_TOO_SLOW: &str = "raise llm.question_seconds";
pub(super) const LONG_QUESTION: &str = "ask it in fewer words";

impl EngineError {
    /// The error of a stage that this one wraps.
    fn inner(&self) -> Option<&dyn Explain> {
        Some(match self {
            Self::Settings(error) => error,
            Self::Natives(error) => error,
            Self::Setup(error) => error,
            Self::Hub(error) => error,
            Self::Models(error) => error,
            Self::Llm(error) => error,
            Self::Index(error) => error,
            Self::Indexer(error) => error,
            Self::Rerank(error) => error,
            Self::Verify(error) => error,
            Self::Generate(failure) => failure,
            Self::Store(error) => error,
            Self::Unanswered { source, .. } => &**source,
            Self::Parse { reason, .. } => reason,
            Self::Model(_)
            | Self::Ocr { .. }
            | Self::NoSuchPath { .. }
            | Self::OtherModel { .. }
            | Self::Filter(_)
            | Self::EmptyQuestion
            | Self::LongQuestion { .. }
            | Self::ChecksTooSlow { .. }
            | Self::Io { .. }
            | Self::Message(_) => return None,
        })
    }
}

impl Explain for EngineError {
    fn code(&self) -> &'static str {
        if let Some(inner) = self.inner() {
            return inner.code();
        }
        match self {
            Self::Model(_) => "model_failed",
            Self::Ocr { .. } => "no_ocr",
            Self::NoSuchPath { .. } => "no_such_path",
            Self::OtherModel { .. } => "other_embedding_model",
            Self::Filter(_) => "filter",
            Self::EmptyQuestion => "empty_question",
            Self::LongQuestion { .. } => "long_question",
            Self::ChecksTooSlow { .. } => "checks_too_slow",
            Self::Io { .. } => "io",
            _ => "failed",
        }
    }

    fn value(&self) -> Option<String> {
        match self {
            Self::Parse { path, .. } | Self::NoSuchPath { path } | Self::Io { path, .. } => {
                Some(path.display().to_string())
            }
            Self::OtherModel { configured, .. } => Some(configured.clone()),
            Self::Model(error) => Some(error.model.clone()),
            _ => self.inner().and_then(Explain::value),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Ocr { hint, .. } => hint,
            Self::NoSuchPath { .. } => NAME_A_PAPER,
            Self::OtherModel { .. } => OTHER_MODEL,
            Self::EmptyQuestion => EMPTY_QUESTION,
            Self::LongQuestion { .. } => LONG_QUESTION,
            Self::ChecksTooSlow { .. } => CHECKS_TOO_SLOW,
            _ => return self.inner().and_then(Explain::hint),
        };
        Some(hint.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::natives::NativesError;
    use retrieve::IndexError;

    #[test]
    fn the_parts_are_those_of_the_stage_that_failed() {
        let check = |error: EngineError, code: &str, value: Option<&str>, hint: Option<&str>| {
            let parts = error.explain();
            assert_eq!(parts.to_string(), error.to_string());
            assert_eq!(
                (parts.code, parts.value.as_deref(), parts.hint.as_deref()),
                (code, value, hint)
            );
        };
        let path = || std::path::PathBuf::from("a; b");
        check(
            IndexError::Missing { path: path() }.into(),
            "index_missing",
            Some("a; b"),
            Some("run `pipeline ingest FOLDER` first"),
        );
        check(
            NativesError::Missing {
                what: "PDFium",
                path: path(),
                key: "natives.pdfium",
            }
            .into(),
            "natives_missing",
            Some("a; b"),
            Some("run `pipeline setup`, or set natives.pdfium"),
        );
        let too_large = ingest::ParseError::TooLarge { bytes: 2, limit: 1 };
        check(
            EngineError::Parse {
                path: path(),
                reason: too_large,
            },
            "paper_too_large",
            Some("a; b"),
            Some("raise ingest.max_file_mib to read it"),
        );
        check(
            EngineError::Ocr {
                detail: "tesseract: no; not there".to_owned(),
                hint: "install it".to_owned(),
            },
            "no_ocr",
            None,
            Some("install it"),
        );
        check(
            indexer::IndexerError::EmptiedRoot {
                path: path(),
                state: "is missing",
                papers: 1,
            }
            .into(),
            "emptied_folder",
            Some("a; b"),
            Some("mount or restore the folder, or pass --prune-all to remove them from the index"),
        );
        check(EngineError::Message("no; hint".to_owned()), "failed", None, None);
    }
}
