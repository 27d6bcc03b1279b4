//! Ctrl-C is answered within two seconds, whatever the run is doing, and what was finished is kept.

use crate::common::{Place, ctrl_c, wait_for};
use serde_json::json;
use std::{
    fs::{self, File},
    process::{Child, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// Two seconds, and some more for a machine with other work.
const BOUND: Duration = Duration::from_secs(6);

fn start(place: &Place, args: &[&str], fault: Option<&str>) -> Child {
    let mut command = place.command(args);
    if let Some(fault) = fault {
        command.env("INGEST_WORKER_FAULT", fault);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("runs")
}

/// Sends SIGINT and checks how the run ends; `false` if it had ended before.
#[track_caller]
fn interrupt(phase: &str, mut child: Child) -> bool {
    if child.try_wait().expect("waited for").is_some() {
        return false;
    }
    let (ran, took) = ctrl_c(child);
    assert!(took < BOUND, "{phase}: {took:?}\n{}", ran.stderr());
    ran.fails_with(
        2,
        &["stopping; finished work is kept", "error: stopped; run the same command again to continue"],
    );
    let said = ran.stderr();
    assert!(!said.contains("onnxruntime") && !said.contains("terminate"), "{phase}: {said}");
    true
}

#[test]
fn ctrl_c_while_files_are_looked_at() {
    let Some(place) = Place::with_natives() else { return };
    place.write("papers/large.pdf", b"%PDF-1.7\n");
    // Sparse: it takes no room, and its hash takes minutes.
    let file = File::options().write(true).open(place.path("papers/large.pdf"));
    file.expect("opens").set_len(200 << 30).expect("grows");
    let child = start(&place, &["ingest", "papers", "--dry-run"], None);
    sleep(Duration::from_secs(1));
    assert!(interrupt("looking", child));
}

#[test]
fn ctrl_c_while_a_worker_hangs() {
    let Some(place) = Place::with_natives() else { return };
    place.paper("waxenhoult_2023_cadence_short.pdf");
    place.paper("tandrik_2021_vo2_walkers.pdf");
    let model = place.model(1);
    let args = ["ingest", "papers", "--set", &model];
    // One worker hangs, the other reads its paper and waits.
    let child = start(&place, &args, Some("hang:waxenhoult"));
    wait_for("a document", || is_cached(&place, b"document"));
    assert!(interrupt("reading", child));
    // What was read is kept, and nothing is held against the file that was not.
    let (code, done) = place.json(&args);
    assert_eq!((code, &done["stages"]["parse"]["done"]), (0, &json!(1)), "{done}");
    assert_eq!(done["sources"], 2, "{done}");
}

#[test]
fn ctrl_c_while_texts_are_embedded_or_written() {
    let Some((place, model)) = Place::fast() else { return };
    let lines: Vec<String> = (0..3_000)
        .map(|i| {
            let text: Vec<String> =
                (0..8).map(|s| format!("Snail {i} crossed garden {s} at night.")).collect();
            json!({"_id": i.to_string(), "title": "Snails", "text": text.join(" ")}).to_string()
        })
        .collect();
    place.write("papers/corpus.jsonl", lines.join("\n").as_bytes());
    let args = ["ingest", "papers", "--set", &model];
    let child = start(&place, &args, None);
    wait_for("an embedding", || is_cached(&place, b"vectors"));
    assert!(interrupt("embedding", child));
    // At moments spread over the rest of the run: which step each one meets is left to chance.
    let started = Instant::now();
    assert_eq!(place.run(&args).code(), 0);
    let whole = started.elapsed();
    let mut met = 0;
    for share in [0.7, 0.5, 0.3, 0.2, 0.1, 0.05] {
        fs::remove_dir_all(place.path("index")).expect("removed");
        let child = start(&place, &args, None);
        wait_for("an index", || place.path("index").exists());
        sleep(whole.mul_f64(share));
        // The first run may have been much slower than this one, which has then ended before.
        met += u32::from(interrupt(&format!("at {share}"), child));
    }
    assert!(met >= 2, "{met} of 6 runs were interrupted, of {whole:?} each");
    let (code, done) = place.json(&args);
    assert_eq!((code, &done["sources"]), (0, &json!(3_000)), "{done}");
}

#[test]
fn ctrl_c_while_a_benchmark_runs() {
    let Some((place, model)) = Place::fast() else { return };
    let each = |count: usize, text: &dyn Fn(usize) -> String| {
        let line = |i| json!({"_id": format!("N{i}"), "title": "", "text": text(i)}).to_string();
        (0..count).map(line).collect::<Vec<_>>().join("\n")
    };
    place.write("set/corpus.jsonl", each(400, &|i| format!("Snail {i} crossed a garden.")).as_bytes());
    let queries = each(20_000, &|i| format!("Which snail crossed garden {i}?"));
    place.write("set/queries.jsonl", queries.as_bytes());
    let qrels: Vec<String> = (0..20_000).map(|i| format!("N{i}\tN{}\t1", i % 400)).collect();
    place.write("set/qrels/test.tsv", qrels.join("\n").as_bytes());
    let args = ["bench", "beir", "set", "--index", "own", "--set", &model, "--output", "run.trec"];
    let child = start(&place, &args, None);
    wait_for("an index", || place.path("own/CURRENT").exists());
    sleep(Duration::from_millis(500));
    assert!(interrupt("retrieving", child));
    assert!(!place.path("run.trec").exists(), "no half of a run");
    // What was indexed is kept.
    let (code, done) = place.json(&[&args[..], &["--limit", "5"]].concat());
    assert_eq!((code, &done["index"]["added"]), (0, &json!(0)), "{done}");
}

/// Whether a run has cached entries of this kind, by the log of the cache.
fn is_cached(place: &Place, kind: &[u8]) -> bool {
    let log = fs::read(place.path("index/cache.sqlite-wal")).unwrap_or_default();
    log.windows(kind.len()).any(|part| part == kind)
}
