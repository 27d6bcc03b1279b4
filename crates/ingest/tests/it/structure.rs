//! A made-up two-column paper, from bytes to sections.

#![cfg(target_os = "linux")]

use crate::common::{Print, libpdfium, pdf, worker};
use ingest::{Job, Limits, WorkerPool};
use types::{Document, SectionKind};

const LEFT: f32 = 54.0;
const RIGHT: f32 = 318.0;

/// Sets lines below each other and returns the next height.
fn column<'a>(page: &mut Vec<Print<'a>>, x: f32, mut y: f32, lines: &[&'a str]) -> f32 {
    for line in lines {
        page.push(Print(x, y, 1, 10.0, line));
        y -= 12.0;
    }
    y
}

fn heading<'a>(page: &mut Vec<Print<'a>>, x: f32, y: f32, text: &'a str) -> f32 {
    page.push(Print(x, y - 10.0, 2, 12.0, text));
    y - 28.0
}

fn paper() -> Vec<u8> {
    let mut first = vec![
        Print(54.0, 760.0, 1, 8.0, "Journal of Invented Results 2019;4:11"),
        Print(54.0, 700.0, 2, 18.0, "Sleep and the growth of garden snails"),
        Print(54.0, 676.0, 1, 11.0, "Jane A. Smith1, Li Wei2 and Peter Brown1,*"),
        Print(54.0, 660.0, 1, 9.0, "1 Department of Snails, University of Nowhere; 2 Institute of Slime"),
        Print(
            54.0,
            646.0,
            1,
            9.0,
            "Received: 3 May 2018. Published: 7 January 2019. doi: 10.1234/snail.5678.",
        ),
    ];
    let y = heading(&mut first, LEFT, 620.0, "Abstract");
    column(
        &mut first,
        LEFT,
        y,
        &[
            "Snails that sleep long grow faster than snails that sleep little, and the difference can be seen early in life,",
            "as we show here with measurements of one hundred and twenty snails in three gardens over two full summers.",
        ],
    );
    let y = heading(&mut first, LEFT, 560.0, "1. Introduction");
    column(
        &mut first,
        LEFT,
        y,
        &[
            "Garden snails sleep for several hours, and",
            "nobody knows why they do so. Growth in the",
            "first year decides whether a snail survives",
            "its first winter. We asked whether sleep ex-",
            "plains the growth of snails, which continues",
        ],
    );
    column(
        &mut first,
        RIGHT,
        560.0,
        &[
            "over the second column of the same page here.",
            "Earlier work looked at sea slugs only, which",
            "have no shell and cannot be compared at all.",
        ],
    );
    let y = heading(&mut first, RIGHT, 515.0, "2. Methods");
    let y = column(&mut first, RIGHT, y, &["We watched all snails at night with cameras."]);
    first.push(Print(RIGHT, y - 10.0, 3, 10.0, "2.1. Statistics"));
    column(
        &mut first,
        RIGHT,
        y - 26.0,
        &["A mixed model was fitted with garden as effect.", "It held the age of each snail as a covariate."],
    );
    let mut second = vec![Print(54.0, 760.0, 1, 8.0, "Journal of Invented Results 2019;4:12")];
    let y = heading(&mut second, LEFT, 720.0, "3. Results");
    column(
        &mut second,
        LEFT,
        y,
        &[
            "Snails that slept for nine hours grew by 4.2 mm",
            "a month, and the others grew by only 2.9 mm a",
            "month (p < 0.01). No snail slept all through.",
        ],
    );
    let y = heading(&mut second, RIGHT, 720.0, "References");
    column(
        &mut second,
        RIGHT,
        y,
        &[
            "1. Brown P, Smith J. Slugs at night. J Slime.",
            "2001;3:4-5.",
            "2. Wei L. Shells. Garden Sci. 1999;1:1-2.",
            "3. Smith J. Cameras in gardens. 2010.",
        ],
    );
    let third = vec![
        Print(54.0, 760.0, 1, 8.0, "Journal of Invented Results 2019;4:13"),
        Print(54.0, 720.0, 1, 10.0, "4. Wei L. More shells. Garden Sci. 2003;1:1-2."),
    ];
    pdf(&[first, second, third])
}

fn parsed(bytes: &[u8]) -> Option<Document> {
    let library = libpdfium()?;
    let dir = tempfile::tempdir().expect("temp dir");
    let path = dir.path().join("Snail Paper (1).pdf");
    std::fs::write(&path, bytes).expect("writes");
    let mut result = None;
    WorkerPool::new(worker(&library, None), Limits::default(), 1)
        .parse_all([Job { index: 0, path, passwords: Vec::new() }], |parsed| result = Some(parsed));
    Some(result.expect("a result").outcome.expect("a document"))
}

#[test]
fn a_two_column_paper_is_read_in_order() {
    let Some(document) = parsed(&paper()) else { return };
    let sections: Vec<(SectionKind, &str)> =
        document.sections.iter().map(|s| (s.name, s.heading.as_str())).collect();
    assert_eq!(
        sections,
        [
            (SectionKind::Abstract, "Abstract"),
            (SectionKind::Introduction, "1. Introduction"),
            (SectionKind::Methods, "2. Methods"),
            (SectionKind::Methods, "2.1. Statistics"),
            (SectionKind::Results, "3. Results"),
            (SectionKind::References, "References"),
            (SectionKind::Supplementary, ""),
        ]
    );
    let introduction = document.section_text(&document.sections[1]);
    assert!(
        introduction.contains("sleep explains the growth of snails, which continues over the second column"),
        "{introduction}"
    );
    assert!(!document.text.contains("Invented Results"), "running heads are dropped: {}", document.text);
    let notices = document.section_text(&document.sections[6]);
    assert!(
        notices.contains("Department of Snails")
            && document.text.matches("Department of Snails").count() == 1,
        "addresses come last: {}",
        document.text
    );
    assert!(document.section_text(&document.sections[5]).contains("More shells"));
}

#[test]
fn what_is_known_of_a_paper_comes_from_its_first_page() {
    let Some(document) = parsed(&paper()) else { return };
    assert_eq!(document.meta.source_id.as_str(), "snail_paper_1");
    assert_eq!(document.meta.title.as_deref(), Some("Sleep and the growth of garden snails"));
    assert_eq!(document.meta.authors, ["Jane A. Smith", "Li Wei", "Peter Brown"]);
    assert_eq!(document.meta.year, Some(2019));
    assert_eq!(document.meta.doi.as_deref(), Some("10.1234/snail.5678"));
    assert_eq!(document.pages, 3);
}
