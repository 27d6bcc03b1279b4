//! Settings that change the order of passages: adaptive weights, and the reranker's minimum score. With the shipped model,
//! on an invented corpus.

use crate::common::{Place, natives};
use serde_json::{Value, json};

/// One paper with three passages on sleep, and four with one passage each. A paragraph fills a chunk: the first sentence
/// of the next one does not fit.
const PAPERS: [(&str, &str); 5] = [
    (
        "long",
        "In mice that were kept in quiet cages for three months under a constant light cycle, sleep restores memory \
         and sleep restores attention. The effect was seen in every group of animals, at every age that was tested, \
         and in both rooms.\n\n\
         In mice that were woken every hour for a week by a soft tone from a small speaker, sleep loss harms memory \
         of a maze. The effect was smaller in old animals, and it was gone after three nights without any tone.\n\n\
         In mice that lived in groups of five with free access to food and to a running wheel, sleep depends on light \
         and on memory of the place. Females slept longer than males in summer, and shorter in the winter months.",
    ),
    ("other", "Memory of rats after a night of sleep was tested in a maze."),
    ("gene", "The gene qzx17 is expressed in the liver."),
    ("bread", "Sourdough bread rises slowly in a cold kitchen."),
    ("stars", "Red giants cool as they expand over millions of years."),
];

fn place() -> Option<Place> {
    let place = Place::new(Some(natives()?));
    let line = |(id, text): &(&str, &str)| json!({"_id": id, "title": "", "text": text}).to_string();
    let corpus = PAPERS.iter().map(line).collect::<Vec<_>>().join("\n");
    place.write("papers/corpus.jsonl", corpus.as_bytes());
    let (code, done) = place.json(&[
        "ingest",
        "papers",
        "--set",
        "chunk.max_tokens=64",
        "--set",
        "phase2.rules=true",
        "--set",
        "chunk.overlap_tokens=0",
    ]);
    assert_eq!((code, &done["chunks"]), (0, &json!(7)), "{done}");
    Some(place)
}

fn search(place: &Place, query: &str, settings: &[&str]) -> Vec<Value> {
    let set = settings.iter().flat_map(|setting| ["--set", setting]);
    let args: Vec<&str> = ["search", query, "--explain"].into_iter().chain(set).collect();
    let (code, found) = place.json(&args);
    assert_eq!(code, 0, "{found}");
    found["hits"].as_array().expect("hits").clone()
}

fn weights(hit: &Value) -> [f64; 2] {
    ["vector", "bm25"].map(|list| hit["explanation"][list]["weight"].as_f64().expect("a weight"))
}

#[track_caller]
fn near(found: f64, want: f64) {
    assert!((found - want).abs() < 1e-4, "{found} instead of {want}");
}

#[test]
fn weights_follow_the_words_of_the_question() {
    let Some(place) = place() else { return };
    let check = |query: &str, settings: &[&str], vector: f64| {
        let settings = [&["retrieve.threshold=0.0"], settings].concat();
        let hits = search(&place, query, &settings);
        let [found, bm25] = weights(&hits[0]);
        near(found, vector);
        near(found + bm25, 1.0);
        // The score is the sum that is shown.
        let part = |list: &str| hits[0]["explanation"][list]["weighted"].as_f64().expect("a number");
        near(part("vector") + part("bm25"), hits[0]["combined_score"].as_f64().expect("a score"));
    };
    let adaptive = ["retrieve.adaptive_weight=0.2"];
    check("qzx17", &[], 0.6);
    check("qzx17", &adaptive, 0.4);
    check("a nightmare", &adaptive, 0.8);
    let text = place.run(&["search", "qzx17", "--explain", "--set", "retrieve.adaptive_weight=0.2"]).stdout();
    assert!(text.contains("0.4 × ") && text.contains("0.6 × "), "{text}");
    // Other modes have one list.
    let hits = search(&place, "qzx17", &["retrieve.adaptive_weight=0.2", "retrieve.mode=\"bm25\""]);
    let [vector, bm25] = weights(&hits[0]);
    near(vector, 0.0);
    near(bm25, 1.0);
    place
        .run(&["search", "qzx17", "--set", "retrieve.adaptive_weight=1.5"])
        .fails_with(2, &["retrieve.adaptive_weight"]);
}

#[test]
fn a_minimum_score_refuses_what_no_passage_reaches() {
    let Some(place) = place() else { return };
    let ask = |settings: &[&str]| {
        let set = settings.iter().flat_map(|setting| ["--set", setting]);
        let args: Vec<&str> = ["ask", "What does sleep restore in mice?", "--set", "guardrail.topic=false"]
            .into_iter()
            .chain(set)
            .collect();
        place.json(&args)
    };
    let (code, answer) = ask(&[]);
    assert_eq!((code, &answer["no_evidence"]), (0, &json!(false)), "{answer}");
    let (code, refusal) = ask(&["rerank.min_score=10.0"]);
    assert_eq!((code, &refusal["no_evidence"]), (1, &json!(true)), "{refusal}");
    let said = refusal["answer"].as_str().expect("an answer");
    assert!(said.contains("candidate passages reaches rerank.min_score = 10 (sentence)"), "{said}");
    assert_eq!(refusal["refusal"]["reason"], "below_threshold", "{refusal}");
    // The order of retrieval scores too: its best passage is the only one that both lists have first.
    let (code, answer) = ask(&["rerank.method=\"none\"", "rerank.min_score=9.9"]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(answer["citations"][0]["source_id"], "long", "{answer}");
    place
        .run(&["ask", "x", "--set", "rerank.min_score=11.0"])
        .fails_with(2, &["rerank.min_score", "from 0 to 10"]);
}
