//! `eval --retrieval-only`, on an invented benchmark and on a query set, with the shipped defaults.

use crate::common::Place;
use serde_json::{Value, json};

/// Twelve documents about zebras, all relevant to the first question; two ids differ in case alone.
fn place() -> Option<Place> {
    let place = Place::with_natives()?;
    let document = |id: &str, text: &str| json!({"_id": id, "title": "Animals", "text": text}).to_string();
    let mut corpus: Vec<String> = (0..12)
        .map(|at| document(&format!("Z-{at}"), &format!("Zebras graze near river number {at}.")))
        .collect();
    corpus.push(document("OWL", "Owls catch mice at night."));
    corpus.push(document("owl", "Foxes sleep in dens by day."));
    place.write("tiny/corpus.jsonl", corpus.join("\n").as_bytes());
    let queries = [("q1", "zebras"), ("q2", "owls"), ("q3", "owls and dens"), ("q4", "mice")];
    let queries = queries.map(|(id, text)| json!({"_id": id, "text": text}).to_string());
    place.write("tiny/queries.jsonl", queries.join("\n").as_bytes());
    let mut qrels = "query-id\tcorpus-id\tscore\n".to_owned();
    for at in 0..12 {
        qrels.extend(["q1\tZ-", &at.to_string(), "\t2\n"]);
    }
    qrels.push_str("q2\tOWL\t2\nq2\towl\t1\nq3\tmissing\t2\nq3\towl\t2\nq4\tOWL\t1\n");
    place.write("tiny/qrels/test.tsv", qrels.as_bytes());
    place.passes(&["ingest", "tiny/corpus.jsonl"]);
    Some(place)
}

const ASK: [&str; 9] = [
    "eval",
    "--retrieval-only",
    "--mode",
    "bm25",
    "--queries",
    "tiny/queries.jsonl",
    "--qrels",
    "tiny/qrels/test.tsv",
    "--min-grade=2",
];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ASK.iter().chain(more).copied().collect()
}

#[test]
fn each_question_below_the_gate_is_named_with_its_loss() {
    let Some(place) = place() else { return };
    let all = with(&["--min-recall", "0.8"]);
    let (code, document) = place.json(&all);
    assert_eq!((code, &document["below"], &document["not_indexed"]), (1, &json!(1), &json!(1)));
    assert_eq!(document["without_expected"], 1, "q4 has no document of grade 2");
    let lost = &document["modes"][0]["questions"][2];
    assert_eq!(
        (&lost["query_id"], &lost["passed"], &lost["lost_at"]),
        (&json!("q3"), &json!(false), &json!("not retrieved")),
        "{lost:#}"
    );
    assert!(lost["missed"].to_string().contains("\"missing\",\"rank\":null"), "{lost:#}");
    let ran = place.run(&all);
    assert_eq!(ran.code(), 1);
    let (out, err) = (ran.stdout(), ran.stderr());
    assert!(out.contains("recall of ceiling") && out.contains("passed"), "{out}");
    assert!(err.contains("1 of 3 questions below --min-recall 0.8 in mode bm25: q3"), "{err}");
    // Fewer results: the twelve are ranked below.
    let (_, few) = place.json(&with(&["-k", "3", "--ids", "q1"]));
    let found = &few["modes"][0]["questions"][0];
    assert_eq!((&found["found"], &found["recall_of_ceiling"]), (&json!(3), &json!(1.0)));
    assert_eq!(found["passed"], Value::Null, "no gate");
}

#[test]
fn a_query_set_expects_its_target_papers() {
    let Some(place) = place() else { return };
    // Its papers are named by source id; the ids of the benchmark, which differ in case alone, are not.
    let (_, found) = place.json(&["search", "owls catch mice", "--mode", "bm25"]);
    let owl = found["hits"][0]["source_id"].as_str().expect("a source");
    assert_ne!(owl, "OWL");
    let line = |id: &str, papers: &[&str], none: bool| {
        json!({"id": id, "type": "direct", "query": "Do owls catch mice?", "target_papers": papers,
            "expected_no_evidence": none})
        .to_string()
    };
    let set = [line("A", &[owl], false), line("B", &[owl], true), line("C", &[], false)].join("\n");
    place.write("set.jsonl", set.as_bytes());
    let args = ["eval", "--retrieval-only", "--mode", "both", "--queries", "set.jsonl", "--min-recall=0.5"];
    let (code, document) = place.json(&args);
    assert_eq!((code, &document["without_expected"]), (0, &json!(2)), "{document:#}");
    assert_eq!(document["modes"].as_array().map(Vec::len), Some(2));
    assert_eq!(document["comparison"]["vector"]["recall"]["delta"], json!(0.0));
    assert!(place.run(&args).stdout().contains("comparison: vector"));
}

#[test]
fn what_is_wrong_is_said() {
    let Some(place) = place() else { return };
    let check = |more: &[&str], parts: &[&str]| place.run(&with(more)).fails_with(2, parts);
    check(&["--ids", "q1,Q2"], &["Q2", "case-sensitive"]);
    check(&["--preset", "adr-014"], &["adr-014", "adr-013"]);
    check(&["--preset", "adr-013"], &["PLAIN-2630"]);
    check(&["--min-recall", "1.2"], &["from 0 to 1"]);
    check(&["-k", "101"], &["101", "1..=100"]);
    place.write("more.tsv", b"query-id\tcorpus-id\tscore\nq9\tOWL\t2\n");
    let mut args = with(&[]);
    args[7] = "more.tsv";
    place.run(&args).fails_with(2, &["q9", "not in", "same benchmark"]);
    check(&["--controls"], &["--controls", "--retrieval-only"]);
    place.run(&["eval", "--min-recall", "0.5"]).fails_with(2, &["--retrieval-only"]);
    place.write("none.tsv", b"query-id\tcorpus-id\tscore\nq1\tnowhere\t2\n");
    let mut args = with(&[]);
    args[7] = "none.tsv";
    place.run(&args).fails_with(2, &["none of the 1 expected documents", "ingest"]);
}
