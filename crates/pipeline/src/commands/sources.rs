//! `pipeline papers`.

use super::{
    App,
    parse::{pages, printed},
    references::authors,
};
use crate::{
    args::{Sources, SourcesCommand},
    page::Page,
    printer::Outcome,
    words::{NAMED, count, first_of},
};
use anyhow::{Context as _, Result};
use engine::{
    indexer::{Source, SourceDetails, Sources as IndexedSources},
    page::{PageRequest, page_image},
};
use types::{SourceId, written::write_output};

/// Lists, shows or removes papers, or draws a page.
pub(super) fn run(app: &App, args: &Sources) -> Result<Outcome> {
    match &args.command {
        None | Some(SourcesCommand::List) => {
            let found = IndexedSources { sources: app.indexer().sources()? };
            if let Some(style) = app.printer.style() {
                return app.printer.papers(found.sources.iter().map(|source| &source.meta), style);
            }
            app.printer.listing(&found, || list(&found.sources))
        }
        Some(SourcesCommand::Show { source }) => {
            let details = app.indexer().source(&SourceId::from(source.as_str()))?;
            if let Some(style) = app.printer.style() {
                return app.printer.papers([&details.source.meta], style);
            }
            app.printer.listing(&details, || show(&details))
        }
        Some(SourcesCommand::Page { source, page, quote, output, passwords }) => {
            let request = PageRequest {
                page: *page,
                quote: quote.clone(),
                passwords: passwords.read()?,
                ..PageRequest::default()
            };
            let (drawn, image) = page_image(&app.settings, &SourceId::from(source.as_str()), &request)?;
            write_output(output, &[&image]).with_context(|| format!("cannot write {}", output.display()))?;
            app.printer.listing(&drawn, || {
                let mut page = Page::new();
                page.fact("file", output.display().to_string());
                page.fact("page", format!("{} of {}", drawn.page, drawn.pages.unwrap_or_default()));
                match &drawn.quote {
                    Some(areas) if areas.is_empty() => {
                        page.line("The quote is on the page, but where is not known.");
                    }
                    Some(areas) => page.fact("marked", count(areas.len(), "place")),
                    None => {}
                }
                page
            })
        }
        Some(SourcesCommand::Remove { sources }) => {
            let ids: Vec<SourceId> = sources.iter().map(|id| SourceId::from(id.as_str())).collect();
            let done = app.indexer().remove(&ids)?;
            app.printer.listing(&done, || {
                let mut page = Page::new();
                for id in &done.removed {
                    page.fact("removed", id.to_string());
                }
                let left = count(done.sources, "paper");
                let again = "`pipeline ingest FILE` adds a paper again.";
                page.line(format!("{left} left. The files were not touched; {again}"));
                page
            })
        }
    }
}

fn list(sources: &[Source]) -> Page {
    let mut page = Page::new();
    for Source { meta, .. } in sources {
        let year = meta.year.map_or_else(String::new, |y| y.to_string());
        let mut by = format!("{} {year}", authors(&meta.authors)).trim().to_owned();
        if !by.is_empty() {
            by += ". ";
        }
        let title = meta.title.as_deref().unwrap_or("(no title)");
        page.fact(meta.source_id.as_str(), by + title);
    }
    page.line(count(sources.len(), "paper"));
    page
}

fn show(details: &SourceDetails) -> Page {
    let (source, meta) = (&details.source, &details.source.meta);
    let mut page = Page::new();
    page.fact("source", meta.source_id.as_str());
    page.fact("title", meta.title.as_deref().unwrap_or_default());
    page.fact("authors", first_of(&meta.authors, NAMED));
    page.fact("year", meta.year.map(|y| y.to_string()).unwrap_or_default());
    page.fact("venue", meta.printed.place(meta.venue.as_deref()).unwrap_or_default());
    page.fact("printed", printed(meta).unwrap_or_default());
    page.fact("doi", meta.doi.as_deref().unwrap_or_default());
    page.fact("tags", first_of(&meta.tags, NAMED));
    page.fact("file", source.path.as_str());
    for path in source.paths.iter().filter(|path| **path != source.path) {
        page.fact("also", path.as_str());
    }
    page.fact("record", source.record.as_deref().unwrap_or_default());
    page.fact("ingested", source.ingested.as_str());
    let (chunks, sentences) = (count(source.chunks, "chunk"), count(source.sentences, "sentence"));
    page.fact("size", format!("{chunks}, {sentences}, {}", count(details.tokens, "token")));
    if !details.sections.is_empty() {
        page.gap();
        page.rows(&details.sections)
            .column("section", |of| of.section.to_string())
            .column("pages", |of| pages(of.page_start, of.page_end))
            .column("chunks", |of| of.chunks.to_string())
            .column("heading", |of| of.heading.clone());
    }
    page
}
