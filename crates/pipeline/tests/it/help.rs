//! Help, version, manual pages and colours.

use crate::common::Place;

#[test]
fn help_keeps_global_options_apart_and_lists_values() {
    let place = Place::new(None);
    let help = place.run(&["ask", "--help"]).stdout();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let (own, global) = help.split_once("Global options:").expect("two groups");
    assert!(own.contains("--mode") && own.contains("hybrid, vector, bm25"), "{help}");
    assert!(own.contains("abstract, introduction"), "{help}");
    assert!(global.contains("--color") && global.contains("--index") && !own.contains("--index"), "{help}");
    let long = place.run(&["--help"]).stdout();
    for (group, first) in [("Every day:", "ingest"), ("Evaluation:", "evaluate"), ("Operation:", "index")] {
        let (_, below) = long.split_once(group).expect(group);
        assert_eq!(below.split_whitespace().next(), Some(first), "{long}");
    }
    assert!(!long.contains("\n  schema") && !long.contains("\n  ground-truth"), "{long}");
    assert!(
        long.contains("Also: parse, schema") && long.contains("Examples:") && long.contains("Exit codes:"),
        "{long}"
    );
    for line in long.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn the_version_names_the_commit() {
    let place = Place::new(None);
    let version = place.run(&["--version"]).stdout();
    let (number, commit) =
        version.trim().strip_prefix("pipeline ").and_then(|v| v.split_once(' ')).expect("two parts");
    assert!(number.split('.').count() == 3 && number != "0.0.0", "{version}");
    assert!(commit.starts_with('(') && commit.len() > 8, "{version}");
}

#[test]
fn manual_pages_cover_every_command() {
    let place = Place::new(None);
    let page = place.run(&["man"]).stdout();
    assert!(page.contains(".TH") && page.contains("ingest"), "{page}");
    let ran = place.run(&["man", "--out", "pages"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let pages = place.files("pages");
    for name in ["pipeline.1", "pipeline-ask.1", "pipeline-sources-remove.1"] {
        assert!(pages.iter().any(|page| page == name), "{pages:?}");
    }
}

#[test]
fn colours_are_for_terminals_or_on_request() {
    let place = Place::new(None);
    let coloured = |args: &[&str]| place.run(args).stderr().contains('\u{1b}');
    assert!(!coloured(&["frobnicate"]));
    assert!(coloured(&["--color", "always", "config", "frobnicate"]));
    assert!(!coloured(&["--color", "never", "config", "frobnicate"]));
}

#[test]
fn verbose_names_what_is_not_default() {
    let place = Place::new(None);
    let ran = place.run(&["-v", "ask", "q", "--set", "rerank.keep=5"]);
    ran.fails_with(2, &["rerank.keep = 5 (flag)", "index index"]);
    assert!(!ran.stderr().contains("expand.cap"), "{}", ran.stderr());
    place.run(&["-v", "-q", "doctor"]).fails_with(2, &["--quiet", "--verbose"]);
}
