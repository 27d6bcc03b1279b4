//! Help, version, manual pages and colours.

use crate::common::Place;

#[test]
fn help_keeps_global_options_apart_and_lists_values() {
    let place = Place::new(None);
    let help = place.run(&["ask", "--help"]).stdout();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let (own, global) = help.split_once("Global options:").expect("two groups");
    assert!(own.contains("hybrid, vector, bm25") && own.contains("abstract, introduction"), "{help}");
    assert!(global.contains("--index") && !own.contains("--index"), "{help}");
    let long = place.run(&["--help"]).stdout();
    assert!(long.contains("Examples:") && long.contains("Exit codes:"), "{long}");
    assert!(long.lines().all(|line| line.chars().count() <= 100), "{long}");
}

#[test]
fn version_pages_and_completions_are_made() {
    let place = Place::new(None);
    let version = place.run(&["--version"]).stdout();
    let (number, commit) =
        version.trim().strip_prefix("pipeline ").and_then(|v| v.split_once(' ')).expect("two parts");
    assert!(number.split('.').count() == 3 && number != "0.0.0", "{version}");
    assert!(commit.starts_with('(') && commit.len() > 8, "{version}");
    assert!(place.run(&["completions", "bash"]).stdout().contains("ingest"));
    place.passes(&["man", "--out", "pages"]);
    let pages = place.files("pages");
    for name in ["pipeline.1", "pipeline-ask.1", "pipeline-papers-remove.1"] {
        assert!(pages.iter().any(|page| page == name), "{pages:?}");
    }
}

#[test]
fn what_standard_error_shows_is_chosen() {
    let place = Place::new(None);
    let coloured = |args: &[&str]| place.run(args).stderr().contains('\u{1b}');
    assert!(!coloured(&["frobnicate"]));
    assert!(coloured(&["--color", "always", "config", "frobnicate"]));
    let ran = place.run(&["-v", "ask", "q", "--set", "rerank.top_n=5"]);
    ran.fails_with(2, &["rerank.top_n = 5 (flag)", "index index"]);
    assert!(!ran.stderr().contains("expand.max_chunks"), "{}", ran.stderr());
}
