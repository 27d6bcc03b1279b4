//! Stored answers are judged again.

use crate::runs::world::{eval, start};
use serde_json::{Value, json};

#[test]
fn stored_answers_are_judged_again() {
    let Some((place, model)) = start() else { return };
    let first = eval(&place, &model, &["--mode", "both", "--set", "guardrail.topic=false"]);
    // The index is gone: nothing is asked again.
    std::fs::remove_dir_all(place.path("index")).expect("removed");
    let args = [
        "runs",
        "rejudge",
        "latest",
        "--set",
        "eval.support_threshold=0.999",
        "--name",
        "strict",
        "--set",
        &model,
    ];
    let done = place.done(&args);
    place.conforms("run-rejudged", &done);
    assert_eq!((&done["run"]["judged_from"], &done["run"]["rows"]), (&json!(first), &json!(6)));
    assert_eq!((&done["failed"], &done["run"]["name"]), (&json!(0), &json!("strict")));
    // Stricter: answers that were faithful are not any more; what does not depend on the judge is the same.
    let metrics = done["comparisons"][0]["metrics"].as_array().expect("metrics");
    let metric = |name: &str| metrics.iter().find(|metric| metric["metric"] == name).expect("a metric");
    assert!(metric("fully_cited")["difference"]["delta"].as_f64() < Some(0.0), "{done:#}");
    for name in ["citation_precision", "gold_recall_context", "gold_recall_answer", "token_f1"] {
        let delta = metric(name)["difference"]["delta"].as_f64().unwrap_or_default();
        assert!(delta.abs() < 1e-12, "{name}: {done:#}");
    }
    let (_, old) = place.json(&["runs", "show", &first]);
    let (_, new) = place.json(&["runs", "show", "strict"]);
    let gold = |shown: &Value| -> Vec<Value> {
        shown["rows"].as_array().expect("rows").iter().map(|row| row["gold"].clone()).collect()
    };
    assert_eq!(gold(&old), gold(&new), "where evidence was lost");
    // The new run has its own labels and can be judged again; the report of it stands beside the others.
    let id = done["run"]["run_id"].as_str().expect("an id");
    assert!(place.path(&format!("logs/reports/{id}/report.md")).exists());
    let (_, again) = place.json(&["runs", "rejudge", "strict:hybrid", "--set", &model]);
    assert_eq!((&again["run"]["judged_from"], &again["run"]["rows"]), (&json!(id), &json!(3)));
    place.run(&["runs", "rejudge", "latest", "--set", "eval.judge=llm"]).fails_with(2, &["llm.provider"]);
}
