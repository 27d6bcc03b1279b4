//! The body of a request.

use crate::{SchemaMode, dialect::Sent};
use serde_json::{Map, Value, json};
use types::{ChatRequest, JsonSchema};

/// The body of a chat call.
pub(crate) fn body(
    model: &str,
    temperature: Option<f32>,
    max_tokens: Option<u32>,
    request: &ChatRequest,
    sent: Sent,
) -> Value {
    let mut system = request.system.clone();
    let mut format = None;
    if let Some(schema) = &request.schema {
        match sent.dialect.schema {
            SchemaMode::Auto | SchemaMode::JsonSchema => format = Some(schema_format(schema)),
            SchemaMode::JsonObject => {
                system.push_str(&spelt_out(schema));
                format = Some(json!({"type": "json_object"}));
            }
            SchemaMode::Prompt => system.push_str(&spelt_out(schema)),
        }
    }
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    let mut messages = Vec::new();
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system}));
    }
    messages.push(json!({"role": "user", "content": request.user}));
    body.insert("messages".to_owned(), messages.into());
    if let Some(temperature) = temperature.filter(|_| sent.dialect.temperature) {
        // Through its decimal form: 0.7_f32 as f64 would be sent as 0.699999988079071.
        let number: f64 = temperature.to_string().parse().unwrap_or_default();
        body.insert("temperature".to_owned(), number.into());
    }
    if let Some(max) = max_tokens {
        let name = if sent.dialect.completion_tokens {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        body.insert(name.to_owned(), max.into());
    }
    if let Some(format) = format {
        body.insert("response_format".to_owned(), format);
    }
    body.insert("stream".to_owned(), false.into());
    Value::Object(body)
}

fn schema_format(schema: &JsonSchema) -> Value {
    json!({
        "type": "json_schema",
        "json_schema": {"name": schema.name, "strict": true, "schema": schema.schema},
    })
}

/// The schema as part of the instructions, for servers that do not enforce it.
fn spelt_out(schema: &JsonSchema) -> String {
    format!(
        "\n\nReply with one JSON object and nothing else: no preface, no code fence. It must follow this JSON \
         schema:\n{}",
        schema.schema
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;

    fn request() -> ChatRequest {
        let schema = JsonSchema {
            name: "answer".to_owned(),
            schema: json!({"type": "object"}),
        };
        ChatRequest {
            system: "S".into(),
            user: "U".into(),
            schema: Some(schema),
            max_tokens: None,
        }
    }

    #[test]
    fn bodies_follow_the_dialect() {
        let check = |schema: SchemaMode, temperature: bool, completion_tokens: bool, want: Value| {
            let dialect = Dialect {
                schema,
                temperature,
                completion_tokens,
            };
            let sent = Sent {
                dialect,
                schema: true,
                max_tokens: true,
            };
            assert_eq!(body("m", Some(0.7), Some(9), &request(), sent), want);
        };
        let spelt = format!("S{}", spelt_out(request().schema.as_ref().expect("a schema")));
        assert!(spelt.ends_with(r#"{"type":"object"}"#));
        let user = json!({"role": "user", "content": "U"});
        check(
            SchemaMode::JsonSchema,
            true,
            false,
            json!({"model": "m", "messages": [{"role": "system", "content": "S"}, user], "temperature": 0.7,
                "max_tokens": 9, "stream": false, "response_format": {"type": "json_schema", "json_schema":
                {"name": "answer", "strict": true, "schema": {"type": "object"}}}}),
        );
        check(
            SchemaMode::JsonObject,
            false,
            true,
            json!({"model": "m", "messages": [{"role": "system", "content": spelt}, user],
                "max_completion_tokens": 9, "stream": false, "response_format": {"type": "json_object"}}),
        );
        check(
            SchemaMode::Prompt,
            false,
            false,
            json!({"model": "m", "messages": [{"role": "system", "content": spelt}, user], "max_tokens": 9,
                "stream": false}),
        );
    }
}
