//! Exports in every format, and what reads them back.

use crate::runs::world::{HOSTILE, PAPERS, SET, eval, ids, start};
use serde_json::{Value, json};

#[test]
fn every_format_holds_hostile_text() {
    let Some((place, model)) = start() else { return };
    let run = eval(&place, &model, &["--mode", "both", "--junit", "junit.xml"]);
    let export = |format: &str, more: &[&str]| {
        let ran = place.run(&[&["runs", "export", "latest", "--format", format], more].concat());
        assert_eq!(ran.code(), 0, "{}", ran.stderr());
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

/// With a JSON parser alone, as `jq` and pandas read the log.
#[test]
fn each_line_of_the_log_of_three_runs_says_everything() {
    let Some((place, model)) = start() else { return };
    for _ in 0..3 {
        eval(&place, &model, &["--mode", "both", "--set", "retrieve.threshold=0.0"]);
    }
    let log = std::fs::read_to_string(place.path("logs/run_log.jsonl")).expect("reads");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3 * 6);
    let mut texts = std::collections::BTreeSet::new();
    for line in &lines {
        for key in ["timestamp", "query", "prompt_version", "model"] {
            assert!(line[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {line:#}");
        }
        assert_eq!(line["log_version"], 2);
        for key in ["answer", "citations", "confidence", "evidence_quality", "no_evidence", "caveats"] {
            assert!(line["response"].get(key).is_some(), "{key}: {line:#}");
        }
        let returned = line["retrieval"]["returned_chunks"].as_array().expect("a list");
        assert!(!returned.is_empty(), "{line:#}");
        for chunk in returned {
            for key in ["chunk_id", "source_id", "section", "text_preview"] {
                assert!(chunk[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {chunk:#}");
            }
            for key in ["vector_score", "bm25_score", "combined_score"] {
                assert!(chunk[key].is_number(), "{key}: {chunk:#}");
            }
        }
        for passage in line["context"].as_array().expect("a list") {
            let hash = passage["text_sha256"].as_str().expect("a hash").to_owned();
            let file = place.path(&format!("logs/texts/{}/{hash}", &hash[..2]));
            let text = std::fs::read_to_string(file).expect("a text");
            assert_eq!(types::digest::sha256(text.as_bytes()), hash);
            texts.insert(hash);
        }
    }
    let stored = place.files("logs/texts");
    assert_eq!(stored.len(), texts.len(), "each once: {stored:?}");
    // Without a text, the row is named, and what needs the text is n/a.
    let lost = texts.pop_first().expect("a text");
    std::fs::remove_file(place.path(&format!("logs/texts/{}/{lost}", &lost[..2]))).expect("removed");
    for args in [&["evaluate", "logs/run_log.jsonl"][..], &["runs", "show", "latest"], &["report"]] {
        let ran = place.run(args);
        assert!(ran.stderr().contains(&lost), "{args:?}: {}", ran.stderr());
    }
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

#[test]
fn what_is_exported_for_ragas_is_read_back() {
    let Some((place, model)) = start() else { return };
    eval(&place, &model, &["--mode", "hybrid"]);
    let ran = place.run(&["runs", "export", "latest", "--format", "ragas", "--output", "samples.jsonl"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let text = std::fs::read_to_string(place.path("samples.jsonl")).expect("reads");
    let samples: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(ids(&json!(samples), "id"), ["Z", "A", "H"]);
    assert_eq!(samples[0]["reference"], json!("1.6 mL/kg/min"));
    assert_eq!(samples[0]["reference_context_ids"], json!([PAPERS[0]]));
    assert_eq!((&samples[1]["reference"], &samples[2]["user_input"]), (&json!(null), &json!(HOSTILE)));
    let (code, scores) = place.json(&["evaluate", "samples.jsonl"]);
    assert_eq!(code, 0, "{scores:#}");
    assert_eq!(scores["metadata"]["input_format"], json!("ragas (JSON lines)"));
    let row = &scores["results"]["Z"];
    assert_eq!(row["question"], samples[0]["user_input"]);
    assert_eq!(row["answer"], samples[0]["response"]);
    // Recall by documents, by quotes and correctness have what they need.
    for metric in ["context_recall_documents", "gold_recall_context", "token_f1"] {
        assert!(row["metrics"][metric].is_number(), "{metric}: {:#}", row["metrics"]);
    }
}

/// One run, read from its own document, from the log, from an export of whole records and from an export in the format of
/// another system: the same answers have the same scores.
#[test]
fn the_same_answers_have_the_same_scores_whatever_file_they_come_from() {
    let Some((place, model)) = start() else { return };
    let (_, shown) = place.json(&["eval", "--queries", SET, "--mode", "hybrid", "--set", &model]);
    for (format, file) in [("jsonl", "records.jsonl"), ("ragas", "samples.jsonl")] {
        let ran = place.run(&["runs", "export", "latest", "--format", format, "--output", file]);
        assert_eq!(ran.code(), 0, "{}", ran.stderr());
    }
    let keys: Vec<String> = place.json(&["metrics"]).1["metrics"]
        .as_array()
        .expect("metrics")
        .iter()
        .filter(|metric| metric["command"] == "eval, evaluate")
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
