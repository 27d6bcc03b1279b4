//! From files to documents to chunks: the first stage of the pipeline.
//!
//! A folder is searched ([`discover`]), each PDF is read in a worker process ([`WorkerPool`]), each file of another
//! kind (Markdown, plain text, JATS XML, BEIR's corpora) by plain Rust ([`inputs`]), and comes back as a
//! [`types::Document`]: title, authors, year, DOI, and sections with paragraphs, captions, table rows and
//! footnotes in reading order, every part with its bytes in the document's text and its pages. [`chunk`] cuts
//! documents into pieces that can be retrieved and cited.
//!
//! How a page is read. PDFium gives characters with fonts and boxes, in no useful order. They become pieces
//! of lines, set apart by wide gaps; columns are found as vertical gutters that pieces do not cross, again
//! and again within each column (a whitespace variant of the recursive X-Y cut: Nagy and Seth, "Hierarchical
//! representation of optically scanned documents", 1984; Breuel, "Two geometric algorithms for layout
//! analysis", 2002). Running heads are what repeats at the same place of several pages. Headings are what
//! stands out in size, weight or case from the bulk of the text, checked against numbering and against the
//! names that sections of papers have.
//!
//! PDFium runs only in worker processes, each with its own limits of memory and time, so that no file can
//! take the parent down. Pages that are only images are read by an installed `tesseract`, where one is there and
//! asked for. This crate does not know about indexes or models, and never goes to the network.
//!
//! Units: pages are 1-based; spans are UTF-8 bytes into [`types::Document::text`]; lengths on a page are in
//! points, y growing downwards once a page has been turned upright.

mod char_counts;
pub mod chunk;
mod clipping;
mod content;
mod discover;
mod environment;
mod error;
mod format;
mod frames;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod glyph;
pub mod inputs;
mod layout;
mod limits;
mod ocr;
mod password;
mod pdfium;
mod plausible;
mod pool;
mod quality;
mod raised;
mod regular_file;
mod repair;
mod script;
mod sniff;
mod source_ids;
mod structure;
pub mod tokens;
mod warnings;
mod worker;

pub use content::{content_hash, content_hash_while};
pub use discover::{Discovered, FoundFile, Links, OtherFiles, Output, Unreadable, discover};
pub use error::ParseError;
pub use limits::Limits;
pub use ocr::{OcrSettings, Tesseract};
pub use password::Password;
pub use pdfium::Library;
pub use pool::{Job, Parsed, WorkerCommand, WorkerPool};
pub use source_ids::{assign_ids, source_id_of};
pub use worker::worker_main;

use std::path::Path;
use types::Document;

/// Version of what this crate makes of a file, PDF or other: part of the key under which parsed documents are
/// cached, so it changes whenever the same bytes give another document.
pub const PARSER_VERSION: &str = "9";

/// How a file is to be read.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// Passwords to try where one is needed.
    pub passwords: &'a [Password],
    /// What it may cost.
    pub limits: &'a Limits,
    /// How pages without text are recognised; `None` leaves them without.
    pub ocr: Option<&'a OcrSettings>,
}

/// How far a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// A page is about to be read.
    Page {
        /// The page, 1-based.
        page: u32,
    },
    /// A page without text is about to be recognised, which takes seconds.
    Recognising {
        /// The page, 1-based.
        page: u32,
    },
}

/// Reads one PDF in this process. Only workers should call it: see [`WorkerPool`]. The source id is the slug of
/// the file's stem.
///
/// # Errors
/// Why there is no document.
pub fn parse_pdf(
    library: &Library,
    path: &Path,
    reading: &Reading<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Document, ParseError> {
    let mut pages = layout::Pages::default();
    let opened = library.read(path, reading, progress, &mut pages)?;
    let document = structure::build(pages, &opened, source_id_of(path));
    match opened.repaired {
        // Without text, the reason why the file had to be repaired says more.
        Some(repaired) if document.text.trim().is_empty() => Err(repaired.error),
        _ => Ok(document),
    }
}
