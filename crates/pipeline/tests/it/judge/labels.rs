//! `judge check` and `judge correct`.

use crate::common::Place;
use crate::judge::rows::{jsonl, lines, llm, with};
use serde_json::{Value, json};
use std::fs;
use testkit::{ChatServer, Step, reply};

/// Sixty labelled rows about twenty contexts, on which the lexical judge is mostly right, and one without a label.
fn labelled() -> Vec<Value> {
    let row = |n: i32| {
        let (context, right) = (n / 3, n % 3 != 0);
        let said = if right { context + 10 } else { context + 77 };
        json!({"id": n, "context": format!("In trial {context}, walking lowered the pressure by {} points.", context + 10),
            "response": format!("In trial {context}, walking lowered the pressure by {said} points."),
            // Each tenth label is not what the words say.
            "faithful": i32::from(right != (n % 10 == 9)), "label": "hidden"})
    };
    let blank = json!({"id": "new", "context": "c", "response": "r", "faithful": null});
    (0..60).map(row).chain([blank]).collect()
}

#[test]
fn a_judge_is_checked_against_labels() {
    let place = Place::new(None);
    place.write("trial.jsonl", &jsonl(&labelled()));
    let check = ["judge", "check", "trial.jsonl"];
    let found = place.done(&check);
    place.conforms("judge-check", &found);
    assert_eq!((&found["rows"], &found["unlabelled"], &found["errors"]), (&json!(60), &json!(1), &json!(0)));
    assert_eq!(found["confusion"]["true_unsupported"], 18, "{found:#}");
    assert!(found["balanced_accuracy"]["ci_low"].as_f64() > Some(0.6), "{found:#}");
    let text = place.run(&check).stdout();
    for part in ["balanced accuracy", "kappa ", "true unsupported   18", "unlabelled"] {
        assert!(text.contains(part), "{part}: {text}");
    }

    // A model that supports everything: balanced accuracy ½, and no kappa beyond chance. What it gives no verdict on is no
    // score.
    let server = ChatServer::answering(|request| {
        if request.user().contains("trial 3,") { Step::said("no verdict") } else { reply::good(request) }
    });
    let (code, accepts) = place.json(&with(&[&check[..], &["--judge", "llm"]].concat(), &llm(&server)));
    let value = |key: &str| accepts[key]["value"].as_f64().unwrap_or_else(|| panic!("{key}: {accepts}"));
    assert_eq!((code, &accepts["rows"], &accepts["errors"]), (1, &json!(57), &json!(3)), "{accepts:#}");
    assert!((value("balanced_accuracy") - 0.5).abs() < 1e-9 && value("kappa").abs() < 1e-9, "{accepts:#}");
    let requests = server.requests();
    assert!(requests.iter().all(|request| !request.user().contains("hidden")));

    place.write("bad.jsonl", b"{\"id\":1,\"context\":\"c\",\"response\":\"r\",\"faithful\":2}\n{\"id\":2}\n");
    place
        .run(&["judge", "check", "bad.jsonl"])
        .fails_with(2, &["bad.jsonl: line 1: faithful must be 1, 0 or null, got 2", "line 2"]);
    place.write("blank.jsonl", &jsonl(&labelled()[60..]));
    place.run(&["judge", "check", "blank.jsonl"]).fails_with(2, &["no row with a label"]);
}

const ANIMALS: [&str; 12] = [
    "badgers", "otters", "swallows", "hamsters", "beetles", "lizards", "donkeys", "herons", "ferrets",
    "magpies", "weasels", "salmon",
];

/// An evaluation of questions about invented papers, in the run log.
fn evaluated() -> Option<Place> {
    let place = Place::with_natives()?;
    let mut queries = Vec::new();
    for (at, animal) in ANIMALS.iter().enumerate() {
        let text = format!(
            "# A year with {animal}\n\n## Results\n\nThe {animal} slept under hedges for {} hours. Nobody was hurt.\n",
            at + 3
        );
        place.write(&format!("papers/{animal}_2020.md"), text.as_bytes());
        queries.push(json!({"id": format!("Q{at}"), "type": "direct", "query": format!("How long did the {animal} sleep?"),
            "target_papers": [format!("{animal}_2020")], "expected_no_evidence": false}));
    }
    place.write("queries.jsonl", &jsonl(&queries));
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    place.passes(&["eval", "--mode", "hybrid", "--queries", "queries.jsonl"]);
    Some(place)
}

#[test]
fn labels_correct_the_judge_of_a_run() {
    let Some(place) = evaluated() else { return };
    let labels = |of: &[(&str, Value)]| {
        let rows: Vec<Value> =
            of.iter().map(|(id, label)| json!({"id": id, "supported": label, "note": "x"})).collect();
        place.write("labels.jsonl", &jsonl(&rows));
    };
    let records = lines(&fs::read_to_string(place.path("logs/run_log.jsonl")).expect("logged"));
    let scores =
        records.iter().map(|record| &record["evaluation"]).filter(|scores| scores["grade"].is_number());
    let ids: Vec<&str> = scores.map(|scores| scores["query_id"].as_str().expect("an id")).collect();
    assert!(ids.len() >= 8, "{records:#?}");
    labels(&[(ids[0], json!(null))]);
    let correct = ["judge", "correct", "labels.jsonl"];
    place.run(&correct).fails_with(2, &["labels.jsonl has 0 labels"]);
    let seven: Vec<(&str, Value)> =
        ids.iter().take(7).enumerate().map(|(at, id)| (*id, json!(i32::from(at != 2)))).collect();
    labels(&seven);
    let report = place.done(&correct);
    place.conforms("judge-corrected", &report);
    assert_eq!((&report["labels"], &report["mode"]), (&json!(7), &json!("hybrid")), "{report:#}");
    assert_eq!(report["rows"], json!(ids.len()), "{report:#}");
    let alone = report["labels_alone"]["value"].as_f64().expect("a value");
    assert!((alone - 6.0 / 7.0).abs() < 1e-9, "{report:#}");
    assert!(report["corrected"]["value"].as_f64() < report["uncorrected"].as_f64(), "{report:#}");
    let ran = place.run(&["judge", "correct", "labels.jsonl", "--run", "latest:hybrid"]);
    for part in ["uncorrected", "labels alone", "corrected"] {
        assert!(ran.stdout().contains(part), "{part}: {}", ran.stdout());
    }

    labels(&[(ids[0], json!(1)), ("Q99", json!(1)), (ids[1], json!("maybe"))]);
    place.run(&correct).fails_with(2, &["line 3: supported must be 1, 0 or null, got \"maybe\""]);
    labels(&[(ids[0], json!(1)), ("Q99", json!(1))]);
    place.run(&correct).fails_with(2, &["line 2: the run", "has no judged answer to Q99"]);
    place.run(&["judge", "correct", "labels.jsonl", "--run", "none"]).fails_with(2, &["has no run \"none\""]);
}
