//! The shapes of the replies. Evidence comes before what follows from it, because servers write the fields in this order.

use serde_json::{Value, json};
use types::JsonSchema;

/// Of a question with its answer.
pub(super) fn question() -> JsonSchema {
    schema(
        "drafted_question",
        &[
            ("usable", json!({"type": "boolean"})),
            ("quotes", quotes()),
            ("question", json!({"type": "string"})),
            ("reference_answer", json!({"type": "string"})),
        ],
    )
}

/// Of a question without an answer.
pub(super) fn near_miss() -> JsonSchema {
    let text = json!({"type": "string"});
    schema(
        "near_miss",
        &[
            ("usable", json!({"type": "boolean"})),
            ("nearest", text.clone()),
            ("question", text.clone()),
            ("statement", text),
        ],
    )
}

/// Of an answer to a given question.
pub(super) fn reference() -> JsonSchema {
    schema(
        "reference_answer",
        &[
            ("answered", json!({"type": "boolean"})),
            ("quotes", quotes()),
            ("reference_answer", json!({"type": "string"})),
        ],
    )
}

fn quotes() -> Value {
    let quote = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["excerpt", "quote"],
        "properties": {"excerpt": {"type": "integer"}, "quote": {"type": "string"}}
    });
    json!({"type": "array", "items": quote})
}

fn schema(name: &str, fields: &[(&str, Value)]) -> JsonSchema {
    let required: Vec<&str> = fields.iter().map(|(key, _)| *key).collect();
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    JsonSchema {
        name: name.to_owned(),
        schema: json!({
            "type": "object",
            "additionalProperties": false,
            "required": required,
            "properties": properties,
        }),
    }
}
