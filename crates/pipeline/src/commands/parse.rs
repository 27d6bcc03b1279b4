//! `pipeline parse`.

use super::App;
use crate::{
    args::Parse,
    printer::Outcome,
    words::{LINES, NAMED, first_of, rest},
};
use anyhow::Result;
use engine::{documents, parse::Corpus};
use std::fmt::Write;
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
    let json = contract::Parse::Paper(Box::new(documents::paper(document)));
    app.printer.result(&json, || text(document))?;
    Ok(if document.sections.is_empty() {
        Outcome::Negative
    } else {
        Outcome::Done
    })
}

fn text(document: &Document) -> String {
    let meta = &document.meta;
    let mut out = String::new();
    let _ = writeln!(out, "source   {}", meta.source_id);
    let _ = writeln!(out, "title    {}", meta.title.as_deref().unwrap_or("?"));
    let _ = writeln!(out, "authors  {}", first_of(&meta.authors, NAMED));
    let year = meta.year.map_or_else(|| "?".to_owned(), |y| y.to_string());
    let _ = writeln!(
        out,
        "year     {year}   doi {}   pages {}",
        meta.doi.as_deref().unwrap_or("?"),
        document.pages
    );
    if let Some(venue) = meta.printed.place(meta.venue.as_deref()) {
        let _ = writeln!(out, "venue    {venue}");
    }
    if let Some(printed) = printed(meta) {
        let _ = writeln!(out, "printed  {printed}");
    }
    let _ = writeln!(out);
    for section in &document.sections {
        let pages = pages(section.page_start, section.page_end);
        let indent = "  ".repeat(usize::from(section.level.saturating_sub(1)));
        let heading = if section.heading.is_empty() {
            "(no heading)"
        } else {
            &section.heading
        };
        let words = text_words(document.section_text(section));
        let _ = writeln!(
            out,
            "{:<14} {pages:<9} {indent}{heading}  [{words} words]",
            section.name.as_str()
        );
    }
    for warning in document.warnings.iter().take(LINES) {
        let _ = writeln!(out, "warning: {warning}");
    }
    out.push_str(&rest("warning: ", document.warnings.len()));
    out
}

/// A corpus: a line for each document, and for each line without one.
fn many(app: &App, corpus: &Corpus) -> Result<Outcome> {
    let refused = corpus.refused.iter().map(|refused| contract::RefusedLine {
        line: refused.line,
        reason: refused.reason.clone(),
    });
    let json = contract::Parse::Corpus(contract::Corpus {
        documents: corpus.documents.iter().map(documents::paper).collect(),
        refused: refused.collect(),
    });
    app.printer.result(&json, || {
        let mut out = String::new();
        for document in &corpus.documents {
            let title = document.meta.title.as_deref().unwrap_or("?");
            let words = text_words(&document.text);
            let _ = writeln!(out, "{:<20} {title}  [{words} words]", document.meta.source_id);
        }
        for refused in corpus.refused.iter().take(LINES) {
            let _ = writeln!(out, "warning: line {}: {}", refused.line, refused.reason);
        }
        out.push_str(&rest("warning: ", corpus.refused.len()));
        let _ = writeln!(
            out,
            "{} documents, {} lines without one; --record ID shows one of them",
            corpus.documents.len(),
            corpus.refused.len()
        );
        out
    })?;
    Ok(if corpus.refused.is_empty() && !corpus.documents.is_empty() {
        Outcome::Done
    } else {
        Outcome::Negative
    })
}

fn text_words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// `p. 3` or `pp. 3-4`.
pub(super) fn pages(first: u32, last: u32) -> String {
    if first == last {
        format!("p. {first}")
    } else {
        format!("pp. {first}-{last}")
    }
}

/// `1386–1397 on pp. 1-12`: the numbers that the pages bear, where they are not those of the file.
pub(super) fn printed(meta: &SourceMeta) -> Option<String> {
    let (first, last) = meta.printed.pages.as_ref()?.range;
    let numbers = meta.printed.on_pages(first, last)?;
    Some(format!("{numbers} on {}", pages(first, last)))
}
