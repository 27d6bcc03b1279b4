//! `scripts/bench/structure.py`, which scores `pipeline parse` against JATS.

use crate::common::{Place, natives, root};
use std::process::{Command, Output};

const PAPER: &str = "tandrik_2021_vo2_walkers";

/// A Python with the packages of the benchmarks, where scripts/bench.sh has made one; else any.
fn python() -> Command {
    let own = root().join("target/bench-venv/bin/python");
    let mut command =
        Command::new(if own.is_file() { own.into() } else { std::ffi::OsString::from("python3") });
    command.arg("-B").current_dir(root().join("scripts/bench"));
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_tests_of_the_script_pass() {
    let output = python().args(["-m", "unittest", "test_structure"]).output().expect("Python runs");
    assert!(output.status.success() && said(&output).contains("OK"), "{}", said(&output));
}

#[test]
fn a_paper_is_scored_a_broken_one_counts_as_missed_and_a_broken_truth_is_named() {
    let Some(natives) = natives() else { return };
    if !python().args(["-c", "import pypdfium2"]).output().is_ok_and(|output| output.status.success()) {
        eprintln!(
            "skipped: this Python has no pypdfium2; pip install -r scripts/bench/requirements-structure.txt"
        );
        return;
    }
    let place = Place::new(Some(natives.clone()));
    place.paper(&format!("{PAPER}.pdf"));
    let (_, parsed) = place.json(&["parse", &format!("papers/{PAPER}.pdf")]);
    let title = parsed["title"].as_str().expect("a title");
    let headings = "<sec><title>Methods</title></sec><sec><title>Never printed</title></sec>";
    let xml = format!(
        "<article><front><article-meta><title-group><article-title>{title}</article-title></title-group></article-meta></front>\
         <body>{headings}</body></article>"
    );
    place.write(&format!("papers/{PAPER}.xml"), xml.as_bytes());
    place.write("papers/broken.pdf", b"no PDF");
    place.write("papers/broken.xml", xml.as_bytes());
    let score = |args: &[&str]| {
        let mut command = python();
        command.arg("structure.py").arg(place.path("papers")).args(args);
        command.args(["--pipeline", env!("CARGO_BIN_EXE_pipeline")]).env("PIPELINE_NATIVES", &natives);
        command.output().expect("Python runs")
    };
    let output = score(&["--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    // "Methods" is found once in two papers, and the broken one has no text in which the other heading could be absent.
    let counts = |key: &str| {
        let metric = &found["all"]["metrics"][key];
        (metric["hits"].as_u64(), metric["of"].as_u64())
    };
    assert_eq!((counts("title"), counts("soft_recall")), ((Some(1), Some(2)), (Some(1), Some(3))), "{found}");
    assert_eq!((&found["all"]["failed"], &found["all"]["absent_headings"]), (&1.into(), &1.into()));
    assert!(
        found["papers"][0]["failure"].as_str().is_some_and(|reason| reason.contains("not a PDF")),
        "{found}"
    );

    place.write("papers/broken.xml", b"<article><p></article>");
    let output = score(&["--min", "soft_precision=0.9", "--min", "title=1", "--verbose"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        said(&output).contains("broken.xml") && said(&output).contains("gate: soft_precision"),
        "{}",
        said(&output)
    );
    assert!(!said(&output).contains("gate: title"), "{}", said(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("not in the PDF: 'Never printed' <sec>"));
}
