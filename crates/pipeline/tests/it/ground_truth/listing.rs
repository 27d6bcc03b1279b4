//! Without a language model.

use crate::ground_truth::world::{args, place, rows, settings};
use serde_json::Value;
use std::collections::BTreeSet;
use testkit::{ChatServer, Step};

#[test]
fn passages_are_listed_and_no_question_is_invented() {
    let Some(place) = place() else { return };
    let (code, listed) = place.json(&args(&["-k", "9"]));
    assert_eq!(code, 0, "{listed}");
    let candidates = listed["candidates"].as_array().expect("candidates");
    assert_eq!(candidates.len(), 9);
    let distinct = |key: &str, of: &[Value]| {
        let all: BTreeSet<String> = of.iter().map(|c| c[key].to_string()).collect();
        all.len()
    };
    assert_eq!(distinct("source_id", &candidates[..3]), 3, "papers take turns: {listed}");
    assert_eq!(distinct("chunk_id", candidates), 9);
    assert!(distinct("section", candidates) > 3, "{listed}");
    for candidate in candidates {
        assert!(!candidate["reasons"].as_array().expect("reasons").is_empty());
        assert!(candidate["page_start"].as_u64().is_some_and(|page| page > 0));
    }
    let ran = place.run(&args(&["-k", "2"]));
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert!(ran.stdout().contains("2 passages to write questions for"), "{}", ran.stdout());
    // The same seed lists the same passages, another one does not.
    assert_eq!(place.json(&args(&["-k", "9"])).1, listed);
    let (_, other) = place.json(&args(&["-k", "9", "--seed", "7"]));
    assert_ne!(other["candidates"], listed["candidates"]);
}

#[test]
fn a_skeleton_is_a_query_set_once_it_is_filled_in() {
    let Some(place) = place() else { return };
    let (code, _) = place.json(&args(&["-k", "4", "--output", "mine.jsonl"]));
    assert_eq!(code, 0);
    place
        .run(&["queries", "check", "mine.jsonl"])
        .fails_with(2, &["line 1: the query is empty", "reference_answer is empty"]);
    let filled: Vec<String> = rows(&place, "mine.jsonl")
        .into_iter()
        .map(|mut row| {
            row["query"] = "What changed?".into();
            row["reference_answer"] = "The pressure.".into();
            row.to_string()
        })
        .collect();
    place.write("filled.jsonl", filled.join("\n").as_bytes());
    let (code, checked) = place.json(&["queries", "check", "filled.jsonl"]);
    assert_eq!(code, 0, "{checked}");
    assert_eq!((&checked["quotes"], &checked["quotes_found"]), (&4.into(), &4.into()), "{checked}");
    // A file that somebody works on is not overwritten.
    place
        .run(&args(&["-k", "4", "--output", "mine.jsonl"]))
        .fails_with(2, &["mine.jsonl already exists", "name another file"]);
}

#[test]
fn a_language_model_is_not_asked_for_a_list() {
    let Some(place) = place() else { return };
    let server = ChatServer::start([Step::error(500, "not to be asked")]);
    settings(&place, Some(&server.base_url()), &[]);
    let (code, listed) = place.json(&args(&["--list", "-k", "3"]));
    assert_eq!((code, listed["candidates"].as_array().map(Vec::len)), (0, Some(3)));
    assert!(server.requests().is_empty());
    place.run(&args(&["-k", "3"])).fails_with(2, &["name it with --output FILE"]);
    settings(&place, None, &[]);
    place
        .run(&args(&["--queries", "set.jsonl", "--output", "x.jsonl"]))
        .fails_with(2, &["reference answers are written by a language model", "llm.provider"]);
    for (wrong, part) in [
        (["--per-question", "0..3"], "not a range such as 3..5"),
        (["--unanswerable", "1.5"], "from 0 to 1"),
        (["-k", "0"], "at least 1"),
    ] {
        place.run(&args(&wrong)).fails_with(2, &[part]);
    }
}
