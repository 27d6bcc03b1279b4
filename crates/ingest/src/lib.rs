//! From files to documents to chunks: the first stage of the pipeline.
//!
//! A folder is searched ([`discover`]), each PDF, HTML and DOCX is read in a worker process ([`WorkerPool`]), each file of another
//! kind (Markdown, plain text, JATS XML, BEIR's corpora) in this one ([`inputs`]), and comes back as a
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
//! A citation leads back to the page ([`WorkerPool::view`]): the page is read again and drawn, and the quote found among its
//! characters, so that nothing of their places is kept.
//!
//! PDFium runs only in worker processes, each with its own limits of memory and time, so that no file can
//! take the parent down. Pages that are only images are read by an installed `tesseract`, where one is there and
//! asked for. This crate does not know about indexes or models, and never goes to the network.
//!
//! Units: pages are 1-based; spans are UTF-8 bytes into [`types::Document::text`]; lengths on a page are in
//! points, y growing downwards once a page has been turned upright.

mod archive;
mod blob;
pub mod chunk;
mod content;
mod discover;
mod draft;
mod error;
mod files;
mod format;
mod frames;
#[cfg(any(test, fuzzing))]
#[path = "../fuzz/entry.rs"]
pub mod fuzzing;
mod glyph;
pub mod inputs;
mod layout;
mod measure;
mod member;
mod ocr;
mod pdfium;
mod plausible;
mod pool;
mod quality;
mod raised;
mod reading;
mod repair;
mod sandbox;
mod script;
mod structure;
pub mod tokens;
mod view;
mod warnings;
mod worker;
mod zipped;

pub use archive::{in_portfolio, members};
pub use blob::Blob;
pub use content::{content_hash, content_hash_while};
pub use discover::{Discovered, FoundFile, Links, OtherFiles, Output, Unreadable, discover};
pub use error::ParseError;
pub use files::{assign_ids, source_id_of};
pub use member::Member;
pub use ocr::{OcrSettings, Tesseract};
pub use pool::{Job, OnPage, Parsed, WorkerCommand, WorkerPool};
pub use reading::{Limits, Password};
pub use view::{Area, Highlight, Highlighted, PageQuery, PageView, QuotePart, TextLine};
pub use worker::{WORKER_ARGUMENT, worker_main};
pub use zipped::member_of;

/// Version of what this crate makes of a file, PDF or other: part of the key under which parsed documents are
/// cached, so it changes whenever the same bytes give another document.
pub const PARSER_VERSION: &str = "14";
