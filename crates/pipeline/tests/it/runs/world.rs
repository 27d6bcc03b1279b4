//! Two indexed papers, a query set with a hostile question, and what the tests share.

use crate::common::Place;
use serde_json::{Value, json};

pub(crate) const PAPERS: [&str; 2] = ["tandrik_2021_vo2_walkers", "waxenhoult_2023_cadence_short"];
pub(crate) const SET: &str = "set.jsonl";
/// With this setting, everything is refused.
pub(crate) const REFUSES: &str = "guardrail.refuse_below=1";
/// A question that nobody should have to read: a formula, markup, a table cell, an escape of terminals.
pub(crate) const HOSTILE: &str = "=HYPERLINK(\"http://evil.example\") </testcase><img src=x> | [a](http://evil.example) \u{1b}[31m \u{202e}?";

/// Two indexed papers and a query set; gives the setting of a fast model.
pub(crate) fn start() -> Option<(Place, String)> {
    let (place, model) = Place::indexed(&PAPERS)?;
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
    let run = place.done(&[&["eval", "--queries", SET, "--set", model], more].concat());
    run["run_id"].as_str().expect("an id").to_owned()
}

pub(crate) fn ids(rows: &Value, key: &str) -> Vec<String> {
    let rows = rows.as_array().expect("a list").iter();
    rows.map(|row| row[key].as_str().expect("a string").to_owned()).collect()
}
