//! Documents from files other than PDF: HTML, DOCX, Markdown, plain text, JATS XML, and the records of a BEIR `corpus.jsonl`.
//!
//! The type of a file is detected from its content ([`detect`]); its name decides only where the content cannot.
//! Reading is plain Rust: no native code, no external entity, no network. Each file is
//! bounded like a PDF, by its size and its characters. Formats without pages have one page, page 1; in a
//! plain text a form feed starts a new page. HTML, DOCX and whatever is in an archive are read in worker processes, since few bytes
//! of them can make much.
//!
//! A [`manifest`] or a [`bibliography`] beside the files corrects what was guessed of them.

mod article;
pub mod beir;
pub mod bibliography;
mod detect;
mod docx;
mod doi;
mod fingerprint;
mod front_matter;
mod html;
mod jats;
pub mod manifest;
mod markdown;
mod plain;
mod tex;

pub use crate::files::content_key;
pub use crate::format::Format;
pub(crate) use detect::detect_head;
pub use detect::{detect, is_own_output};
pub use fingerprint::Fingerprint;

use crate::error::guarded;
use crate::reading::has_at_most;
use crate::{Limits, ParseError, content, files, format, source_id_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use text::encoding::{self, Decoded, NoText};
use types::{Document, digest::sha256, files::read_all};

/// A document, and the name of the content that it was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    let bytes = content::read(path, limits)?;
    let content = content_key(format, &sha256(&bytes));
    let mut document = guarded(|| parse(&bytes, format, limits)).flatten()?;
    document.meta.source_id = source_id_of(path);
    Ok(ReadFile { document, content })
}

/// Names what a file holds now, as [`content_key`] does.
///
/// # Errors
/// When it cannot be read.
pub fn content_of(path: &Path) -> io::Result<String> {
    let hash = content::content_hash(path)?;
    Ok(content_key(detect(path).unwrap_or(Format::Pdf), &hash))
}

/// The document that these bytes are in a format.
///
/// # Errors
/// Why there is none.
pub(crate) fn parse(bytes: &[u8], format: Format, limits: &Limits) -> Result<Document, ParseError> {
    if format == Format::Docx {
        return docx::read(bytes, limits);
    }
    let label = if format == Format::Html { html::named_encoding(bytes) } else { None };
    let Decoded { text, warning } = decode_labelled(bytes, label.as_deref())?;
    let mut document = match format {
        Format::Markdown => markdown::read(within_limits(&text, limits)?, limits)?,
        Format::Text => plain::read(within_limits(&text, limits)?, limits)?,
        Format::Jats => jats::read(&text, limits)?,
        Format::Html => html::read(&text, limits)?,
        Format::Pdf | Format::Docx | Format::Beir | Format::Zip => {
            return Err(ParseError::Worker {
                detail: format!("a {} file was handed to the reader of texts", format.as_str()),
            });
        }
    };
    document.warnings.splice(0..0, warning);
    Ok(document)
}

fn decode(bytes: &[u8]) -> Result<Decoded, ParseError> {
    decode_labelled(bytes, None)
}

fn decode_labelled(bytes: &[u8], label: Option<&str>) -> Result<Decoded, ParseError> {
    encoding::decode_labelled(bytes, label)
        .map_err(|NoText| ParseError::UnknownFormat { looks_like: format::looks_like(bytes).to_owned() })
}

/// A text whose every character may become one of the document.
fn within_limits<'a>(text: &'a str, limits: &Limits) -> Result<&'a str, ParseError> {
    let limit = limits.max_chars;
    if has_at_most(text, limit) { Ok(text) } else { Err(ParseError::TooMuchText { page: 1, limit }) }
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
    let file = files::open(path).map_err(|e| e.to_string())?;
    let bytes = read_all(file, MAX_METADATA_BYTES).map_err(|e| e.to_string())?;
    let cost = |byte: &u8| costs.iter().find(|(of, _)| of == byte).map(|(_, cost)| cost);
    if bytes.iter().filter_map(cost).sum::<u64>() > MAX_METADATA_MEMORY {
        return Err(format!(
            "its entries would take more than {} MiB of memory, the limit",
            MAX_METADATA_MEMORY >> 20
        ));
    }
    decode(&bytes).map_err(|e| e.to_string())
}

/// Groups of files that may be one paper, since they lie in one folder and have one stem. In each group the file that
/// is read first comes first: the PDF, since its pages can be cited; then the JATS, which tells its sections, then
/// Markdown, then plain text. Whether they are one paper, their content decides: see [`Fingerprint`].
///
/// Two PDFs are two papers whatever their stems, and records of a BEIR file are no files.
pub fn same_stem<P: AsRef<Path>>(files: &[(P, Format)]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<(PathBuf, Vec<u8>), Vec<usize>> = BTreeMap::new();
    for (i, (path, format)) in files.iter().enumerate() {
        let path = path.as_ref();
        if !matches!(format, Format::Beir | Format::Zip) {
            let stem = path.file_stem().unwrap_or_default();
            // What is not UTF-8 has no case.
            let lower = stem.to_str().map(|text| text.to_lowercase().into_bytes());
            let stem = lower.unwrap_or_else(|| stem.as_encoded_bytes().to_vec());
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            groups.entry((folder, stem)).or_default().push(i);
        }
    }
    let several = |group: &Vec<usize>| group.len() > 1 && group.iter().any(|i| files[*i].1 != Format::Pdf);
    let mut out: Vec<Vec<usize>> = groups.into_values().filter(several).collect();
    for group in &mut out {
        group.sort_by_key(|i| (files[*i].1, *i));
    }
    out
}

#[cfg(test)]
mod same_stem_tests {
    use super::*;
    use Format::{Beir, Jats, Markdown, Pdf, Text};

    #[test]
    fn files_of_one_stem_are_grouped_and_the_pdf_comes_first() {
        let check = |files: &[(&str, Format)], want: &[&[usize]]| {
            assert_eq!(same_stem(files), want, "{files:?}");
        };
        check(&[("a.pdf", Pdf), ("a.xml", Jats)], &[&[0, 1]]);
        check(&[("a.txt", Text), ("a.md", Markdown), ("A.nxml", Jats)], &[&[2, 1, 0]]);
        check(&[("a.md", Markdown), ("a.pdf", Pdf), ("a.PDF", Pdf)], &[&[1, 2, 0]]);
        check(&[("a.pdf", Pdf), ("a.PDF", Pdf)], &[]);
        check(&[("x/a.pdf", Pdf), ("y/a.xml", Jats)], &[]);
        check(&[("a.pdf", Pdf), ("a.jsonl", Beir)], &[]);
        check(&[("a.md", Markdown), ("b.md", Markdown)], &[]);
    }
}
