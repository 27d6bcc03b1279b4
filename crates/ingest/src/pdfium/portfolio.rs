//! The PDF files in a PDF: those of a portfolio.

use crate::archive::known;
use crate::draft::clean;
use crate::format::Format;
use crate::member::Member;
use crate::zipped::is_plain;
use crate::{Limits, ParseError};
use pdfium_render::prelude::{PdfAttachment, PdfDocument};
use std::collections::BTreeSet;
use std::path::Path;
use types::digest::sha256;

/// Files of a portfolio at most.
const MOST: usize = 2_000;

/// The papers in a portfolio, by their names; of two with one name the first.
pub(super) fn members(pdf: &PdfDocument<'_>, limits: &Limits) -> Vec<Member> {
    let mut names = BTreeSet::new();
    let mut all = Vec::new();
    for file in pdf.attachments().iter().take(MOST) {
        let name = file.name();
        let Some(format) = Format::of_name(Path::new(&name)) else { continue };
        if !is_plain(&name) || clean(&name) != name {
            let shown = clean(&name).replace(['/', '\\'], "_");
            all.push(Member::unread(&shown, "its name in the portfolio is not that of a file"));
        } else if names.insert(name.clone()) {
            all.push(match bytes(&file, limits) {
                _ if format != Format::Pdf => Member::unread(
                    &name,
                    "only the PDF files of a portfolio are read; save it as a file of its own",
                ),
                Ok(bytes) => known(&name, &bytes, sha256(&bytes)),
                Err(error) => Member::unread(&name, error.to_string()),
            });
        }
    }
    all
}

/// The bytes of a file in a portfolio.
///
/// # Errors
/// When there is none of this name, or it cannot be unpacked within the limits.
pub(super) fn member(pdf: &PdfDocument<'_>, name: &str, limits: &Limits) -> Result<Vec<u8>, ParseError> {
    let file = pdf.attachments().iter().take(MOST).find(|file| file.name() == name);
    let gone = || ParseError::Unreadable { detail: format!("the portfolio holds no {name} any more") };
    bytes(&file.ok_or_else(gone)?, limits)
}

fn bytes(file: &PdfAttachment<'_>, limits: &Limits) -> Result<Vec<u8>, ParseError> {
    let (bytes, limit) = (file.len() as u64, limits.max_file_bytes);
    if bytes > limit {
        return Err(ParseError::TooLarge { bytes, limit });
    }
    file.save_to_bytes().map_err(|error| ParseError::Damaged { detail: super::explain(&error) })
}
