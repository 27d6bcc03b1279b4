//! Metrics beside the dimensions, gates, and files for CI.

use crate::common::Place;
use crate::evaluate::results::files;
use serde_json::json;

/// Two rows of Ragas: an answer from its passage, and one with a wrong number.
fn rows(place: &Place) {
    let passage = "Renewal of the harbour cards began in May 2021 at the north office.";
    let lines = [
        json!({"user_input": "When did the renewal of harbour cards begin?", "response": passage,
            "retrieved_contexts": [passage], "reference": "It began in May 2021."}),
        json!({"user_input": "How much did tourism grow in 2019?", "response": "Tourism grew by 9 % in 2019, said <b>Smith</b> & co.",
            "retrieved_contexts": ["Tourism grew by 4 % in 2019."], "reference": "By 4 %."}),
    ];
    place.write("rows.jsonl", format!("{}\n{}\n", lines[0], lines[1]).as_bytes());
}

#[test]
fn a_failed_gate_is_exit_code_1_and_a_failure_in_junit() {
    let place = Place::new(None);
    rows(&place);
    let gates = |gates: &[&str]| {
        let mut args = vec!["score", "rows.jsonl", "--junit", "junit.xml"];
        args.extend(gates);
        let ran = place.run(&args);
        (ran.code(), ran.stderr())
    };
    assert_eq!(
        gates(&["--min", "faithfulness=0.5", "--max", "failure_rate=0.5", "--min", "overall=0.1"]).0,
        0
    );
    let xml = || String::from_utf8(std::fs::read(place.path("junit.xml")).expect("written")).expect("UTF-8");
    assert!(xml().contains("tests=\"5\" failures=\"1\" errors=\"0\""), "{}", xml());

    let (code, said) = gates(&["--min", "faithfulness.ci_low=0.85", "--max", "failure_rate=0.1"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("gate failed: failure_rate is 0.500, above the limit 0.100"), "{said}");
    assert!(said.contains("gate failed: faithfulness.ci_low is 0.0"), "{said}");
    let xml = xml();
    assert!(xml.contains("tests=\"4\" failures=\"3\""), "{xml}");
    assert!(xml.contains("&quot;9 %&quot;"), "{xml}");

    // A mean that no row has passes no gate.
    let (code, said) = gates(&["--min", "ndcg@10=0"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("ndcg@10 has no value"), "{said}");

    for (args, part) in [
        (["--min", "failure_rate=0.1"], "failure_rate is better when lower"),
        (["--max", "faithfulness=0.1"], "faithfulness is better when higher"),
        (["--min", "speed=1"], "there is no metric \"speed\"; the metrics are"),
        (["--min", "faithfulnes=1"], "did you mean faithfulness? the metrics are"),
        (["--min", "overall=2"], "2 is not between 0 and 1"),
        (["--min", "page_recall.median=0.5"], "there is no metric \"page_recall.median\""),
    ] {
        let (code, said) = gates(&args);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn markdown_is_short_and_escapes_what_it_quotes() {
    let place = Place::new(None);
    rows(&place);
    let ran = place.run(&["score", "rows.jsonl", "--format", "markdown", "--min", "faithfulness=0.9"]);
    assert_eq!(ran.code(), 1, "{}", ran.stderr());
    let text = ran.stdout();
    for part in [
        "**Failed**: 1 of 1 gates",
        "| overall |",
        "| groundedness | 1 | 1 | 0 | 0.500 |",
        "## Missed targets",
        "(target: ",
        "## Rows that fail",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.replace("\\<", "").contains("<b>"), "{text}");
    assert!(text.lines().count() < 90, "{text}");
    files(&place);
    let ran = place.run(&["score", "results.json", "--dry-run", "--format", "markdown"]);
    assert_eq!(ran.code(), 2, "{}", ran.stdout());
}

#[test]
fn two_systems_are_compared_question_by_question() {
    let place = Place::new(None);
    rows(&place);
    let (code, before) = place.json(&["score", "rows.jsonl", "--output", "before.json"]);
    assert_eq!((code, &before["against"]), (0, &json!(null)));
    // The second answer is right now, and a third question is new.
    let text = std::fs::read_to_string(place.path("rows.jsonl")).expect("reads");
    let text =
        text.replace("Tourism grew by 9 % in 2019, said <b>Smith</b> & co.", "Tourism grew by 4 % in 2019.");
    let third =
        json!({"user_input": "Who came?", "response": "Nobody.", "retrieved_contexts": ["Nobody came."]});
    place.write("after.jsonl", format!("{text}{third}\n").as_bytes());
    let after = place.done(&["score", "after.jsonl", "--against", "before.json"]);
    place.conforms("evaluate", &after);
    let against = &after["against"];
    assert_eq!(
        (&against["file"], &against["pairs"], &against["only_here"], &against["only_there"]),
        (&json!("before.json"), &json!(2), &json!(1), &json!(0))
    );
    let faithful = &against["compared"]["faithfulness"];
    assert_eq!(
        (&faithful["delta"], &faithful["wins"], &faithful["losses"], &faithful["n_pairs"]),
        (&json!(0.5), &json!(1), &json!(0), &json!(2))
    );
    // One pair of two differs: both signs are equally likely.
    assert_eq!(faithful["p"], 1.0);
    assert_eq!(against["compared"].get("ndcg@10"), None);
    let ran = place.run(&["score", "after.jsonl", "--against", "before.json"]);
    let text = ran.stdout();
    assert!(
        text.contains("these answers minus before.json: 2 questions in both, 1 only here, 0 only there"),
        "{text}"
    );

    place
        .run(&["score", "after.jsonl", "--against", "rows.jsonl"])
        .fails_with(2, &["rows.jsonl", "is not an output of `pipeline score`", "--output"]);
    let other = json!({"user_input": "Else?", "response": "No.", "retrieved_contexts": ["No."]});
    place.write("other.jsonl", format!("{other}\n").as_bytes());
    place
        .run(&["score", "other.jsonl", "--against", "before.json"])
        .fails_with(2, &["no row for any of these questions", "\"Else?\""]);
    place.write("twice.jsonl", format!("{other}\n{other}\n").as_bytes());
    place
        .run(&["score", "twice.jsonl", "--against", "before.json"])
        .fails_with(2, &["several rows answer \"Else?\""]);
}
