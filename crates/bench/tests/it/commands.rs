//! The commands on small inputs: what is measured is there, and what cannot be measured is an error.

use serde_json::Value;
use std::{
    fs,
    process::{Command, Output},
};

fn bench(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bench")).args(args).output().expect("starts")
}

fn json(args: &[&str]) -> Value {
    let output = bench(args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn an_index_is_built_searched_and_extended() {
    let folder = tempfile::tempdir().expect("a folder");
    let index = folder.path().join("index").to_string_lossy().into_owned();
    let step = |name: &str| {
        let sizes = ["--chunks", "4200", "--questions", "4", "--rounds", "1"];
        json(&[&["growth", name, &index], &sizes[..]].concat())
    };
    let positive = |value: &Value| assert!(value.as_f64().is_some_and(|number| number > 0.0), "{value}");
    positive(&step("build")["seconds"]);
    let served = step("search");
    assert_eq!((served["chunks"].as_u64(), served["recall"].as_f64()), (Some(4200), Some(1.0)));
    assert_eq!(served["vector_bytes"], 4200 * 384 * 4);
    positive(&served["hybrid"]["p50"]);
    positive(&served["open_ms"]);
    positive(&step("add")[0]);
    assert_eq!(step("search")["chunks"], 4220);
}

#[test]
fn searches_have_a_rate_and_recall() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().to_string_lossy().into_owned();
    assert_eq!(bench(&["bm25", &dir]).status.code(), Some(2), "no documents");
    fs::write(folder.path().join("corpus.jsonl"), "{\"title\": \"Snails\", \"text\": \"eat kale\"}\n")
        .expect("written");
    fs::write(folder.path().join("queries.jsonl"), "{\"text\": \"who eats kale?\"}\n").expect("written");
    let found = json(&["bm25", &dir, "--rounds", "1"]);
    assert_eq!((&found["documents"], found["programs"].as_array().map(Vec::len)), (&1.into(), Some(3)));
    let found = json(&["vectors", &dir, "--chunks", "4200", "--questions", "3", "--rounds", "1"]);
    assert_eq!(found["programs"][0]["results"][0]["recall"], 1.0, "{found}");
    let vectors = fs::metadata(folder.path().join("vectors.f32")).expect("written");
    assert_eq!(vectors.len(), 4200 * 384 * 4);
}
