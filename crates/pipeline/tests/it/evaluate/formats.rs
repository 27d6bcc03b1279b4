//! Formats through the binary; those of other systems are tested in `eval/src/rows/read_tests.rs`.

use crate::common::{Place, Ran};
use crate::evaluate::results::RENEWAL;
use serde_json::{Value, json};
use std::{io::Write as _, process::Stdio};

#[test]
fn standard_input_and_maps() {
    let place = Place::new(None);
    let row =
        json!({"my_id": "x", "prompt": "When?", "output": {"text": RENEWAL}, "hits": [{"text": RENEWAL}]});
    let mut child = place
        .command(&[
            "score",
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
        .run(&["score", "rows.jsonl"])
        .fails_with(2, &["the format is not known", "my_id, prompt, output, hits", "--map"]);
    place
        .run(&["score", "rows.jsonl", "--map", "answers=output"])
        .fails_with(2, &["\"answers\" is not a field (id, "]);
    place
        .run(&["score", "rows.jsonl", "--input-format", "ragas"])
        .fails_with(2, &["line 1: has none of user_input, response, retrieved_contexts"]);
    place
        .run(&["score", "rows.jsonl", "--input-format", "odd"])
        .fails_with(2, &["ragas-service", "deepeval"]);
}
