//! Runs, modes and settings are compared.

use crate::runs::world::{REFUSES, SET, eval, ids, start};
use serde_json::json;

#[test]
fn runs_and_modes_are_compared() {
    let Some((place, model)) = start() else { return };
    let answers = "guardrail.refuse_below=0";
    let base = eval(&place, &model, &["--mode", "hybrid", "--name", "base", "--set", answers]);
    let run = place.done(&[
        "eval",
        "--queries",
        SET,
        "--set",
        &model,
        "--mode",
        "both",
        "--limit",
        "2",
        "--set",
        REFUSES,
        "--against",
        "base",
    ]);
    place.conforms("eval", &run);
    let against = &run["against"]["comparisons"];
    assert_eq!(against.as_array().map(Vec::len), Some(1), "{against:#}");
    let one = &against[0];
    assert_eq!(one["second"]["run_id"], json!(base));
    assert_eq!((&one["pairs"], &one["only_second"]), (&json!(2), &json!(["H"])));
    let differing = ids(&one["differing"], "key");
    assert!(differing.contains(&"guardrail.refuse_below".to_owned()), "{differing:?}");
    assert!(!differing.contains(&"retrieve.top_k".to_owned()), "{differing:?}");
    let metrics = one["metrics"].as_array().expect("metrics");
    let metric = |name: &str| metrics.iter().find(|metric| metric["metric"] == name).expect("a metric");
    assert_eq!(metric("unanswerable_accuracy")["won"], json!(["A"]), "{one:#}");
    // Holm: no corrected p is below its own, and only metrics that can differ have one.
    for metric in metrics {
        let pairs = metric["difference"]["n_pairs"].as_u64().expect("a number");
        let in_family = metric["difference"]["in_family"] == json!(true);
        assert_eq!(metric["p_holm"].is_null(), !in_family, "{metric:#}");
        assert!(pairs > 0 || !in_family, "{metric:#}");
        let count = |key: &str| metric[key].as_array().map_or(0, Vec::len) as u64;
        let changed = |key: &str| metric["difference"][key].as_u64().expect("a number");
        assert_eq!(count("won") + count("lost"), changed("wins") + changed("losses"), "{metric:#}");
        if in_family {
            assert!(metric["p_holm"].as_f64() >= metric["difference"]["p"].as_f64());
        }
    }

    let (code, compared) = place.json(&["runs", "compare", "latest:hybrid", "latest:vector"]);
    assert_eq!(code, 0);
    place.conforms("run-comparison", &compared);
    let one = &compared["comparisons"][0];
    assert_eq!((&one["differing"], &one["pairs"]), (&json!([]), &json!(2)));
    let text = place.run(&["runs", "compare", "base", "latest"]).stdout();
    for part in ["only first", "guardrail.refuse_below", "Unanswerable accuracy"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The same words under another id are another question.
    let other = std::fs::read_to_string(place.path(SET)).expect("reads").replace("football", "handball");
    place.write("other.jsonl", other.as_bytes());
    place.passes(&["eval", "--queries", "other.jsonl", "--set", &model, "--mode", "hybrid"]);
    let (_, compared) = place.json(&["runs", "compare", "base", "latest"]);
    assert_eq!(compared["comparisons"][0]["asked_otherwise"], json!(["A"]));
}

#[test]
fn settings_are_evaluated_beside() {
    let Some((place, model)) = start() else { return };
    place.write("other.toml", b"[guardrail]\ntopic = false\n");
    let args = ["eval", "--queries", SET, "--set", &model, "--mode", "hybrid", "--against"];
    let run = place.done(&[&args[..], &["other.toml"]].concat());
    let one = &run["against"]["comparisons"][0];
    assert_eq!(one["first"]["run_id"], run["run_id"]);
    assert_eq!(one["differing"], json!([{"key": "guardrail.topic", "first": "true", "second": "false"}]));
    let (_, listed) = place.json(&["runs"]);
    assert_eq!(listed["total"], json!(2));
    place.run(&[&args[..], &["nothing"]].concat()).fails_with(2, &["\"nothing\" is no run of the log"]);
    place
        .run(&[&args[..], &["x", "--set", "log.file="]].concat())
        .fails_with(2, &["--against needs the run log"]);
}
