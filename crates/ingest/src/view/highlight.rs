//! A copy of a PDF in which quotes are highlighted by annotations, as a PDF reader shows, lists and deletes them.

use super::{QuotePart, Shown};
use crate::{
    ParseError,
    blob::Blob,
    pdfium::{Library, Marked},
    reading::{Progress, Reading},
};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A quote that is to be highlighted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Highlight {
    /// The page on which it is looked for, from 1.
    pub page: u32,
    /// The parts of the quote.
    pub quote: Vec<QuotePart>,
    /// The comment of the annotation.
    pub note: String,
}

/// A PDF in which quotes are highlighted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Highlighted {
    /// The file.
    pub pdf: Blob,
    /// Whether each of the quotes was found, in their order.
    pub found: Vec<bool>,
}

/// Highlights quotes in a copy of a file.
///
/// # Errors
/// When the file or one of the pages cannot be read, or the copy cannot be written.
pub(crate) fn highlight(
    library: &Library,
    path: &Path,
    reading: &Reading<'_>,
    highlights: &[Highlight],
    progress: &mut dyn FnMut(Progress),
) -> Result<Highlighted, ParseError> {
    let mut found = vec![false; highlights.len()];
    let mut pages: Vec<u32> = highlights.iter().map(|highlight| highlight.page).collect();
    pages.sort_unstable();
    pages.dedup();
    let pdf = library.annotated(path, reading, &pages, progress, |number, layers, fonts| {
        let shown = Shown::new(layers, fonts, None);
        let here = highlights.iter().enumerate().filter(|(_, highlight)| highlight.page == number);
        let notes = here.map(|(at, highlight)| {
            let areas = shown.places(&highlight.quote);
            found[at] = !areas.is_empty();
            let edges = areas.iter().map(|area| [area.x, area.y, area.x + area.width, area.y + area.height]);
            (edges.collect(), highlight.note.as_str())
        });
        notes.filter(|(areas, _): &Marked<'_>| !areas.is_empty()).collect()
    })?;
    Ok(Highlighted { pdf: Blob(pdf), found })
}
