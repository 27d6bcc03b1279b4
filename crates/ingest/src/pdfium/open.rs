//! From a path to an open document: size, junk in front, passwords, repair.

use super::{Repaired, explain};
use crate::{Limits, ParseError, Password, regular_file, repair, sniff};
use pdfium_render::prelude::{PdfDocument, Pdfium, PdfiumError, PdfiumInternalError};
use std::io::Read;
use std::path::Path;

/// A repaired file is kept beside the original: files larger than this share of the memory are not repaired.
const REPAIR_SHARE: u64 = 6;

/// An open document, and whether it had to be repaired.
pub(super) struct Document<'a> {
    pub(super) pdf: PdfDocument<'a>,
    pub(super) repaired: Option<Repaired>,
}

/// Opens what [`read_file`] read.
pub(super) fn open<'a>(
    pdfium: &'a Pdfium,
    bytes: &'a [u8],
    passwords: &[Password],
    limits: &Limits,
) -> Result<Document<'a>, ParseError> {
    let error = match sniff::pdf_header(bytes) {
        Some(start) => match open_at(pdfium, bytes, start, passwords) {
            Ok(pdf) if !pdf.pages().is_empty() => return Ok(Document { pdf, repaired: None }),
            Ok(_) => ParseError::NoPages,
            Err(error) => error,
        },
        None => ParseError::NotPdf {
            looks_like: sniff::looks_like(bytes).to_owned(),
        },
    };
    let damaged = matches!(
        error,
        ParseError::Damaged { .. } | ParseError::NoPages | ParseError::NotPdf { .. }
    );
    if !damaged || bytes.len() as u64 > limits.memory_bytes / REPAIR_SHARE {
        return Err(error);
    }
    let Some((repaired, pages)) = repair::repaired(bytes) else {
        return Err(error);
    };
    match pdfium.load_pdf_from_byte_vec(repaired, None) {
        Ok(pdf) if !pdf.pages().is_empty() => Ok(Document {
            pdf,
            repaired: Some(Repaired { pages, error }),
        }),
        _ => Err(error),
    }
}

/// Opens the file whose header stands at `start`, without a password and then with each of those given.
fn open_at<'a>(
    pdfium: &'a Pdfium,
    bytes: &'a [u8],
    start: usize,
    passwords: &[Password],
) -> Result<PdfDocument<'a>, ParseError> {
    // Offsets in a PDF count from its header, as a rule; some producers count junk in front, too.
    let mut error = None;
    for from in [start, 0].into_iter().take(1 + usize::from(start > 0)) {
        let forms = passwords.iter().flat_map(Password::forms).map(Some);
        for password in std::iter::once(None).chain(forms) {
            match pdfium.load_pdf_from_byte_slice(&bytes[from..], password) {
                Ok(pdf) => return Ok(pdf),
                Err(e) if is_password(&e) => {
                    error = Some(if passwords.is_empty() {
                        ParseError::PasswordNeeded
                    } else {
                        ParseError::PasswordWrong
                    });
                }
                // Another password does not repair a file.
                Err(e) => {
                    error.get_or_insert(damage(&e));
                    break;
                }
            }
        }
        if matches!(
            error,
            Some(ParseError::PasswordNeeded | ParseError::PasswordWrong)
        ) {
            break;
        }
    }
    Err(error.unwrap_or(ParseError::PasswordNeeded))
}

/// Reads a file of bounded size.
pub(super) fn read_file(path: &Path, limits: &Limits) -> Result<Vec<u8>, ParseError> {
    let unreadable = |e: std::io::Error| ParseError::Unreadable {
        detail: e.to_string(),
    };
    let too_large = |bytes: u64| ParseError::TooLarge {
        bytes,
        limit: limits.max_file_bytes,
    };
    let file = regular_file::open(path).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    if bytes > limits.max_file_bytes {
        return Err(too_large(bytes));
    }
    let mut data = Vec::with_capacity(usize::try_from(bytes).unwrap_or(0));
    // The size of a pipe or a growing file says nothing: one byte more than allowed shows it.
    file.take(limits.max_file_bytes.saturating_add(1))
        .read_to_end(&mut data)
        .map_err(unreadable)?;
    if data.len() as u64 > limits.max_file_bytes {
        return Err(too_large(data.len() as u64));
    }
    Ok(data)
}

fn damage(error: &PdfiumError) -> ParseError {
    let detail = match error {
        PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::SecurityError) => {
            "its encryption is not supported".to_owned()
        }
        e => explain(e),
    };
    ParseError::Damaged { detail }
}

fn is_password(error: &PdfiumError) -> bool {
    matches!(
        error,
        PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::PasswordError)
    )
}
