//! `sweep` without a language model, on invented papers.

use crate::common::{Place, animals::world, natives};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs};

const BASE: [&str; 3] = ["sweep", "--queries", "mine.jsonl"];

fn sweep(place: &Place, args: &[&str]) -> Value {
    let (code, done) = place.json(&[&BASE, args].concat());
    assert_eq!(code, 0, "{done}");
    done
}

/// The lines of a CSV file by their columns; no field of these tests is quoted.
fn csv(place: &Place, name: &str) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(place.path(name)).expect("written");
    let mut lines = text.split("\r\n").filter(|line| !line.is_empty());
    let head: Vec<String> = lines.next().expect("a head").split(',').map(str::to_owned).collect();
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            assert_eq!(fields.len(), head.len(), "{line}");
            head.iter().cloned().zip(fields.into_iter().map(str::to_owned)).collect()
        })
        .collect()
}

#[test]
fn rows_are_those_of_eval_with_the_same_settings() {
    let Some(place) = world(6) else { return };
    // One setting for each stage that reads any without a language model.
    let varied = [
        "question.spelling=true,false",
        "retrieve.vector_weight=0.3,0.6",
        "expand.reach=0,1",
        "rerank.method=none,sentence",
        "rerank.keep=1,6",
        "expand.cap=1,10",
        "guardrail.refuse_below=0.2,0.4",
        "generate.max_sentences=1,3",
        "guardrail.entities=true,false",
        "retrieve.mode=vector,hybrid",
    ];
    let vary: Vec<&str> = varied.iter().flat_map(|text| ["--vary", text]).collect();
    let more = ["--sample", "5", "--metric", "faithful", "--csv", "rows.csv"];
    let done = sweep(&place, &[&vary, &more[..]].concat());
    let combinations = done["combinations"].as_array().expect("combinations");
    assert_eq!((combinations.len(), &done["grid_size"]), (6, &1024.into()), "five and the start");
    let rows = csv(&place, "rows.csv");
    assert_eq!(rows.len(), 6 * 20);
    for combination in combinations {
        let mut args = vec!["eval".to_owned(), "--queries".to_owned(), "mine.jsonl".to_owned()];
        args.extend(["--mode".to_owned(), combination["mode"].as_str().expect("a mode").to_owned()]);
        for setting in combination["settings"].as_array().expect("settings") {
            let (key, value) =
                (setting["key"].as_str().expect("a key"), setting["value"].as_str().expect("a value"));
            args.extend(["--set".to_owned(), format!("{key}={value}")]);
        }
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (code, eval) = place.json(&args);
        assert_eq!(code, 0, "{eval}");
        assert_eq!(eval["provenance"]["config_hash"], combination["config_hash"]);
        let number = combination["number"].to_string();
        let own: Vec<_> = rows.iter().filter(|row| row["combination"] == number).collect();
        let theirs = eval["rows"].as_array().expect("rows");
        assert_eq!(own.len(), theirs.len());
        for (own, theirs) in own.iter().zip(theirs) {
            assert_eq!(own["query_id"], theirs["query_id"].as_str().expect("an id"));
            assert_eq!(own["no_evidence"], theirs["no_evidence"].to_string());
            for (key, score) in theirs["scores"].as_object().expect("scores") {
                let own = own[key].parse::<f64>().ok();
                assert_eq!(own, score.as_f64(), "{key} of {theirs} with {args:?}");
            }
        }
    }
}

#[test]
fn settings_that_refuse_everything_are_found_and_replaced() {
    let Some(place) = world(8) else { return };
    let args = [
        "--set",
        "guardrail.refuse_below=1",
        "--vary",
        "guardrail.refuse_below=0.4,0.99999,1",
        "--output",
        "sweep.json",
    ];
    let done = sweep(&place, &args);
    let choice = &done["choice"];
    assert_eq!(
        (&choice["verdict"], &choice["best"], &choice["start"]),
        (&"better".into(), &1.into(), &3.into()),
        "{done}"
    );
    let mean = |value: &Value| value["mean"].as_f64().expect("a mean");
    assert!(mean(&choice["held_out"]) > mean(&choice["start_summary"]) + 0.1, "{done}");
    assert!(mean(&choice["in_sample"]) >= mean(&choice["held_out"]), "{done}");
    assert_eq!(choice["folds"].as_array().map(Vec::len), Some(5));
    let files = place.files("logs");
    assert!(!files.iter().any(|name| name == "run_log.jsonl"), "a sweep is no run: {files:?}");
    let file: Value =
        serde_json::from_slice(&fs::read(place.path("sweep.json")).expect("written")).expect("JSON");
    assert_eq!(file["choice"]["recommended"], choice["recommended"]);
    // The recommendation is a settings file.
    let toml = choice["recommended"].as_str().expect("settings");
    assert_eq!(toml, "[guardrail]\nrefuse_below = 0.4\n");
    place.write("mine.toml", toml.as_bytes());
    let (_, answer) = place.json(&["--config", "mine.toml", "ask", "How long did the otters sleep?"]);
    assert_eq!(answer["no_evidence"], false, "{answer}");
    let text = place.run(&[&BASE[..], &args[..4]].concat()).stdout();
    for part in ["is better than the start", "refuse_below = 0.4", "choice, held out", "optimistic"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn settings_that_change_nothing_are_not_recommended() {
    let Some(place) = world(6) else { return };
    let vary = [
        "--vary",
        "guardrail.remove_below=0.1,0.2",
        "--vary",
        "generate.max_context_chars=50000,60000",
        "--vary",
        "guardrail.repair=true,false",
    ];
    let done = sweep(&place, &vary);
    let choice = &done["choice"];
    assert_eq!((&choice["verdict"], &choice["recommended"]), (&"not_better".into(), &Value::Null), "{done}");
    assert_eq!(choice["best"], choice["start"], "among equals, the start stays");
    let ran = place.run(&[&BASE[..], &vary].concat());
    assert!(ran.stdout().contains("Keep the settings that you started from"), "{}", ran.stdout());
    for line in ran.stdout().lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    let markdown = place.run(&[&BASE[..], &vary, &["--format", "markdown"]].concat()).stdout();
    assert!(markdown.starts_with("**Sweep**") && markdown.contains("| best, start"), "{markdown}");
}

#[test]
fn many_settings_fit_the_width_and_the_same_sweep_gives_the_same_document() {
    let Some(place) = world(5) else { return };
    let varied = [
        "question.spelling=true,false",
        "retrieve.vector_weight=0.6,0.7",
        "rerank.keep=6,7",
        "question.abbreviations=true,false",
        "generate.high_confidence=0.7,0.8",
        "generate.max_context_chars=50000,60000",
    ];
    let vary: Vec<&str> = varied.iter().flat_map(|text| ["--vary", text]).collect();
    let args = [&BASE[..], &vary, &["--sample", "3", "--limit", "8"]].concat();
    let text = place.run(&args).stdout();
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    assert!(text.contains("generate.max_context_chars"), "{text}");
    let untimed = || {
        let (_, mut done) = place.json(&args);
        for one in done["combinations"].as_array_mut().expect("combinations") {
            one["latency_ms"] = Value::Null;
        }
        done
    };
    assert_eq!(untimed(), untimed());
}

#[test]
fn what_cannot_be_swept_is_an_error_before_anything_runs() {
    let place = Place::new(None);
    let fails = |args: &[&str], parts: &[&str]| place.run(&[&["sweep"], args].concat()).fails_with(2, parts);
    fails(&[], &["--vary"]);
    fails(
        &["--vary", "chunk.max_tokens=256,512", "--vary", "rerank.kep=1,2", "--vary", "eval.seed=1,2"],
        &[
            "chunk.max_tokens is a setting of ingestion",
            "did you mean \"rerank.keep\"?",
            "eval.seed changes how answers are scored",
        ],
    );
    fails(
        &["--vary", "rerank.keep=0,4", "--vary", "guardrail.refuse_below=0.5,1.5"],
        &["rerank.keep must be", "guardrail.refuse_below must be"],
    );
    fails(&["--vary", "rerank.keep=1:500:1"], &["500 combinations, more than 100", "--limit-grid"]);
    fails(&["--vary", "rerank.keep=4,6", "--metric", "speed"], &["no metric \"speed\"", "balanced_evidence"]);
    fails(&["--vary", "rerank.keep=4,6", "--folds", "1"], &["--folds"]);
    fails(
        &["--vary", "rerank.keep=4,6", "--output", "nowhere/x.json"],
        &["nowhere/x.json cannot be written"],
    );
    fails(&["--vary", "rerank.keep=4,6", "--queries", "none.jsonl"], &["none.jsonl"]);
}

/// Papers about specimens whose codes only BM25 tells apart, with two questions about each.
fn specimens() -> Option<Place> {
    const CODES: [&str; 12] =
        ["K7Q2", "K7Q5", "K2Q7", "Q7K2", "K5Q2", "Q2K7", "K7Z2", "Z7K2", "K2Z7", "Q5K7", "K9Q2", "K7Q9"];
    let place = Place::new(Some(natives()?));
    let mut rows: Vec<String> = Vec::new();
    for (at, code) in CODES.iter().enumerate() {
        let weighed = format!("Specimen {code} weighed {} grams at the end.", 17 + 3 * at);
        let kept = format!("Specimen {code} was kept in a dry room.");
        let text = format!("# Study {at}\n\n## Results\n\n{kept} {weighed} Nobody was hurt.\n");
        place.write(&format!("papers/paper_{at}.md"), text.as_bytes());
        for (query, gold) in [
            (format!("How much did specimen {code} weigh at the end?"), weighed),
            (format!("Was specimen {code} kept in a dry room?"), kept),
        ] {
            let (id, paper) = (format!("S{}", rows.len()), format!("paper_{at}"));
            let row = json!({"id": id, "type": "direct", "query": query, "target_papers": [paper],
                "expected_no_evidence": false, "gold_evidence": [{"source_id": paper, "quote": gold}]});
            rows.push(row.to_string());
        }
    }
    place.write("mine.jsonl", rows.join("\n").as_bytes());
    assert_eq!(place.run(&["ingest", "papers"]).code(), 0);
    Some(place)
}

/// What is printed of a difference: delta, p, both ends of its interval, pairs won and lost, questions needed.
fn numbers(found: &Value) -> [f64; 7] {
    let keys = ["delta", "p", "ci_low", "ci_high", "wins", "losses", "questions_needed"];
    keys.map(|key| found[key].as_f64().unwrap_or_else(|| panic!("{key} of {found}")))
}

#[test]
fn the_same_rows_are_compared_with_the_same_numbers_everywhere() {
    const METRIC: &str = "gold_recall_answer";
    let Some(place) = specimens() else { return };
    let few =
        ["--set", "retrieve.vector_k=1", "--set", "retrieve.bm25_k=1", "--set", "retrieve.candidates=1"];
    let eval = |mode: &str| {
        let args = ["eval", "--queries", "mine.jsonl", "--mode", mode];
        let (code, done) = place.json(&[&args, &few[..]].concat());
        assert_eq!(code, 0, "{done}");
        done
    };
    let (hybrid, vector, both) = (eval("hybrid"), eval("vector"), eval("both"));
    let of_eval = &both["comparison"][METRIC];
    let [delta, p, low, high, wins, losses, needed] = numbers(of_eval);
    assert!(delta > 0.0 && wins > losses, "only BM25 tells the codes apart: {of_eval}");
    assert_eq!(low > 0.0, p < 0.05, "{of_eval}");
    // Two questions share a paper.
    assert_eq!(of_eval["test"], "paired_randomisation_exact");
    assert_eq!(both["comparison"]["quote_accuracy"]["in_family"], false);

    let (_, report) = place.json(&["report"]);
    assert_eq!(report["comparison"], both["comparison"]);

    // Two runs of one mode each.
    let run = |of: &Value| of["run_id"].as_str().expect("an id").to_owned();
    let (code, compared) = place.json(&["runs", "compare", &run(&hybrid), &run(&vector)]);
    assert_eq!(code, 0, "{compared}");
    for metric in compared["comparisons"][0]["metrics"].as_array().expect("metrics") {
        let key = metric["metric"].as_str().expect("a key");
        assert_eq!(metric["difference"], both["comparison"][key], "{key}");
        let significant = metric["difference"]["p_holm"].as_f64().is_some_and(|p| p < 0.05);
        assert_eq!(metric["separates"], significant, "{key}");
    }

    let vary = ["--vary", "retrieve.mode=hybrid,vector", "--metric", METRIC];
    let done = sweep(&place, &[&vary, &few[..]].concat());
    let combinations = done["combinations"].as_array().expect("combinations");
    let of_mode = |mode: &str| combinations.iter().find(|one| one["mode"] == mode).expect("a mode");
    // Vector minus hybrid, from which the sweep starts; its family is the combinations.
    let expect = [-delta, p, -high, -low, losses, wins, needed];
    let against = &of_mode("vector")["against_start"];
    for (found, expect) in numbers(against).into_iter().zip(expect) {
        assert!((found - expect).abs() < 1e-9, "{against:#} {of_eval:#}");
    }
    assert_eq!(against["p_holm"], against["p"]);
    for mode in ["hybrid", "vector"] {
        assert_eq!(of_mode(mode)["summary"], both["modes"][mode][METRIC], "{mode}");
    }
}
