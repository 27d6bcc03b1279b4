//! Runs are listed, found and shown.

use crate::runs::world::{REFUSES, SET, eval, ids, start};
use serde_json::json;

#[test]
fn runs_are_listed_and_found() {
    let Some((place, model)) = start() else { return };
    place.run(&["runs"]).fails_with(2, &["has no run", "pipeline eval"]);
    let first = eval(&place, &model, &["--mode", "both", "--name", "base line"]);
    let second = eval(&place, &model, &["--mode", "hybrid", "--set", "eval.seed=7"]);
    let (code, listed) = place.json(&["runs"]);
    assert_eq!(code, 0);
    place.conforms("runs", &listed);
    let runs = listed["runs"].as_array().expect("runs");
    assert_eq!((listed["total"].as_u64(), runs.len()), (Some(2), 2));
    assert_eq!(runs[0]["run_id"], json!(first));
    assert_eq!(runs[0]["name"], json!("base line"));
    assert_eq!(runs[0]["query_set"], json!(SET));
    assert_eq!((&runs[0]["rows"], &runs[0]["errors"]), (&json!(6), &json!(0)));
    let modes = runs[0]["modes"].as_object().expect("modes");
    assert_eq!(modes.keys().collect::<Vec<_>>(), ["hybrid", "vector"]);
    assert_eq!(modes["hybrid"]["coverage"]["n"], json!(2));
    let text = place.run(&["runs"]).stdout();
    assert!(text.contains("base line") && text.contains("unanswerable accuracy"), "{text}");
    let limited = place.run(&["runs", "--limit", "1"]).stdout();
    assert!(limited.contains(&second) && !limited.contains(&first), "{limited}");

    // One resolver for every command.
    let (_, report) = place.json(&["report", "--run", "base line"]);
    assert_eq!(report["run_id"], json!(first));
    let (_, report) = place.json(&["report"]);
    assert_eq!(report["run_id"], json!(second));
    let (_, shown) = place.json(&["runs", "show", &first[..first.len() - 9]]);
    assert_eq!(shown["run"]["run_id"], json!(first));
    let log = "logs/run_log.jsonl";
    let (code, scores) = place.json(&["evaluate", log, "--run", "base line"]);
    assert_eq!((code, &scores["metadata"]["total_tests"]), (0, &json!(6)), "{scores:#}");
    place.run(&["evaluate", log, "--run", "odd"]).fails_with(2, &["has no run \"odd\"", &second]);
    place.run(&["runs", "show", "2"]).fails_with(2, &["2 runs begin with \"2\""]);
    place.run(&["runs", "show", "latest:bm25"]).fails_with(2, &["no mode \"bm25\"", "hybrid"]);
    place
        .run(&["eval", "--queries", SET, "--set", &model, "--name", "latest"])
        .fails_with(2, &["cannot be the name of a run"]);
    place
        .run(&["runs", "--format", "csv"])
        .fails_with(2, &["does not support that --format", "runs export has formats of its own"]);
}

#[test]
fn a_run_shows_its_rows_and_questions() {
    let Some((place, model)) = start() else { return };
    // What is refused although nobody can answer it is no failure.
    eval(&place, &model, &["--mode", "both", "--set", REFUSES]);
    let (code, shown) = place.json(&["runs", "show", "latest"]);
    assert_eq!(code, 0);
    place.conforms("run-rows", &shown);
    assert_eq!(ids(&shown["rows"], "query_id"), ["Z", "Z", "A", "A", "H", "H"]);
    let (_, failed) = place.json(&["runs", "show", "latest", "--failed"]);
    let rows = failed["rows"].as_array().expect("rows");
    assert!(rows.len() < 6 && rows.len() as u64 == failed["failed"].as_u64().expect("a number"));
    assert!(rows.iter().all(|row| row["query_id"] != "A"), "a refusal that is right: {failed:#}");
    // Whether a row failed does not depend on what is shown.
    assert_eq!(failed["failed"], shown["failed"]);
    let (_, one_mode) = place.json(&["runs", "show", "latest:vector"]);
    assert_eq!(ids(&one_mode["rows"], "mode"), ["vector"; 3]);

    let (code, question) = place.json(&["runs", "show", "latest", "Z"]);
    assert_eq!(code, 0);
    place.conforms("run-question", &question);
    assert_eq!(question["reference_answer"], json!("1.6 mL/kg/min"));
    let answers = question["answers"].as_array().expect("answers");
    assert_eq!(answers.len(), 2);
    for answer in answers {
        assert_eq!(answer["row"]["gold"].as_array().map(Vec::len), Some(1), "{answer:#}");
        let context = answer["answer"]["context"].as_array().expect("the context");
        assert!(!context.is_empty());
        // Also in the record that has the text only by reference.
        assert!(
            context.iter().all(|passage| passage["text"].as_str().is_some_and(|text| !text.is_empty())),
            "{answer:#}"
        );
        let candidates = answer["answer"]["retrieval"]["returned_chunks"].as_array().expect("candidates");
        assert!(
            candidates
                .iter()
                .all(|chunk| { chunk["text_preview"].as_str().is_some_and(|text| !text.is_empty()) })
        );
    }
    let text = place.run(&["runs", "show", "latest", "Z", "--mode", "hybrid"]).stdout();
    for part in ["reference answer", "returned chunks", "context", "gold recall context", "timings ms"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("answers 2"), "{text}");
    // What a question holds stays text.
    let hostile = place.run(&["runs", "show", "latest", "H"]).stdout();
    assert!(!hostile.contains(['\u{1b}', '\u{202e}']), "{hostile}");
    let markdown = place.run(&["runs", "show", "latest", "H", "--format", "markdown"]).stdout();
    assert!(
        !markdown.replace("\\<", "").contains("<img") && !markdown.replace("\\]", "").contains("]("),
        "{markdown}"
    );
    place
        .run(&["runs", "show", "latest", "Q"])
        .fails_with(2, &["no readable record of the question \"Q\"", "Z, A, H"]);
}
