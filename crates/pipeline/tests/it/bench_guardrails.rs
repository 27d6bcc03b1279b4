//! `bench guardrails` on invented papers.

use crate::common::{Place, natives};
use serde_json::Value;

const ANIMALS: [(&str, &str, &str); 6] = [
    ("badgers", "Orvella", "HEDG1"),
    ("otters", "Tandrik", "WILO2"),
    ("swallows", "Brinwick", "RAFT3"),
    ("hamsters", "Solvey", "STRW4"),
    ("beetles", "Ulverton", "BARK5"),
    ("lizards", "Yarrowin", "ROCK6"),
];

const KINDS: [&str; 10] = [
    "number",
    "unit",
    "author",
    "direction",
    "negation",
    "entity",
    "hedging",
    "source",
    "quote",
    "merged",
];

/// An index of the first `papers` papers.
fn world(papers: usize) -> Option<Place> {
    let place = Place::new(Some(natives()?));
    for (at, (animal, author, gene)) in ANIMALS.iter().take(papers).enumerate() {
        let number = 13 + 7 * at;
        let text = format!(
            "---\ntitle: A year with {animal}\nauthor: {author}, A.\n---\n\n# A year with {animal}\n\n## Results\n\n\
             The {animal} of the northern group slept for {number} hours during the longest night.\n\n\
             ## Discussion\n\nActivity of {gene} was higher in the {animal} that were fed at dawn.\n\n\
             ## Conclusion\n\nMusic in the evening did not change what the {animal} ate, and it may be of no use.\n"
        );
        place.write(&format!("papers/{animal}_2020.md"), text.as_bytes());
    }
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    Some(place)
}

#[test]
fn planted_errors_are_caught_and_counted() {
    let Some(place) = world(6) else { return };
    let args = ["bench", "guardrails", "-k", "24", "--seed", "5"];
    let (code, done) = place.json(&args);
    assert_eq!((code, &done["papers"]), (0, &Value::from(6)), "{done}");
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} in {done}"));
    let clean = &done["now"]["correct_answers"];
    assert_eq!(
        (&clean["answers"], &clean["correct"]),
        (&24.into(), &72.into()),
        "{done}"
    );
    assert!(number(&clean["correct_stripped"]) <= 2.0, "{done}");
    assert_eq!(
        (&clean["wrong"], &clean["recall"], &clean["precision"]),
        (&0.into(), &Value::Null, &Value::Null),
        "{done}"
    );
    assert_eq!(
        done["now"]["kinds"].as_object().map(serde_json::Map::len),
        Some(10),
        "{done}"
    );
    for kind in KINDS {
        let of = &done["now"]["kinds"][kind];
        assert!(
            number(&of["answers"]) >= 5.0 && number(&of["recall"]) >= 0.8,
            "{kind}: {done}"
        );
        assert_eq!(
            of["correct"].as_u64(),
            of["answers"].as_u64().map(|answers| 2 * answers),
            "{kind}: the other two sentences are right: {done}"
        );
    }
    // The earlier system does not compare a sentence with what it cites.
    let recall = |table: &str, kind: &str| number(&done[table]["kinds"][kind]["recall"]);
    assert!(recall("phase2", "source") < recall("now", "source"), "{done}");

    assert_eq!(place.json(&args).1, done, "the same seed measures the same");
    let (_, off) = place.json(
        &[
            &args[..],
            &[
                "--set",
                "guardrail.entities=false",
                "--set",
                "guardrail.support=false",
            ],
        ]
        .concat(),
    );
    assert_eq!(off["now"]["kinds"]["number"]["recall"], 0.0, "{off}");

    let text = place.run(&args);
    for part in [
        "24 correct answers of three sentences from 6 papers",
        "fewer than 24 answers",
        "number ",
        "phase2",
        "recall:",
    ] {
        assert!(text.stdout().contains(part), "{part}: {}", text.stdout());
    }
}

#[test]
fn a_small_index_is_an_error() {
    let Some(place) = world(2) else { return };
    place
        .run(&["bench", "guardrails"])
        .fails_with(2, &["2 papers", "at least 5"]);
}
