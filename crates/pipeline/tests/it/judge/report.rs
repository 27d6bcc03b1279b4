//! `judge measure`: judges against labels.

use crate::common::Place;
use crate::judge::rows::{conforms, jsonl, lines, llm, with};
use serde_json::{Value, json};
use std::fs;
use testkit::{ChatServer, Step, reply};

/// Sixty labelled rows about twenty contexts, on which the lexical judge is mostly right.
fn labelled(name: &str) -> Vec<Value> {
    (0..60)
        .map(|n| {
            let (context, right) = (n / 3, n % 3 != 0);
            let said = if right { context + 10 } else { context + 77 };
            json!({"id": n, "context": format!("In {name} {context}, walking lowered the pressure by {} points.", context + 10),
                "response": format!("In {name} {context}, walking lowered the pressure by {said} points."),
                // Each tenth label is not what the words say.
                "faithful": i32::from(right != (n % 10 == 9)), "label": "hidden"})
        })
        .collect()
}

#[test]
fn judges_are_measured_side_by_side() {
    let place = Place::new(None);
    place.write("sets/trial.jsonl", &jsonl(&labelled("trial")));
    let mut second = labelled("survey");
    second.push(json!({"id": "new", "context": "c", "response": "r", "faithful": null}));
    place.write("sets/survey.jsonl", &jsonl(&second));
    place.write("sets/readme.txt", b"no set");
    let server = ChatServer::answering(reply::good);
    let sets = llm(&server);
    let args = [
        "judge",
        "measure",
        "sets",
        "--judge",
        "lexical",
        "--judge",
        "llm",
        "--out",
        "out",
        "--examples",
        "2",
    ];
    let (code, report) = place.json(&with(&args, &sets));
    assert_eq!(code, 0, "{report:#}");
    conforms(&place, "judge-report", &report);
    let names: Vec<&Value> = report["sets"].as_array().expect("sets").iter().map(|set| &set["set"]).collect();
    assert_eq!(names, ["survey", "trial"]);
    assert_eq!((&report["sets"][0]["unlabelled"], &report["sets"][0]["clusters"]), (&json!(1), &json!(20)));
    let (lexical, model) = (&report["judges"][0], &report["judges"][1]);
    let value = |of: &Value, key: &str| of[key]["value"].as_f64().unwrap_or_else(|| panic!("{key}: {of}"));
    let on_trial = &lexical["sets"][1];
    assert!(value(&on_trial["measures"], "balanced_accuracy") > 0.8, "{on_trial:#}");
    assert_eq!(on_trial["confusion"]["true_unsupported"], 18, "{on_trial:#}");
    assert_eq!(on_trial["examples"].as_array().map(Vec::len), Some(2), "{on_trial:#}");
    // A model that supports everything: balanced accuracy ½, no precision, and no kappa beyond chance.
    let accepts = &model["sets"][1]["measures"];
    assert!((value(accepts, "balanced_accuracy") - 0.5).abs() < 1e-9, "{accepts:#}");
    assert!(accepts["precision"]["value"].is_null() && value(accepts, "kappa").abs() < 1e-9, "{accepts:#}");
    let compared = &report["comparisons"][0];
    assert_eq!((&compared["first"], &compared["second"]), (&json!("lexical"), &json!("llm")));
    let interval = &compared["macro_mean"]["balanced_accuracy"];
    assert!(interval["ci_low"].as_f64() > Some(0.2), "{compared:#}");
    assert!(compared["sets"][0]["p"].as_f64() < Some(0.01), "{compared:#}");

    // The same verdicts give the same bytes.
    assert_eq!(server.requests().len(), 120);
    let written = fs::read(place.path("out/report.md")).expect("written");
    for line in lines(&fs::read_to_string(place.path("out/scores.jsonl")).expect("written")) {
        conforms(&place, "judge-score", &line);
    }
    let ran = place.run(&with(&args, &sets));
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert_eq!(fs::read(place.path("out/report.md")).expect("written"), written);
    let text = ran.stdout();
    for part in ["lexical minus llm", "macro mean", "people say unsupported, lexical"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("hidden"), "{text}");

    // A reply in the cache is not asked for again.
    let kept = [&sets[..], &["--set".to_owned(), "llm.cache=on".to_owned()]].concat();
    for asked in [80, 0] {
        let before = server.requests().len();
        let ran = place.run(&with(&[&args[..], &["--workers", "1"]].concat(), &kept));
        assert_eq!(ran.code(), 0, "{}", ran.stderr());
        assert_eq!(server.requests().len() - before, asked);
        assert_eq!(fs::read(place.path("out/report.md")).expect("written"), written);
    }
}

#[test]
fn a_measurement_that_failed_can_be_run_again() {
    let place = Place::new(None);
    place.write("trial.jsonl", &jsonl(&labelled("trial")));
    let server = ChatServer::answering(reply::good);
    let dead = testkit::refusing_address();
    let measure = |url: &str, cache: &str| {
        let own = [format!("llm.base_url={url}"), format!("llm.cache={cache}")];
        let sets = own.iter().flat_map(|set| ["--set", set]);
        let args = "judge measure trial.jsonl --judge llm --limit 3 --out out --set llm.provider=openai --set llm.model=m \
             --set llm.max_retries=0";
        place.run(&args.split_whitespace().chain(sets).collect::<Vec<_>>())
    };
    for (cache, says) in [
        ("off", "scores.jsonl says why); nothing is kept"),
        ("on", "scores.jsonl says why); run the same command again: it takes replies"),
    ] {
        measure(&dead, cache).fails_with(1, &["3 rows without a verdict", says]);
    }
    for line in lines(&fs::read_to_string(place.path("out/scores.jsonl")).expect("written")) {
        assert!(line["error"].is_string() && line.get("faithful").is_none(), "{line}");
    }
    let ran = measure(&server.base_url(), "on");
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
}

#[test]
fn a_sample_is_reproducible_and_errors_are_not_scores() {
    let place = Place::new(None);
    place.write("trial.jsonl", &jsonl(&labelled("trial")));
    let sample = || place.json(&["judge", "measure", "trial.jsonl", "--limit", "20"]).1;
    let (first, second) = (sample(), sample());
    assert_eq!(first["judges"][0]["sets"], second["judges"][0]["sets"]);
    assert_eq!((&first["sets"][0]["rows"], &first["sets"][0]["labelled"]), (&json!(20), &json!(60)));
    let strict = place.json(&["judge", "measure", "trial.jsonl", "--threshold", "1"]).1;
    assert_eq!(strict["threshold"], 1.0);
    assert_eq!(
        strict["judges"][0]["sets"][0]["measures"]["auc"],
        place.json(&["judge", "measure", "trial.jsonl"]).1["judges"][0]["sets"][0]["measures"]["auc"]
    );

    let server = ChatServer::answering(|request| {
        if request.user().contains("trial 3,") { Step::said("no verdict") } else { reply::good(request) }
    });
    let sets = llm(&server);
    let (code, report) = place.json(&with(&["judge", "measure", "trial.jsonl", "--judge", "llm"], &sets));
    let on = &report["judges"][0]["sets"][0];
    assert_eq!((code, &on["rows"], &on["errors"]), (1, &json!(57), &json!(3)), "{on:#}");

    place.write("bad.jsonl", b"{\"id\":1,\"context\":\"c\",\"response\":\"r\",\"faithful\":2}\n{\"id\":2}\n");
    place
        .run(&["judge", "measure", "bad.jsonl"])
        .fails_with(2, &["bad.jsonl: line 1: faithful must be 1, 0 or null, got 2", "line 2"]);
    place.write("blank.jsonl", b"{\"id\":1,\"context\":\"c\",\"response\":\"r\"}\n");
    place.run(&["judge", "measure", "blank.jsonl"]).fails_with(2, &["no row with a label"]);
    place.run(&["judge", "measure", "nowhere"]).fails_with(2, &["nowhere does not exist"]);
    fs::create_dir(place.path("empty")).expect("made");
    place.run(&["judge", "measure", "empty"]).fails_with(2, &["contains no .jsonl file"]);
}
