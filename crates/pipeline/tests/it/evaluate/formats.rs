//! Formats through the binary; those of other systems are tested in `eval/src/rows/read_tests.rs`.

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
        assert!(row[aspect]["explanation"].as_str().is_some_and(|text| !text.is_empty()), "{row:#}");
    }
    assert_eq!(row["overall_pass"], true);
    assert_eq!(row["correctness"], json!({"score": null, "explanation": "n/a: the row has no `reference`"}));

    let invented = format!("{RENEWAL} Forty whales sang operas in Lisbon.");
    place.write("full.json", request(&invented, Some(RENEWAL)).to_string().as_bytes());
    let (_, row) = first_row(&place, &["full.json"]);
    assert_eq!(
        (&row["relevance"]["score"], &row["groundedness"]["score"], &row["overall_pass"]),
        (&json!(true), &json!(false), &json!(false)),
        "{row:#}"
    );
    let why = row["groundedness"]["explanation"].as_str().expect("an explanation");
    assert!(why.contains("1 of 2 claims") && why.contains("Forty whales"), "{why}");
    assert_eq!(row["retrieval_relevance"]["score"], true);
    assert_eq!(row["correctness"]["score"], true);
    let (_, document) = place.json(&["evaluate", "full.json"]);
    let metrics = &document["metrics"];
    assert_eq!(
        (&metrics["relevance_pass_rate"], &metrics["groundedness_pass_rate"], &metrics["overall_pass_rate"]),
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
    place
        .run(&["evaluate", "rows.jsonl"])
        .fails_with(2, &["the format is not known", "my_id, prompt, output, hits", "--map"]);
    place
        .run(&["evaluate", "rows.jsonl", "--map", "answers=output"])
        .fails_with(2, &["\"answers\" is not a field (id, "]);
    place
        .run(&["evaluate", "rows.jsonl", "--input-format", "ragas"])
        .fails_with(2, &["line 1: has none of user_input, response, retrieved_contexts"]);
    place
        .run(&["evaluate", "rows.jsonl", "--input-format", "odd"])
        .fails_with(2, &["ragas-service", "deepeval"]);
}
