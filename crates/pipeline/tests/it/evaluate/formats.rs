//! Each format through the binary; damaged files.

use crate::common::{Place, Ran};
use crate::evaluate::results::{RENEWAL, conforms};
use serde_json::{Value, json};
use std::{io::Write as _, process::Stdio};

#[track_caller]
fn first_row(place: &Place, args: &[&str]) -> (String, Value) {
    let (code, document) = place.json(&[&["evaluate"], args].concat());
    assert_eq!(code, 0, "{document:#}");
    conforms(place, &document);
    let rows = document["results"].as_object().expect("rows");
    let (_, row) = rows.iter().next().expect("a row");
    let format = document["metadata"]["input_format"].as_str().expect("a format");
    (format.to_owned(), row.clone())
}

#[test]
fn every_format_is_detected_and_scored() {
    let place = Place::new(None);
    let quoted = RENEWAL.replace('\'', "\\'");
    let files: [(&str, String, &str); 10] = [
        (
            "ragas.jsonl",
            json!({"user_input": "When?", "response": RENEWAL, "retrieved_contexts": [RENEWAL], "reference": RENEWAL})
                .to_string(),
            "ragas (JSON lines)",
        ),
        (
            "ragas.csv",
            format!("user_input,response,retrieved_contexts,reference\r\nWhen?,{RENEWAL},\"['{quoted}', 'Rain.']\",{RENEWAL}\r\n"),
            "ragas (CSV)",
        ),
        (
            "excel.csv",
            format!("\u{feff}sep=;\r\nuser_input;response;retrieved_contexts\r\nWhen?;{RENEWAL};\"['{quoted}']\"\r\n"),
            "ragas (CSV)",
        ),
        (
            "deepeval.csv",
            format!("input,actual_output,retrieval_context\nWhen?,{RENEWAL},Rain.|{RENEWAL}\n"),
            "deepeval (CSV)",
        ),
        (
            "out.json",
            json!({"evalId": "e", "results": {"version": 3, "prompts": [], "stats": {}, "results": [
                {"promptIdx": 0, "testIdx": 0, "vars": {"question": "When?", "context": RENEWAL},
                    "response": {"output": RENEWAL}, "latencyMs": 4}]}})
            .to_string(),
            "promptfoo (JSON)",
        ),
        (
            "deepeval.json",
            json!({"testCases": [{"input": "When?", "actualOutput": RENEWAL, "expectedOutput": RENEWAL,
                "retrievalContext": [RENEWAL]}]})
            .to_string(),
            "deepeval (JSON)",
        ),
        (
            "service.json",
            json!([{"company_id": "c", "question": "When?", "answer": RENEWAL, "contexts": [RENEWAL],
                "retrieved_resumes": ["a.txt"], "expected_resumes": ["a.txt"], "ground_truth": RENEWAL}])
            .to_string(),
            "ragas-service (JSON)",
        ),
        (
            "old.jsonl",
            json!({"question": "When?", "answer": RENEWAL, "contexts": [RENEWAL], "ground_truths": [RENEWAL]}).to_string(),
            "ragas-v1 (JSON lines)",
        ),
        (
            "ask.json",
            format!(
                "{:#}",
                json!({"query": "When?", "answer": RENEWAL, "citations": [{"source_id": "a", "chunk_id": "a__body__000"}],
                    "no_evidence": false, "context": [{"chunk_id": "a__body__000", "source_id": "a", "text": RENEWAL}],
                    "timings_ms": {"total": 2.0}})
            ),
            "ask (JSON)",
        ),
        (
            "log.jsonl",
            json!({"query": "When?", "query_id": "D1", "run_id": "r", "mode": "hybrid", "response": {"answer": RENEWAL,
                "citations": [], "no_evidence": false}, "retrieval": {"returned_chunks": []},
                "context": [{"chunk_id": "a__body__000", "source_id": "a", "text": RENEWAL}]})
            .to_string(),
            "run-log (JSON lines)",
        ),
    ];
    for (name, text, format) in files {
        place.write(name, text.as_bytes());
        let (found, row) = first_row(&place, &[name]);
        assert_eq!(found, format, "{name}");
        let faithful = row["evaluations"]["faithfulness"]["score"].as_f64();
        assert!(faithful > Some(0.8), "{name}: {row:#}");
        assert_eq!(
            (&row["question"], &row["answer"]),
            (&json!("When?"), &json!(RENEWAL)),
            "{name}"
        );
    }
}

/// The quick and the full request of `litpath-rag-evaluation.md` (own words), and the keys of its results.
#[test]
fn a_request_of_litpath_gives_its_results() {
    let place = Place::new(None);
    let request = |answer: &str, reference: Option<&str>| {
        let mut request = json!({"query": "When did the renewal of harbour cards begin?", "response": answer,
            "retrieved_docs": [RENEWAL, "Rain fell on forty days of that summer in the hills."],
            "type": if reference.is_some() { "full" } else { "quick" }});
        if let Some(reference) = reference {
            request["reference_answer"] = json!(reference);
        }
        request
    };
    place.write("quick.json", format!("{:#}", request(RENEWAL, None)).as_bytes());
    let (format, row) = first_row(&place, &["quick.json"]);
    assert_eq!(format, "litpath (JSON)");
    for aspect in ["relevance", "groundedness"] {
        assert_eq!(row[aspect]["score"], true, "{row:#}");
        assert!(
            row[aspect]["explanation"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{row:#}"
        );
    }
    assert_eq!(row["overall_pass"], true);
    assert_eq!(
        row["correctness"],
        json!({"score": null, "explanation": "n/a: the row has no `reference`"})
    );

    let invented = format!("{RENEWAL} Forty whales sang operas in Lisbon.");
    place.write(
        "full.json",
        request(&invented, Some(RENEWAL)).to_string().as_bytes(),
    );
    let (_, row) = first_row(&place, &["full.json"]);
    assert_eq!(
        (
            &row["relevance"]["score"],
            &row["groundedness"]["score"],
            &row["overall_pass"]
        ),
        (&json!(true), &json!(false), &json!(false)),
        "{row:#}"
    );
    let why = row["groundedness"]["explanation"]
        .as_str()
        .expect("an explanation");
    assert!(
        why.contains("1 of 2 claims") && why.contains("Forty whales"),
        "{why}"
    );
    assert_eq!(row["retrieval_relevance"]["score"], true);
    assert_eq!(row["correctness"]["score"], true);
    let (_, document) = place.json(&["evaluate", "full.json"]);
    let metrics = &document["metrics"];
    assert_eq!(
        (
            &metrics["relevance_pass_rate"],
            &metrics["groundedness_pass_rate"],
            &metrics["overall_pass_rate"]
        ),
        (&json!(1.0), &json!(0.0), &json!(0.0))
    );
}

#[test]
fn standard_input_and_maps() {
    let place = Place::new(None);
    let row =
        json!({"my_id": "x", "prompt": "When?", "output": {"text": RENEWAL}, "hits": [{"text": RENEWAL}]});
    let mut child = place
        .command(&[
            "evaluate",
            "-",
            "--format",
            "json",
            "--map",
            "id=my_id,question=prompt",
            "--map",
            "response=output.text,contexts=hits",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(row.to_string().as_bytes()).expect("written");
    drop(stdin);
    let ran = Ran(child.wait_with_output().expect("ends"));
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    let document: Value = serde_json::from_str(&ran.stdout()).expect("JSON");
    assert_eq!(document["metadata"]["test_results_file"], "-");
    assert_eq!(document["results"]["x"]["answer"], RENEWAL);

    place.write("rows.jsonl", row.to_string().as_bytes());
    place.run(&["evaluate", "rows.jsonl"]).fails_with(
        2,
        &["the format is not known", "my_id, prompt, output, hits", "--map"],
    );
    place
        .run(&["evaluate", "rows.jsonl", "--map", "answers=output"])
        .fails_with(2, &["\"answers\" is not a field (id, "]);
    place
        .run(&["evaluate", "rows.jsonl", "--input-format", "ragas"])
        .fails_with(
            2,
            &["line 1: has none of user_input, response, retrieved_contexts"],
        );
    place
        .run(&["evaluate", "rows.jsonl", "--input-format", "odd"])
        .fails_with(2, &["ragas-service", "deepeval"]);
}

#[test]
fn a_run_of_trec_has_rows_without_answers() {
    let place = Place::new(None);
    place.write("run.trec", b"Q-1 Q0 Doc-1 1 0.9 t\nQ-1 Q0 doc-2 2 0.5 t\n");
    place.write("qrels.txt", b"Q-1 0 Doc-1 1\nq-2 0 Doc-1 2\n");
    let ran = place.run(&[
        "evaluate",
        "--test-results",
        "run.trec",
        "--qrels",
        "qrels.txt",
        "--format",
        "json",
    ]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr());
    assert!(
        ran.stderr()
            .contains("1 queries of qrels.txt are not in run.trec"),
        "{}",
        ran.stderr()
    );
    let document: Value = serde_json::from_str(&ran.stdout()).expect("JSON");
    assert_eq!(document["metadata"]["input_format"], "trec");
    assert_eq!(document["results"].as_object().map(serde_json::Map::len), Some(2));
    assert_eq!(
        document["results"]["Q-1"]["evaluations"]["faithfulness"]["n_a"],
        "the row has no `answer`"
    );
    assert_eq!(document["summary"]["overall"]["mean"], Value::Null);
}

#[test]
fn all_wrong_lines_are_named_and_questions_are_sent_to_eval() {
    let place = Place::new(None);
    let mut lines: Vec<String> = (1..=20)
        .map(|number| json!({"id": number, "user_input": "q", "response": "a"}).to_string())
        .collect();
    lines[6] = "{\"id\": 7,".to_owned();
    lines[12] = json!({"id": 13, "user_input": "q", "response": ["a", 1]}).to_string();
    place.write("rows.jsonl", lines.join("\r\n").as_bytes());
    place.run(&["evaluate", "rows.jsonl"]).fails_with(
        2,
        &[
            "rows.jsonl: line 7: not JSON",
            "line 13: response must be a string, got a list",
        ],
    );

    place.write(
        "questions.json",
        br#"[{"question": "Who can weld?", "expected_resumes": ["CV 12.txt"]}]"#,
    );
    place.run(&["evaluate", "questions.json"]).fails_with(
        2,
        &[
            "questions.json has questions but no answers",
            "pipeline eval --queries questions.json",
        ],
    );
    // Which reads that file: it fails only for want of an index.
    place
        .run(&["eval", "--queries", "questions.json"])
        .fails_with(2, &["pipeline ingest FOLDER"]);
}
