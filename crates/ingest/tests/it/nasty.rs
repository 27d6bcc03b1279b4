//! Files that break readers, from the collection beside the project, against what was expected of each before ours
//! was asked: `nasty.tsv`. The outcomes stand in `docs/lab/nasty.md`.
//!
//! A note that begins with `misread:` names what is known to be read wrongly; such a row is printed and does not
//! fail the test.

#![cfg(target_os = "linux")]

use crate::common::{libpdfium, nasty_folder, tesseract, worker};
use ingest::{Job, Limits, OcrSettings, ParseError, Parsed, WorkerPool, inputs::Format};
use std::path::Path;

/// A row of the table.
#[derive(Debug, Clone, Copy)]
struct Row {
    file: &'static str,
    category: &'static str,
    /// Each alone opens the file.
    passwords: &'static str,
    /// `text`, `words:N` (at least so many), `empty` or `fail:REASON`.
    expected: &'static str,
    /// A phrase of the text.
    holds: &'static str,
    /// A phrase of a warning or of the error.
    says: &'static str,
    /// A phrase of the text once pages are recognised.
    ocr: &'static str,
    note: &'static str,
}

fn rows() -> Vec<Row> {
    let table = include_str!("../nasty.tsv");
    let row = |line: &'static str| {
        let cells: Vec<&'static str> = line.split('\t').collect();
        let [file, category, passwords, expected, holds, says, ocr, note] = cells[..] else {
            panic!("eight cells: {line}")
        };
        Row { file, category, passwords, expected, holds, says, ocr, note }
    };
    table.lines().skip(1).map(row).collect()
}

fn limits() -> Limits {
    Limits { max_chars: 8_000_000, seconds_per_file: 60, ..Limits::default() }
}

fn jobs(folder: &Path, wanted: impl Iterator<Item = (Row, Option<&'static str>)>) -> Vec<Job> {
    let job = |(index, (row, password)): (usize, (Row, Option<&str>))| Job {
        index,
        path: folder.join(row.file),
        format: Format::Pdf,
        passwords: password.into_iter().map(Into::into).collect(),
    };
    wanted.enumerate().map(job).collect()
}

fn read(pool: &WorkerPool, jobs: Vec<Job>) -> Vec<Parsed> {
    let mut out = Vec::new();
    pool.parse_all(jobs, |parsed| out.push(parsed));
    out.sort_by_key(|p| p.index);
    out
}

/// The text with every run of blanks as one.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Title and text.
fn whole(document: &types::Document) -> String {
    flat(&format!("{} {}", document.meta.title.as_deref().unwrap_or_default(), document.text))
}

/// The outcome in the words of the table, and what it says.
fn seen(outcome: &Result<types::Document, ParseError>) -> (String, String) {
    match outcome {
        Ok(document) => {
            let words = document.text.split_whitespace().count();
            let kind = if words == 0 { "empty".to_owned() } else { format!("text, {words} words") };
            (kind, document.warnings.join("; "))
        }
        Err(error) => {
            let json = serde_json::to_value(error).expect("serialises");
            let reason = json["reason"].as_str().unwrap_or("?").to_owned();
            (format!("fail:{reason}"), error.to_string())
        }
    }
}

/// What is wrong with an outcome, or nothing.
fn wrong(row: &Row, outcome: &Result<types::Document, ParseError>) -> Option<String> {
    let (kind, says) = seen(outcome);
    let text = outcome.as_ref().map(whole).unwrap_or_default();
    let words = outcome.as_ref().map_or(0, |d| d.text.split_whitespace().count());
    let right = match row.expected.split_once(':') {
        Some(("fail", _)) => kind == row.expected,
        Some(("words", least)) => words >= least.parse().expect("a number"),
        _ if row.expected == "empty" => outcome.is_ok() && words == 0,
        _ => words > 0,
    };
    if !right {
        return Some(format!("wanted {}, saw {kind} ({says})", row.expected));
    }
    if !text.contains(row.holds) {
        let start: String = text.chars().take(300).collect();
        return Some(format!("{:?} is not in {start:?}", row.holds));
    }
    (!says.contains(row.says)).then(|| format!("{:?} is not in {says:?}", row.says))
}

#[test]
fn every_file_that_breaks_readers_ends_as_expected() {
    let (Some(library), Some(folder)) = (libpdfium(), nasty_folder()) else {
        return;
    };
    let rows = rows();
    let pool = WorkerPool::new(worker(&library, None), limits(), 2);
    let mut complaints = Vec::new();

    let wanted = rows.iter().flat_map(|r| {
        let passwords: Vec<Option<&str>> = match r.passwords {
            "" => vec![None],
            list => list.split(' ').map(Some).collect(),
        };
        passwords.into_iter().map(|p| (*r, p))
    });
    let wanted: Vec<(Row, Option<&'static str>)> = wanted.collect();
    let results = read(&pool, jobs(&folder, wanted.iter().copied()));
    assert_eq!(results.len(), wanted.len(), "every file has a result");
    for ((row, _), result) in wanted.iter().zip(&results) {
        let (kind, says) = seen(&result.outcome);
        let mib = result.peak_bytes.map_or(0, |b| b >> 20);
        println!(
            "{}\t{}\t{}\t{kind}\t{says}\t{:.2} s\t{mib} MiB",
            row.category, row.file, row.expected, result.seconds
        );
        match wrong(row, &result.outcome) {
            Some(complaint) if row.note.starts_with("misread:") => {
                println!("known: {}: {complaint}", row.file);
            }
            Some(complaint) => complaints.push(format!("{}: {complaint}", row.file)),
            None => {}
        }
    }
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn scans_are_read_where_tesseract_is_installed() {
    let (Some(library), Some(folder), Some(tesseract)) = (libpdfium(), nasty_folder(), tesseract()) else {
        return;
    };
    let settings = OcrSettings { tesseract, languages: "eng".into(), dpi: 200, seconds_per_page: 60 };
    let pool = WorkerPool::new(worker(&library, None), limits(), 2).with_ocr(Some(settings));
    let scans: Vec<Row> = rows().into_iter().filter(|r| !r.ocr.is_empty()).collect();
    let results = read(&pool, jobs(&folder, scans.iter().map(|r| (*r, None))));
    let mut complaints = Vec::new();
    for (row, result) in scans.iter().zip(&results) {
        let (kind, says) = seen(&result.outcome);
        println!("{}\t{kind}\t{says}\t{:.1} s", row.file, result.seconds);
        let text = result.outcome.as_ref().map(whole).unwrap_or_default();
        if !text.contains(row.ocr) || !says.contains("read by OCR") {
            let start: String = text.chars().take(300).collect();
            complaints.push(format!("{}: {:?} in {start:?} ({says})", row.file, row.ocr));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
