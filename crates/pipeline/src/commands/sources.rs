//! `pipeline sources`.

use super::{
    App,
    parse::{pages, printed},
};
use crate::{
    args::Sources,
    printer::Outcome,
    words::{NAMED, count, first_of},
};
use anyhow::Result;
use engine::indexer::{Source, SourceDetails};
use serde_json::json;
use std::fmt::Write;
use types::{SourceId, SourceMeta};

/// Lists, shows or removes papers.
pub(super) fn run(app: &App, args: &Sources) -> Result<Outcome> {
    match args {
        Sources::List => {
            let sources = app.indexer().sources()?;
            app.printer
                .result(&json!({ "sources": sources }), || list_text(&sources))?;
        }
        Sources::Show { source } => {
            let details = app.indexer().source(&SourceId::from(source.as_str()))?;
            app.printer
                .result(&serde_json::to_value(&details)?, || show_text(&details))?;
        }
        Sources::Remove { sources } => {
            let ids: Vec<SourceId> = sources.iter().map(|id| SourceId::from(id.as_str())).collect();
            let done = app.indexer().remove(&ids)?;
            app.printer.result(&serde_json::to_value(&done)?, || {
                let mut out = String::new();
                for id in &done.removed {
                    let _ = writeln!(out, "removed  {id}");
                }
                let _ = writeln!(
                    out,
                    "{} left. The files were not touched; `pipeline ingest FILE` adds a paper again.",
                    count(done.sources as u64, "paper")
                );
                out
            })?;
        }
    }
    Ok(Outcome::Done)
}

fn list_text(sources: &[Source]) -> String {
    let width = sources
        .iter()
        .map(|s| s.meta.source_id.as_str().chars().count())
        .max();
    let width = width.unwrap_or(0);
    let mut out = String::new();
    for source in sources {
        let by = byline(&source.meta);
        let title = source.meta.title.as_deref().unwrap_or("(no title)");
        let _ = writeln!(
            out,
            "{:<width$}  {by}{}{title}",
            source.meta.source_id,
            if by.is_empty() { "" } else { ". " }
        );
    }
    let _ = writeln!(out, "{}", count(sources.len() as u64, "paper"));
    out
}

fn show_text(details: &SourceDetails) -> String {
    let source = &details.source;
    let meta = &source.meta;
    let mut out = String::new();
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "{name:<10}{value}");
        }
    };
    row("source", meta.source_id.as_str());
    row("title", meta.title.as_deref().unwrap_or_default());
    row("authors", &first_of(&meta.authors, NAMED));
    row("year", &meta.year.map(|y| y.to_string()).unwrap_or_default());
    row(
        "venue",
        &meta.printed.place(meta.venue.as_deref()).unwrap_or_default(),
    );
    row("printed", &printed(meta).unwrap_or_default());
    row("doi", meta.doi.as_deref().unwrap_or_default());
    row("tags", &first_of(&meta.tags, NAMED));
    row("file", &source.path);
    for path in source.paths.iter().filter(|path| **path != source.path) {
        row("also", path);
    }
    row("record", source.record.as_deref().unwrap_or_default());
    row("ingested", &source.ingested);
    row(
        "size",
        &format!(
            "{}, {}, {}",
            count(source.chunks as u64, "chunk"),
            count(source.sentences as u64, "sentence"),
            count(details.tokens, "token"),
        ),
    );
    if !details.sections.is_empty() {
        let _ = writeln!(
            out,
            "\n{:<14} {:<10} {:>6}  heading",
            "section", "pages", "chunks"
        );
    }
    for section in &details.sections {
        let _ = writeln!(
            out,
            "{:<14} {:<10} {:>6}  {}",
            section.section.as_str(),
            pages(section.page_start, section.page_end),
            section.chunks,
            section.heading
        );
    }
    out
}

/// `Tandrik et al. 2021`, or what of it is known.
fn byline(meta: &SourceMeta) -> String {
    let authors = match meta.authors.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first, second] => format!("{first} and {second}"),
        [first, ..] => format!("{first} et al."),
    };
    let year = meta.year.map_or_else(String::new, |y| y.to_string());
    format!("{authors} {year}").trim().to_owned()
}
