//! The command as a whole: exit codes, what is named on standard error, what a broken paper counts as.

use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn bench(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(args)
        .output()
        .expect("the program starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with one paper whose PDF is no PDF.
fn broken_paper(folder: &Path) {
    let xml = "<article><body><sec><title>Methods</title></sec></body></article>";
    fs::write(folder.join("a.b.pdf"), "no PDF").expect("writes");
    fs::write(folder.join("a.b.xml"), xml).expect("writes");
}

/// Whether PDFium is where the program looks for it; says so when not.
fn has_pdfium() -> bool {
    let natives =
        std::env::var_os("PIPELINE_NATIVES").map_or_else(|| PathBuf::from("../../.natives"), PathBuf::from);
    let found = natives.join("libpdfium.so").is_file();
    if !found {
        println!("skipped: no PDFium; run scripts/setup.sh");
    }
    found
}

#[test]
fn a_folder_without_papers_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = bench(&["score-structure", &folder.path().to_string_lossy()]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("NAME.xml"), "{}", stderr(&output));
    let output = bench(&["score-structure", "no such folder"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_broken_pdf_counts_as_all_missed_and_a_broken_truth_is_named() {
    if !has_pdfium() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    broken_paper(folder.path());
    let dir = folder.path().to_string_lossy().into_owned();
    let output = bench(&["score-structure", &dir, "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
    let recall = &json["all"]["metrics"]["soft_recall"];
    assert_eq!(
        (recall["hits"].as_u64(), recall["of"].as_u64()),
        (Some(0), Some(1))
    );
    assert_eq!(json["all"]["failed"], 1);
    assert!(json["papers"][0]["failure"].is_string());

    fs::write(folder.path().join("c.pdf"), "no PDF").expect("writes");
    fs::write(folder.path().join("c.xml"), "<article><p></article>").expect("writes");
    let output = bench(&["score-structure", &dir, "--min", "soft_f1=0.5"]);
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(said.contains("c.xml") && said.contains("gate: soft_f1"), "{said}");
}

#[test]
fn a_real_paper_reads_well() {
    let folder = Path::new("../../../shared/data/structure");
    if !folder.is_dir() {
        println!("skipped: ../shared/data/structure is not here");
        return;
    }
    if !has_pdfium() {
        return;
    }
    let dir = folder.to_string_lossy().into_owned();
    let mut args = vec!["score-structure", &dir, "--only", "PMC4521097", "--verbose"];
    args.extend([
        "--min",
        "soft_f1=0.9",
        "--min",
        "title=1",
        "--min",
        "reference_leak=0.05",
    ]);
    let output = bench(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("== PMC4521097 (Springer Berlin Heidelberg)"),
        "{text}"
    );
}
