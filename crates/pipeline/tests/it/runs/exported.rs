//! Exports in every format, and what reads them back.

use crate::runs::world::{HOSTILE, PAPERS, SET, eval, start};
use serde_json::{Value, json};

#[test]
fn every_format_holds_hostile_text() {
    let Some((place, model)) = start() else { return };
    let run = eval(&place, &model, &["--mode", "both", "--junit", "junit.xml"]);
    let export = |format: &str, more: &[&str]| {
        let ran = place.passes(&[&["runs", "export", "latest", "--format", format], more].concat());
        let text = ran.stdout();
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{format}: {text}");
        text
    };
    // CSV: one line a row, and no cell that a spreadsheet computes.
    place.run(&["runs", "export", "latest", "--format", "csv", "--output", "rows.csv"]);
    let mut table = csv::Reader::from_path(place.path("rows.csv")).expect("reads");
    let header = table.headers().expect("a header").clone();
    let rows: Vec<csv::StringRecord> = table.records().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), 6);
    let cell = |row: &csv::StringRecord, name: &str| {
        let at = header.iter().position(|own| own == name).expect("a column");
        row[at].to_owned()
    };
    assert!(rows.iter().all(|row| row.iter().all(|cell| !cell.starts_with(['=', '+', '-', '@']))));
    assert_eq!(cell(&rows[4], "query"), format!("'{HOSTILE}"));
    assert_eq!((cell(&rows[4], "tags"), cell(&rows[4], "run_id")), ("'=1+1".to_owned(), run.clone()));
    assert!(cell(&rows[2], "unanswerable_accuracy").parse::<f64>().is_ok());
    assert_eq!(cell(&rows[0], "unanswerable_accuracy"), "", "n/a is empty");
    export("csv", &[]);

    // JSON lines: whole records, which evaluate reads.
    let lines: Vec<Value> =
        export("jsonl", &[]).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[4]["query"], json!(HOSTILE));
    for line in &lines {
        assert!(
            line["context"][0]["text"].is_string() && line["evaluation"]["query"] == line["query"],
            "{line:#}"
        );
    }

    // JUnit, which `eval` writes: well-formed, a case for each row.
    let xml = std::fs::read_to_string(place.path("junit.xml")).expect("written");
    assert_eq!(test_cases(&xml), 6, "{xml}");

    // TREC: six columns, of one mode.
    place
        .run(&["runs", "export", "latest", "--format", "trec"])
        .fails_with(2, &["a TREC run has one mode", "hybrid, vector"]);
    let text = export("trec", &["--mode", "vector"]);
    assert!(!text.is_empty());
    for line in text.lines() {
        let columns: Vec<&str> = line.split(' ').collect();
        assert_eq!(columns.len(), 6, "{line}");
        assert_eq!(columns[5], format!("{run}-vector"));
        assert!(PAPERS.contains(&columns[2]), "{line}");
    }

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
        ("trec", "txt"),
        ("ragas", "jsonl"),
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
        place.run(&args).fails_with(2, &[&file, "was not written by pipeline"]);
        assert_eq!(std::fs::read(place.path(&file)).expect("reads"), b"my thesis");
    }
    let log = std::fs::read_to_string(place.path("logs/run_log.jsonl")).expect("reads");
    for from in [1, 7, log.len() / 3, log.len() / 2] {
        let from = (from..=log.len()).find(|at| log.is_char_boundary(*at)).expect("a boundary");
        copy(&format!("log-{from}.jsonl"), &log[from..]);
        copy(&format!("log-{from}.txt"), &log[from..]);
    }
    place.write("own/paper.md", b"# A paper\n\nIts text.\n");
    let (_, plan) = place.json(&["ingest", "own", "--dry-run", "--index", "none"]);
    assert_eq!(plan["counts"], json!({"add": 1, "skipped": own}), "{plan}");
    place.write(&format!("again/{run}/report.md"), b"my thesis");
    place.run(&["report", "--out", "again"]).fails_with(2, &["report.md", "was not written by pipeline"]);
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

/// One run, read from its own document, from the log, from an export of whole records and from an export in the format of
/// another system: the same answers have the same scores.
#[test]
fn the_same_answers_have_the_same_scores_whatever_file_they_come_from() {
    let Some((place, model)) = start() else { return };
    let (_, shown) = place.json(&["eval", "--queries", SET, "--mode", "hybrid", "--set", &model]);
    for (format, file) in [("jsonl", "records.jsonl"), ("ragas", "samples.jsonl")] {
        place.passes(&["runs", "export", "latest", "--format", format, "--output", file]);
    }
    let keys: Vec<String> = place.json(&["metrics"]).1["metrics"]
        .as_array()
        .expect("metrics")
        .iter()
        .filter(|metric| metric["command"] == "eval, score")
        .map(|metric| metric["key"].as_str().expect("a key").to_owned())
        .collect();
    assert!(keys.len() > 15, "{keys:?}");
    let own = shown["rows"].as_array().expect("rows");
    assert_eq!(own.len(), 3);
    for file in ["logs/run_log.jsonl", "records.jsonl", "samples.jsonl"] {
        let (_, scores) = place.json(&["evaluate", file, "--queries", SET, "--set", &model]);
        for row in own {
            let id = row["query_id"].as_str().expect("an id");
            let other = &scores["results"][id]["metrics"];
            for key in &keys {
                let (ours, theirs) = (&row["scores"][key], &other[key]);
                let equal = match (ours.as_f64(), theirs.as_f64()) {
                    (Some(a), Some(b)) => (a - b).abs() < 1e-6,
                    (None, None) => true,
                    _ => false,
                };
                assert!(equal, "{file}, {id}, {key}: {ours} and {theirs}");
            }
        }
    }
}
