//! Recognition with programs that stand in for `tesseract`: what they say becomes text, and whatever they do costs
//! at most the page. The real program reads real scans in `nasty.rs`.

#![cfg(target_os = "linux")]

use crate::common::{libpdfium, worker};
use ingest::{Job, Limits, OcrSettings, Parsed, Tesseract, WorkerPool};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A page of one black and white picture, and a page of text.
fn scan() -> Vec<u8> {
    let text = "BT /F 12 Tf 72 700 Td (This page holds words that can be read without any help.) Tj ET";
    let image = "q 400 0 0 400 72 200 cm BI /W 2 /H 1 /CS /G /BPC 8 ID \u{0}~ EI Q";
    let page = |content: usize| {
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {content} 0 R/Resources<</Font<</F 7 0 R>>>>>>"
        )
    };
    let stream = |content: &str| format!("<</Length {}>>\nstream\n{content}\nendstream", content.len());
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R 5 0 R]/Count 2>>".to_owned(),
        page(4),
        stream(image),
        page(6),
        stream(text),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    let mut out = "%PDF-1.4\n".to_owned();
    for (number, object) in (1..).zip(objects) {
        out.extend([&number.to_string(), " 0 obj\n", &object, "\nendobj\n"]);
    }
    out.push_str("trailer\n<</Root 1 0 R/Size 8>>\n%%EOF\n");
    out.into_bytes()
}

struct Bench {
    folder: tempfile::TempDir,
    library: PathBuf,
}

impl Bench {
    /// A folder with the scan, or `None` where the library is missing.
    fn new() -> Option<Self> {
        let library = libpdfium()?;
        let folder = tempfile::tempdir().expect("temp dir");
        fs::write(folder.path().join("scan.pdf"), scan()).expect("writes");
        Some(Self { folder, library })
    }

    /// A program that introduces itself like tesseract and otherwise runs `script`.
    fn program(&self, script: &str) -> Tesseract {
        let path = self.folder.path().join("stand-in");
        let text = format!(
            "#!/bin/sh\ncase \"$1\" in\n--version) echo 'tesseract 9.9';;\n--list-langs) echo eng;;\n*) {script};;\nesac\n"
        );
        fs::write(&path, text).expect("writes");
        fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("can be run");
        Tesseract::find(&path).expect("introduces itself")
    }

    fn pool(&self, tesseract: Tesseract, seconds_per_page: u64) -> WorkerPool {
        let settings = OcrSettings { tesseract, languages: "eng".into(), dpi: 72, seconds_per_page };
        WorkerPool::new(worker(&self.library, None), Limits::default(), 1).with_ocr(Some(settings))
    }

    fn read(&self, script: &str, seconds_per_page: u64) -> Parsed {
        let pool = self.pool(self.program(script), seconds_per_page);
        let mut results = Vec::new();
        pool.parse_all([Job::from((0, self.folder.path().join("scan.pdf")))], |r| {
            results.push(r);
        });
        results.pop().expect("a result")
    }
}

/// The answer for a page: words at places, in the form of the program.
fn answer(lines: &[(u32, &str)]) -> String {
    let line = |(top, text): &(u32, &str)| {
        let bottom = top + 12;
        let mut left = 72;
        let word = |word: &str| {
            let (from, right) = (left, left + 6 * word.len() as u32);
            left = right + 5;
            format!(
                "<span class='ocrx_word' title='bbox {from} {top} {right} {bottom}; x_wconf 95'>{word}</span>"
            )
        };
        let words: String = text.split(' ').map(word).collect();
        format!(
            "<span class='ocr_line' title='bbox 72 {top} 540 {bottom}; baseline 0 -3; x_size 12'>{words}</span>"
        )
    };
    lines.iter().map(line).collect()
}

fn is_alive(pid: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.trim())).unwrap_or_default();
    status.lines().any(|l| l.starts_with("State:") && !l.contains('Z'))
}

/// Waits for a file to hold a line.
fn line_of(path: &Path) -> String {
    let started = Instant::now();
    loop {
        let text = fs::read_to_string(path).unwrap_or_default();
        if text.ends_with('\n') {
            return text;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{}", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn gone(pid: &str) -> bool {
    let started = Instant::now();
    while is_alive(pid) {
        if started.elapsed() > Duration::from_secs(10) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

#[test]
fn what_the_program_recognises_becomes_text() {
    let Some(bench) = Bench::new() else { return };
    let said = answer(&[
        (100, "Here stands what the picture says to anyone who looks at it,"),
        (114, "and here it ends in the second line of the paragraph."),
    ]);
    fs::write(bench.folder.path().join("said"), said).expect("writes");
    let script = format!("cat > /dev/null; cat {}/said", bench.folder.path().display());
    let document = bench.read(&script, 20).outcome.expect("reads");
    let paragraph =
        "Here stands what the picture says to anyone who looks at it, and here it ends in the second line";
    assert!(document.text.contains(paragraph), "{}", document.text);
    assert!(document.text.contains("words that can be read"), "{}", document.text);
    assert_eq!(document.warnings, ["page 1 read by OCR, mean confidence 0.95: expect misread letters"]);
}

#[test]
fn whatever_the_program_does_costs_at_most_its_page() {
    let Some(bench) = Bench::new() else { return };
    let check = |script: &str, seconds: u64, want: &str| {
        let parsed = bench.read(script, seconds);
        let document = parsed.outcome.unwrap_or_else(|error| panic!("{script}: {error}"));
        assert!(document.text.contains("words that can be read"), "{script}: {}", document.text);
        let warnings = document.warnings.join("; ");
        assert!(warnings.contains(want), "{script}: {warnings}");
    };
    check(
        "echo no more languages >&2; exit 1",
        20,
        "page 1 was not read by OCR: tesseract failed: no more languages",
    );
    check("exec sleep 60", 1, "took longer than the time limit");
    check("cat > /dev/null", 20, "page 1 holds only images; OCR found no words there");
    check("head -c 200000 /dev/urandom", 20, "OCR found no words there");
    check("kill -ABRT $$", 20, "tesseract failed");
    // The worker itself dies of it: the file is read again without.
    check("kill -KILL $PPID; exec sleep 60", 20, "OCR was given up: the PDF worker crashed");
}

#[test]
fn the_program_ends_with_the_worker_whatever_ends_that() {
    let Some(bench) = Bench::new() else { return };
    let note = bench.folder.path().join("pid");
    let script = format!("echo $$ $PPID > {}; exec sleep 600", note.display());
    let pool = bench.pool(bench.program(&script), 300);
    let scan = bench.folder.path().join("scan.pdf");
    let reading = std::thread::spawn(move || {
        let mut results = Vec::new();
        pool.parse_all([Job::from((0, scan))], |r| results.push(r.outcome.is_ok()));
        results
    });
    let pids = line_of(&note);
    let (program, worker) = pids.trim().split_once(' ').expect("two numbers");
    assert!(is_alive(program) && is_alive(worker));
    let status = std::process::Command::new("kill").args(["-KILL", worker]).status().expect("kill runs");
    assert!(status.success());
    assert!(gone(program), "{program} outlived its worker");
    assert_eq!(reading.join().expect("reads"), [true], "read again without OCR");
}
