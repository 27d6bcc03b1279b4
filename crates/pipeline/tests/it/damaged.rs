//! An index that was damaged, killed or named by mistake hurts nobody: no panic, no wrong quote, no file lost, and no
//! paper read or embedded twice.

use crate::common::{Place, natives};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

const FIRST: &str = "tandrik_2021_vo2_walkers.pdf";
const SECOND: &str = "waxenhoult_2023_cadence_short.pdf";
const QUESTION: &str = "How many people were screened and randomised in the BRISKLINE trial?";

/// An index of two papers, and the setting that names its model.
fn start() -> Option<(Place, String)> {
    let place = Place::new(Some(natives()?));
    place.paper(FIRST);
    place.paper(SECOND);
    let model = place.model(1);
    assert_eq!(ingest(&place, &model, &[]).0, 0);
    Some((place, model))
}

fn ingest(place: &Place, model: &str, more: &[&str]) -> (i32, Value) {
    place.json(&[&["ingest", "papers", "--set", model][..], more].concat())
}

fn put(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).expect("removes");
    fs::write(path, bytes).expect("writes");
}

/// Every command that reads an index.
fn commands(model: &str) -> Vec<Vec<&str>> {
    let set = ["--set", model];
    let with = |args: &[&'static str]| [args, &set[..]].concat();
    vec![
        with(&["search", QUESTION]),
        with(&["ask", QUESTION]),
        with(&["index", "stats"]),
        with(&["index", "verify"]),
        with(&["doctor"]),
    ]
}

#[test]
fn a_flipped_byte_panics_nowhere_and_is_rebuilt_without_embedding_anything_again() {
    let Some((place, model)) = start() else { return };
    let current: Vec<String> = place.files("index");
    let wanted = |name: &&String| {
        let path = Path::new(name.as_str());
        let kind = path.extension().unwrap_or_default();
        // One of each kind; the library's own tests flip many bytes of every file.
        !["rank", "order", "rows"].iter().any(|e| kind == *e)
            && !["writer.lock", "PIPELINE_INDEX"].contains(&name.as_str())
    };
    let template = copy_of(&place.path("index"));
    for name in current.iter().filter(wanted) {
        let path = place.path("index").join(name);
        let whole = fs::read(&path).expect("reads");
        if whole.is_empty() {
            continue;
        }
        let mut bytes = whole.clone();
        bytes[whole.len() / 2] ^= 0x11;
        put(&path, &bytes);
        for args in commands(&model) {
            let ran = place.run(&args);
            assert!((0..=2).contains(&ran.code()), "{name}: {args:?}: {}", ran.stderr());
            assert!(!ran.stderr().contains("panicked"), "{name}: {args:?}: {}", ran.stderr());
            // A flipped byte of the cache may be one that it does not use.
            if args[1] == "verify" && name != "cache.sqlite" {
                assert_eq!(ran.code(), 1, "{name}: {}", ran.stdout());
            }
        }
        let (code, again) = ingest(&place, &model, &[]);
        let embedded = again["embedded_texts"].as_u64().expect("a number");
        assert_eq!(code, 0, "{name}: {again}");
        if name != "cache.sqlite" {
            assert_eq!((&again["pages_read"], embedded), (&0.into(), 0), "{name}: {again}");
            let (code, verified) = place.json(&["index", "verify"]);
            assert_eq!(code, 0, "{name}: {verified}");
        }
        fs::remove_dir_all(place.path("index")).expect("removed");
        copy(template.path(), &place.path("index"));
    }
}

fn copy_of(folder: &Path) -> tempfile::TempDir {
    let copied = tempfile::tempdir().expect("a folder");
    copy(folder, copied.path());
    copied
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("lists") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("copied");
        }
    }
}

#[test]
fn a_number_that_was_changed_in_the_index_is_not_quoted() {
    let Some((place, model)) = start() else { return };
    let ask = ["ask", QUESTION, "--set", &model, "--format", "json"];
    let (_, answer) = place.json(&ask[..4]);
    let cited = answer["citations"]
        .as_array()
        .expect("citations")
        .iter()
        .filter_map(|citation| citation["relevant_quote"].as_str())
        .find(|quote| quote.contains(|c: char| c.is_ascii_digit()))
        .expect("a quote with a number")
        .to_owned();
    let path = place.path("index/segments/1/chunks.jsonl");
    let text = fs::read_to_string(&path).expect("reads");
    let stored = serde_json::to_string(&cited).expect("JSON");
    let stored = stored.trim_matches('"');
    assert!(text.contains(stored), "{cited}");
    let digit = stored.find(|c: char| c.is_ascii_digit()).expect("a number");
    let mut changed = stored.to_owned();
    let other = if stored.as_bytes()[digit] == b'9' { "2" } else { "9" };
    changed.replace_range(digit..=digit, other);
    put(&path, text.replace(stored, &changed).as_bytes());
    let ran = place.run(&ask);
    ran.fails_with(2, &["chunks.jsonl", "checksum", "pipeline ingest"]);
    assert_eq!(ran.stdout(), "");
    place.run(&["doctor", "--set", &model]);
    let (code, again) = ingest(&place, &model, &[]);
    assert_eq!((code, &again["embedded_texts"]), (0, &0.into()), "{again}");
    assert_eq!(place.json(&ask[..4]).1["citations"], answer["citations"]);
}

#[test]
fn an_index_of_an_older_format_is_built_again_from_the_caches() {
    let Some((place, model)) = start() else { return };
    let ask = ["ask", QUESTION, "--set", &model];
    let (_, before) = place.json(&ask);
    let folder = place.path("index/generations/1");
    let manifest = fs::read_to_string(folder.join("manifest.json")).expect("reads");
    let older = manifest.replacen("\"format\": 7", "\"format\": 6", 1);
    assert_ne!(manifest, older);
    let hash = types::digest::sha256(older.as_bytes());
    fs::write(folder.join("manifest.json"), older).expect("writes");
    place.write("index/CURRENT", format!("1 {hash}\n").as_bytes());
    let advice = ["has format 6", "pipeline ingest", "cache"];
    place.run(&ask).fails_with(2, &advice);
    // One of the two papers is named; the other one comes along.
    let one = format!("papers/{FIRST}");
    let ran = place.run(&["ingest", &one, "--set", &model]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert!(ran.stderr().contains("has format 6"), "{}", ran.stderr());
    let said = ran.stdout();
    assert!(said.contains("parsed 0 (2 reused)") && said.contains("embedded 0 of "), "{said}");
    assert_eq!(place.json(&["index", "verify"]).0, 0);
    let (_, after) = place.json(&ask);
    assert_eq!(after["citations"], before["citations"]);
}

#[test]
fn a_folder_that_is_no_index_is_left_alone() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives));
    place.paper(FIRST);
    let mine = [
        "mine/generations/1/photo.jpg",
        "mine/generations/2.removed/x",
        "mine/cache/vectors/ab/letter",
        "mine/.tmpAbCdEf",
        "mine/.tmp-draft",
    ];
    for name in mine {
        place.write(name, b"mine");
    }
    let model = place.model(1);
    for args in
        [&["ingest", "papers", "--set", &model][..], &["index", "compact"], &["index", "compact", "--all"]]
    {
        let args = [args, &["--index", "mine"]].concat();
        place.run(&args).fails_with(2, &["mine is not an index", "--index", "nothing was changed"]);
    }
    let mut left: Vec<String> = place.files("mine").iter().map(|name| format!("mine/{name}")).collect();
    left.sort();
    let mut wanted = mine.map(str::to_owned);
    wanted.sort();
    assert_eq!(left, wanted);
}

#[test]
fn a_folder_that_lost_all_its_papers_keeps_them_in_the_index() {
    let Some((place, model)) = start() else { return };
    let moved = place.path("elsewhere");
    fs::rename(place.path("papers"), &moved).expect("moved");
    for state in ["is missing", "holds no paper"] {
        for more in [&[][..], &["--dry-run"]] {
            let args = [&["ingest", "papers", "--set", &model][..], more].concat();
            place.run(&args).fails_with(2, &[state, "2 papers", "are kept", "--prune-all"]);
        }
        assert_eq!(place.json(&["index", "stats"]).1["sources"], 2);
        place.write("papers/notes.tmp", b"no paper");
    }
    let (code, pruned) = ingest(&place, &model, &["--prune-all"]);
    assert_eq!((code, &pruned["sources"]), (0, &0.into()), "{pruned}");
    assert_eq!(pruned["removed"].as_array().map(Vec::len), Some(2));
    fs::remove_dir_all(place.path("papers")).expect("removed");
    fs::rename(&moved, place.path("papers")).expect("moved");
    assert_eq!(ingest(&place, &model, &[]).1["sources"], 2);
    // One of two papers may go.
    fs::remove_file(place.path("papers").join(SECOND)).expect("removed");
    assert_eq!(ingest(&place, &model, &[]).1["sources"], 1);
}

#[test]
fn a_first_run_killed_while_embedding_goes_on_where_it_stopped() {
    let Some(natives) = natives() else { return };
    let place = Place::new(Some(natives.clone()));
    let sentences: Vec<String> = (0..6000)
        .map(|n| format!("In group {n} the cadence rose by {} steps after week {}.", n * 7 % 1009, n % 53))
        .collect();
    let paper = format!("# Cadence in many groups\n\n## Results\n\n{}\n", sentences.join(" "));
    place.write("papers/long.md", paper.as_bytes());
    let model = place.model(1);
    let mut child = place
        .command(&["ingest", "papers", "--quiet", "--set", &model])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("runs");
    let deadline = Instant::now() + Duration::from_mins(2);
    while vectors(&place) < 4 {
        assert!(Instant::now() < deadline, "no vector was ever saved");
        assert!(child.try_wait().expect("asked").is_none(), "it ended before it could be killed");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("killed");
    child.wait().expect("waited for");
    assert!(!place.path("index/CURRENT").exists(), "it had not finished");

    let (code, resumed) = ingest(&place, &model, &[]);
    assert_eq!(code, 0, "{resumed}");
    let fresh = Place::new(Some(natives));
    fresh.write("papers/long.md", paper.as_bytes());
    let (_, whole) = ingest(&fresh, &fresh.model(1), &[]);
    let texts = |summary: &Value| summary["embedded_texts"].as_u64().expect("a number");
    println!("{} of {} texts were embedded after the kill", texts(&resumed), texts(&whole));
    assert!(texts(&resumed) > 0 && texts(&resumed) + 500 < texts(&whole), "{resumed}");
    assert_eq!((&resumed["chunks"], place.json(&["index", "verify"]).0), (&whole["chunks"], 0));
}

/// How many entries with vectors a run has cached by now.
fn vectors(place: &Place) -> usize {
    let log = fs::read(place.path("index/cache.sqlite-wal")).unwrap_or_default();
    log.windows(7).filter(|part| *part == b"vectors").count()
}
