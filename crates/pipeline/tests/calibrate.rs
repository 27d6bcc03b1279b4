//! `calibrate` on invented papers.

mod common;

use common::{Place, natives};
use serde_json::{Value, json};
use std::fs;

const ANIMALS: [(&str, &str); 8] = [
    ("badgers", "hedges"),
    ("otters", "willows"),
    ("swallows", "rafters"),
    ("hamsters", "straw"),
    ("beetles", "bark"),
    ("lizards", "boulders"),
    ("donkeys", "awnings"),
    ("herons", "reeds"),
];

/// The findings of a paper, each with the question that it answers.
fn findings(animal: &str, place: &str, number: usize) -> [(String, String); 3] {
    [
        (
            format!("The {animal} slept under {place} for {number} hours."),
            format!("How long did the {animal} sleep?"),
        ),
        (
            format!("At birth the {animal} weighed {} grams.", 10 * number),
            format!("How much did the {animal} weigh at birth?"),
        ),
        (
            format!("Loud music did not change what the {animal} ate."),
            format!("Did loud music change what the {animal} ate?"),
        ),
    ]
}

/// An index of one paper for each animal, and a query set about the first `papers` of them.
fn world(papers: usize) -> Option<Place> {
    let place = Place::new(Some(natives()?));
    let mut rows = Vec::new();
    for (at, (animal, under)) in ANIMALS.iter().enumerate() {
        let findings = findings(animal, under, at + 3);
        let [slept, weighed, music] = findings.each_ref().map(|(sentence, _)| sentence.as_str());
        let text = format!(
            "# A year with {animal}\n\n## Methods\n\nWe watched the animals with red lanterns. The weather was mild.\n\n\
             ## Results\n\n{slept} {weighed} {music} Nobody was hurt.\n"
        );
        place.write(&format!("papers/{animal}_2020.md"), text.as_bytes());
        if at < papers {
            for (number, (sentence, query)) in findings.iter().enumerate() {
                let id = format!("{animal}_2020");
                rows.push(json!({"id": format!("Q{at}{number}"), "type": "direct", "query": query,
                    "target_papers": [id], "expected_no_evidence": false, "reference_answer": sentence,
                    "gold_evidence": [{"source_id": id, "quote": sentence, "page": 1, "section": "Results"}]}));
            }
        }
    }
    for (at, query) in ["Who won the chess tournament?", "How tall are lighthouses?"]
        .iter()
        .enumerate()
    {
        rows.push(
            json!({"id": format!("N{at}"), "type": "edge", "query": query, "target_papers": [],
            "expected_no_evidence": true}),
        );
    }
    let rows: Vec<String> = rows.iter().map(Value::to_string).collect();
    place.write("mine.jsonl", rows.join("\n").as_bytes());
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    Some(place)
}

#[test]
fn a_threshold_that_refuses_everything_is_lowered() {
    let Some(place) = world(8) else { return };
    let strict = [
        "--set",
        "guardrail.refuse_below=0.99",
        "--set",
        "generate.high_confidence=1.0",
    ];
    let question = "How long did the otters sleep?";
    let (_, refused) = place.json(&[&["ask", question], &strict[..]].concat());
    assert_eq!(refused["no_evidence"], true, "{refused}");

    let args = ["calibrate", "--queries", "mine.jsonl", "--output", "mine.toml"];
    let (code, done) = place.json(&[&args, &strict[..]].concat());
    assert_eq!(code, 0, "{done}");
    assert_eq!(
        [
            &done["answerable"],
            &done["unanswerable"],
            &done["removed"],
            &done["papers"]
        ],
        [24, 2, 24, 8],
        "{done}"
    );
    let refusals = &done["refusals"];
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} in {done}"));
    assert!(number(&refusals["chosen"]) < 0.96, "{done}");
    assert!(
        number(&refusals["held_out"]) > number(&refusals["balanced_accuracy"]) + 0.1,
        "{done}"
    );
    assert!(
        number(&refusals["fitted"]) >= number(&refusals["held_out"]),
        "{done}"
    );
    assert_eq!(
        done["changes"]["guardrail.refuse_below"], refusals["chosen"],
        "{done}"
    );
    let (now, fitted) = (&done["high"]["now"], &done["high"]["fitted"]);
    assert_eq!(now["answers"], 0, "{done}");
    assert!(
        number(&fitted["right"]) >= 0.85 * number(&fitted["answers"]),
        "{done}"
    );

    // The file is a settings file, and undoes the strict threshold.
    let file = fs::read_to_string(place.path("mine.toml")).expect("written");
    assert!(
        file.contains("mine.jsonl") && file.contains("[guardrail]\nrefuse_below = 0."),
        "{file}"
    );
    let (_, answered) = place.json(&["--config", "mine.toml", "ask", question]);
    assert_eq!(answered["no_evidence"], false, "{answered}");

    let text = place.run(&[&args[..3], &strict[..]].concat());
    assert_eq!(text.code(), 0, "{}", text.stderr());
    for part in [
        "24 answerable questions about 8 papers",
        "cross-validated",
        "[guardrail]\nrefuse_below",
    ] {
        assert!(text.stdout().contains(part), "{part}: {}", text.stdout());
    }
}

#[test]
fn what_cannot_be_calibrated_is_an_error() {
    let Some(place) = world(4) else { return };
    let calibrate = |more: &[&str]| place.run(&[&["calibrate", "--queries", "mine.jsonl"], more].concat());
    calibrate(&[]).fails_with(
        2,
        &[
            "mine.jsonl has gold_evidence for 12 of the 20 queries that are needed",
            "add queries",
        ],
    );
    calibrate(&["--set", "guardrail.topic_rule=keywords"]).fails_with(2, &["do not refuse by probability"]);
    calibrate(&["--aim", "85"]).fails_with(2, &["a number from 0 to 1"]);
    calibrate(&["--output", "nowhere/mine.toml"]).fails_with(2, &["nowhere/mine.toml cannot be written"]);
}
