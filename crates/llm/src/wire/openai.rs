//! OpenAI's chat completions, which most servers offer.

use super::{Ask, NoReply, Raw, Tokens, Wire};
use crate::{
    SchemaMode,
    dialect::{Dialect, Leeway, SCHEMA_WORDS, TOOL_WORDS, Way},
    served::Route,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use types::JsonSchema;

const LEEWAY: Leeway = Leeway {
    schema: &[
        Way {
            mode: SchemaMode::JsonSchema,
            words: &[SCHEMA_WORDS],
        },
        Way {
            mode: SchemaMode::Tools,
            words: &[TOOL_WORDS, SCHEMA_WORDS],
        },
        Way {
            mode: SchemaMode::JsonObject,
            words: &[SCHEMA_WORDS],
        },
        Way {
            mode: SchemaMode::Prompt,
            words: &[],
        },
    ],
    completion_tokens: true,
};

/// The format.
pub(super) struct OpenAi;

impl Wire for OpenAi {
    fn route(&self) -> Route {
        Route::openai("/chat/completions")
    }

    fn leeway(&self) -> &'static Leeway {
        &LEEWAY
    }

    fn body(&self, ask: &Ask<'_>, dialect: Dialect) -> Value {
        // Also with tools: a server that ignores them silently must still tell the model of the schema.
        let spelt = dialect.schema != SchemaMode::JsonSchema;
        let mut body = Map::new();
        body.insert("model".to_owned(), ask.model.into());
        body.insert("messages".to_owned(), ask.messages(spelt).into());
        if let Some(temperature) = ask.temperature(dialect) {
            body.insert("temperature".to_owned(), temperature.into());
        }
        if let Some(max) = ask.max_tokens {
            let name = if dialect.completion_tokens {
                "max_completion_tokens"
            } else {
                "max_tokens"
            };
            body.insert(name.to_owned(), max.into());
        }
        if let Some(schema) = &ask.request.schema {
            ask_for(&mut body, schema, dialect.schema);
        }
        body.insert("stream".to_owned(), false.into());
        Value::Object(body)
    }

    fn mark(&self) -> &'static str {
        "choices"
    }

    fn read(&self, body: Value) -> Result<Raw, NoReply> {
        let count = |name: &str| body["usage"][name].as_u64().unwrap_or(0);
        let tokens = Tokens {
            read: count("prompt_tokens"),
            written: count("completion_tokens"),
        };
        let shape = |reason: String| NoReply::Shape(reason, tokens);
        let reply: Reply = serde_json::from_value(body).map_err(|e| shape(e.to_string()))?;
        let Some(choice) = reply.choices.into_iter().next() else {
            return Err(shape("it holds no choice".to_owned()));
        };
        let message = choice.message;
        if let Some(refusal) = message.refusal.filter(|r| !r.is_empty()) {
            return Err(NoReply::NoAnswer(format!("it declined ({refusal})"), tokens));
        }
        let call = message.tool_calls.into_iter().flatten().next();
        let arguments = call.map(|call| match call.function.arguments {
            Value::String(text) => text,
            Value::Null => String::new(),
            // Some servers send the object itself.
            other => other.to_string(),
        });
        let text = arguments
            .filter(|text| !text.trim().is_empty())
            .or_else(|| message.content.map(Content::text));
        Ok(Raw {
            text: text.unwrap_or_default(),
            model: reply.model,
            tokens,
            truncated: choice.finish_reason.as_deref() == Some("length"),
        })
    }
}

/// Writes what makes the server hold the model to a schema.
fn ask_for(body: &mut Map<String, Value>, schema: &JsonSchema, mode: SchemaMode) {
    let JsonSchema { name, schema } = schema;
    match mode {
        SchemaMode::Auto | SchemaMode::JsonSchema => {
            let format = json!({
                "type": "json_schema",
                "json_schema": {"name": name, "strict": true, "schema": schema},
            });
            body.insert("response_format".to_owned(), format);
        }
        SchemaMode::Tools => {
            let tool = json!({"type": "function", "function": {"name": name, "parameters": schema}});
            body.insert("tools".to_owned(), json!([tool]));
            let choice = json!({"type": "function", "function": {"name": name}});
            body.insert("tool_choice".to_owned(), choice);
        }
        SchemaMode::JsonObject => {
            body.insert("response_format".to_owned(), json!({"type": "json_object"}));
        }
        SchemaMode::Prompt => {}
    }
}

#[derive(Deserialize)]
struct Reply {
    model: Option<String>,
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<Content>,
    refusal: Option<String>,
    tool_calls: Option<Vec<ToolCall>>,
}

#[derive(Deserialize)]
struct ToolCall {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    #[serde(default)]
    arguments: Value,
}

/// Text, or text in parts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
}

impl Content {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => parts.into_iter().filter_map(|p| p.text).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::test::{ask, dialect, raw, request};

    #[test]
    fn bodies_follow_the_dialect() {
        let request = request();
        let check = |dialect: Dialect, want: Value| assert_eq!(OpenAi.body(&ask(&request), dialect), want);
        let spelt = ask(&request).system(true);
        assert!(spelt.starts_with("S\n") && spelt.ends_with(r#"{"type":"object"}"#));
        let user = json!({"role": "user", "content": "U"});
        check(
            dialect(SchemaMode::JsonSchema),
            json!({"model": "m", "messages": [{"role": "system", "content": "S"}, user], "temperature": 0.7,
                "max_tokens": 9, "stream": false, "response_format": {"type": "json_schema", "json_schema":
                {"name": "answer", "strict": true, "schema": {"type": "object"}}}}),
        );
        check(
            dialect(SchemaMode::Tools),
            json!({"model": "m", "messages": [{"role": "system", "content": spelt}, user], "temperature": 0.7,
                "max_tokens": 9, "stream": false,
                "tools": [{"type": "function", "function": {"name": "answer", "parameters": {"type": "object"}}}],
                "tool_choice": {"type": "function", "function": {"name": "answer"}}}),
        );
        check(
            Dialect {
                temperature: false,
                completion_tokens: true,
                ..dialect(SchemaMode::JsonObject)
            },
            json!({"model": "m", "messages": [{"role": "system", "content": spelt}, user],
                "max_completion_tokens": 9, "stream": false, "response_format": {"type": "json_object"}}),
        );
        check(
            Dialect {
                temperature: false,
                ..dialect(SchemaMode::Prompt)
            },
            json!({"model": "m", "messages": [{"role": "system", "content": spelt}, user], "max_tokens": 9,
                "stream": false}),
        );
    }

    #[test]
    fn replies_are_read_in_their_variants() {
        let check = |message: Value, reason: &str, want: &Raw| {
            let choice = json!({"message": message, "finish_reason": reason});
            let body = json!({"model": "m1", "choices": [choice],
                "usage": {"prompt_tokens": 3, "completion_tokens": 4}});
            assert_eq!(OpenAi.read(body).as_ref(), Ok(want), "{message}");
        };
        check(json!({"content": "x"}), "stop", &raw("x", (3, 4), false));
        check(json!({"content": null}), "length", &raw("", (3, 4), true));
        let parts = json!({"content": [{"type": "text", "text": "a"}, {"text": "b"}]});
        check(parts, "stop", &raw("ab", (3, 4), false));
        let call =
            |arguments: Value| json!({"content": "", "tool_calls": [{"function": {"arguments": arguments}}]});
        check(
            call(json!("{\"a\":1}")),
            "tool_calls",
            &raw("{\"a\":1}", (3, 4), false),
        );
        check(call(json!({"a": 1})), "stop", &raw("{\"a\":1}", (3, 4), false));
        check(
            json!({"content": "x", "tool_calls": []}),
            "stop",
            &raw("x", (3, 4), false),
        );
        check(
            json!({"content": "x", "tool_calls": [{"function": {"arguments": " "}}]}),
            "stop",
            &raw("x", (3, 4), false),
        );
    }

    #[test]
    fn what_is_no_reply_says_why() {
        let check = |body: Value, want: &str| {
            let shown = body.to_string();
            let error = format!("{:?}", OpenAi.read(body).expect_err(&shown));
            assert!(error.contains(want), "{shown}: {error}");
        };
        check(json!({}), "choices");
        check(json!({"choices": []}), "no choice");
        check(
            json!({"choices": [{"message": {"content": null, "refusal": "I cannot"}}]}),
            "declined (I cannot)",
        );
        check(
            json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}),
            "Tokens { read: 3, written: 4 }",
        );
    }
}
