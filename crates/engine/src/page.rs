//! A page of an indexed paper: its text, and, where its PDF is still what was ingested, its lines, its picture and the places
//! of a quote.

use crate::indexer::PrintedSource;
use crate::natives::Natives;
use crate::{EngineError, indexer, parse::worker_command, settings::Settings, stages};
use ingest::{
    Area, Blob, Highlight, Highlighted, PageQuery, PageView, ParseError, Password, QuotePart, TextLine,
    WorkerPool,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{ops::Range, path::Path, time::Duration};
use types::{Chunk, SourceId, Span, Stop};

/// What a page looks like at so many dots per inch can be read on a screen.
const DPI: u32 = 110;
/// Sentences before and after those of a page in which a quote may begin or end.
const BEYOND: usize = 8;
/// Characters of a quote at most.
pub const QUOTE_MOST: usize = 4_000;
/// The time that a page may take: somebody waits for it.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes around a quote that tell its place from others with the same words.
const AROUND: usize = 80;

/// A page of a paper. Lengths are in points (1/72 inch); `y` grows downwards from the upper edge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Page {
    /// The paper.
    pub source_id: SourceId,
    /// The number of the page, from 1.
    pub page: u32,
    /// Pages of the PDF; null where only the text is known.
    pub pages: Option<u32>,
    /// The indexed sentences that begin on the page.
    pub text: String,
    /// Width of the page; null where only the text is known.
    pub width: Option<f32>,
    /// Its height.
    pub height: Option<f32>,
    /// Its lines, and cells of tables, as they are printed.
    pub boxes: Vec<TextLine>,
    /// Where the quote is printed, line by line; null if none was asked for, empty where its place is not known.
    pub quote: Option<Vec<Area>>,
    /// Why only the text is known; null for a page that can be shown.
    pub text_only: Option<String>,
}

/// Which page is asked for.
#[derive(Debug, Default)]
pub struct PageRequest {
    /// Its number, from 1.
    pub page: u32,
    /// A quote that is on it, of 1 to [`QUOTE_MOST`] characters.
    pub quote: Option<String>,
    /// Passwords to try, if the PDF is encrypted.
    pub passwords: Vec<Password>,
    /// Ends the work when nobody waits for it any more.
    pub stop: Stop,
}

/// A page, for a quote that is on it if one is given.
///
/// # Errors
/// When the quote is empty or too long; when the index has no such paper, the paper no such page, or the page not the quote; when
/// the reader of the PDF fails.
pub fn page(settings: &Settings, id: &SourceId, request: &PageRequest) -> Result<Page, EngineError> {
    look(settings, id, request, None).map(|(page, _)| page)
}

/// The same with the picture of the page, a PNG, on which the quote is marked.
///
/// # Errors
/// As [`page`]; when the PDF has moved or changed, or the source is not a PDF.
pub fn page_image(
    settings: &Settings,
    id: &SourceId,
    request: &PageRequest,
) -> Result<(Page, Vec<u8>), EngineError> {
    let (page, image) = look(settings, id, request, Some(DPI))?;
    match image {
        Some(image) => Ok((page, image)),
        None => Err(EngineError::NoPageImage {
            source_id: page.source_id,
            reason: page.text_only.unwrap_or_default(),
        }),
    }
}

/// The text that chunks of a paper, in reading order, have together: they overlap.
pub fn text_of<'c>(chunks: impl Iterator<Item = &'c Chunk>) -> String {
    SourceText::new(chunks).text
}

/// The sentences of these chunks that begin on a page.
pub fn text_of_page<'c>(chunks: impl Iterator<Item = &'c Chunk>, page: u32) -> String {
    SourceText::new(chunks).of_page(page)
}

fn check(quote: &str) -> Result<(), EngineError> {
    if quote.trim().is_empty() || quote.chars().count() > QUOTE_MOST {
        return Err(EngineError::BadQuote { quote: start_of(quote), most: QUOTE_MOST });
    }
    Ok(())
}

fn start_of(quote: &str) -> String {
    quote.chars().take(200).collect()
}

fn look(
    settings: &Settings,
    id: &SourceId,
    request: &PageRequest,
    dpi: Option<u32>,
) -> Result<(Page, Option<Vec<u8>>), EngineError> {
    let (number, quote) = (request.page, request.quote.as_deref());
    quote.map_or(Ok(()), check)?;
    let held = indexer(settings).printed(id)?;
    let source_id = held.source_id.clone();
    let text = SourceText::new(held.chunks.iter().map(AsRef::as_ref));
    let parts = quote.map(|quote| text.find(quote, number));
    let mut page = Page {
        source_id: source_id.clone(),
        page: number,
        text: text.of_page(number),
        quote: quote.map(|_| Vec::new()),
        ..Page::default()
    };
    let query = PageQuery {
        page: number,
        quote: parts.iter().flatten().map(|found| found.part.clone()).collect(),
        dpi,
    };
    let viewed =
        match read(settings, &held, request, |pool, path| pool.view(path, query, request.passwords.clone()))?
        {
            Read::Done(view) => Some(view),
            Read::NoSuchPage(pages) => Some(PageView { pages, ..PageView::default() }),
            Read::TextOnly(reason) => {
                page.text_only = Some(reason);
                None
            }
        };
    let known = || held.chunks.iter().map(|chunk| chunk.page_end).max().unwrap_or(0);
    let pages = viewed.as_ref().map_or_else(known, |view| view.pages);
    if !(1..=pages).contains(&number) {
        return Err(EngineError::NoSuchPage { source_id, page: number, pages });
    }
    let is_marked = viewed.as_ref().is_none_or(|view| !view.quote.is_empty());
    // A sentence that begins on the page before may end on this one: then it is marked here.
    let is_here = |found: &FoundPart| found.begins_here || is_marked;
    if let (Some(parts), Some(quote)) = (parts, quote)
        && !parts.iter().any(is_here)
    {
        return Err(EngineError::QuoteNotOnPage { source_id, page: number, quote: start_of(quote) });
    }
    let Some(view) = viewed else {
        return Ok((page, None));
    };
    page.pages = Some(view.pages);
    (page.width, page.height) = (Some(view.width), Some(view.height));
    page.boxes = view.lines;
    page.quote = page.quote.map(|_| view.quote);
    Ok((page, view.image.map(|Blob(image)| image)))
}

/// A quote that is to be highlighted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "QuoteToHighlight")]
pub struct QuoteNote {
    /// The page on which it begins, from 1.
    #[schemars(range(min = 1))]
    pub page: u32,
    /// The quote, as an answer has it.
    #[schemars(length(min = 1, max = 4_000), regex(pattern = r"\S"))]
    pub quote: String,
    /// The comment of the annotation.
    #[serde(default)]
    #[schemars(length(max = 4_000))]
    pub note: String,
}

/// A copy of the PDF of a paper in which quotes are highlighted by annotations, and for each quote whether its place is known.
///
/// # Errors
/// When a quote is empty or too long; when the index has no such paper; when its PDF has moved or changed, or the source is not a
/// PDF; when the reader of the PDF fails.
pub fn highlighted(
    settings: &Settings,
    id: &SourceId,
    quotes: &[QuoteNote],
    stop: Stop,
) -> Result<(Vec<u8>, Vec<bool>), EngineError> {
    quotes.iter().try_for_each(|own| check(&own.quote))?;
    let held = indexer(settings).printed(id)?;
    let text = SourceText::new(held.chunks.iter().map(AsRef::as_ref));
    let mut highlights: Vec<Highlight> = Vec::new();
    let mut of: Vec<usize> = Vec::new();
    for (at, own) in quotes.iter().enumerate() {
        // A quote may end on the next page, or behind a page of figures.
        for page in own.page..=own.page.saturating_add(2) {
            let quote: Vec<QuotePart> =
                text.find(&own.quote, page).into_iter().map(|found| found.part).collect();
            if !quote.is_empty() {
                highlights.push(Highlight { page, quote, note: own.note.clone() });
                of.push(at);
            }
        }
    }
    let request =
        PageRequest { page: quotes.first().map_or(1, |own| own.page), stop, ..PageRequest::default() };
    let made = read(settings, &held, &request, |pool, path| pool.highlight(path, highlights, Vec::new()))?;
    let source_id = held.source_id;
    match made {
        Read::Done(Highlighted { pdf: Blob(pdf), found }) => {
            let is_found = |at: usize| of.iter().zip(&found).any(|(of, found)| *of == at && *found);
            Ok((pdf, (0..quotes.len()).map(is_found).collect()))
        }
        Read::NoSuchPage(pages) => Err(EngineError::NoSuchPage { source_id, page: request.page, pages }),
        Read::TextOnly(reason) => Err(EngineError::NoPageImage { source_id, reason }),
    }
}

/// What became of the file of a source.
enum Read<T> {
    Done(T),
    /// It has so many pages, and not the one that is asked for.
    NoSuchPage(u32),
    /// Why there is only its text.
    TextOnly(String),
}

/// Reads the PDF of a source, if it is still what was ingested.
fn read<T>(
    settings: &Settings,
    held: &PrintedSource,
    request: &PageRequest,
    read: impl FnOnce(&WorkerPool, &Path) -> Result<T, ParseError>,
) -> Result<Read<T>, EngineError> {
    let mut missing = "its file is not where it was when it was ingested, or cannot be opened";
    let path = held.paths.iter().find(|path| {
        let found = ingest::content_hash(path).ok();
        if found.is_some() {
            missing = "its file has changed since it was ingested";
        }
        found.is_some_and(|hash| hash == held.hash)
    });
    let Some(path) = path else {
        return Ok(Read::TextOnly(missing.to_owned()));
    };
    let command = worker_command(&Natives::find(settings))?;
    let mut limits = settings.ingest.limits();
    limits.seconds_per_file = limits.seconds_per_file.min(PATIENCE.as_secs());
    // Without OCR, a page without text has no lines, and is shown all the same.
    let ocr = stages::ocr(settings).unwrap_or_default();
    let pool = WorkerPool::new(command, limits, 1).with_ocr(ocr).with_stop(request.stop.clone());
    match read(&pool, path) {
        Ok(made) => Ok(Read::Done(made)),
        Err(ParseError::NoSuchPage { pages, .. }) => Ok(Read::NoSuchPage(pages)),
        Err(ParseError::NotPdf { .. }) => Ok(Read::TextOnly("it is not a PDF".to_owned())),
        Err(ParseError::PasswordNeeded | ParseError::PasswordWrong) => {
            Ok(Read::TextOnly("its PDF opens only with its password".to_owned()))
        }
        Err(reason @ ParseError::Damaged { .. }) => Ok(Read::TextOnly(reason.to_string())),
        Err(reason) => {
            Err(EngineError::PageUnread { source_id: held.source_id.clone(), page: request.page, reason })
        }
    }
}

/// The indexed text of a source, and its sentences with the pages on which they begin.
struct SourceText {
    text: String,
    sentences: Vec<(Range<usize>, u32)>,
}

/// A part of a quote.
struct FoundPart {
    part: QuotePart,
    /// Whether some of it is in sentences that begin on the page.
    begins_here: bool,
}

impl SourceText {
    /// The text that chunks, which overlap, have together.
    fn new<'c>(chunks: impl Iterator<Item = &'c Chunk>) -> Self {
        let mut own = Self { text: String::new(), sentences: Vec::new() };
        let mut next = 0;
        for chunk in chunks {
            let mut end = None;
            for sentence in chunk.sentences.iter().filter(|s| s.number >= next) {
                // What stands between sentences of a chunk is known, what stands between chunks is a new part.
                let between = end.and_then(|end| chunk.text.get(end..sentence.span.start));
                own.text.push_str(match between {
                    Some(between) => between,
                    None if own.text.is_empty() => "",
                    None => "\n\n",
                });
                let start = own.text.len();
                own.text.push_str(chunk.sentence(sentence));
                own.sentences.push((start..own.text.len(), sentence.page));
                end = Some(sentence.span.end);
            }
            next = chunk.sentences.last().map_or(next, |last| next.max(last.number + 1));
        }
        own
    }

    /// Runs of sentences that begin on a page.
    fn runs(&self, page: u32) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (at, _) in self.sentences.iter().enumerate().filter(|(_, (_, own))| *own == page) {
            match runs.last_mut().filter(|run| run.end == at) {
                Some(run) => run.end += 1,
                None => runs.push(at..at + 1),
            }
        }
        runs
    }

    /// From the start of the first of these sentences to the end of the last.
    fn span(&self, sentences: &Range<usize>) -> Range<usize> {
        match self.sentences.get(sentences.clone()) {
            Some([(only, _)]) => only.clone(),
            Some([(first, _), .., (last, _)]) => first.start..last.end,
            _ => 0..0,
        }
    }

    fn of_page(&self, page: u32) -> String {
        let runs = self.runs(page);
        let texts: Vec<&str> = runs.iter().map(|run| &self.text[self.span(run)]).collect();
        texts.join("\n\n")
    }

    /// The parts of a quote that are, or may be, on a page: a sentence that began on the page before may end on it.
    fn find(&self, quote: &str, page: u32) -> Vec<FoundPart> {
        let mut runs = self.runs(page);
        if runs.is_empty() {
            // One sentence may fill the page.
            let before = self.sentences.partition_point(|(_, own)| *own < page);
            runs.push(before..before);
        }
        for beyond in [0, BEYOND] {
            for run in &runs {
                let around = run.start.saturating_sub(beyond)..(run.end + beyond).min(self.sentences.len());
                let span = self.span(&around);
                let Some(found) = text::quote::find_quote(&self.text[span.clone()], quote) else {
                    continue;
                };
                let own = self.span(run);
                let reach = self.span(&(run.start.saturating_sub(1)..run.end)).start..own.end.max(own.start);
                let overlaps = |a: &Range<usize>, b: &Range<usize>| {
                    Span::from(a.clone()).overlaps(Span::from(b.clone()))
                };
                let parts = found.parts.into_iter();
                let parts = parts.map(|part| part.start + span.start..part.end + span.start);
                let parts: Vec<FoundPart> = parts
                    .filter(|part| overlaps(part, &reach))
                    .map(|part| FoundPart { begins_here: overlaps(&part, &own), part: self.part(part) })
                    .collect();
                if !parts.is_empty() {
                    return parts;
                }
            }
        }
        Vec::new()
    }

    fn part(&self, span: Range<usize>) -> QuotePart {
        let from = self.text.ceil_char_boundary(span.start.saturating_sub(AROUND));
        let to = self.text.floor_char_boundary((span.end + AROUND).min(self.text.len()));
        QuotePart {
            before: self.text[from..span.start].to_owned(),
            after: self.text[span.end..to].to_owned(),
            text: self.text[span].to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::SentenceSpan;

    /// A chunk of these sentences, each with its page; the first has the number `first`.
    fn chunk(first: u32, sentences: &[(&str, u32)]) -> Chunk {
        let mut text = String::new();
        let mut spans = Vec::new();
        for (number, (sentence, page)) in (first..).zip(sentences) {
            let start = text.len();
            text += sentence;
            let span = Span::new(start, text.len());
            spans.push(SentenceSpan { span, number, page: *page });
            text.push(' ');
        }
        Chunk {
            chunk_id: "a__results__000".into(),
            source_id: "a".into(),
            section: types::SectionKind::Results,
            heading: String::new(),
            ordinal: 0,
            page_start: 1,
            page_end: 3,
            span: Span::new(0, text.len()),
            prefix: String::new(),
            text,
            tokens: 0,
            sentences: spans,
            table_head: Vec::new(),
        }
    }

    #[test]
    fn a_quote_is_looked_for_on_its_page_and_over_its_edges() {
        let chunks = [
            chunk(0, &[("Mice slept well.", 1), ("Rats ran, and", 1), ("Mice slept well.", 2)]),
            // Chunks overlap.
            chunk(2, &[("Mice slept well.", 2), ("Owls flew.", 2), ("Cats sat there.", 3)]),
        ];
        let text = SourceText::new(chunks.iter());
        assert_eq!(text.of_page(2), "Mice slept well.\n\nOwls flew.");
        let check = |quote: &str, page: u32, want: &[(&str, &str, bool)]| {
            let found = text.find(quote, page);
            let found: Vec<(&str, &str, bool)> =
                found.iter().map(|f| (f.part.text.as_str(), f.part.before.as_str(), f.begins_here)).collect();
            assert_eq!(found, want, "{quote} {page}");
        };
        // Each page has its own.
        check("Mice slept well.", 1, &[("Mice slept well.", "", true)]);
        let before = "Mice slept well. Rats ran, and ";
        check("mice slept well", 2, &[("Mice slept well", before, true)]);
        // A sentence that began before may end here; one that begins later does not stand here.
        check("Rats ran", 2, &[("Rats ran", "Mice slept well. ", false)]);
        check("Cats sat there.", 2, &[]);
        check("Rats ran", 3, &[]);
        let crossing = "Rats ran, and Mice slept well.";
        check(crossing, 1, &[(crossing, "Mice slept well. ", true)]);
        check(crossing, 2, &[(crossing, "Mice slept well. ", true)]);
        // Of a quote with an ellipsis, the part that is here.
        check("Rats ran ... Owls flew.", 1, &[("Rats ran", "Mice slept well. ", true)]);
        check("nothing of this", 2, &[]);
    }
}
