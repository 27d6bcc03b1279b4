//! The walls around PDFium: whatever happens to a worker, the file is named with the reason and the rest goes on.

#![cfg(target_os = "linux")]

use crate::common::{Print, libpdfium, pdf, worker};
use ingest::{Job, Limits, ParseError, Parsed, WorkerPool};
use std::path::{Path, PathBuf};

fn limits() -> Limits {
    Limits { seconds_per_file: 20, ..Limits::default() }
}

fn parse(command: ingest::WorkerCommand, limits: Limits, files: &[PathBuf]) -> Vec<Parsed> {
    let mut results = Vec::new();
    let jobs = files.iter().cloned().enumerate().map(Job::from);
    WorkerPool::new(command, limits, 2).parse_all(jobs, |parsed| results.push(parsed));
    results.sort_by_key(|r| r.index);
    assert_eq!(results.len(), files.len(), "every file has a result");
    results
}

fn small_pdf() -> Vec<u8> {
    pdf(&[vec![Print(
        72.0,
        700.0,
        1,
        12.0,
        "Some words that stand on the page, and then a few more of them.",
    )]])
}

fn write(dir: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, bytes).expect("writes");
    path
}

/// Plants a fault into the file "bad" among good ones.
fn with_fault(fault: &str, limits: Limits, check: impl Fn(&ParseError) -> bool) {
    let Some(library) = libpdfium() else { return };
    let dir = tempfile::tempdir().expect("temp dir");
    let files: Vec<PathBuf> = ["a.pdf", "b.pdf", "bad.pdf", "c.pdf", "d.pdf"]
        .iter()
        .map(|n| write(dir.path(), n, &small_pdf()))
        .collect();
    let results = parse(worker(&library, Some(&format!("{fault}:bad.pdf"))), limits, &files);
    for (i, result) in results.iter().enumerate() {
        match &result.outcome {
            Err(error) if i == 2 => assert!(check(error), "{fault}: {error}"),
            Ok(document) if i != 2 => assert!(document.text.contains("Some words"), "{}", document.text),
            other => panic!("{fault}, file {i}: {other:?}"),
        }
    }
}

#[test]
fn a_hanging_worker_is_ended() {
    let limits = Limits { seconds_per_file: 2, ..limits() };
    with_fault("hang", limits, |e| *e == ParseError::TimedOut { seconds: 2, page: None });
}

#[test]
fn a_spinning_worker_is_ended() {
    let limits = Limits { seconds_per_file: 2, ..limits() };
    with_fault("spin", limits, |e| matches!(e, ParseError::TimedOut { seconds: 2, .. }));
}

#[test]
fn a_worker_out_of_memory_is_told_from_a_crash() {
    with_fault("memory", limits(), |e| *e == ParseError::OutOfMemory { limit_mib: 1024, page: None });
}

#[test]
fn crashes_name_their_signal() {
    with_fault("abort", limits(), |e| matches!(e, ParseError::Crashed { signal, .. } if signal == "SIGABRT"));
    with_fault(
        "exit",
        limits(),
        |e| matches!(e, ParseError::Crashed { signal, .. } if signal.starts_with("exit code 3")),
    );
    with_fault(
        "panic",
        limits(),
        |e| matches!(e, ParseError::Crashed { signal, .. } if signal.contains("asked for by the test")),
    );
}

#[test]
fn prints_of_native_code_cannot_break_frames() {
    let Some(library) = libpdfium() else { return };
    let dir = tempfile::tempdir().expect("temp dir");
    let files = vec![write(dir.path(), "noisy.pdf", &small_pdf()), write(dir.path(), "b.pdf", &small_pdf())];
    let results = parse(worker(&library, Some("noise:noisy")), limits(), &files);
    assert!(results.iter().all(|r| r.outcome.is_ok()), "{results:?}");
}

#[test]
fn files_that_are_no_papers_are_named() {
    let Some(library) = libpdfium() else { return };
    let dir = tempfile::tempdir().expect("temp dir");
    let mut junk = vec![b'x'; 1_200];
    junk.extend(small_pdf());
    let half = small_pdf();
    let files = vec![
        write(dir.path(), "zip.pdf", b"PK\x03\x04and so on"),
        write(dir.path(), "empty.pdf", b""),
        write(dir.path(), "junk.pdf", &junk),
        write(dir.path(), "half.pdf", &half[..40]),
        dir.path().join("missing.pdf"),
        write(dir.path(), "none.pdf", &pdf(&[])),
        write(dir.path(), "blank.pdf", &pdf(&[vec![]])),
    ];
    let results = parse(worker(&library, None), limits(), &files);
    let error = |i: usize| results[i].outcome.as_ref().expect_err("fails");
    assert!(matches!(error(0), ParseError::NotPdf { looks_like } if looks_like.contains("zip")));
    assert!(matches!(error(1), ParseError::NotPdf { looks_like } if looks_like.contains("empty")));
    assert!(results[2].outcome.is_ok(), "{:?}", results[2].outcome);
    assert!(matches!(error(3), ParseError::Damaged { .. }), "{:?}", error(3));
    assert!(matches!(error(4), ParseError::Unreadable { .. }));
    assert!(matches!(error(5), ParseError::NoPages | ParseError::Damaged { .. }), "{:?}", error(5));
    let blank = results[6].outcome.as_ref().expect("a page without text is a document");
    assert_eq!(blank.warnings, ["no text on any page"]);
}

#[test]
fn limits_of_size_hold() {
    let Some(library) = libpdfium() else { return };
    let dir = tempfile::tempdir().expect("temp dir");
    let page = || vec![Print(72.0, 700.0, 1, 12.0, "Forty characters of text, or thereabouts.")];
    let file = vec![write(dir.path(), "five.pdf", &pdf(&[page(), page(), page(), page(), page()]))];
    let check = |limits: Limits, want: fn(&ParseError) -> bool| {
        let results = parse(worker(&library, None), limits, &file);
        let error = results[0].outcome.as_ref().expect_err("over the limit");
        assert!(want(error), "{error}");
    };
    check(Limits { max_pages: 4, ..limits() }, |e| *e == ParseError::TooManyPages { pages: 5, limit: 4 });
    check(Limits { max_file_bytes: 100, ..limits() }, |e| {
        matches!(e, ParseError::TooLarge { limit: 100, .. })
    });
    check(Limits { max_chars_per_page: 10, ..limits() }, |e| {
        *e == ParseError::TooMuchText { page: 1, limit: 10 }
    });
    check(Limits { max_chars: 100, ..limits() }, |e| *e == ParseError::TooMuchText { page: 3, limit: 100 });
}

#[test]
fn a_reader_that_cannot_start_says_so() {
    let command = ingest::WorkerCommand {
        program: "/nowhere/reader".into(),
        args: Vec::new(),
        libpdfium: PathBuf::new(),
    };
    let results = parse(command, limits(), &[PathBuf::from("a.pdf")]);
    let error = results[0].outcome.as_ref().expect_err("fails");
    assert!(matches!(error, ParseError::Worker { detail } if detail.contains("/nowhere/reader")), "{error}");
    let results =
        parse(worker(Path::new("/nowhere/libpdfium.so"), None), limits(), &[PathBuf::from("a.pdf")]);
    let error = results[0].outcome.as_ref().expect_err("fails");
    assert!(
        matches!(error, ParseError::Worker { detail } if detail.contains("/nowhere/libpdfium.so")),
        "{error}"
    );
}
