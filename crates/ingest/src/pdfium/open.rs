//! From a path to an open document: size, junk in front, passwords, repair.

use super::{Repaired, explain};
use crate::{Limits, ParseError, Password, format, repair};
use pdfium_render::prelude::{PdfDocument, Pdfium, PdfiumError, PdfiumInternalError};

/// A repaired file is kept beside the original: files larger than this share of the memory are not repaired.
const REPAIR_SHARE: u64 = 6;

/// An open document, and whether it had to be repaired.
pub(super) struct Document<'a> {
    pub(super) pdf: PdfDocument<'a>,
    pub(super) repaired: Option<Repaired>,
}

/// Opens the bytes of a file.
pub(super) fn open<'a>(
    pdfium: &'a Pdfium,
    bytes: &'a [u8],
    passwords: &[Password],
    limits: &Limits,
) -> Result<Document<'a>, ParseError> {
    let error = match format::pdf_header(bytes) {
        Some(start) => match open_at(pdfium, bytes, start, passwords) {
            Ok(pdf) if !pdf.pages().is_empty() => return Ok(Document { pdf, repaired: None }),
            Ok(_) => ParseError::NoPages,
            Err(error) => error,
        },
        None => ParseError::NotPdf { looks_like: format::looks_like(bytes).to_owned() },
    };
    let damaged =
        matches!(error, ParseError::Damaged { .. } | ParseError::NoPages | ParseError::NotPdf { .. });
    if !damaged || bytes.len() as u64 > limits.memory_bytes / REPAIR_SHARE {
        return Err(error);
    }
    let Some((repaired, pages)) = repair::repaired(bytes) else {
        return Err(error);
    };
    match pdfium.load_pdf_from_byte_vec(repaired, None) {
        Ok(pdf) if !pdf.pages().is_empty() => Ok(Document { pdf, repaired: Some(Repaired { pages, error }) }),
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
    let mut damaged = None;
    // Offsets in a PDF count from its header, as a rule; some producers count junk in front, too.
    for from in [start, 0].into_iter().take(1 + usize::from(start > 0)) {
        let forms = passwords.iter().flat_map(Password::forms).map(Some);
        let mut locked = false;
        for password in std::iter::once(None).chain(forms) {
            match pdfium.load_pdf_from_byte_slice(&bytes[from..], password) {
                Ok(pdf) => return Ok(pdf),
                Err(e) if is_password(&e) => locked = true,
                // Another password does not repair a file.
                Err(e) => {
                    damaged.get_or_insert(damage(&e));
                    break;
                }
            }
        }
        if locked {
            return Err(match passwords {
                [] => ParseError::PasswordNeeded,
                _ => ParseError::PasswordWrong,
            });
        }
    }
    Err(damaged.unwrap_or(ParseError::PasswordNeeded))
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
    matches!(error, PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::PasswordError))
}
