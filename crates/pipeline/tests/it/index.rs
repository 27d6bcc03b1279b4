//! `pipeline index`: what is said of an index, what is found in a damaged one, and what compaction leaves.

use crate::common::Place;
use serde_json::Value;
use std::{
    fs,
    io::Read,
    path::Path,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

const FIRST: &str = "tandrik_2021_vo2_walkers";
const SECOND: &str = "waxenhoult_2023_cadence_short";

/// An index of two papers, and the setting that names its model.
fn start() -> Option<(Place, String)> {
    Place::indexed(&[FIRST, SECOND])
}

fn ingest(place: &Place, model: &str) -> (i32, Value) {
    place.json(&["ingest", "papers", "--set", model])
}

fn items(findings: &Value) -> Vec<&str> {
    let all = findings.as_array().expect("a list");
    all.iter().map(|f| f["item"].as_str().expect("text")).collect()
}

#[test]
fn commands_without_an_index_say_so_and_make_none() {
    let place = Place::new(None);
    for command in ["stats", "verify", "compact"] {
        place.run(&["index", command]).fails_with(2, &["no index", "pipeline ingest"]);
    }
    assert!(!place.path("index").exists());
}

#[test]
fn stats_count_what_the_index_holds() {
    let Some((place, model)) = start() else { return };
    place.write("papers/broken.pdf", b"%PDF-1.7\nnothing of a PDF follows");
    assert_eq!(ingest(&place, &model).0, 1);
    let (code, stats) = place.json(&["index", "stats", "--sources"]);
    assert_eq!(code, 0);
    let number = |value: &Value| value.as_u64().expect("a number");
    let sum = |list: &Value, key: &str| {
        list.as_array().expect("a list").iter().map(|s| number(&s[key])).sum::<u64>()
    };
    for key in ["chunks", "tokens"] {
        assert_eq!(sum(&stats["sections"], key), number(&stats[key]), "{key}");
        assert_eq!(sum(&stats["by_source"], key), number(&stats[key]), "{key}");
    }
    for key in ["windows", "sentences"] {
        assert_eq!(sum(&stats["by_source"], key), number(&stats[key]), "{key}");
    }
    assert_eq!((number(&stats["sources"]), number(&stats["languages"]["english"])), (2, 2));
    assert_eq!((&stats["text_segments"], &stats["dead_chunks"]), (&1.into(), &0.into()));
    let on_disk = |folder: &str| -> u64 {
        let files = place.files(folder);
        files.iter().map(|f| fs::metadata(place.path(folder).join(f)).expect("there").len()).sum()
    };
    let bytes = stats["bytes"].as_object().expect("an object");
    assert_eq!(
        bytes.values().map(number).sum::<u64>(),
        on_disk("index/generations") + on_disk("index/segments")
    );
    let cached = fs::metadata(place.path("index/cache.sqlite")).expect("there").len();
    for kind in ["document_bytes", "vector_bytes"] {
        assert!((1..cached).contains(&number(&stats["cache"][kind])), "{stats}");
    }
    assert_eq!(number(&stats["cache"]["documents"]), 2);
    let failed = &stats["failed"][0];
    assert!(failed["path"].as_str().expect("text").ends_with("broken.pdf"), "{failed}");
    assert!(failed["reason"].as_str().expect("text").contains("damaged"), "{failed}");
    assert!(
        stats["newest_ingest"].as_str().expect("a time") >= stats["oldest_ingest"].as_str().expect("a time")
    );
    let text = place.run(&["index", "stats", "--sources"]).stdout();
    for part in ["sources", "methods", "lexical", "broken.pdf", "tandrik_2021_vo2_walkers"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn what_verify_advises_mends_the_index() {
    let Some((place, model)) = start() else { return };
    let path = place.path("index/segments/1/windows.f32");
    let mut bytes = fs::read(&path).expect("reads");
    bytes[9] ^= 1;
    fs::write(&path, bytes).expect("writes");
    let (_, found) = place.json(&["index", "verify"]);
    let hint = found["damaged"][0]["hint"].as_str().expect("text");
    let root = place.path("papers").canonicalize().expect("there");
    assert!(hint.contains(&format!("ingest {}", root.display())), "{hint}");
    let doctor = place.run(&["doctor", "--set", &model]);
    assert_eq!(doctor.code(), 1, "{}", doctor.stdout());
    for part in ["windows.f32", "pipeline ingest"] {
        assert!(doctor.stdout().contains(part), "{part}: {}", doctor.stdout());
    }
    // A compaction does not touch it.
    place.run(&["index", "compact"]).fails_with(2, &["windows.f32"]);
    // The run that is advised reads and embeds nothing again.
    let (code, again) = ingest(&place, &model);
    assert_eq!(
        (code, &again["pages_read"], &again["embedded_texts"], &again["sources"]),
        (0, &0.into(), &0.into(), &2.into()),
        "{again}"
    );
    let ran = place.run(&["index", "verify"]);
    let said = ran.stdout();
    let has = |name: &str| said.lines().any(|line| line.starts_with(name));
    assert!(
        ran.code() == 0 && ["ok  ", "generation", "files", "sources", "chunks"].into_iter().all(has),
        "{said}"
    );
    // A damaged entry of the cache is seen, and removed as advised.
    let path = place.path("index/cache.sqlite");
    let mut bytes = fs::read(&path).expect("reads");
    let title = bytes.windows(8).rposition(|part| part == b"\"title\":").expect("a document");
    bytes[title + 9] ^= 1;
    fs::write(&path, bytes).expect("writes");
    let (code, found) = place.json(&["index", "verify"]);
    assert_eq!((code, items(&found["damaged"])), (1, vec!["cache.sqlite"]), "{found}");
    assert_eq!(place.run(&["index", "compact"]).code(), 0);
    assert_eq!(place.json(&["index", "verify"]).0, 0);
}

#[test]
fn verify_names_papers_whose_files_changed() {
    let Some((place, _)) = start() else { return };
    place.write(&format!("papers/{FIRST}.pdf"), b"something else");
    fs::remove_file(place.path(&format!("papers/{SECOND}.pdf"))).expect("removed");
    let (code, found) = place.json(&["index", "verify"]);
    assert_eq!((code, items(&found["damaged"]).len()), (1, 0), "{found}");
    let stale = items(&found["stale"]);
    assert!(
        stale[0].ends_with(&format!("{FIRST}.pdf")) && stale[1].ends_with(&format!("{SECOND}.pdf")),
        "{found}"
    );
    let said = place.run(&["index", "verify"]).stdout();
    for part in ["changed since", "is gone", "run `pipeline ingest"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(place.json(&["index", "verify", "--no-sources"]).0, 0);
}

/// Starts an ingest whose reader hangs on files named so, and waits until it holds the index.
fn hanging(place: &Place, model: &str, name: &str) -> Child {
    let child = place
        .command(&["ingest", "papers", "--set", model])
        .env("INGEST_WORKER_FAULT", format!("hang:{name}"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    let written =
        |path: &Path| fs::read_to_string(path).is_ok_and(|text| text.starts_with(&child.id().to_string()));
    let deadline = Instant::now() + Duration::from_mins(1);
    while !written(&place.path("index/writer.lock")) {
        assert!(Instant::now() < deadline, "it never took the lock");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

#[test]
fn a_second_writer_is_told_who_writes_and_since_when() {
    let Some((place, model)) = start() else { return };
    if !cfg!(debug_assertions) {
        eprintln!("skipped: faults can be asked for in debug builds only");
        return;
    }
    fs::copy(place.path(&format!("papers/{FIRST}.pdf")), place.path("papers/third.pdf")).expect("copied");
    let mut third = fs::read(place.path("papers/third.pdf")).expect("reads");
    third.push(b'\n');
    place.write("papers/third.pdf", &third);
    let mut holder = hanging(&place, &model, "third");
    let pid = format!("process {} since 20", holder.id());
    place.run(&["ingest", "papers", "--set", &model]).fails_with(2, &[&pid, "wait until it ends"]);
    place.run(&["index", "compact"]).fails_with(2, &[&pid]);
    // Readers are not held up.
    assert_eq!(place.json(&["index", "verify"]).0, 0);
    let search = ["search", "walking", "--set", &model];
    assert_eq!(place.json(&search).0, 0);
    holder.kill().expect("killed");
    holder.wait().expect("waited for");
    let mut said = String::new();
    holder.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
    let (code, third) = ingest(&place, &model);
    assert_eq!((code, &third["sources"]), (0, &3.into()), "{third} {said}");
}
