//! Which entries of a folder are read, and what is said of the others.

use crate::common::Place;
use serde_json::{Value, json};
use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt as _, process::Command};

const NOTES: &str = "# Sleep of garden snails\n\n## Methods\n\nWe watched twelve snails at night.\n";

fn reasons(found: &Value) -> Vec<String> {
    let all = found["skipped"].as_array().expect("a list");
    all.iter().map(|s| s["reason"].as_str().expect("text").to_owned()).collect()
}

#[test]
fn the_pipeline_never_reads_what_it_wrote() {
    let Some((place, model)) = Place::fast() else { return };
    place.write("notes.md", NOTES.as_bytes());
    let ingest = || place.json(&["ingest", ".", "--set", &model]).1;
    assert_eq!(ingest()["sources"], 1);
    // A report and a run log as `eval` leaves them, and an older index beside.
    for name in ["eval.json", "rows.jsonl", "report.md", "report.html"] {
        place.write(&format!("logs/reports/run-1/{name}"), NOTES.as_bytes());
        place.write(&format!("kept/run-2/{name}"), NOTES.as_bytes());
    }
    place.write("logs/run_log.jsonl", b"{\"query\": \"why?\"}\n");
    let copied = Command::new("cp").args(["-r", "index", "index-old"]).current_dir(place.path("")).status();
    assert!(copied.expect("cp runs").success());
    let again = ingest();
    assert_eq!((&again["sources"], &again["unchanged"]), (&1.into(), &1.into()), "{again}");
    let found = reasons(&again);
    for part in
        ["the folder of reports", "the run log", "a report of this program", "an index of this program"]
    {
        assert!(found.iter().any(|reason| reason.contains(part)), "{part}: {again}");
    }
    // One line each, however many files lie below.
    assert!(found.len() <= 6, "{again}");
    place
        .run(&["ingest", "index", "--dry-run"])
        .fails_with(2, &["no paper was found", "an index of this program"]);
    place
        .run(&["ingest", "index/segments/1/ids.txt", "--dry-run"])
        .fails_with(2, &["an index of this program"]);
}

#[test]
fn names_that_are_not_utf8_are_read_kept_and_shown() {
    let Some((place, model)) = Place::fast() else { return };
    let named = |bytes: &[u8]| place.path("papers").join(OsStr::from_bytes(bytes));
    place.paper("waxenhoult_2023_cadence_short.pdf");
    let paper = place.path("papers/waxenhoult_2023_cadence_short.pdf");
    fs::rename(paper, named(b"w\xe4x.pdf")).expect("renamed");
    fs::write(named(b"n\xfe.md"), NOTES).expect("written");
    fs::write(named(b"n\xff.md"), NOTES.replace("twelve", "ten")).expect("written");
    fs::write(named(b"broken\xff.pdf"), "%PDF-1.7 nothing").expect("written");
    let ingest = || place.json(&["ingest", "papers", "--set", &model]).1;
    let first = ingest();
    assert_eq!((&first["added"], &first["sources"]), (&3.into(), &3.into()), "{first}");
    let failed = first["failed"].as_array().expect("a list");
    assert_eq!(failed.len(), 1, "{first}");
    assert!(failed[0]["path"].as_str().expect("text").ends_with("broken\\xFF.pdf"), "{first}");
    assert!(!first.to_string().contains("protocol"), "{first}");
    // Nothing changed: nothing is read, moved or lost.
    let second = ingest();
    assert_eq!((&second["unchanged"], &second["sources"]), (&3.into(), &3.into()), "{second}");
    assert_eq!(second["failed_before"].as_array().map(Vec::len), Some(1), "{second}");
    let (code, verified) = place.json(&["index", "verify"]);
    assert_eq!((code, &verified["stale"]), (0, &json!([])), "{verified}");
    let stats = place.run(&["index", "stats"]).stdout();
    assert!(stats.contains("broken\\xFF.pdf  damaged"), "{stats}");
    let (_, ten) = place.json(&["search", "ten snails", "--mode", "bm25", "--set", &model]);
    let both = [0, 1].map(|i| ten["hits"][i]["source_id"].as_str().unwrap_or_default());
    assert!(both[0] != both[1] && both.iter().all(|id| id.starts_with("n-")), "{ten}");
}
