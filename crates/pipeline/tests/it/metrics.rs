//! `pipeline metrics`.

use crate::common::{Place, root};
use serde_json::Value;

#[test]
fn metrics_are_listed_with_the_command_that_computes_them() {
    let place = Place::new(None);
    let text = place.run(&["metrics"]).stdout();
    for line in ["faithful ", "rag_score ", "gold_recall_context ", "recall_ceiling@10 "] {
        assert!(text.lines().any(|own| own.starts_with(line)), "{line}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let (code, all) = place.json(&["metrics"]);
    assert_eq!(code, 0);
    let metrics = all["metrics"].as_array().expect("a list");
    let of = |command: &str| metrics.iter().filter(|metric| metric["command"] == command).count();
    assert!(
        of("eval, evaluate") >= 16 && of("evaluate") >= 20,
        "{} {}",
        of("eval, evaluate"),
        of("evaluate")
    );
    assert!(metrics.iter().all(|m| m["definition"].as_str().is_some_and(|text| text.len() > 20)));
}

#[test]
fn the_document_holds_its_schema() {
    let place = Place::new(None);
    let schema: Value = serde_json::from_str(&place.run(&["schema", "metrics"]).stdout()).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    for args in [&["metrics"][..], &["metrics", "correctness"]] {
        let (_, document) = place.json(args);
        assert!(schema.is_valid(&document), "{document:#}");
    }
    let (_, mut document) = place.json(&["metrics", "rag_score"]);
    document["metrics"][0]["odd"] = Value::Null;
    assert!(!schema.is_valid(&document));
}

#[test]
fn one_metric_is_defined_with_its_target() {
    let place = Place::new(None);
    let text = place.run(&["metrics", "faithfulness"]).stdout();
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in
        ["Definition", "Edge cases", "0 to 1", "answer, passages", "faithfulness at least 0.9", "Ragas"]
    {
        assert!(flat.contains(part), "{part}: {text}");
    }
    let (_, found) = place.json(&["metrics", "failure_rate"]);
    assert_eq!(found["metrics"][0]["key"], "auto_fail");
    assert_eq!(found["metrics"][0]["target"]["value"], 0.15);
    let both = place.run(&["metrics", "matched"]).stdout();
    assert!(both.contains("(pipeline eval, evaluate)"), "{both}");
    place.run(&["metrics", "answer_relevancy"]).fails_with(2, &["answer_relevancy", "answer_relevance"]);
}

#[test]
fn the_document_of_metrics_is_up_to_date() {
    let place = Place::new(None);
    let table = place.run(&["metrics", "--format", "markdown"]).stdout();
    let document = std::fs::read_to_string(root().join("docs/metrics.md")).expect("docs/metrics.md");
    for line in table.lines().filter(|line| !line.starts_with("<!--")) {
        assert!(
            document.contains(line),
            "docs/metrics.md lacks this line of `pipeline metrics --format markdown`:\n{line}"
        );
    }
}
