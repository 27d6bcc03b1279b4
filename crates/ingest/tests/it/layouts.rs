//! Sample pages, each with a layout that readers get wrong: what stands beside each PDF in a `.want` file must be
//! found in what ours makes of it.
//!
//! A line of a `.want` file is a word and what follows it: `title`; `heading` (all of them, in order); `holds` (text
//! that stands in a section in one piece, each behind the last one); `anywhere` (one of several, apart by `|`);
//! `indexed` (text of a section that is indexed); `warning` (a part of one); `silent` (no warning at all); `lacks`; `caption`, `row` (label and text, apart by ` | `; `\|` stands for the bar between cells); `item`;
//! `footnote`.

#![cfg(target_os = "linux")]

use crate::common::{libpdfium, worker};
use ingest::{Job, Limits, WorkerPool, inputs::Format};
use std::path::{Path, PathBuf};
use types::{BlockKind, Document};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/layouts")
}

/// What the document lacks of what is wanted.
fn check(document: &Document, want: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut headings = document.sections.iter().map(|s| s.heading.as_str()).filter(|h| !h.is_empty());
    let mut from = 0;
    for line in want.lines().filter(|l| !l.is_empty()) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (label, text) = match rest.split_once(" | ") {
            Some((label, text)) => (Some(label.replace("\\|", "|")), text.replace("\\|", "|")),
            None => (None, rest.replace("\\|", "|")),
        };
        let block = |kind: BlockKind| {
            let mut blocks = document.sections.iter().flat_map(|s| &s.blocks);
            blocks.any(|b| {
                b.kind == kind
                    && b.label == label
                    && b.span
                        .slice(&document.text)
                        // The label of a caption and the number of a note stand before their text.
                        .is_some_and(|t| t == text || kind != BlockKind::TableRow && t.ends_with(&text))
            })
        };
        let right = match word {
            "title" => document.meta.title.as_deref() == Some(rest),
            "heading" => headings.next() == Some(rest),
            "holds" => document.text[from..].find(rest).inspect(|at| from += at).is_some(),
            "anywhere" => rest.split('|').any(|t| document.text.contains(t)),
            "indexed" => {
                let mut sections = document.sections.iter().filter(|s| s.name.indexed());
                sections.any(|s| document.section_text(s).contains(rest))
            }
            "warning" => document.warnings.iter().any(|w| w.contains(rest)),
            "silent" => document.warnings.is_empty(),
            "lacks" => !document.text.contains(rest),
            "caption" => block(BlockKind::Caption),
            "row" => block(BlockKind::TableRow),
            "item" => document.text.lines().any(|l| l.ends_with(rest)),
            "footnote" => block(BlockKind::Footnote),
            _ => false,
        };
        if !right {
            wrong.push(line.to_owned());
        }
    }
    wrong.extend(headings.map(|h| format!("a heading too many: {h}")));
    wrong
}

#[test]
fn sample_pages_are_read_as_a_reader_would() {
    let Some(library) = libpdfium() else { return };
    let mut wants: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the folder of sample pages")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "want"))
        .collect();
    wants.sort();
    assert!(wants.len() >= 25, "{}", wants.len());
    let jobs = wants.iter().enumerate().map(|(index, want)| Job {
        index,
        path: want.with_extension("pdf"),
        format: Format::Pdf,
        passwords: Vec::new(),
    });
    let mut report: Vec<String> = Vec::new();
    WorkerPool::new(worker(&library, None), Limits::default(), 2).parse_all(jobs, |parsed| {
        let want = &wants[parsed.index];
        let document = parsed.outcome.expect("a document");
        let wrong = check(&document, &std::fs::read_to_string(want).expect("reads"));
        if !wrong.is_empty() {
            let name = want.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let headings: Vec<&str> = document.sections.iter().map(|s| s.heading.as_str()).collect();
            report.push(format!("{name}\n  {}\n  headings read: {headings:?}\n", wrong.join("\n  ")));
        }
    });
    assert!(report.is_empty(), "not found:\n{}", report.join(""));
}
