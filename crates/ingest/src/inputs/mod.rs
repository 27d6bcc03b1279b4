//! Documents from files other than PDF: Markdown, plain text, JATS XML, and the records of a BEIR `corpus.jsonl`.
//!
//! The type of a file is detected from its content ([`detect`]); its name decides only where the content cannot.
//! Reading is plain Rust in the calling process: no native code, no external entity, no network. Each file is
//! bounded like a PDF, by its size and its characters. Formats without pages have one page, page 1; in a
//! plain text a form feed starts a new page.
//!
//! A [`manifest`] or a [`bibliography`] beside the files corrects what was guessed of them.

pub mod beir;
pub mod bibliography;
mod detect;
mod doi;
mod draft;
mod fingerprint;
mod front_matter;
mod jats;
pub mod manifest;
mod markdown;
mod plain;
mod same_stem;

pub use crate::content::content_key;
pub use crate::format::Format;
pub use detect::{detect, is_own_output};
pub use fingerprint::Fingerprint;
pub use same_stem::same_stem;

use crate::limits::has_at_most;
use crate::{Limits, ParseError, regular_file, sniff, source_id_of};
use std::any::Any;
use std::fs;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use text::encoding::{self, Decoded, NoText};
use types::{Document, digest::sha256, files::read_all};

/// A document, and the name of the content that it was made from.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadFile {
    /// The document; its source id is the slug of the file's stem, which other files may have too.
    pub document: Document,
    /// [`content_key`] of the bytes that were read.
    pub content: String,
}

/// Reads a file of one document that is no PDF.
///
/// # Errors
/// Why there is no document. PDFs and BEIR files are refused: a worker and [`beir::entries`] read those.
pub fn read(path: &Path, format: Format, limits: &Limits) -> Result<ReadFile, ParseError> {
    let bytes = bytes_of(path, limits)?;
    let content = content_key(format, &sha256(&bytes));
    // Should a parser panic, that costs one file.
    let outcome = catch_unwind(AssertUnwindSafe(|| parse(&bytes, format, limits)));
    let mut document = outcome.unwrap_or_else(|panic| {
        Err(ParseError::Crashed {
            signal: format!("panic: {}", panic_text(panic.as_ref())),
            page: None,
        })
    })?;
    document.meta.source_id = source_id_of(path);
    Ok(ReadFile { document, content })
}

fn parse(bytes: &[u8], format: Format, limits: &Limits) -> Result<Document, ParseError> {
    let Decoded { text, warning } = decode(bytes)?;
    let mut document = match format {
        Format::Markdown => markdown::read(within_limits(&text, limits)?, limits)?,
        Format::Text => plain::read(within_limits(&text, limits)?, limits)?,
        Format::Jats => jats::read(&text, limits)?,
        Format::Pdf | Format::Beir => {
            return Err(ParseError::Worker {
                detail: format!("a {} file was handed to the reader of texts", format.as_str()),
            });
        }
    };
    document.warnings.splice(0..0, warning);
    Ok(document)
}

fn decode(bytes: &[u8]) -> Result<Decoded, ParseError> {
    encoding::decode(bytes).map_err(|NoText| ParseError::UnknownFormat {
        looks_like: sniff::looks_like(bytes).to_owned(),
    })
}

/// A text whose every character may become one of the document.
fn within_limits<'a>(text: &'a str, limits: &Limits) -> Result<&'a str, ParseError> {
    let limit = limits.max_chars;
    if has_at_most(text, limit) {
        Ok(text)
    } else {
        Err(ParseError::TooMuchText { page: 1, limit })
    }
}

fn bytes_of(path: &Path, limits: &Limits) -> Result<Vec<u8>, ParseError> {
    let unreadable = |e: std::io::Error| ParseError::Unreadable {
        detail: e.to_string(),
    };
    let limit = limits.max_file_bytes;
    let too_large = |bytes: u64| ParseError::TooLarge { bytes, limit };
    let size = fs::metadata(path).map_err(unreadable)?.len();
    if size > limit {
        return Err(too_large(size));
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    let file = regular_file::open(path).map_err(unreadable)?;
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// Most bytes of a manifest or a bibliography: an entry takes some hundred.
const MAX_METADATA_BYTES: u64 = 64 << 20;
/// Most memory that the entries of such a file may take.
const MAX_METADATA_MEMORY: u64 = 512 << 20;

/// The text of a manifest or a bibliography. `costs` says how much memory its reader takes for each of these characters at most.
///
/// # Errors
/// When the file cannot be read or passes a limit, in words for people.
fn metadata_text(path: &Path, costs: &[(u8, u64)]) -> Result<Decoded, String> {
    let file = regular_file::open(path).map_err(|e| e.to_string())?;
    let bytes = read_all(file, MAX_METADATA_BYTES).map_err(|e| e.to_string())?;
    let cost = |byte: &u8| {
        costs
            .iter()
            .find(|(of, _)| of == byte)
            .map_or(0, |(_, cost)| *cost)
    };
    if bytes.iter().map(cost).sum::<u64>() > MAX_METADATA_MEMORY {
        return Err(format!(
            "its entries would take more than {} MiB of memory, the limit",
            MAX_METADATA_MEMORY >> 20
        ));
    }
    decode(&bytes).map_err(|e| e.to_string())
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
