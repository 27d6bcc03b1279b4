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
//! take the parent down. This crate does not know about indexes or models, recognises no text in images, and
//! never goes to the network.
//!
//! Units: pages are 1-based; spans are UTF-8 bytes into [`types::Document::text`]; lengths on a page are in
//! points, y growing downwards once a page has been turned upright.

pub mod chunk;
mod clip;
mod discover;
mod error;
mod frames;
mod glyph;
pub mod inputs;
mod layout;
mod limits;
mod pdfium;
mod pool;
mod sniff;
mod structure;
pub mod tokens;
mod worker;

pub use discover::{
    Discovered, FoundFile, Unreadable, assign_ids, assign_source_ids, content_hash, content_hash_while,
    discover, discover_while, source_id_of,
};
pub use error::ParseError;
pub use limits::Limits;
pub use pdfium::Library;
pub use pool::{Job, PageProgress, Parsed, WorkerCommand, WorkerPool};
pub use worker::worker_main;

use std::path::Path;
use types::Document;

/// Version of what this crate makes of a file, PDF or other: part of the key under which parsed documents are
/// cached, so it changes whenever the same bytes give another document.
pub const PARSER_VERSION: &str = "4";

/// Reads one PDF in this process. Only workers should call it: see [`WorkerPool`]. `progress` is told each
/// page before it is read, and the number of pages. The source id is the slug of the file's stem.
///
/// # Errors
/// Why there is no document.
pub fn parse_pdf(
    library: &Library,
    path: &Path,
    password: Option<&str>,
    limits: &Limits,
    progress: &mut dyn FnMut(u32, u32),
) -> Result<Document, ParseError> {
    let mut pages = layout::Pages::default();
    let opened = library.read(path, password, limits, progress, &mut pages)?;
    Ok(structure::build(pages, &opened, source_id_of(path)))
}
