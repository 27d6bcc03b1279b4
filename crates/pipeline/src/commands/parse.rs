//! `pipeline parse`.

use super::App;
use crate::{
    args::Parse,
    page::Page,
    printer::Outcome,
    words::{NAMED, first_of},
};
use anyhow::Result;
use engine::{documents, parse::Corpus};
use types::{Document, SourceMeta};

/// Reads one document, or the documents of a corpus, and prints their structure.
pub(super) fn run(app: &App, args: &Parse) -> Result<Outcome> {
    if let Some(corpus) = engine::parse::corpus(&app.settings, &args.file, args.record.as_deref())? {
        return match (corpus.documents.as_slice(), &args.record) {
            ([document], Some(_)) => one(app, document),
            _ => many(app, &corpus),
        };
    }
    let document = engine::parse::parse(&app.settings, &args.file, &args.passwords.read()?)?;
    one(app, &document)
}

fn one(app: &App, document: &Document) -> Result<Outcome> {
    let json = documents::Parse::from(document);
    app.printer.listing(&json, || paper(document))?;
    Ok(Outcome::of(!document.sections.is_empty()))
}

fn paper(document: &Document) -> Page {
    let meta = &document.meta;
    let mut page = Page::new();
    page.fact("source", meta.source_id.as_str());
    page.fact("title", meta.title.as_deref().unwrap_or("?"));
    page.fact("authors", first_of(&meta.authors, NAMED));
    page.fact("year", meta.year.map_or_else(|| "?".to_owned(), |y| y.to_string()));
    page.fact("doi", meta.doi.as_deref().unwrap_or("?"));
    page.fact("pages", document.pages.to_string());
    page.fact("venue", meta.printed.place(meta.venue.as_deref()).unwrap_or_default());
    page.fact("printed", printed(meta).unwrap_or_default());
    page.gap();
    if !document.sections.is_empty() {
        page.rows(&document.sections)
            .column("section", |of| of.name.to_string())
            .column("level", |of| of.level.to_string())
            .column("pages", |of| pages(of.page_start, of.page_end))
            .column("words", |of| words(document.section_text(of)))
            .column("heading", |of| or_none(&of.heading));
        page.gap();
    }
    page.list("warning", &document.warnings, Clone::clone);
    page
}

fn or_none(heading: &str) -> String {
    if heading.is_empty() { "(no heading)" } else { heading }.to_owned()
}

/// A corpus: a line for each document, and for each line without one.
fn many(app: &App, corpus: &Corpus) -> Result<Outcome> {
    let json = documents::Parse::from(corpus);
    app.printer.listing(&json, || {
        let mut page = Page::new();
        for document in &corpus.documents {
            let title = document.meta.title.as_deref().unwrap_or("?");
            let words = words(&document.text);
            page.fact(document.meta.source_id.as_str(), format!("{title}  [{words} words]"));
        }
        page.gap();
        page.list("warning", &corpus.refused, |refused| format!("line {}: {}", refused.line, refused.reason));
        let (documents, refused) = (corpus.documents.len(), corpus.refused.len());
        let one = "--record ID shows one of them";
        page.line(format!("{documents} documents, {refused} lines without one; {one}"));
        page
    })?;
    Ok(Outcome::of(corpus.refused.is_empty() && !corpus.documents.is_empty()))
}

fn words(text: &str) -> String {
    text.split_whitespace().count().to_string()
}

/// `p. 3` or `pp. 3-4`.
pub(super) fn pages(first: u32, last: u32) -> String {
    if first == last { format!("p. {first}") } else { format!("pp. {first}-{last}") }
}

/// `1386–1397 on pp. 1-12`: the numbers that the pages bear, where they are not those of the file.
pub(super) fn printed(meta: &SourceMeta) -> Option<String> {
    let (first, last) = meta.printed.pages.as_ref()?.range;
    let numbers = meta.printed.on_pages(first, last)?;
    Some(format!("{numbers} on {}", pages(first, last)))
}
