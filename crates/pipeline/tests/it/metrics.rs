//! `pipeline metrics`.

use crate::common::{Place, root};

#[test]
fn metrics_are_listed_and_defined_with_their_target() {
    let place = Place::new(None);
    let text = place.run(&["metrics"]).stdout();
    for line in ["faithful ", "rag_score ", "gold_recall_context ", "recall_ceiling@10 "] {
        assert!(text.lines().any(|own| own.starts_with(line)), "{line}: {text}");
    }
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
