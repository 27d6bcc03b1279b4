//! `eval`, `report` and `queries` through the binary: the report from the log alone, gates, and logs that
//! somebody else wrote.

use crate::common::Place;
use serde_json::{Value, json};

const PAPERS: [&str; 2] = ["tandrik_2021_vo2_walkers", "waxenhoult_2023_cadence_short"];
const SET: &str = "set.jsonl";

/// Two indexed papers, three questions, and the arguments of an evaluation with a fast model.
fn start() -> Option<(Place, String)> {
    let (place, model) = Place::indexed(&PAPERS)?;
    let quote = "The difference between the two ways of walking was 1.6 mL/kg/min";
    let lines = [
        // Neither the order of ids nor that in which answers are logged.
        json!({"id": "Z", "type": "direct", "query": "How large was the difference between the two ways of walking?",
            "target_papers": [PAPERS[0]], "expected_no_evidence": false, "difficulty": 2,
            "reference_answer": "1.6 mL/kg/min", "gold_evidence": [{"source_id": PAPERS[0], "quote": quote}], "tags": []}),
        json!({"id": "A", "type": "edge", "query": "Who won the football world cup?", "target_papers": [],
            "expected_no_evidence": true, "difficulty": 1, "tags": []}),
        json!({"id": "M", "type": "direct", "query": "How many steps a minute did the walkers take?", "difficulty": 3,
            "target_papers": [PAPERS[1]], "expected_no_evidence": false, "reference_answer": "100", "tags": []}),
    ];
    place.write(SET, lines.map(|line| line.to_string()).join("\n").as_bytes());
    Some((place, model))
}

fn eval<'a>(model: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["eval", "--queries", SET, "--set", model], more].concat()
}

fn read(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.path(name)).expect("reads")
}

#[test]
fn the_log_alone_gives_the_same_bytes() {
    let Some((place, model)) = start() else { return };
    // Settings of the run, not those of the command that writes the report.
    let run = place.done(&eval(&model, &["--set", "eval.seed=99", "--set", "retrieve.top_k=7"]));
    let id = run["run_id"].as_str().expect("an id").to_owned();
    let (code, _) = place.json(&["report", "--out", "again"]);
    assert_eq!(code, 0);
    for file in ["report.md", "report.html", "eval.json", "rows.jsonl"] {
        let direct = read(&place, &format!("logs/reports/{id}/{file}"));
        assert_eq!(direct, read(&place, &format!("again/{id}/{file}")), "{file}");
    }
    let markdown = read(&place, &format!("again/{id}/report.md"));
    assert!(markdown.contains(&format!("- Version: {}+", env!("CARGO_PKG_VERSION"))), "{markdown}");
    assert!(markdown.contains("- Date: 20"), "{markdown}");
    // Only what differs from the defaults, in the words of the settings of the run.
    assert!(markdown.contains("| retrieve.top_k | 7 | 10 |"), "{markdown}");
    assert!(!markdown.contains("retrieve.bm25_k"), "{markdown}");
    assert!(markdown.contains("- Seed of intervals and tests: 99\n"), "{markdown}");
    let page = read(&place, &format!("again/{id}/report.html"));
    let [z, a] = ["Z", "A"].map(|id| page.find(&format!("<b>{id}</b>")));
    assert!(z.is_some() && z < a, "the order of the set");
    for mode in ["hybrid", "vector"] {
        for stage in ["embed", "retrieve", "total"] {
            let time = &run["latency_ms"][mode][stage];
            assert!(time["median"].is_number() && time["p95"].is_number(), "{mode} {stage}: {time}");
            assert_eq!(time["n"], 3, "{mode} {stage}");
        }
    }
    assert_eq!(run["usage"], json!({}));
    // Rows hold no clock time.
    assert!(!read(&place, &format!("again/{id}/rows.jsonl")).contains("timings"));
}

#[test]
fn a_run_is_written_as_the_earlier_system_writes_it_and_read_again() {
    let Some((place, model)) = start() else { return };
    let run = place.done(&eval(&model, &["--set", "phase2.rules=true"]));
    let id = run["run_id"].as_str().expect("an id");
    let (code, direct) = place.json(&["report", "--run", id]);
    assert_eq!((code, &direct["rows"]), (0, &run["rows"]));
    let export = ["runs", "export", id, "--format", "phase2", "--output"];
    place.passes(&[&export[..], &["evaluation_report.json"]].concat());
    let written: Value = serde_json::from_str(&read(&place, "evaluation_report.json")).expect("JSON");
    for list in ["hybrid", "vector_only"] {
        let rows = written[list].as_array().expect("a list");
        assert_eq!(rows.len(), 3, "{written:#}");
        for row in rows {
            assert!(row["faithful"].is_boolean() && row["num_citations"].is_u64(), "{row:#}");
            assert_eq!(row["mode"], list);
        }
    }
    let again = place.done(&["report", "--log", "evaluation_report.json"]);
    assert_eq!(again["run_id"], "evaluation_report");
    for mode in ["hybrid", "vector"] {
        for key in ["citation_precision", "faithful", "no_evidence_accuracy", "coverage"] {
            assert_eq!(again["modes"][mode][key], direct["modes"][mode][key], "{mode} {key}");
            assert_eq!(again["comparison"][key], direct["comparison"][key], "{key}");
        }
        assert_eq!(again["modes"][mode]["gold_recall_answer"]["n_a"], 3);
        assert_eq!(again["abstention"][mode], direct["abstention"][mode]);
    }
    place
        .run(&["report", "--log", "evaluation_report.json", "--run", id])
        .fails_with(2, &["is an evaluation_report.json of the earlier system", "leave out --run"]);
}

#[test]
fn bad_arguments_say_what_is_right() {
    let Some((place, model)) = start() else { return };
    let check = |more: &[&str], parts: &[&str]| {
        place.run(&eval(&model, more)).fails_with(2, parts);
    };
    check(&["--limit", "0"], &["--limit", "at least 1"]);
    check(&["--min", "speed=0.5"], &["speed", "balanced_accuracy", "gold_recall_context", "faithful_raw"]);
}

#[test]
fn gates_become_an_exit_code_test_cases_and_markdown() {
    let Some((place, model)) = start() else { return };
    let ran = place.run(&eval(
        &model,
        &[
            "--mode",
            "hybrid",
            "--max",
            "latency=600000",
            "--max",
            "latency_p95=0",
            "--junit",
            "junit.xml",
            "--format",
            "markdown",
        ],
    ));
    assert_eq!(ran.code(), 1, "{}", ran.stderr());
    let said = ran.stderr();
    assert!(
        said.contains("gate failed: latency_p95 in mode hybrid is") && said.contains("above the limit 0.000"),
        "{said}"
    );
    let text = ran.stdout();
    assert!(text.contains("**Failed**: 1 of 2 gates") && text.contains("## Verdict"), "{text}");
    let xml = read(&place, "junit.xml");
    assert!(xml.contains("tests=\"5\" failures=\"1\" errors=\"0\""), "{xml}");
    assert!(xml.contains("classname=\"hybrid\" name=\"Z\" time="), "{xml}");
    place.run(&["eval", "--retrieval-only", "--format", "markdown"]).fails_with(2, &["Markdown"]);
}

#[test]
fn a_run_id_of_a_log_never_leads_out_of_the_folder() {
    // No index and no model is needed.
    let place = Place::new(None);
    let outside = place.path("outside").to_string_lossy().into_owned();
    for id in ["../../escaped", &outside, "..", "a/b"] {
        let record = json!({"timestamp": "2026-01-02T03:04:05Z", "query": "q", "run_id": id, "query_id": "1",
            "mode": "hybrid", "retrieval": {}, "response": {"answer": "x"}});
        place.write("hostile.jsonl", record.to_string().as_bytes());
        let ran = place.run(&["report", "--log", "hostile.jsonl", "--output-dir", "deep/er/reports"]);
        assert_eq!(ran.code(), 0, "{id}: {}", ran.stderr());
    }
    let reports: Vec<String> =
        place.files("deep/er/reports").into_iter().filter(|name| name.ends_with("report.md")).collect();
    assert_eq!(reports.len(), 4, "{reports:?}");
    let all = place.files("");
    assert!(
        all.iter().all(|name| name == "hostile.jsonl" || name.starts_with("deep/er/reports/")),
        "{all:?}"
    );
}
