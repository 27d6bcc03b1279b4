//! Files that break readers, from the collection beside the project, against what was expected of each before ours
//! was asked: `nasty.tsv`. With `INGEST_WRITE_NASTY=1` the outcomes are written to `docs/lab/nasty.md`.
//!
//! A note that begins with `misread:` names what is known to be read wrongly; such a row is printed and does not
//! fail the test.

#![cfg(target_os = "linux")]

use crate::common::{libpdfium, nasty_folder, tesseract, worker};
use ingest::{Job, Limits, OcrSettings, ParseError, Parsed, WorkerPool};
use std::fmt::Write;
use std::path::{Path, PathBuf};

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
    write_down(&wanted, &results);
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn without_the_password_or_with_a_wrong_one_encrypted_files_say_so() {
    let (Some(library), Some(folder)) = (libpdfium(), nasty_folder()) else {
        return;
    };
    // One of them opens without its owner's password, too.
    let locked = rows().into_iter().filter(|r| !r.passwords.is_empty() && !r.note.contains("opens without"));
    let locked: Vec<Row> = locked.collect();
    let pool = WorkerPool::new(worker(&library, None), limits(), 2);
    let check = |password: Option<&'static str>, want: &ParseError| {
        let results = read(&pool, jobs(&folder, locked.iter().map(|r| (*r, password))));
        for (row, result) in locked.iter().zip(results) {
            assert_eq!(result.outcome.err().as_ref(), Some(want), "{}", row.file);
        }
    };
    check(None, &ParseError::PasswordNeeded);
    check(Some("hunter2"), &ParseError::PasswordWrong);

    // Each of several is tried.
    let all: Vec<ingest::Password> =
        rows().iter().flat_map(|r| r.passwords.split(' ')).map(Into::into).collect();
    let job =
        |(index, row): (usize, &Row)| Job { index, path: folder.join(row.file), passwords: all.clone() };
    for (row, result) in locked.iter().zip(read(&pool, locked.iter().enumerate().map(job).collect())) {
        assert!(result.outcome.is_ok(), "{}: {:?}", row.file, result.outcome);
    }
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

/// Writes `docs/lab/nasty.md` where that is asked for.
fn write_down(wanted: &[(Row, Option<&str>)], results: &[Parsed]) {
    if std::env::var_os("INGEST_WRITE_NASTY").is_none() {
        return;
    }
    let mut out = String::from(
        "# Files that break readers\n\nFor each file: the expected result, recorded before the parser was first run on it\n\
         (`crates/ingest/tests/nasty.tsv`), and the actual result. Generated by\n\
         `INGEST_WRITE_NASTY=1 cargo test -p ingest --test it nasty::every_file`.\n\n\
         | category | file | expected | actual | message | note |\n|---|---|---|---|---|---|\n",
    );
    let mut last = "";
    for ((row, _), result) in wanted.iter().zip(results) {
        if row.file == last {
            continue; // opened with its other password
        }
        last = row.file;
        let (kind, says) = seen(&result.outcome);
        let verdict = if wrong(row, &result.outcome).is_none() { "" } else { "**not as expected** " };
        let cell = |s: &str| s.replace('|', "\\|");
        let _ = writeln!(
            out,
            "| {} | `{}` | {} | {verdict}{} | {} | {} |",
            row.category,
            row.file,
            row.expected,
            cell(&kind),
            cell(&says),
            cell(row.note)
        );
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/lab/nasty.md");
    std::fs::create_dir_all(path.parent().expect("has a parent")).expect("creates the folder");
    std::fs::write(path, out).expect("writes the table");
}
