//! `pipeline index`: what is said of an index, what is found in a damaged one, and what compaction leaves.

use crate::common::{Place, natives};
use serde_json::Value;
use std::{
    fs,
    io::Read,
    path::Path,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

const FIRST: &str = "tandrik_2021_vo2_walkers.pdf";
const SECOND: &str = "waxenhoult_2023_cadence_short.pdf";

/// An index of two papers, and the arguments that made it.
fn start() -> Option<(Place, Vec<String>)> {
    let place = Place::new(Some(natives()?));
    place.paper(FIRST);
    place.paper(SECOND);
    let args = ["ingest", "papers", "--set", &place.model(1)].map(str::to_owned).to_vec();
    ingest(&place, &args, &[]);
    Some((place, args))
}

fn ingest(place: &Place, args: &[String], more: &[&str]) -> (i32, Value) {
    let args: Vec<&str> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
    place.json(&args)
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
    let Some((place, args)) = start() else { return };
    place.write("papers/broken.pdf", b"%PDF-1.7\nnothing of a PDF follows");
    assert_eq!(ingest(&place, &args, &[]).0, 1);
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
    let Some((place, args)) = start() else { return };
    let path = place.path("index/segments/1/windows.f32");
    let mut bytes = fs::read(&path).expect("reads");
    bytes[9] ^= 1;
    fs::write(&path, bytes).expect("writes");
    let (_, found) = place.json(&["index", "verify"]);
    let hint = found["damaged"][0]["hint"].as_str().expect("text");
    let root = place.path("papers").canonicalize().expect("there");
    assert!(hint.contains(&format!("ingest {}", root.display())), "{hint}");
    let doctor = place.run(&["doctor", "--set", &args[3]]);
    assert_eq!(doctor.code(), 1, "{}", doctor.stdout());
    for part in ["windows.f32", "pipeline ingest"] {
        assert!(doctor.stdout().contains(part), "{part}: {}", doctor.stdout());
    }
    // A compaction does not touch it.
    place.run(&["index", "compact"]).fails_with(2, &["windows.f32"]);
    // The run that is advised reads and embeds nothing again.
    let (code, again) = ingest(&place, &args, &[]);
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
    place.write(&format!("papers/{FIRST}"), b"something else");
    fs::remove_file(place.path("papers").join(SECOND)).expect("removed");
    let (code, found) = place.json(&["index", "verify"]);
    assert_eq!((code, items(&found["damaged"]).len()), (1, 0), "{found}");
    let stale = items(&found["stale"]);
    assert!(stale[0].ends_with(FIRST) && stale[1].ends_with(SECOND), "{found}");
    let said = place.run(&["index", "verify"]).stdout();
    for part in ["changed since", "is gone", "run `pipeline ingest"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(place.json(&["index", "verify", "--no-sources"]).0, 0);
}

#[test]
fn compaction_frees_what_nobody_needs() {
    let Some((place, args)) = start() else { return };
    ingest(&place, &args, &["--set", "chunk.max_tokens=300"]);
    // A reader elsewhere, an unfinished run, and what killed ones leave.
    let reader = fs::File::open(place.path("index/generations/1/manifest.json")).expect("opens");
    reader.lock_shared().expect("locks");
    place.write("index/generations/3.building/rest", &[0; 5000]);
    place.write("index/.tmp-a1b2c3", &[0; 70]);
    // What versions before this one cached.
    place.write("index/cache/vectors/2.pack", &[0; 800]);

    let (code, done) = place.json(&["index", "compact"]);
    assert_eq!((code, &done["in_use"]), (0, &serde_json::json!([1])), "{done}");
    assert_eq!(done["removed"][0]["name"], "generations/3.building");
    assert_eq!(done["unfinished_bytes"], 0);
    assert_eq!((&done["cache_bytes"], &done["freed_bytes"]), (&870.into(), &5870.into()), "{done}");
    drop(reader);
    let before = place.files("index/generations");
    let (_, done) = place.json(&["index", "compact", "--all"]);
    assert_eq!(done["removed"][0]["name"], "generations/1", "{done}");
    let left = place.files("index/generations");
    assert!(left.len() < before.len() && left.iter().all(|name| name.starts_with("2/")), "{left:?}");
    assert!(!place.path("index/cache").exists());
    let (_, nothing) = place.json(&["index", "compact"]);
    assert_eq!(nothing["freed_bytes"], 0, "{nothing}");
    assert_eq!(place.json(&["index", "verify"]).0, 0);
    assert_eq!(ingest(&place, &args, &["--set", "chunk.max_tokens=300"]).1["unchanged"], 2);
}

#[test]
fn many_small_documents_take_little_of_the_cache() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    let line =
        |n| format!("{{\"_id\": \"d{n}\", \"title\": \"\", \"text\": \"Snail {n} crossed a garden.\"}}\n");
    let lines: String = (0..300).map(line).collect();
    place.write("papers/corpus.jsonl", lines.as_bytes());
    let args = ["ingest", "papers", "--set", &place.model(1)];
    assert_eq!(place.json(&args).1["added"], 300);
    let stats = place.json(&["index", "stats"]).1;
    let cache = &stats["cache"];
    assert_eq!(cache["documents"], 300);
    for kind in ["document_bytes", "vector_bytes"] {
        assert!(cache[kind].as_u64() < Some(300 * 1024), "{cache}");
    }
    // Half of the documents go: so does their share of the cache.
    let fewer: String = (0..100).map(line).collect();
    place.write("papers/corpus.jsonl", fewer.as_bytes());
    assert_eq!(place.json(&args).1["sources"], 100);
    assert_eq!(place.json(&["index", "stats"]).1["cache"]["documents"], 100);
    assert_eq!(place.json(&["index", "verify"]).0, 0);
}

#[test]
fn a_run_without_work_removes_what_a_run_killed_at_its_end_left() {
    let Some((place, args)) = start() else { return };
    place.write("index/cache/vectors/ab/letter", b"mine");
    place.write("index/cache/vectors/1.pack", b"of another version");
    place.write("index/generations/2.removed/rest", b"x");
    let (code, done) = ingest(&place, &args, &[]);
    assert_eq!((code, &done["unchanged"], &done["generation"]), (0, &2.into(), &1.into()));
    assert_eq!(place.files("index/cache"), ["vectors/ab/letter"]);
    assert!(!place.path("index/generations/2.removed").exists());
}

/// Starts an ingest whose reader hangs on files named so, and waits until it holds the index.
fn hanging(place: &Place, args: &[String], name: &str) -> Child {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let child = place
        .command(&args)
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
    let Some((place, args)) = start() else { return };
    if !cfg!(debug_assertions) {
        eprintln!("skipped: faults can be asked for in debug builds only");
        return;
    }
    fs::copy(place.path("papers").join(FIRST), place.path("papers/third.pdf")).expect("copied");
    let mut third = fs::read(place.path("papers/third.pdf")).expect("reads");
    third.push(b'\n');
    place.write("papers/third.pdf", &third);
    let mut holder = hanging(&place, &args, "third");
    let pid = format!("process {} since 20", holder.id());
    let second: Vec<&str> = args.iter().map(String::as_str).collect();
    place.run(&second).fails_with(2, &[&pid, "wait until it ends"]);
    place.run(&["index", "compact"]).fails_with(2, &[&pid]);
    // Readers are not held up.
    assert_eq!(place.json(&["index", "verify"]).0, 0);
    let search = ["search", "walking", "--set", &args[3]];
    assert_eq!(place.json(&search).0, 0);
    holder.kill().expect("killed");
    holder.wait().expect("waited for");
    let mut said = String::new();
    holder.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
    let (code, third) = ingest(&place, &args, &[]);
    assert_eq!((code, &third["sources"]), (0, &3.into()), "{third} {said}");
}
