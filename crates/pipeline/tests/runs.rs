//! `runs`, `eval --name`, `--against` and `--repeat` through the binary.

mod common;

use common::{Place, natives};
use serde_json::{Value, json};

const PAPERS: [&str; 2] = ["tandrik_2021_vo2_walkers", "waxenhoult_2023_cadence_short"];
const SET: &str = "set.jsonl";
/// With the fast model, everything is answered; with this setting, everything is refused.
const REFUSES: &str = "guardrail.refuse_below=0.99";
/// A question that nobody should have to read: a formula, markup, a table cell, an escape of terminals.
const HOSTILE: &str = "=HYPERLINK(\"http://evil.example\") </testcase><img src=x> | [a](http://evil.example) \u{1b}[31m \u{202e}?";

/// Two indexed papers and a query set; gives the setting of a fast model.
fn start() -> Option<(Place, String)> {
    let place = Place::new(Some(natives()?));
    for paper in PAPERS {
        place.paper(&format!("{paper}.pdf"));
    }
    let model = place.model(1);
    let (code, done) = place.json(&["ingest", "papers", "--set", &model]);
    assert_eq!(code, 0, "{done}");
    let quote = "The difference between the two ways of walking was 1.6 mL/kg/min";
    let lines = [
        json!({"id": "Z", "type": "direct", "query": "How large was the difference between the two ways of walking?",
            "target_papers": [PAPERS[0]], "expected_no_evidence": false,
            "reference_answer": "1.6 mL/kg/min", "gold_evidence": [{"source_id": PAPERS[0], "quote": quote}], "tags": ["t"]}),
        json!({"id": "A", "type": "edge", "query": "Who won the football world cup?", "target_papers": [],
            "expected_no_evidence": true, "tags": []}),
        json!({"id": "H", "type": "direct", "query": HOSTILE, "target_papers": [PAPERS[1]],
            "expected_no_evidence": false, "reference_answer": "-1 | <b>", "tags": ["=1+1"]}),
    ];
    place.write(SET, lines.map(|line| line.to_string()).join("\n").as_bytes());
    Some((place, model))
}

/// Evaluates and gives the id of the run.
#[track_caller]
fn eval(place: &Place, model: &str, more: &[&str]) -> String {
    let (code, run) = place.json(&[&["eval", "--queries", SET, "--set", model], more].concat());
    assert_eq!(code, 0, "{run}");
    run["run_id"].as_str().expect("an id").to_owned()
}

#[track_caller]
fn conforms(place: &Place, name: &str, document: &Value) {
    let schema: Value = serde_json::from_str(&place.run(&["schema", name]).stdout()).expect("a schema");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let faults: Vec<String> = schema.iter_errors(document).map(|e| e.to_string()).collect();
    assert_eq!(faults, Vec::<String>::new(), "{name}: {document:#}");
}

fn ids(rows: &Value, key: &str) -> Vec<String> {
    let rows = rows.as_array().expect("a list").iter();
    rows.map(|row| row[key].as_str().expect("a string").to_owned())
        .collect()
}

#[test]
fn runs_are_listed_and_found() {
    let Some((place, model)) = start() else { return };
    place
        .run(&["runs"])
        .fails_with(2, &["has no run", "pipeline eval"]);
    let first = eval(&place, &model, &["--mode", "both", "--name", "base line"]);
    let second = eval(&place, &model, &["--mode", "hybrid", "--set", "eval.seed=7"]);
    let (code, listed) = place.json(&["runs"]);
    assert_eq!(code, 0);
    conforms(&place, "runs", &listed);
    let runs = listed["runs"].as_array().expect("runs");
    assert_eq!((listed["total"].as_u64(), runs.len()), (Some(2), 2));
    assert_eq!(runs[0]["run"]["run_id"], json!(first));
    assert_eq!(runs[0]["run"]["name"], json!("base line"));
    assert_eq!(runs[0]["run"]["query_set"], json!(SET));
    assert_eq!(
        (&runs[0]["run"]["rows"], &runs[0]["run"]["errors"]),
        (&json!(6), &json!(0))
    );
    assert_eq!(ids(&runs[0]["modes"], "mode"), ["hybrid", "vector"]);
    assert_eq!(
        runs[0]["modes"][0]["metrics"]["answerable_answered"]["n"],
        json!(2)
    );
    let text = place.run(&["runs"]).stdout();
    assert!(
        text.contains("\"base line\"") && text.contains("2 runs in "),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let limited = place.run(&["runs", "--limit", "1"]).stdout();
    assert!(
        limited.contains(&second) && !limited.contains(&first) && limited.contains("The latest 1 of 2 runs"),
        "{limited}"
    );

    // One resolver for every command.
    let (_, report) = place.json(&["report", "--run", "base line"]);
    assert_eq!(report["run_id"], json!(first));
    let (_, report) = place.json(&["report"]);
    assert_eq!(report["run_id"], json!(second));
    let (_, shown) = place.json(&["runs", "show", &first[..first.len() - 9]]);
    assert_eq!(shown["run"]["run_id"], json!(first));
    let log = "logs/run_log.jsonl";
    let (code, scores) = place.json(&["evaluate", log, "--run", "base line"]);
    assert_eq!(
        (code, &scores["metadata"]["total_tests"]),
        (0, &json!(6)),
        "{scores:#}"
    );
    place
        .run(&["evaluate", log, "--run", "odd"])
        .fails_with(2, &["has no run \"odd\"", &second]);
    place
        .run(&["runs", "show", "2"])
        .fails_with(2, &["2 runs begin with \"2\""]);
    place
        .run(&["runs", "show", "latest:bm25"])
        .fails_with(2, &["no mode \"bm25\"", "hybrid"]);
    place
        .run(&["eval", "--queries", SET, "--set", &model, "--name", "latest"])
        .fails_with(2, &["cannot be the name of a run"]);
    place
        .run(&["runs", "--format", "csv"])
        .fails_with(2, &["only `runs export` has this format"]);
}

#[test]
fn a_run_shows_its_rows_and_questions() {
    let Some((place, model)) = start() else { return };
    // What is refused although nobody can answer it is no failure.
    eval(&place, &model, &["--mode", "both", "--set", REFUSES]);
    let (code, shown) = place.json(&["runs", "show", "latest"]);
    assert_eq!(code, 0);
    conforms(&place, "run-rows", &shown);
    assert_eq!(ids(&shown["rows"], "query_id"), ["Z", "Z", "A", "A", "H", "H"]);
    let (_, failed) = place.json(&["runs", "show", "latest", "--failed"]);
    let rows = failed["rows"].as_array().expect("rows");
    assert!(rows.len() < 6 && rows.len() as u64 == failed["failed"].as_u64().expect("a number"));
    assert!(
        rows.iter()
            .all(|row| !row["failures"].as_array().expect("reasons").is_empty())
    );
    // Whether a row failed does not depend on what is shown.
    assert_eq!(failed["failed"], shown["failed"]);
    let (_, one_mode) = place.json(&["runs", "show", "latest:vector"]);
    assert_eq!(ids(&one_mode["rows"], "mode"), ["vector"; 3]);

    let (code, question) = place.json(&["runs", "show", "latest", "Z"]);
    assert_eq!(code, 0);
    conforms(&place, "run-question", &question);
    assert_eq!(question["reference_answer"], json!("1.6 mL/kg/min"));
    let answers = question["answers"].as_array().expect("answers");
    assert_eq!(answers.len(), 2);
    for answer in answers {
        assert_eq!(answer["gold"].as_array().map(Vec::len), Some(1), "{answer:#}");
        let context = answer["answer"]["context"].as_array().expect("the context");
        assert!(!context.is_empty());
        // Also in the record that has the text only by reference.
        assert!(
            context
                .iter()
                .all(|passage| passage["text"].as_str().is_some_and(|text| !text.is_empty())),
            "{answer:#}"
        );
        let candidates = answer["answer"]["retrieval"]["returned_chunks"]
            .as_array()
            .expect("candidates");
        assert!(candidates.iter().all(|chunk| {
            chunk["text_preview"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        }));
    }
    let text = place
        .run(&["runs", "show", "latest", "Z", "--mode", "hybrid"])
        .stdout();
    for part in [
        "Question Z",
        "Reference answer:",
        "Candidates: ",
        "Context",
        "gold_recall_context",
        "milliseconds: ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("vector: "), "{text}");
    // What a question holds stays text.
    let hostile = place.run(&["runs", "show", "latest", "H"]).stdout();
    assert!(!hostile.contains(['\u{1b}', '\u{202e}']), "{hostile}");
    let markdown = place
        .run(&["runs", "show", "latest", "H", "--format", "markdown"])
        .stdout();
    assert!(
        !markdown.replace("\\<", "").contains("<img") && !markdown.replace("\\]", "").contains("]("),
        "{markdown}"
    );
    place
        .run(&["runs", "show", "latest", "Q"])
        .fails_with(2, &["has no question \"Q\"", "Z, A, H"]);
}

#[test]
fn runs_and_modes_are_compared() {
    let Some((place, model)) = start() else { return };
    let base = eval(&place, &model, &["--mode", "hybrid", "--name", "base"]);
    let (code, run) = place.json(&[
        "eval",
        "--queries",
        SET,
        "--set",
        &model,
        "--mode",
        "both",
        "--limit",
        "2",
        "--set",
        REFUSES,
        "--against",
        "base",
    ]);
    assert_eq!(code, 0, "{run}");
    conforms(&place, "eval", &run);
    let against = &run["against"]["comparisons"];
    assert_eq!(against.as_array().map(Vec::len), Some(1), "{against:#}");
    let one = &against[0];
    assert_eq!(one["second"]["run_id"], json!(base));
    assert_eq!((&one["pairs"], &one["only_second"]), (&json!(2), &json!(["H"])));
    let differing = ids(&one["differing"], "key");
    assert!(
        differing.contains(&"guardrail.refuse_below".to_owned()),
        "{differing:?}"
    );
    assert!(
        !differing.contains(&"retrieve.candidates".to_owned()),
        "{differing:?}"
    );
    let metrics = one["metrics"].as_array().expect("metrics");
    let metric = |name: &str| {
        metrics
            .iter()
            .find(|metric| metric["metric"] == name)
            .expect("a metric")
    };
    assert_eq!(metric("unanswerable_refused")["won"], json!(["A"]), "{one:#}");
    // Holm: no corrected p is below its own, and only metrics with pairs have one.
    for metric in metrics {
        let pairs = metric["difference"]["n_pairs"].as_u64().expect("a number");
        assert_eq!(metric["p_holm"].is_null(), pairs == 0, "{metric:#}");
        let count = |key: &str| metric[key].as_array().map_or(0, Vec::len) as u64;
        let changed = |key: &str| metric["difference"][key].as_u64().expect("a number");
        assert_eq!(
            count("won") + count("lost"),
            changed("wins") + changed("losses"),
            "{metric:#}"
        );
        assert!(metric["p_holm"].as_f64() >= metric["difference"]["p"].as_f64());
    }

    let (code, compared) = place.json(&["runs", "compare", "latest:hybrid", "latest:vector"]);
    assert_eq!(code, 0);
    conforms(&place, "run-comparison", &compared);
    let one = &compared["comparisons"][0];
    assert_eq!((&one["differing"], &one["pairs"]), (&json!([]), &json!(2)));
    let text = place.run(&["runs", "compare", "base", "latest"]).stdout();
    for part in [
        "asked only on the first side: H",
        "guardrail.refuse_below: 0.45 instead of 0.99",
        "p (Holm)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The same words under another id are another question.
    let other = std::fs::read_to_string(place.path(SET))
        .expect("reads")
        .replace("football", "handball");
    place.write("other.jsonl", other.as_bytes());
    let ran = place.run(&[
        "eval",
        "--queries",
        "other.jsonl",
        "--set",
        &model,
        "--mode",
        "hybrid",
    ]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let (_, compared) = place.json(&["runs", "compare", "base", "latest"]);
    assert_eq!(compared["comparisons"][0]["asked_otherwise"], json!(["A"]));
}

#[test]
fn settings_are_evaluated_beside() {
    let Some((place, model)) = start() else { return };
    place.write("other.toml", b"[guardrail]\ntopic = false\n");
    let args = [
        "eval",
        "--queries",
        SET,
        "--set",
        &model,
        "--mode",
        "hybrid",
        "--against",
    ];
    let (code, run) = place.json(&[&args[..], &["other.toml"]].concat());
    assert_eq!(code, 0, "{run}");
    let one = &run["against"]["comparisons"][0];
    assert_eq!(one["first"]["run_id"], run["run_id"]);
    assert_eq!(
        one["differing"],
        json!([{"key": "guardrail.topic", "first": "true", "second": "false"}])
    );
    let (_, listed) = place.json(&["runs"]);
    assert_eq!(listed["total"], json!(2));
    place
        .run(&[&args[..], &["nothing"]].concat())
        .fails_with(2, &["\"nothing\" is no run of the log"]);
    place
        .run(&[&args[..], &["x", "--set", "log.file="]].concat())
        .fails_with(2, &["--against needs the run log"]);
}

#[test]
fn repeats_say_how_far_they_differ() {
    let Some((place, model)) = start() else { return };
    let args = [
        "eval",
        "--queries",
        SET,
        "--set",
        &model,
        "--mode",
        "hybrid",
        "--repeat",
        "3",
        "--name",
        "r",
    ];
    let (code, done) = place.json(&args);
    assert_eq!(code, 0, "{done}");
    conforms(&place, "run-repeats", &done);
    assert_eq!(done["runs"].as_array().map(Vec::len), Some(3));
    let mode = &done["modes"][0];
    assert_eq!((&mode["rows"], &mode["changed"]), (&json!(3), &json!([])));
    let metrics = mode["metrics"].as_array().expect("metrics");
    for metric in metrics.iter().filter(|metric| metric["n"] != json!(0)) {
        assert_eq!(
            (&metric["sd"], &metric["changed"]),
            (&json!(0.0), &json!(0)),
            "{metric}"
        );
        assert_eq!(metric["min"], metric["max"]);
    }
    let (_, listed) = place.json(&["runs"]);
    let names: Vec<&str> = listed["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| run["run"]["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["r #1", "r #2", "r #3"]);
    // Nothing is left to be resumed.
    let left = place
        .files("logs/reports")
        .into_iter()
        .filter(|name| name.starts_with("rows.partial"));
    assert_eq!(left.count(), 0);
    let text = place.run(&args).stdout();
    assert!(
        text.contains("the runs are identical, all 3 answers and all scores"),
        "{text}"
    );
}

#[test]
fn every_format_holds_hostile_text() {
    let Some((place, model)) = start() else { return };
    let run = eval(&place, &model, &["--mode", "both"]);
    let export = |format: &str, more: &[&str]| {
        let ran = place.run(&[&["runs", "export", "latest", "--format", format], more].concat());
        assert_eq!(ran.code(), 0, "{}", ran.stderr());
        let text = ran.stdout();
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{format}: {text}");
        text
    };
    // CSV: one line a row, and no cell that a spreadsheet computes.
    place.run(&[
        "runs", "export", "latest", "--format", "csv", "--output", "rows.csv",
    ]);
    let mut table = csv::Reader::from_path(place.path("rows.csv")).expect("reads");
    let header = table.headers().expect("a header").clone();
    let rows: Vec<csv::StringRecord> = table.records().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), 6);
    let cell = |row: &csv::StringRecord, name: &str| {
        let at = header.iter().position(|own| own == name).expect("a column");
        row[at].to_owned()
    };
    assert!(
        rows.iter()
            .all(|row| row.iter().all(|cell| !cell.starts_with(['=', '+', '-', '@'])))
    );
    assert_eq!(cell(&rows[4], "query"), format!("'{HOSTILE}"));
    assert_eq!(
        (cell(&rows[4], "tags"), cell(&rows[4], "run_id")),
        ("'=1+1".to_owned(), run.clone())
    );
    assert!(cell(&rows[2], "unanswerable_refused").parse::<f64>().is_ok());
    assert_eq!(cell(&rows[0], "unanswerable_refused"), "", "n/a is empty");
    export("csv", &[]);

    // JSON lines: whole records, which evaluate reads.
    let lines: Vec<Value> = export("jsonl", &[])
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[4]["query"], json!(HOSTILE));
    for line in &lines {
        assert!(
            line.get("packed").is_none() && line["evaluation"]["query"] == line["query"],
            "{line:#}"
        );
    }

    // JUnit: well-formed, a case for each row.
    let xml = export("junit", &["--mode", "hybrid"]);
    assert_eq!(test_cases(&xml), 3, "{xml}");

    // TREC: six columns, one file for each mode.
    place
        .run(&["runs", "export", "latest", "--format", "trec"])
        .fails_with(2, &["a TREC run has one mode", "hybrid, vector"]);
    let ran = place.run(&[
        "runs", "export", "latest", "--format", "trec", "--output", "run.trec",
    ]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    for mode in ["hybrid", "vector"] {
        let text = std::fs::read_to_string(place.path(&format!("run.{mode}.trec"))).expect("reads");
        assert!(!text.is_empty());
        for line in text.lines() {
            let columns: Vec<&str> = line.split(' ').collect();
            assert_eq!(columns.len(), 6, "{line}");
            assert_eq!(columns[5], format!("{run}-{mode}"));
            assert!(PAPERS.contains(&columns[2]), "{line}");
        }
    }

    // Markdown: the report, with the text escaped.
    let markdown = export("markdown", &[]);
    assert!(!markdown.contains("<img"), "{markdown}");
    place.run(&["report", "--out", "again"]);
    let report = std::fs::read_to_string(place.path(&format!("again/{run}/report.md"))).expect("reads");
    place.run(&[
        "runs", "export", "latest", "--format", "markdown", "--output", "run.md",
    ]);
    assert_eq!(
        std::fs::read_to_string(place.path("run.md")).expect("reads"),
        report
    );
    place
        .run(&["runs", "export", "latest", "--format", "json"])
        .fails_with(2, &["invalid value 'json'", "ragas"]);
}

/// How many test cases a document has; it must be well-formed.
fn test_cases(xml: &str) -> usize {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut cases = 0;
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Eof => return cases,
            Event::Start(tag) | Event::Empty(tag) => {
                cases += usize::from(tag.name().as_ref() == "testcase");
            }
            _ => {}
        }
    }
}

#[test]
fn what_is_exported_for_ragas_is_read_back() {
    let Some((place, model)) = start() else { return };
    eval(&place, &model, &["--mode", "hybrid"]);
    let ran = place.run(&[
        "runs",
        "export",
        "latest",
        "--format",
        "ragas",
        "--output",
        "samples.jsonl",
    ]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let text = std::fs::read_to_string(place.path("samples.jsonl")).expect("reads");
    let samples: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(ids(&json!(samples), "id"), ["Z", "A", "H"]);
    assert_eq!(samples[0]["reference"], json!("1.6 mL/kg/min"));
    assert_eq!(samples[0]["reference_context_ids"], json!([PAPERS[0]]));
    assert_eq!(
        (&samples[1]["reference"], &samples[2]["user_input"]),
        (&json!(null), &json!(HOSTILE))
    );
    let (code, scores) = place.json(&["evaluate", "samples.jsonl"]);
    assert_eq!(code, 0, "{scores:#}");
    assert_eq!(scores["metadata"]["input_format"], json!("ragas (JSON lines)"));
    let row = &scores["results"]["Z"];
    assert_eq!(row["question"], samples[0]["user_input"]);
    assert_eq!(row["answer"], samples[0]["response"]);
    // Recall by documents, by quotes and correctness have what they need.
    for metric in ["context_recall_documents", "context_recall_quotes", "token_f1"] {
        assert!(
            row["metrics"][metric].is_number(),
            "{metric}: {:#}",
            row["metrics"]
        );
    }
}

#[test]
fn stored_answers_are_judged_again() {
    let Some((place, model)) = start() else { return };
    let first = eval(
        &place,
        &model,
        &["--mode", "both", "--set", "guardrail.topic=false"],
    );
    // The index is gone: nothing is asked again.
    std::fs::remove_dir_all(place.path("index")).expect("removed");
    let args = [
        "runs",
        "rejudge",
        "latest",
        "--set",
        "eval.tau=0.999",
        "--name",
        "strict",
        "--set",
        &model,
    ];
    let (code, done) = place.json(&args);
    assert_eq!(code, 0, "{done}");
    conforms(&place, "run-rejudged", &done);
    assert_eq!(
        (&done["run"]["judged_from"], &done["run"]["rows"]),
        (&json!(first), &json!(6))
    );
    assert_eq!(
        (&done["failed"], &done["run"]["name"]),
        (&json!(0), &json!("strict"))
    );
    // Stricter: answers that were faithful are not any more; what does not depend on the judge is the same.
    let metrics = done["comparisons"][0]["metrics"].as_array().expect("metrics");
    let metric = |name: &str| {
        metrics
            .iter()
            .find(|metric| metric["metric"] == name)
            .expect("a metric")
    };
    assert!(
        metric("faithful")["difference"]["delta"].as_f64() < Some(0.0),
        "{done:#}"
    );
    for name in [
        "citation_precision",
        "gold_recall_context",
        "gold_recall_answer",
        "correctness",
    ] {
        let delta = metric(name)["difference"]["delta"].as_f64().unwrap_or_default();
        assert!(delta.abs() < 1e-12, "{name}: {done:#}");
    }
    let (_, old) = place.json(&["runs", "show", &first]);
    let (_, new) = place.json(&["runs", "show", "strict"]);
    let gold = |shown: &Value| -> Vec<Value> {
        shown["rows"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| row["gold"].clone())
            .collect()
    };
    assert_eq!(gold(&old), gold(&new), "where evidence was lost");
    // The new run has its own labels and can be judged again; the report of it stands beside the others.
    let id = done["run"]["run_id"].as_str().expect("an id");
    assert!(place.path(&format!("logs/reports/{id}/report.md")).exists());
    let (_, again) = place.json(&["runs", "rejudge", "strict:hybrid", "--set", &model]);
    assert_eq!(
        (&again["run"]["judged_from"], &again["run"]["rows"]),
        (&json!(id), &json!(3))
    );
    place
        .run(&["runs", "rejudge", "latest", "--set", "eval.judge=llm"])
        .fails_with(2, &["llm.provider"]);
}
