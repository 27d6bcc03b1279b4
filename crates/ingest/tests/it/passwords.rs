//! Encrypted files: which passwords open them, and where passwords do not show.

#![cfg(target_os = "linux")]

use crate::common::{libpdfium, worker};
use ingest::{Job, Limits, ParseError, Parsed, WorkerPool, inputs::Format};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const SECRET: &str = "hunter2-of-the-lock";

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn read(library: &Path, name: &str, passwords: &[&str]) -> Parsed {
    let job = Job {
        index: 0,
        path: file(name),
        format: Format::Pdf,
        passwords: passwords.iter().map(|p| (*p).into()).collect(),
    };
    let mut results = Vec::new();
    WorkerPool::new(worker(library, None), Limits::default(), 1).parse_all([job], |r| results.push(r));
    results.pop().expect("a result")
}

#[test]
fn the_users_and_the_owners_password_open_a_file_in_any_script() {
    let Some(library) = libpdfium() else { return };
    let check = |name: &str, passwords: &[&str], want: Option<ParseError>| {
        let result = read(&library, name, passwords);
        match (&result.outcome, want) {
            (Ok(document), None) => {
                assert!(document.text.contains("behind the lock"), "{name}: {}", document.text);
            }
            (Err(error), Some(want)) => assert_eq!(*error, want, "{name}, {passwords:?}"),
            (outcome, want) => panic!("{name}, {passwords:?}: {outcome:?} instead of {want:?}"),
        }
    };
    for (name, user, owner) in [
        ("locked_r2.pdf", "naïve", "owner"),
        ("locked_r4.pdf", "pässwörd", "besitzer ß"),
        ("locked_r6.pdf", "пароль ☃", "właściciel"),
    ] {
        check(name, &[user], None);
        check(name, &[owner], None);
        check(name, &["wrong", "", "a\0b", user], None);
        check(name, &[], Some(ParseError::PasswordNeeded));
        check(name, &["wrong"], Some(ParseError::PasswordWrong));
        check(name, &["wrong", "also wrong"], Some(ParseError::PasswordWrong));
    }
}

/// Command lines and environments of the processes below this one.
fn what_children_show() -> Vec<u8> {
    let mut out = Vec::new();
    let entries = std::fs::read_dir("/proc").expect("there is a /proc");
    for entry in entries.flatten() {
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let parent = status.lines().find_map(|l| l.strip_prefix("PPid:"));
        if parent.is_some_and(|p| p.trim() == std::process::id().to_string()) {
            for file in ["cmdline", "environ"] {
                out.extend(std::fs::read(entry.path().join(file)).unwrap_or_default());
            }
        }
    }
    out
}

#[test]
fn passwords_show_on_no_command_line_and_in_no_message() {
    let Some(library) = libpdfium() else { return };
    let limits = Limits { seconds_per_file: 2, ..Limits::default() };
    let pool = WorkerPool::new(worker(&library, Some("hang:locked_r6")), limits, 1);
    let job =
        Job { index: 0, path: file("locked_r6.pdf"), format: Format::Pdf, passwords: vec![SECRET.into()] };
    assert!(!format!("{job:?}").contains(SECRET));
    let reading = std::thread::spawn(move || {
        let mut results = Vec::new();
        pool.parse_all([job], |r| results.push(r));
        results
    });
    let started = Instant::now();
    let mut shown = Vec::new();
    while shown.is_empty() && started.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(100));
        shown = what_children_show();
    }
    let holds = |needle: &str| shown.windows(needle.len()).any(|w| w == needle.as_bytes());
    assert!(holds("ingest-worker"), "the worker was seen");
    assert!(!holds(SECRET));
    let results = reading.join().expect("reads");
    assert!(!format!("{results:?}").contains(SECRET), "{results:?}");
    let wrong = read(&library, "locked_r4.pdf", &[SECRET]);
    let error = wrong.outcome.expect_err("it does not open");
    assert!(!error.to_string().contains(SECRET), "{error}");
}
