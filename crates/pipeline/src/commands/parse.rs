//! `pipeline parse`.

use super::App;
use crate::{args::Parse, printer::Outcome};
use anyhow::Result;
use std::fmt::Write;

/// Reads one document and prints its structure.
pub(super) fn run(app: &App, args: &Parse) -> Result<Outcome> {
    let document = engine::parse::parse(&app.settings, &args.file, &args.passwords)?;
    let json = engine::parse::contract(&document);
    app.printer.result(&json, || {
        let meta = &document.meta;
        let mut out = String::new();
        let _ = writeln!(out, "source   {}", meta.source_id);
        let _ = writeln!(out, "title    {}", meta.title.as_deref().unwrap_or("?"));
        let _ = writeln!(out, "authors  {}", meta.authors.join(", "));
        let year = meta.year.map_or_else(|| "?".to_owned(), |y| y.to_string());
        let _ = writeln!(
            out,
            "year     {year}   doi {}   pages {}",
            meta.doi.as_deref().unwrap_or("?"),
            document.pages
        );
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
        for warning in &document.warnings {
            let _ = writeln!(out, "warning: {warning}");
        }
        out
    })?;
    Ok(if document.sections.is_empty() {
        Outcome::No
    } else {
        Outcome::Done
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
