//! The front of papers, from bytes: title, authors and year.

#![cfg(target_os = "linux")]

use crate::common::{Print, libpdfium, pdf, shared, worker};
use ingest::{Job, Limits, WorkerPool};
use std::path::PathBuf;
use types::Document;

/// The documents of these files, in order; `None` where PDFium is missing.
fn parsed(files: &[PathBuf]) -> Option<Vec<Document>> {
    let library = libpdfium()?;
    let jobs = files.iter().enumerate().map(|(index, path)| Job {
        index,
        path: path.clone(),
        passwords: Vec::new(),
    });
    let mut out = vec![Document::default(); files.len()];
    WorkerPool::new(worker(&library, None), Limits::default(), 1).parse_all(jobs, |parsed| {
        out[parsed.index] = parsed.outcome.expect("a document");
    });
    Some(out)
}

/// A paper in two columns with these prints above them.
fn paper(front: &[Print<'_>]) -> Option<Document> {
    let mut page = vec![Print(100.0, 720.0, 2, 18.0, "Sleep and the growth of snails")];
    page.extend(front.iter().map(|Print(x, y, font, size, text)| Print(*x, *y, *font, *size, text)));
    let lines: Vec<String> = (0..60)
        .map(|i| format!("In garden {i} the snails of row {} slept for {} hours", i * 7 % 31, i * 5 % 24))
        .collect();
    for (i, line) in lines.iter().enumerate() {
        let (x, row) = if i < 30 { (54.0, i) } else { (318.0, i - 30) };
        page.push(Print(x, 530.0 - 12.0 * row as f32, 1, 9.0, line));
    }
    page.push(Print(54.0, 550.0, 2, 12.0, "Introduction"));
    page.push(Print(318.0, 550.0, 2, 12.0, "Methods"));
    let dir = tempfile::tempdir().expect("temp dir");
    let path = dir.path().join("paper.pdf");
    std::fs::write(&path, pdf(&[page])).expect("writes");
    parsed(&[path])?.pop()
}

#[test]
fn the_stamp_in_the_margin_dates_a_preprint() {
    let stamp = Print(30.0, 250.0, 4, 18.0, "arXiv:2501.10120v1  [cs.IR]  17 Jan 2025");
    let note = Print(54.0, 60.0, 1, 8.0, "1 https://2023.snails.org/committees/ and Snails 2022");
    let Some(document) = paper(&[stamp, note]) else {
        return;
    };
    assert_eq!(document.meta.year, Some(2025));
    let note = Print(54.0, 60.0, 1, 8.0, "1 https://2023.snails.org/committees/ and Snails 2022");
    assert_eq!(paper(&[note]).and_then(|d| d.meta.year), None);
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
