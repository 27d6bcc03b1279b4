//! From papers to answers with the real natives, on sample papers.

use crate::common::Place;
use serde_json::Value;
use std::collections::BTreeSet;

const TRIAL: &str = "tandrik_2021_vo2_walkers.pdf";
const COHORT: &str = "quessmere_2023_mvpa_mortality.pdf";
const ANSWERABLE: &str = "How many people were screened and randomised in the BRISKLINE trial?";
const OFF_TOPIC: &str = "Who won the football world cup in 2018?";

fn texts(value: &Value, key: &str) -> Vec<String> {
    let each = |item: &Value| item[key].as_str().unwrap_or_default().to_owned();
    value.as_array().map(|all| all.iter().map(each).collect()).unwrap_or_default()
}

#[test]
fn ingest_is_incremental_and_names_what_failed() {
    let Some(place) = Place::with_natives() else { return };
    place.paper(TRIAL);
    place.write("papers/broken.pdf", b"%PDF-1.7\nnothing of a PDF follows");
    place.write("papers/page.pdf", b"<!DOCTYPE html><html><body>moved</body></html>");

    let (code, first) = place.json(&["ingest", "papers"]);
    assert_eq!(code, 1, "{first}");
    assert_eq!((&first["added"], &first["generation"]), (&1.into(), &1.into()), "{first}");
    let failed = texts(&first["failed"], "path");
    assert_eq!(failed.len(), 2, "{first}");
    assert!(failed[0].ends_with("broken.pdf") && failed[1].ends_with("page.pdf"), "{failed:?}");
    assert!(texts(&first["failed"], "reason")[1].contains("not a PDF"), "{first}");

    let (_, second) = place.json(&["ingest", "papers"]);
    assert_eq!((&second["unchanged"], &second["generation"]), (&1.into(), &1.into()), "{second}");
    assert_eq!((&second["pages_read"], &second["embedded_texts"]), (&0.into(), &0.into()), "{second}");
    assert_eq!(texts(&second["failed_before"], "path").len(), 2, "{second}");
    let (_, retried) = place.json(&["ingest", "papers", "--retry-failed"]);
    assert_eq!(texts(&retried["failed"], "path").len(), 2, "{retried}");
}

#[test]
fn modes_filters_and_explanations_agree() {
    let Some(place) = Place::with_natives() else { return };
    place.paper(TRIAL);
    place.paper(COHORT);
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    let ids = |args: &[&str]| -> BTreeSet<String> {
        let (_, found) = place.json(&[&["search", "peak oxygen uptake"], args].concat());
        texts(&found["hits"], "source_id").into_iter().collect()
    };
    for mode in ["hybrid", "vector", "bm25"] {
        assert!(ids(&["--mode", mode]).contains("tandrik_2021_vo2_walkers"), "{mode}");
    }
    assert_eq!(ids(&["--source", "quessmere_2023_mvpa_mortality"]).len(), 1);
    place.run(&["search", "x", "--source", "nobody_1900"]).fails_with(2, &["nobody_1900"]);
    place.run(&["search", "x", "--section", "preface"]).fails_with(2, &["preface", "methods"]);
    assert!(place.json(&["search", "zzzzqqq", "--mode", "bm25"]).0 == 1);

    // The approximate index is built when it is first wanted, though no paper changed.
    let hnsw = ["--set", "retrieve.vector_index=hnsw"];
    place.run(&[&["search", "peak oxygen uptake"][..], &hnsw].concat()).fails_with(2, &["ingest"]);
    assert_eq!(place.json(&[&["ingest", "papers"][..], &hnsw].concat()).1["generation"], 2);
    assert!(!ids(&hnsw).is_empty());
    // Why it was not used is said by --explain alone.
    let explain = |more: &[&str]| {
        let (_, found) =
            place.json(&[&["search", "peak oxygen uptake", "--explain"][..], &hnsw, more].concat());
        found["notes"].to_string()
    };
    assert!(explain(&[]).contains("not used: so many of the passages"), "{}", explain(&[]));
    assert_eq!(explain(&["--set", "retrieve.vector_index=exact"]), "[]");
}

#[test]
fn an_evaluation_is_scored_logged_and_reported_again_from_the_log() {
    let Some(place) = Place::with_natives() else { return };
    place.paper(TRIAL);
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    let line = |id: &str, query: &str, none: bool| {
        let target: &[&str] = if none { &[] } else { &["tandrik_2021_vo2_walkers"] };
        serde_json::json!({"id": id, "type": "direct", "query": query, "target_papers": target,
            "expected_no_evidence": none})
        .to_string()
    };
    let set = [line("A", ANSWERABLE, false), line("B", OFF_TOPIC, true)].join("\n");
    place.write("set.jsonl", set.as_bytes());
    let (code, checked) = place.json(&["queries", "check", "set.jsonl"]);
    assert_eq!((code, &checked["queries"], &checked["unanswerable"]), (0, &2.into(), &1.into()), "{checked}");
    let stray = set.replace("tandrik_2021_vo2_walkers", "nobody_1900");
    place.write("stray.jsonl", stray.as_bytes());
    let (code, refused) = place.json(&["queries", "check", "stray.jsonl"]);
    assert_eq!((code, &refused["refused"][0]["line"]), (1, &1.into()), "{refused}");
    place.write("torn.jsonl", b"{\"id\": \"A\"");
    place.run(&["queries", "check", "torn.jsonl"]).fails_with(2, &["torn.jsonl", "line 1"]);

    let args = ["eval", "--mode", "both", "--queries", "set.jsonl"];
    let run = place.done(&args);
    let rows: Vec<(String, String)> =
        texts(&run["rows"], "query_id").into_iter().zip(texts(&run["rows"], "mode")).collect();
    let want = [("A", "hybrid"), ("A", "vector"), ("B", "hybrid"), ("B", "vector")];
    assert_eq!(rows, want.map(|(q, m)| (q.to_owned(), m.to_owned())));
    for mode in ["hybrid", "vector"] {
        let metric = &run["modes"][mode]["no_evidence_accuracy"];
        assert_eq!(metric["n"], 2, "{metric}");
        assert!(metric["ci_low"].as_f64() < metric["ci_high"].as_f64(), "{metric}");
    }
    // Both modes answer A and copy what they answer; the refusal of B has no verdict.
    let faithful = &run["comparison"]["faithful"];
    assert_eq!(
        (&faithful["n_pairs"], &faithful["delta"], &faithful["p"]),
        (&1.into(), &0.0.into(), &1.0.into()),
        "{faithful}"
    );

    // Two questions tell nothing from anything, and the controls say so.
    let (code, tried) = place.json(&[&args[..], &["--controls", "--fresh"]].concat());
    let checks = tried["controls"]["checks"].as_array().expect("checks");
    assert_eq!((code, checks.len()), (0, 16), "{tried}");
    let of = |control: &str| checks.iter().find(|c| c["control"] == control).expect("it ran");
    assert_eq!(of("always_answer")["bad"]["mean"], 0.0, "{checks:?}");
    assert_eq!(of("always_refuse")["bad"]["mean"], 0.0, "{checks:?}");
    // Nor does the judge prefer an answer that tries to please it.
    let games = ["repeats_question", "stuffed_quotes", "hedges", "addresses_judge"];
    let games = |check: &Value| games.iter().any(|name| check["control"] == *name);
    assert!(checks.iter().all(|c| c["told_apart"] == games(c)), "{checks:?}");
    assert_eq!(tried["modes"], run["modes"], "controls change nothing else");
}
