//! Which entries of a folder are read, and what is said of the others.

use crate::common::{Place, natives};
use serde_json::{Value, json};
use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt as _,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

const NOTES: &str = "# Sleep of garden snails\n\n## Methods\n\nWe watched twelve snails at night.\n";

fn mkfifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo runs").success());
}

fn reasons(found: &Value) -> Vec<String> {
    let all = found["skipped"].as_array().expect("a list");
    all.iter().map(|s| s["reason"].as_str().expect("text").to_owned()).collect()
}

#[test]
fn the_pipeline_never_reads_what_it_wrote() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    let model = place.model(1);
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
fn everything_that_is_passed_over_is_counted_and_named() {
    let place = Place::new(None);
    place.write("papers/notes.md", NOTES.as_bytes());
    for i in 1..=7 {
        place.write(&format!("papers/draft-{i}.docx"), b"PK");
    }
    place.write("papers/figure.png", b"png");
    mkfifo(&place.path("papers/pipe.pdf"));
    std::os::unix::fs::symlink("nowhere", place.path("papers/gone")).expect("linked");
    let started = Instant::now();
    let (code, plan) = place.json(&["ingest", "papers", "--dry-run"]);
    assert_eq!((code, &plan["counts"]), (0, &json!({"add": 1})), "{plan}");
    let kinds: Vec<(&str, u64, usize)> = plan["other_files"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|kind| {
            let first = kind["first"].as_array().expect("a list");
            (kind["kind"].as_str().expect("text"), kind["count"].as_u64().expect("a number"), first.len())
        })
        .collect();
    let want = [(".docx file", 7, 5), ("broken link", 1, 1), ("image", 1, 1), ("named pipe", 1, 1)];
    assert_eq!(kinds, want, "{plan}");
    let text = place.run(&["ingest", "papers", "--dry-run"]).stdout();
    for line in [
        "7 .docx files: papers/draft-1.docx, ",
        " and 2 more",
        "1 image: papers/figure.png",
        "1 named pipe: papers/pipe.pdf",
        "1 broken link: papers/gone",
        "dry run of 1 file: 1 to add",
    ] {
        assert!(text.contains(line), "{line:?} is not in:\n{text}");
    }
    // Named by the user, a pipe fails at once: nothing waits for a writer.
    place.run(&["ingest", "papers/pipe.pdf", "--dry-run"]).fails_with(1, &[]);
    mkfifo(&place.path("pipe.md"));
    place.run(&["parse", "pipe.md"]).fails_with(2, &["named pipe"]);
    mkfifo(&place.path("papers/manifest.csv"));
    assert_eq!(place.run(&["ingest", "papers", "--dry-run"]).code(), 0);
    assert!(started.elapsed() < Duration::from_mins(1));
    // A folder of nothing else says what there is.
    fs::remove_file(place.path("papers/notes.md")).expect("removed");
    place.run(&["ingest", "papers", "--dry-run"]).fails_with(2, &["no paper was found", "7 .docx files"]);
}

#[test]
fn names_that_are_not_utf8_are_read_kept_and_shown() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    let model = place.model(1);
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
