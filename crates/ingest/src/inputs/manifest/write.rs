//! A manifest of what is known of papers, for a person to correct.

use types::{SourceMeta, csv::record};

/// A manifest with one row for each source, all columns filled as far as something is known.
pub fn write<'a>(sources: impl IntoIterator<Item = &'a SourceMeta>) -> String {
    let mut out = record([
        "source_id",
        "title",
        "authors",
        "year",
        "venue",
        "doi",
        "url_or_doi",
        "tags",
        "relevance_note",
        "fictional",
    ]);
    out.push('\n');
    for meta in sources {
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        out.push_str(&record([
            meta.source_id.to_string(),
            text(&meta.title),
            list(&meta.authors),
            meta.year.map(|year| year.to_string()).unwrap_or_default(),
            text(&meta.venue),
            text(&meta.doi),
            text(&meta.url),
            list(&meta.tags),
            text(&meta.relevance_note),
            if meta.fictional { "yes" } else { "" }.to_owned(),
        ]));
        out.push('\n');
    }
    out
}

/// Semicolons separate the parts, so none may hold one.
fn list(parts: &[String]) -> String {
    let parts = parts.iter().map(|part| part.replace(';', ","));
    parts.collect::<Vec<_>>().join("; ")
}
