//! The front of papers, from bytes: authors and year.

#![cfg(target_os = "linux")]

use crate::common::{libpdfium, shared, worker};
use ingest::{Job, Limits, WorkerPool, inputs::Format};
use std::path::PathBuf;
use types::Document;

/// The documents of these files, in order; `None` where PDFium is missing.
fn parsed(files: &[PathBuf]) -> Option<Vec<Document>> {
    let library = libpdfium()?;
    let jobs = files.iter().enumerate().map(|(index, path)| Job {
        index,
        path: path.clone(),
        format: Format::Pdf,
        passwords: Vec::new(),
    });
    let mut out = vec![Document::default(); files.len()];
    WorkerPool::new(worker(&library, None), Limits::default(), 1).parse_all(jobs, |parsed| {
        out[parsed.index] = parsed.outcome.expect("a document");
    });
    Some(out)
}

/// Cases of other tools, beside the project.
#[test]
fn reported_cases_are_read_right() {
    let Some(cases) = shared("cases") else { return };
    let wanted: [(&str, Option<u16>, &str); 4] = [
        ("35-arxiv-stamp/stamp.pdf", Some(2025), "Mira Tolvane; Oskar Brindle; Hale Quorn"),
        ("35-arxiv-stamp/stamp-notes.pdf", Some(2025), "Mira Tolvane; Oskar Brindle; Hale Quorn"),
        ("35-arxiv-stamp/stamp-horizontal.pdf", Some(2025), "Mira Tolvane; Oskar Brindle; Hale Quorn"),
        (
            "37-author-blocks/initials.pdf",
            None,
            "Yu.A. Pusenko; L. Fernandez dos Anjos; D. Smirke; A.K. Bakarin; A.I. Toropin",
        ),
    ];
    let files: Vec<PathBuf> = wanted.iter().map(|(name, ..)| cases.join(name)).collect();
    let Some(documents) = parsed(&files) else { return };
    for ((name, year, authors), document) in wanted.iter().zip(documents) {
        assert_eq!(
            (document.meta.year, document.meta.authors.join("; ").as_str()),
            (*year, *authors),
            "{name}"
        );
    }
}
