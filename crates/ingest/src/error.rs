//! Why a file gave no document, in words for people.

use crate::member::Member;
use serde::{Deserialize, Serialize};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use types::{Explain, words::first_of};

/// Why a file gave no document. It serialises, so that lists of failed files can be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Explain, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[explain(prefix = "paper")]
#[expect(missing_docs, reason = "the messages name the fields")]
pub enum ParseError {
    /// The file could not be read from disk.
    #[error("cannot read the file: {detail}")]
    Unreadable { detail: String },
    /// The reader was stopped deliberately before it was done.
    #[error("stopped before it was read")]
    Stopped,
    /// The file holds no PDF.
    #[error("not a PDF: it looks like {looks_like}")]
    NotPdf { looks_like: String },
    /// The file is of a kind that is not read.
    #[error("not a PDF, HTML, DOCX, Markdown, text, JATS, BEIR or zip file: it looks like {looks_like}")]
    UnknownFormat { looks_like: String },
    /// An XML file without an article that can be read.
    #[error("not an article in JATS XML: {detail}")]
    NotJats { detail: String },
    /// A JSON file that is no corpus in the form of BEIR.
    #[error("not a BEIR corpus, whose lines are objects with _id, title and text: {detail}")]
    NotBeir { detail: String },
    /// A password is needed and none was given.
    #[error("encrypted: give its password with --password (a broken encryption dictionary looks the same)")]
    PasswordNeeded,
    /// None of the passwords given opens it.
    #[error("encrypted: no given password opens it")]
    PasswordWrong,
    /// It starts like what it should be but cannot be read.
    #[error("damaged: {detail}")]
    Damaged { detail: String },
    /// A PDF whose pages are no paper: the files in it are.
    #[error(
        "a portfolio of papers ({}); `pipeline ingest` reads each, but not those of a portfolio in an archive: unpack it",
        named(members)
    )]
    Portfolio { members: Vec<Member> },
    /// A form whose text is not in its pages.
    #[error("a form (XFA) whose text only Adobe's programs show; print it to PDF there")]
    Form,
    /// It opens but holds no page.
    #[error("the PDF has no pages")]
    NoPages,
    /// It has no page of this number.
    #[error("there is no page {page}: the last one is page {pages}")]
    NoSuchPage { page: u32, pages: u32 },
    /// The file is larger than the limit.
    #[error(
        "the file has {bytes} bytes, more than the limit of {limit}; raise ingest.max_file_mib to read it"
    )]
    TooLarge { bytes: u64, limit: u64 },
    /// It has more pages than the limit.
    #[error("the file has {pages} pages, more than the limit of {limit}; raise ingest.max_pages to read it")]
    TooManyPages { pages: u32, limit: u32 },
    /// A page or the document holds more text than the limit.
    #[error("page {page} brings it above the limit of {limit} characters; split the file")]
    TooMuchText { page: u32, limit: u64 },
    /// Reading took too long.
    #[error("timed out after {seconds} s{}; raise ingest.seconds_per_file to wait longer", at_page(*page))]
    TimedOut { seconds: u64, page: Option<u32> },
    /// Reading needed more memory than allowed.
    #[error("out of memory: needs more than the limit of {limit_mib} MiB{}; raise ingest.worker_memory_mib if you trust the file", at_page(*page))]
    OutOfMemory { limit_mib: u64, page: Option<u32> },
    /// The reader died on this file.
    #[error("the PDF worker crashed ({signal}){}", at_page(*page))]
    Crashed { signal: String, page: Option<u32> },
    /// Recognition of images cannot work.
    #[error("no OCR: {detail}; install tesseract (on Debian and Ubuntu: apt-get install tesseract-ocr)")]
    Ocr { detail: String },
    /// The reader itself does not work: nothing is wrong with the file.
    #[error("the reader could not work: {detail}")]
    Worker { detail: String },
}

impl ParseError {
    /// Whether the same file may succeed without being changed, given other limits, a password or a repaired
    /// installation.
    pub fn depends_on_settings(&self) -> bool {
        !matches!(
            self,
            Self::NotPdf { .. }
                | Self::UnknownFormat { .. }
                | Self::NotJats { .. }
                | Self::NotBeir { .. }
                | Self::Damaged { .. }
                | Self::Form
                | Self::NoPages
        )
    }
}

impl From<io::Error> for ParseError {
    fn from(error: io::Error) -> Self {
        let detail = error.to_string();
        Self::Unreadable { detail }
    }
}

/// Runs a reader; should it panic, that costs one file.
pub(crate) fn guarded<T>(read: impl FnOnce() -> T) -> Result<T, ParseError> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let signal = format!("panic: {}", text.unwrap_or("no message"));
        ParseError::Crashed { signal, page: None }
    })
}

fn named(members: &[Member]) -> String {
    first_of(members.iter().map(|member| member.name.as_str()), 5)
}

fn at_page(page: Option<u32>) -> String {
    page.map_or_else(String::new, |p| format!(" on page {p}"))
}
