//! Invented papers about animals, with a query set.

use super::Place;
use serde_json::{Value, json};

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
pub fn world(papers: usize) -> Option<Place> {
    let place = Place::with_natives()?;
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
    for (at, query) in ["Who won the chess tournament?", "How tall are lighthouses?"].iter().enumerate() {
        rows.push(json!({"id": format!("N{at}"), "type": "edge", "query": query, "target_papers": [],
            "expected_no_evidence": true}));
    }
    let rows: Vec<String> = rows.iter().map(Value::to_string).collect();
    place.write("mine.jsonl", rows.join("\n").as_bytes());
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    Some(place)
}
