//! Exports in every format, and what reads them back.

use crate::world::{HOSTILE, PAPERS, eval, ids, start};
use serde_json::{Value, json};

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
    assert!(!markdown.replace("\\<", "").contains("<img"), "{markdown}");
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

#[test]
fn exports_are_no_papers_and_replace_only_exports() {
    let Some((place, model)) = start() else { return };
    let run = eval(&place, &model, &["--mode", "hybrid"]);
    let formats = [
        ("csv", "txt"),
        ("jsonl", "jsonl"),
        ("junit", "xml"),
        ("trec", "txt"),
        ("ragas", "jsonl"),
        ("markdown", "md"),
        ("html", "txt"),
        ("phase2", "txt"),
    ];
    let mut own = 0;
    let mut copy = |name: &str, text: &str| {
        place.write(&format!("own/{name}"), text.as_bytes());
        own += 1;
    };
    for (format, end) in formats {
        let file = format!("{format}.{end}");
        let args = ["runs", "export", "latest", "--format", format, "--output", &file];
        for _ in 0..2 {
            assert_eq!(place.run(&args).code(), 0, "{format}");
        }
        let text = std::fs::read_to_string(place.path(&file)).expect("reads");
        copy(&file, &text);
        // A document of JSON is one piece; all else is recognised without its first line and by its last ones.
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        if format != "phase2" {
            copy(&format!("rest-{file}"), &lines[1..].concat());
            copy(&format!("tail-{file}"), &lines[lines.len() - 2..].concat());
        }
        place.write(&file, b"my thesis");
        place
            .run(&args)
            .fails_with(2, &[&file, "was not written by pipeline"]);
        assert_eq!(std::fs::read(place.path(&file)).expect("reads"), b"my thesis");
    }
    let log = std::fs::read_to_string(place.path("logs/run_log.jsonl")).expect("reads");
    for from in [1, 7, log.len() / 3, log.len() / 2] {
        let from = (from..=log.len())
            .find(|at| log.is_char_boundary(*at))
            .expect("a boundary");
        copy(&format!("log-{from}.jsonl"), &log[from..]);
        copy(&format!("log-{from}.txt"), &log[from..]);
    }
    place.write("own/paper.md", b"# A paper\n\nIts text.\n");
    let (_, plan) = place.json(&["ingest", "own", "--dry-run", "--index", "none"]);
    assert_eq!(plan["counts"], json!({"add": 1, "skipped": own}), "{plan}");
    place.write(&format!("again/{run}/report.md"), b"my thesis");
    place
        .run(&["report", "--out", "again"])
        .fails_with(2, &["report.md", "was not written by pipeline"]);
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
