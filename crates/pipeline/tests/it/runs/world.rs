//! Two indexed papers, a query set with a hostile question, and what the tests share.

use crate::common::{Place, natives};
use serde_json::{Value, json};

pub(crate) const PAPERS: [&str; 2] = ["tandrik_2021_vo2_walkers", "waxenhoult_2023_cadence_short"];
pub(crate) const SET: &str = "set.jsonl";
/// With this setting, everything is refused.
pub(crate) const REFUSES: &str = "guardrail.refuse_below=1";
/// A question that nobody should have to read: a formula, markup, a table cell, an escape of terminals.
pub(crate) const HOSTILE: &str = "=HYPERLINK(\"http://evil.example\") </testcase><img src=x> | [a](http://evil.example) \u{1b}[31m \u{202e}?";

/// Two indexed papers and a query set; gives the setting of a fast model.
pub(crate) fn start() -> Option<(Place, String)> {
    let place = Place::new(Some(natives()?));
    for paper in PAPERS {
        place.paper(&format!("{paper}.pdf"));
    }
    let model = place.model(1);
    let (code, done) = place.json(&["ingest", "papers", "--set", &model]);
    assert_eq!(code, 0, "{done}");
    let quote = "The difference between the two ways of walking was 1.6 mL/kg/min";
    let lines = [
        json!({"id": "Z", "type": "direct", "query": "How large was the difference between the two ways of walking?",
            "target_papers": [PAPERS[0]], "expected_no_evidence": false,
            "reference_answer": "1.6 mL/kg/min", "gold_evidence": [{"source_id": PAPERS[0], "quote": quote}], "tags": ["t"]}),
        json!({"id": "A", "type": "edge", "query": "Who won the football world cup?", "target_papers": [],
            "expected_no_evidence": true, "tags": []}),
        json!({"id": "H", "type": "direct", "query": HOSTILE, "target_papers": [PAPERS[1]],
            "expected_no_evidence": false, "reference_answer": "-1 | <b>", "tags": ["=1+1"]}),
    ];
    place.write(SET, lines.map(|line| line.to_string()).join("\n").as_bytes());
    Some((place, model))
}

/// Evaluates and gives the id of the run.
#[track_caller]
pub(crate) fn eval(place: &Place, model: &str, more: &[&str]) -> String {
    let (code, run) = place.json(&[&["eval", "--queries", SET, "--set", model], more].concat());
    assert_eq!(code, 0, "{run}");
    run["run_id"].as_str().expect("an id").to_owned()
}

#[track_caller]
pub(crate) fn conforms(place: &Place, name: &str, document: &Value) {
    let schema: Value = serde_json::from_str(&place.run(&["schema", name]).stdout()).expect("a schema");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let faults: Vec<String> = schema.iter_errors(document).map(|e| e.to_string()).collect();
    assert_eq!(faults, Vec::<String>::new(), "{name}: {document:#}");
}

pub(crate) fn ids(rows: &Value, key: &str) -> Vec<String> {
    let rows = rows.as_array().expect("a list").iter();
    rows.map(|row| row[key].as_str().expect("a string").to_owned()).collect()
}
