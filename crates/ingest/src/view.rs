//! One page as its reader sees it: its lines, the places of a quote on it, and a picture with the quote marked.
//!
//! The page is read again, by the same code as for the document, so that no index has to keep the places of
//! characters. Its characters are compared with a part of the document's text, which says nothing of lines, columns
//! and hyphens: see [`find`].

mod find;
mod highlight;
mod picture;

use crate::ParseError;
use crate::blob::Blob;
use crate::glyph::{Affine, Font, Layer};
use crate::layout::{self, Run};
use crate::measure::{extent, grouped};
use crate::pdfium::Library;
use crate::reading::{Progress, Reading};
use find::Stream;
pub(crate) use highlight::highlight;
pub use highlight::{Highlight, Highlighted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What is asked of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageQuery {
    /// Its number, from 1.
    pub page: u32,
    /// What is looked for on it: a quote, or the parts of a quote with ellipses.
    pub quote: Vec<QuotePart>,
    /// Dots per inch of its picture, large pages at fewer; without it there is none.
    pub dpi: Option<u32>,
}

/// A slice of a document's text, a part of which may be on other pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotePart {
    /// The slice.
    pub text: String,
    /// The text before it: tells which is meant of several places with the same words.
    pub before: String,
    /// The text after it.
    pub after: String,
}

/// A page. Lengths are in points; `y` grows downwards from the upper edge of the page as it is shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageView {
    /// Pages of the file.
    pub pages: u32,
    /// Width of the page.
    pub width: f32,
    /// Its height.
    pub height: f32,
    /// Its lines, in the order of the file's content.
    pub lines: Vec<TextLine>,
    /// The places of the quote, line by line; empty if it is not there.
    pub quote: Vec<Area>,
    /// The picture, a PNG.
    pub image: Option<Blob>,
}

/// A rectangle on a page, in points from its upper left corner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PageArea", deny_unknown_fields)]
pub struct Area {
    /// Its left edge.
    pub x: f32,
    /// Its upper edge.
    pub y: f32,
    /// Its width.
    pub width: f32,
    /// Its height.
    pub height: f32,
}

/// A line of a column, or a cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PageLine", deny_unknown_fields)]
pub struct TextLine {
    /// Its text.
    pub text: String,
    /// Its place.
    pub area: Area,
}

/// Reads one page, and draws it if that is asked for. A page that is only to be looked at is not recognised, which takes
/// seconds.
///
/// # Errors
/// When the file or the page cannot be read or drawn.
pub(crate) fn view(
    library: &Library,
    path: &Path,
    reading: &Reading<'_>,
    query: &PageQuery,
    progress: &mut dyn FnMut(Progress),
) -> Result<PageView, ParseError> {
    let reading =
        Reading { ocr: reading.ocr.filter(|_| query.dpi.is_none() || !query.quote.is_empty()), ..*reading };
    let page = library.page(path, &reading, query.page, query.dpi, progress)?;
    let shown = Shown::new(&page.layers, &page.fonts, Some(page.to_view));
    let quote = shown.places(&query.quote);
    let image = page.drawn.map(|drawn| picture::png(&drawn, &quote).map(Blob)).transpose();
    Ok(PageView {
        pages: page.pages,
        width: rounded(page.size.0),
        height: rounded(page.size.1),
        lines: shown.lines(),
        quote,
        image: image.map_err(|error| ParseError::Worker {
            detail: format!("the picture of page {} cannot be written: {error}", query.page),
        })?,
    })
}

/// Lines reach so far above and below their baseline, in sizes of the type.
const ASCENT: f32 = 0.74;
const DESCENT: f32 = 0.22;

/// The runs of one page, each with its text and the way from its layer to the page as it is shown.
#[derive(Default)]
struct Shown {
    /// In the order of its content.
    runs: Vec<(Run, Option<String>, Affine)>,
    /// From top to bottom and from left to right: the order of the cells of a table.
    by_rows: Vec<usize>,
}

impl Shown {
    /// `to_view` leads from the page of the file to the page as it is shown; without it, places are those of the page of the file.
    fn new(layers: &[Layer], fonts: &[Font], to_view: Option<Affine>) -> Self {
        let mut shown = Self::default();
        for layer in layers {
            let first = shown.runs.len();
            let to_view = to_view.map_or(layer.to_page, |to_view| layer.to_page.then(to_view));
            let runs = layout::runs_of(layer, fonts).into_iter();
            shown.runs.extend(runs.map(|(run, text)| (run, text, to_view)));
            let run = |at: &usize| &shown.runs[*at].0;
            let mut own: Vec<usize> = (first..shown.runs.len()).collect();
            own.sort_by(|a, b| run(a).y.total_cmp(&run(b).y));
            let mut rows = grouped(own, |a, b| run(b).y - run(a).y <= 0.3 * run(a).size.max(run(b).size));
            for row in &mut rows {
                row.sort_by(|a, b| run(a).x0.total_cmp(&run(b).x0));
            }
            shown.by_rows.extend(rows.concat());
        }
        shown
    }

    fn lines(&self) -> Vec<TextLine> {
        let each = self.runs.iter().filter_map(|(run, text, to_view)| {
            let area = area(run, 0, run.glyphs.len() - 1, *to_view);
            text.clone().map(|text| TextLine { text, area })
        });
        each.collect()
    }

    /// Where the parts of a quote are printed.
    fn places(&self, quote: &[QuotePart]) -> Vec<Area> {
        if quote.is_empty() {
            return Vec::new();
        }
        let runs = |at: usize| (at, &self.runs[at].0);
        let orders = [
            Stream::new((0..self.runs.len()).map(runs)),
            Stream::new(self.by_rows.iter().copied().map(runs)),
        ];
        let places = quote.iter().flat_map(|part| find::best(&orders, part));
        let areas = places.flat_map(|(at, first, last)| {
            let (run, _, to_view) = &self.runs[at];
            words(run, first, last, *to_view).map(|(first, last)| area(run, first, last, *to_view))
        });
        areas.collect()
    }
}

/// The stretches of a run between two of its characters that have one rectangle each: its words where it stands askew, since a
/// rectangle around a long line would cover its neighbours.
fn words(run: &Run, first: usize, last: usize, to_view: Affine) -> impl Iterator<Item = (usize, usize)> {
    let [a, b, ..] = to_view.0;
    let askew = a.abs().min(b.abs()) > 0.001;
    let starts = (first + 1..=last).filter(move |i| askew && run.glyphs[*i].spaced);
    let ends: Vec<usize> = starts.chain([last + 1]).collect();
    ends.into_iter().scan(first, |from, end| {
        let start = std::mem::replace(from, end);
        Some((start, end - 1))
    })
}

/// The rectangle around some characters of a run, from the first to the last.
fn area(run: &Run, first: usize, last: usize, to_view: Affine) -> Area {
    let glyphs = &run.glyphs[first..=last];
    let (x0, x1) = extent(glyphs.iter().map(|g| (g.x0, g.x1)));
    let lowest = glyphs.iter().map(|g| g.y).fold(run.y, f32::max);
    let (y0, y1) = (run.y - ASCENT * run.size, lowest.min(run.y + 0.5 * run.size) + DESCENT * run.size);
    let corners = [(x0, y0), (x1, y0), (x0, y1), (x1, y1)].map(|(x, y)| to_view.of(x, y));
    let (left, right) = extent(corners.iter().map(|(x, _)| (*x, *x)));
    let (top, bottom) = extent(corners.iter().map(|(_, y)| (*y, *y)));
    Area { x: rounded(left), y: rounded(top), width: rounded(right - left), height: rounded(bottom - top) }
}

/// A length to a sixteenth of a point: more is not seen, and it has few digits whatever type holds it.
fn rounded(points: f32) -> f32 {
    (points * 16.0).round() / 16.0
}
