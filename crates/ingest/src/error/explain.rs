//! The parts of [`ParseError`].

use super::ParseError;
use types::Explain;

pub(super) const TOO_LARGE: &str = "raise ingest.max_file_mib to read it";
pub(super) const TOO_MANY_PAGES: &str = "raise ingest.max_pages to read it";
pub(super) const TOO_MUCH_TEXT: &str =
    "raise ingest.max_chars, or ingest.max_chars_per_page if that one page is so full";
pub(super) const TIMED_OUT: &str = "raise ingest.seconds_per_file to wait longer";
pub(super) const OUT_OF_MEMORY: &str = "raise ingest.worker_memory_mib if you trust the file";
pub(super) const OCR: &str = "install tesseract (on Debian and Ubuntu: apt-get install tesseract-ocr)";

impl Explain for ParseError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "paper_unreadable",
            Self::Stopped => "paper_stopped",
            Self::NotPdf { .. } => "paper_not_pdf",
            Self::UnknownFormat { .. } => "paper_unknown_format",
            Self::NotJats { .. } => "paper_not_jats",
            Self::NotBeir { .. } => "paper_not_beir",
            Self::PasswordNeeded => "paper_password_needed",
            Self::PasswordWrong => "paper_password_wrong",
            Self::Damaged { .. } => "paper_damaged",
            Self::NoPages => "paper_no_pages",
            Self::TooLarge { .. } => "paper_too_large",
            Self::TooManyPages { .. } => "paper_too_many_pages",
            Self::TooMuchText { .. } => "paper_too_much_text",
            Self::TimedOut { .. } => "paper_timed_out",
            Self::OutOfMemory { .. } => "paper_out_of_memory",
            Self::Crashed { .. } => "paper_crashed",
            Self::Ocr { .. } => "paper_ocr",
            Self::Worker { .. } => "paper_worker",
        }
    }

    fn value(&self) -> Option<String> {
        None
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::TooLarge { .. } => Some(TOO_LARGE.to_owned()),
            Self::TooManyPages { .. } => Some(TOO_MANY_PAGES.to_owned()),
            Self::TooMuchText { .. } => Some(TOO_MUCH_TEXT.to_owned()),
            Self::TimedOut { .. } => Some(TIMED_OUT.to_owned()),
            Self::OutOfMemory { .. } => Some(OUT_OF_MEMORY.to_owned()),
            Self::Ocr { .. } => Some(OCR.to_owned()),
            Self::Unreadable { .. }
            | Self::Stopped
            | Self::NotPdf { .. }
            | Self::UnknownFormat { .. }
            | Self::NotJats { .. }
            | Self::NotBeir { .. }
            | Self::PasswordNeeded
            | Self::PasswordWrong
            | Self::Damaged { .. }
            | Self::NoPages
            | Self::Crashed { .. }
            | Self::Worker { .. } => None,
        }
    }
}
