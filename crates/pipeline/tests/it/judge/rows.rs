//! Rows, settings, and documents against their schemas.

use serde_json::{Value, json};
use testkit::ChatServer;

pub(crate) const CONTEXT: &str =
    "Regular walking lowered blood pressure in mice by 12 mmHg. The mice slept longer on days without music.";

pub(crate) fn row(id: &str, response: &str, more: Value) -> Value {
    let mut row = json!({"id": id, "context": CONTEXT, "response": response, "question": null});
    if let (Value::Object(row), Value::Object(more)) = (&mut row, more) {
        row.extend(more);
    }
    row
}

/// One supported response, two that are not, and one in a list of passages.
pub(crate) fn rows() -> Vec<Value> {
    vec![
        row("good", "Regular walking lowered blood pressure in mice by 12 mmHg.", json!({"faithful": 1})),
        row("number", "Regular walking lowered blood pressure in mice by 57 mmHg.", json!({"faithful": 0})),
        row("other", "Quantum computers factor large integers quickly.", json!({"faithful": 0})),
        json!({"id": 7, "context": ["Nothing.", CONTEXT], "response": "The mice slept longer on days without music.",
            "question": "Did the mice sleep?", "faithful": 1}),
    ]
}

pub(crate) fn jsonl(rows: &[Value]) -> Vec<u8> {
    let lines: Vec<String> = rows.iter().map(|row| format!("{row}\n")).collect();
    lines.concat().into_bytes()
}

/// The objects of a file, without their checksums: those of changed objects would be wrong.
pub(crate) fn lines(text: &str) -> Vec<Value> {
    let read = |line: &str| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        line.as_object_mut().expect("an object").shift_remove("crc32");
        line
    };
    text.lines().map(read).collect()
}

pub(crate) fn llm(server: &ChatServer) -> Vec<String> {
    [
        "llm.provider=openai".to_owned(),
        // Each row counts, also one with the text of another.
        "llm.cache=off".to_owned(),
        format!("llm.base_url={}", server.base_url()),
        "llm.model=m".to_owned(),
        "llm.max_retries=0".to_owned(),
    ]
    .iter()
    .flat_map(|set| ["--set".to_owned(), set.clone()])
    .collect()
}

pub(crate) fn with<'a>(args: &[&'a str], more: &'a [String]) -> Vec<&'a str> {
    args.iter().copied().chain(more.iter().map(String::as_str)).collect()
}
