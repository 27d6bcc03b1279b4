//! Drafts by a language model.

use crate::ground_truth::world::{args, good, near_miss, place, rows, settings};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::{ChatServer, Step, reply};

const SIX: [&str; 6] = ["-k", "6", "--unanswerable", "0.34", "--output", "set.jsonl"];

#[test]
fn a_drafted_set_is_checked_and_can_be_evaluated() {
    let Some(place) = place() else { return };
    let server = ChatServer::answering(good);
    settings(&place, Some(&server.base_url()), &[]);
    let done = place.done(&args(&SIX));
    let kinds = json!([
        {"kind": "direct", "drafted": 3, "wanted": 3},
        {"kind": "synthesis", "drafted": 1, "wanted": 1},
        {"kind": "unanswerable", "drafted": 2, "wanted": 2},
    ]);
    assert_eq!(done["kinds"], kinds, "{done}");
    let schema: Value =
        serde_json::from_str(&place.run(&["schema", "queries-draft"]).stdout()).expect("a schema");
    assert!(jsonschema::is_valid(&schema, &done), "{done}");
    let drafted = rows(&place, "set.jsonl");
    let ids: Vec<&str> = drafted.iter().filter_map(|row| row["id"].as_str()).collect();
    assert_eq!(ids, ["G-D001", "G-D002", "G-D003", "G-S001", "G-E001", "G-E002"]);
    for row in &drafted {
        assert_eq!(row["tags"], json!(["synthetic", "unreviewed"]), "{row}");
    }
    // The synthesis question is written from at least two papers.
    let papers: BTreeSet<&str> =
        drafted[3]["target_papers"].as_array().expect("papers").iter().filter_map(Value::as_str).collect();
    assert!(papers.len() >= 2, "{}", drafted[3]);
    assert_eq!(drafted[4]["expected_no_evidence"], true);
    assert!(drafted[4]["nearest"][0]["quote"].is_string() && drafted[4].get("gold_evidence").is_none());

    let checked = place.done(&["queries", "check", "set.jsonl"]);
    assert_eq!(checked["quotes"], checked["quotes_found"], "{checked}");
    assert_eq!((&checked["queries"], &checked["warnings"]), (&6.into(), &json!([])));
    let (_, run) = place.json(&[
        "eval",
        "--config",
        "llm.toml",
        "--mode",
        "hybrid",
        "--queries",
        "set.jsonl",
        "--set",
        "generate.method=extractive",
        "--set",
        "eval.judge=lexical",
    ]);
    assert_eq!(run["rows"].as_array().map(Vec::len), Some(6), "{run}");

    // A file that somebody may have reviewed is not overwritten.
    place.run(&args(&SIX)).fails_with(2, &["set.jsonl already exists", "name another file"]);
    // The same seed drafts the same rows from the cache; nothing is asked again.
    let asked = server.requests().len();
    let same = [&SIX[..5], &["again.jsonl"]].concat();
    let (code, again) = place.json(&args(&same));
    assert_eq!((code, server.requests().len()), (0, asked), "{again}");
    assert_eq!(rows(&place, "again.jsonl"), drafted);
}

#[test]
fn a_near_miss_that_a_passage_answers_is_dropped() {
    let Some(place) = place() else { return };
    // The judge calls everything supported.
    let server = ChatServer::answering(|request| match request.schema() {
        reply::JUDGE => Step::json(&reply::verdicts(request)),
        _ => good(request),
    });
    // Retrieval finds something for every question.
    let llm = ["retrieve.min_similarity = 0.0", "eval.judge = \"llm\""];
    settings(&place, Some(&server.base_url()), &llm);
    let one = ["-k", "1", "--unanswerable", "1", "--output", "set.jsonl"];
    let (code, done) = place.json(&args(&one));
    assert_eq!(
        (code, &done["dropped"]),
        (1, &json!({"a passage of the index answers a question that no paper should answer": 4})),
        "{done}"
    );

    // The offline judge reads the passages: it finds the sentence that the question is about.
    let server = ChatServer::answering(|request| {
        let mut reply = near_miss(request);
        reply["statement"] = json!(format!(
            "{}.",
            reply["quotes"][0]["quote"].as_str().expect("a quote").trim_end_matches('.')
        ));
        Step::json(&reply)
    });
    settings(
        &place,
        Some(&server.base_url()),
        &[
            "retrieve.min_similarity = 0.0",
            "eval.judge = \"lexical\"",
            "rerank.top_n = 20",
            "expand.max_chunks = 40",
        ],
    );
    let (code, done) = place.json(&args(&one));
    assert_eq!(code, 1, "{done}");
    assert!(done["dropped"].to_string().contains("a passage of the index answers"), "{done}");
}

#[test]
fn nothing_is_drafted_without_a_model_or_a_file() {
    let Some(place) = place() else { return };
    place.run(&args(&["-k", "3"])).fails_with(2, &["name it with --output FILE"]);
    place.run(&args(&SIX)).fails_with(2, &["drafts are written by a language model", "llm.provider"]);
    for (wrong, part) in [
        (["--per-question", "0"], "at least 1"),
        (["--unanswerable", "1.5"], "from 0 to 1"),
        (["-k", "0"], "at least 1"),
    ] {
        place.run(&args(&wrong)).fails_with(2, &[part]);
    }
}
