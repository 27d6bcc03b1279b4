//! `evaluation_report.json` of the earlier system: the table of its report, a round trip, and damaged files.

use eval::report::{Evaluation, LogScoring, phase2};
use eval::{EvalError, QuerySet, Score};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The per-query table of `phase-2-evaluation-report.md`: its ids, types and numbers, with stand-ins for questions and answers.
/// It prints no table of vector-only, only its rates: 1.000, 1.000 and .900. E01 is wrong in both modes, so one more question
/// must be; which one is not printed, and D04 stands for it.
fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/phase-2-evaluation-report.json")
}

fn read(path: &Path, set: Option<&QuerySet>) -> Result<Evaluation, EvalError> {
    let scoring = LogScoring { set, seed: 1, ..LogScoring::default() };
    phase2::read(path, &scoring)
}

/// Reads a document from a file of its own.
fn from(document: &str) -> Result<Evaluation, EvalError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("evaluation_report.json");
    std::fs::write(&path, document).expect("written");
    read(&path, None)
}

fn mean(evaluation: &Evaluation, mode: &str, key: &str) -> (Option<f64>, usize) {
    let summary = evaluation.summary.modes.get(mode).and_then(|metrics| metrics.get(key));
    let summary = summary.expect("a metric");
    (summary.mean, summary.n)
}

#[test]
fn the_rates_of_the_reference_come_out_as_printed_and_no_difference_is_significant() {
    let evaluation = read(&reference(), None).expect("reads");
    assert_eq!(evaluation.summary.run_id, "phase-2-evaluation-report");
    for (mode, key, printed) in [
        ("hybrid", "citation_precision", 1.0),
        ("hybrid", "faithful", 0.95),
        ("hybrid", "no_evidence_accuracy", 0.95),
        ("vector", "citation_precision", 1.0),
        ("vector", "faithful", 1.0),
        ("vector", "no_evidence_accuracy", 0.9),
    ] {
        assert_eq!(mean(&evaluation, mode, key), (Some(printed), 20), "{mode} {key}");
    }
    // Printed as "degraded" (-.050) and "equivalent" (+.050): one pair of twenty differs in each, so p is 1.
    for (key, delta, wins, losses) in [("faithful", -0.05, 0, 1), ("no_evidence_accuracy", 0.05, 1, 0)] {
        let found = evaluation.summary.comparison.get(key).expect("compared");
        assert!(found.delta.is_some_and(|own| (own - delta).abs() < 1e-12), "{found:?}");
        assert_eq!(
            (found.p, found.n_pairs, found.wins, found.losses, found.separates()),
            (Some(1.0), 20, wins, losses, false),
            "{key}"
        );
    }
    let faithful = evaluation.summary.modes.get("hybrid").and_then(|m| m.get("faithful"));
    let low = faithful.and_then(|m| m.ci_low).expect("an interval");
    assert!((low - 0.764).abs() < 1e-3, "Wilson's interval of 19 of 20: {low}");
    let notes = evaluation.notes.join("\n");
    for says in [
        "20 rows in mode hybrid, 20 rows in mode vector",
        "in mode hybrid, 1 refusal counts as faithful, as that system defines it; without refusals, 18 of 19 answers are faithful",
    ] {
        assert!(notes.contains(says), "{says:?} is not in {notes}");
    }
    // Only E01 states its decision, so only its label is known; nothing is guessed for the others.
    let table = evaluation.summary.abstention.get("hybrid").expect("a table");
    assert_eq!((table.refused_answerable, table.n, table.n_a, table.errors), (1, 1, 19, 0));
    let row = &evaluation.rows[0];
    for (key, reason) in [
        ("gold_recall_context", "does not have passages and gold_quotes"),
        ("token_f1", "does not have reference"),
        ("claim_support", "does not have passages"),
        ("faithful_raw", "no response before guardrails"),
        ("coverage", "the row has no no_evidence_correct"),
    ] {
        match row.scores.get(key) {
            Some(Score::NotApplicable(said)) => {
                assert!(said.contains(reason), "{key}: {said}");
            }
            other => panic!("{key}: {other:?}"),
        }
    }
}

/// Every key of a row, as the earlier system writes it.
fn whole_row(id: &str, mode: &str) -> Value {
    json!({"query_id": id, "query_type": "direct", "query": format!("Question {id}?"), "answer_preview": "An answer.",
        "confidence": "high", "no_evidence": false, "num_citations": 3, "citation_precision": 0.667,
        "no_evidence_correct": true, "faithful": true, "faithfulness_note": "", "caveats": ["Small sample."], "mode": mode})
}

#[test]
fn what_is_read_is_written_again() {
    let mut second = whole_row("B", "hybrid");
    second["faithful"] = json!(false);
    second["faithfulness_note"] = json!("UNFAITHFUL: one number is not in the context.");
    let mut third = whole_row("C", "vector_only");
    third["no_evidence"] = json!(true);
    third["no_evidence_correct"] = json!(false);
    let document = json!({"hybrid": [whole_row("A", "hybrid"), second], "vector_only": [whole_row("A", "vector_only"), third]});
    let evaluation = from(&format!("\u{feff}{document}")).expect("reads");
    let written = phase2::export(&evaluation).expect("written");
    let again: Value = serde_json::from_str(&written).expect("JSON");
    assert_eq!(again, document);
    assert_eq!(phase2::export(&from(&written).expect("reads")).expect("written"), written);
    let keys: Vec<&String> = again["hybrid"][0].as_object().expect("a row").keys().collect();
    assert_eq!(keys, phase2::KEYS);
    // A refusal that is wrong: the question was answerable.
    let refused = evaluation.rows.iter().find(|row| row.query_id == "C").expect("a row");
    assert_eq!(refused.expected_no_evidence, Some(false));
    assert_eq!(refused.value("coverage"), Some(0.0));
    assert!(
        evaluation
            .notes
            .iter()
            .any(|note| note == "2 questions are in one of the two modes only, and in no paired test")
    );
}

#[test]
fn rows_of_ours_keep_what_is_not_applicable_and_what_failed() {
    let set = QuerySet::parse("set", "{\"id\":\"A\",\"type\":\"edge\",\"query\":\"Question A?\",\"expected_no_evidence\":true,\"tags\":[\"t\"]}").expect("a set");
    let mut evaluation =
        from(&json!({"hybrid": [whole_row("A", "hybrid")], "vector_only": []}).to_string()).expect("reads");
    let row = &mut evaluation.rows[0];
    row.scores.insert("faithful", Score::n_a("the answer is a refusal"));
    row.answer = "é".repeat(301);
    let mut failed = row.clone();
    (failed.query_id, failed.error, failed.no_evidence) = ("B".into(), Some("no connection".into()), None);
    evaluation.rows.push(failed);
    let written: Value = serde_json::from_str(&phase2::export(&evaluation).expect("written")).expect("JSON");
    let first = &written["hybrid"][0];
    assert_eq!(
        (&first["faithful"], &first["faithfulness_note"]),
        (&Value::Null, &json!("the answer is a refusal"))
    );
    assert_eq!(first["answer_preview"].as_str().map(|text| text.chars().count()), Some(300));
    assert_eq!(written["hybrid"][1]["error"], "no connection");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("r.json");
    std::fs::write(&path, written.to_string()).expect("written");
    let again = read(&path, Some(&set)).expect("reads");
    assert!(matches!(again.rows[0].scores.get("faithful"), Some(Score::NotApplicable(_))));
    assert!(matches!(again.rows[1].scores.get("faithful"), Some(Score::Error(_))));
    // The file's own label stands; tags come from the set.
    assert_eq!(
        (again.rows[0].expected_no_evidence, again.rows[0].tags.as_slice()),
        (Some(false), &["t".to_owned()][..])
    );
    evaluation.rows[0].mode = "odd".into();
    let error = phase2::export(&evaluation).expect_err("no list").to_string();
    assert!(error.contains("no list for mode \"odd\""), "{error}");
}

#[test]
fn everything_that_is_wrong_is_said_at_once_and_unknown_keys_are_counted() {
    let with = |key: &str, value: Value| {
        let mut row = whole_row("A", "hybrid");
        row[key] = value;
        row
    };
    let mut unnamed = whole_row("B", "hybrid");
    unnamed.as_object_mut().expect("a row").remove("query_id");
    let error = from(
        &json!({"hybrid": [with("citation_precision", json!(1.5)), with("faithful", json!("True")), unnamed, 7],
            "vector_only": [with("caveats", json!(["a", 1])), with("query", json!("Another?"))], "bm25_only": {}})
        .to_string(),
    )
    .expect_err("wrong")
    .to_string();
    for says in [
        "hybrid row 1: citation_precision must be a number from 0 to 1, got 1.5",
        "hybrid row 2: faithful must be true or false, got a string",
        "hybrid row 2: query_id \"A\" is already in row 1",
        "hybrid row 3: query_id is missing or empty",
        "hybrid row 4: must be an object, got 7",
        "vector_only row 1: caveats must be a list of strings, got a list",
        "vector_only row 2: query is not the question that \"A\" asks in another list",
        "bm25_only must be a list of rows, got an object",
    ] {
        assert!(error.contains(says), "{says:?} is not in {error}");
    }
    for (text, says) in [
        ("{\"hybrid\": [{\"query_id\"", "not JSON"),
        ("[]", "must be an object, got a list"),
        ("{\"hybrid\": []}", "it has no row"),
    ] {
        let error = from(text).expect_err("wrong").to_string();
        assert!(error.contains(says), "{says:?} is not in {error}");
    }
    let known = json!({"hybrid": [with("latency", json!(3))], "bm25_only": [with("latency", json!(4))], "vector_only": null, "made": "today"});
    let notes = from(&known.to_string()).expect("reads").notes.join("\n");
    assert!(notes.contains("keys that are not read: \"made\", \"latency\" (2 times)"), "{notes}");
}

#[test]
fn such_a_file_is_told_from_a_run_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |text: &str, want: bool| {
        let path = folder.path().join("file");
        std::fs::write(&path, text).expect("written");
        assert_eq!(phase2::detect(&path).expect("reads"), want, "{text:?}");
    };
    check("{\"hybrid\": [], \"vector_only\": []}", true);
    check("\u{feff}{\"made\": {\"hybrid\": 1},\n \"vector_only\": [", true);
    check("{\"query\": \"hybrid\", \"retrieval\": {\"hybrid\": 1}}\n{\"hybrid\": []}\n", false);
    check("", false);
    check("torn {", false);
    assert!(phase2::detect(&folder.path().join("none")).is_err());
    assert!(phase2::detect(&reference()).expect("reads"));
}
