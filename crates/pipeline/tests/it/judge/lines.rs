//! `judge`: lines in, verdicts out.

use crate::common::Place;
use crate::judge::rows::{jsonl, lines, llm, row, rows, with};
use serde_json::{Value, json};
use std::fs;
use testkit::{ChatServer, Step, refusing_address, reply};

#[test]
fn responses_are_judged_without_their_labels() {
    let place = Place::new(None);
    place.write("in.jsonl", &jsonl(&rows()));
    let ran = place.passes(&["judge", "in.jsonl"]);
    let found = lines(&ran.stdout());
    let faithful: Vec<(&Value, &Value)> =
        found.iter().map(|line| (&line["id"], &line["supported"])).collect();
    let (good, number, other) = (json!("good"), json!("number"), json!("other"));
    let (one, zero, seven) = (json!(1), json!(0), json!(7));
    assert_eq!(faithful, [(&good, &one), (&number, &zero), (&other, &zero), (&seven, &one)]);
    for line in &found {
        place.conforms("judge-line", line);
        assert!((0.0..=1.0).contains(&line["score"].as_f64().expect("a score")), "{line}");
    }
    assert_eq!(found[1]["unsupported"], json!([rows()[1]["response"]]));
    assert!(ran.stderr().contains("4 rows: 2 supported, 2 not, 0 without a verdict"), "{}", ran.stderr());

    // Other labels and other fields change nothing; standard input is a file like any other.
    let mut flipped = rows();
    for row in &mut flipped {
        row["faithful"] = json!(1 - row["faithful"].as_i64().expect("a label"));
        row["label"] = json!("Supported");
    }
    place.write("flipped.jsonl", &jsonl(&flipped));
    let mut command = place.command(&["judge", "-", "--output", "out.jsonl", "-q"]);
    command.stdin(fs::File::open(place.path("flipped.jsonl")).expect("opens"));
    let again = command.output().expect("runs");
    assert!(again.status.success() && again.stdout.is_empty(), "{again:?}");
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(
        said.lines().all(|line| line.starts_with("warning: the offline judge compares words but no vectors")),
        "{said}"
    );
    let written = fs::read_to_string(place.path("out.jsonl")).expect("reads");
    assert_eq!(lines(&written), lines(&ran.stdout()));
}

#[test]
fn every_bad_line_is_reported_before_anything_is_judged() {
    let place = Place::new(None);
    let mut bad = jsonl(&rows()[..1]);
    bad.extend(b"{\"id\": \"x\"}\nnot JSON\n{\"id\":\"good\",\"context\":\"c\",\"response\":\"r\"}\n");
    place.write("in.jsonl", &bad);
    place.run(&["judge", "in.jsonl", "--output", "out.jsonl"]).fails_with(
        2,
        &[
            "in.jsonl: line 2: missing field `context`",
            "line 3: ",
            "line 4: the id \"good\" is already on line 1",
        ],
    );
    assert!(!place.path("out.jsonl").exists());
    place.run(&["judge", "none.jsonl"]).fails_with(2, &["cannot read none.jsonl"]);
    place.run(&["judge"]).fails_with(2, &["<FILE>"]);
    // As it was written before.
    place.run(&["judge", "--input", "none.jsonl"]).fails_with(2, &["cannot read none.jsonl"]);
}

#[test]
fn rows_in_another_language_do_not_stop_the_run() {
    let place = Place::new(None);
    let spanish =
        "Los pacientes que caminaron durante doce semanas tuvieron una presión más baja que los demás.";
    let english = "The patients who walked for twelve weeks had a lower pressure than the others.";
    // More than eval.stop_after in a row.
    let mut input: Vec<Value> =
        (0..8).map(|at| json!({"id": at, "context": spanish, "response": english})).collect();
    input.push(json!({"id": "last", "context": english, "response": english}));
    place.write("in.jsonl", &jsonl(&input));
    let ran = place.run(&["judge", "in.jsonl"]);
    assert_eq!(ran.code(), 1, "{}", ran.stderr());
    let found = lines(&ran.stdout());
    assert_eq!(found.len(), 9, "{found:?}");
    for line in &found[..8] {
        let error = line["error"].as_str().expect("an error");
        assert!(error.contains("es") && error.contains("compares words"), "{error}");
    }
    assert_eq!((&found[8]["id"], &found[8]["supported"]), (&json!("last"), &json!(1)));
}

#[test]
fn a_failure_of_the_language_model_is_an_error_and_not_a_zero() {
    let place = Place::new(None);
    place.write("in.jsonl", &jsonl(&rows()));
    let failing = ChatServer::answering(|request| {
        if request.user().contains("Quantum") {
            Step::error(500, "out of order")
        } else {
            reply::good(request)
        }
    });
    let sets = llm(&failing);
    let args = ["judge", "in.jsonl", "--output", "out.jsonl", "--judge", "llm", "--workers", "1"];
    let ran = place.run(&with(&args, &sets));
    ran.fails_with(1, &["1 row without a verdict", "out.jsonl says why"]);
    let found = lines(&fs::read_to_string(place.path("out.jsonl")).expect("reads"));
    assert!(found[2]["error"].as_str().is_some_and(|error| error.contains("out of order")), "{found:?}");
    assert!(found[2].get("supported").is_none() && found[2].get("score").is_none(), "{found:?}");
    assert_eq!(found.iter().filter(|line| line["supported"] == 1).count(), 3, "{found:?}");
    for line in &found {
        place.conforms("judge-line", line);
    }
    // No label reached the model.
    assert!(failing.requests().iter().all(|request| !request.body.to_string().contains("faithful\\\":")));

    // A server that is not there: after a few failures in a row the rest is not tried.
    let many: Vec<Value> = (0..9).map(|n| row(&format!("r{n}"), "Mice walked.", json!({}))).collect();
    place.write("many.jsonl", &jsonl(&many));
    let address = format!("llm.base_url={}", refusing_address());
    let ran = place.run(&[
        "judge",
        "many.jsonl",
        "--judge",
        "llm",
        "--workers",
        "1",
        "--set",
        "llm.provider=openai",
        "--set",
        &address,
        "--set",
        "llm.model=m",
        "--set",
        "llm.max_retries=0",
        "--set",
        "eval.stop_after=2",
    ]);
    ran.fails_with(1, &["stopped judging: 2 consecutive rows failed", "9 rows without a verdict"]);
    let found = lines(&ran.stdout());
    assert!(
        found[8]["error"]
            .as_str()
            .is_some_and(|error| error.starts_with("not judged: 2 consecutive rows failed")),
        "{found:?}"
    );
    place.run(&["judge", "in.jsonl", "--judge", "llm"]).fails_with(2, &["llm.provider"]);
}
