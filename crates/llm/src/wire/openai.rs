//! OpenAI's chat completions, which most servers offer.

use super::{Ask, NoReply, Raw, Tokens, Wire, given, text_of, thought_of, was_cut};
use crate::{SchemaMode, served::Route};
use serde_json::{Value, json};
use types::JsonSchema;

/// The format.
pub(super) struct OpenAi;

impl Wire for OpenAi {
    fn route(&self) -> Route {
        Route::openai("/chat/completions")
    }

    fn ways(&self) -> &'static [SchemaMode] {
        use SchemaMode::{JsonObject, JsonSchema, Prompt, Tools};
        &[JsonSchema, Tools, JsonObject, Prompt]
    }

    fn body(&self, ask: &Ask<'_>, way: SchemaMode) -> Value {
        let (mut format, mut tools, mut choice) = (Value::Null, Value::Null, Value::Null);
        if let Some(JsonSchema { name, schema }) = &ask.request.schema {
            match way {
                SchemaMode::Auto | SchemaMode::JsonSchema => {
                    let own = json!({"name": name, "strict": true, "schema": schema});
                    format = json!({"type": "json_schema", "json_schema": own});
                }
                SchemaMode::Tools => {
                    tools = json!([{"type": "function", "function": {"name": name, "parameters": schema}}]);
                    choice = json!({"type": "function", "function": {"name": name}});
                }
                SchemaMode::JsonObject => format = json!({"type": "json_object"}),
                SchemaMode::Prompt => {}
            }
        }
        given(json!({
            "model": ask.model,
            // Also with tools: a server that ignores them silently must still tell the model of the schema.
            "messages": ask.messages(way != SchemaMode::JsonSchema),
            "temperature": ask.temperature(),
            "max_tokens": ask.max_tokens,
            "response_format": format,
            "tools": tools,
            "tool_choice": choice,
            "stream": false,
        }))
    }

    fn mark(&self) -> &'static str {
        "choices"
    }

    fn read(&self, body: Value) -> Result<Raw, NoReply> {
        let count = |name: &str| body["usage"][name].as_u64().unwrap_or(0);
        let tokens = Tokens { read: count("prompt_tokens"), written: count("completion_tokens") };
        let Some(choices) = body.get("choices") else {
            return Err(NoReply::Shape("it has no list `choices`".to_owned(), tokens));
        };
        let choice = &choices[0];
        let places = [&choice["message"], &choice["delta"], choice];
        let Some(message) = places.into_iter().find(|own| own.is_object()) else {
            return Err(NoReply::Empty("it holds no choice".to_owned(), tokens));
        };
        let refusal = message["refusal"].as_str().unwrap_or_default();
        if !refusal.is_empty() {
            return Err(NoReply::NoAnswer(format!("it declined ({refusal})"), tokens));
        }
        let truncated = was_cut(&choice["finish_reason"], tokens)?;
        let arguments = argument_text(&message["tool_calls"][0]);
        let text = text_of(message.get("content").unwrap_or(&message["text"]));
        let mut said = [arguments, text].into_iter();
        Ok(Raw {
            text: said.find(|text| !text.trim().is_empty()).unwrap_or_default(),
            thought: thought_of(message),
            model: body["model"].as_str().map(str::to_owned),
            tokens,
            truncated,
        })
    }
}

/// The arguments of a call of a tool, or a part of them: text, or the object itself.
pub(super) fn argument_text(call: &Value) -> String {
    match &call["function"]["arguments"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        object => object.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::test::{ask, raw, request};

    #[test]
    fn bodies_follow_the_dialect() {
        let request = request();
        let check = |way: SchemaMode, want: Value| assert_eq!(OpenAi.body(&ask(&request), way), want);
        let spelt = ask(&request).system(true);
        assert!(spelt.starts_with("S\n") && spelt.ends_with(r#"{"type":"object"}"#));
        let user = json!({"role": "user", "content": "U"});
        check(
            SchemaMode::JsonSchema,
            json!({"model": "m", "messages": [{"role": "system", "content": "S"}, user], "temperature": 0.7,
                "max_tokens": 9, "stream": false, "response_format": {"type": "json_schema", "json_schema":
                {"name": "answer", "strict": true, "schema": {"type": "object"}}}}),
        );
        check(
            SchemaMode::Tools,
            json!({"model": "m", "messages": [{"role": "system", "content": spelt}, user], "temperature": 0.7,
                "max_tokens": 9, "stream": false,
                "tools": [{"type": "function", "function": {"name": "answer", "parameters": {"type": "object"}}}],
                "tool_choice": {"type": "function", "function": {"name": "answer"}}}),
        );
        check(
            SchemaMode::JsonObject,
            json!({"model": "m", "messages": [{"role": "system", "content": spelt}, user], "temperature": 0.7,
                "max_tokens": 9, "stream": false, "response_format": {"type": "json_object"}}),
        );
        check(
            SchemaMode::Prompt,
            json!({"model": "m", "messages": [{"role": "system", "content": spelt}, user], "temperature": 0.7,
                "max_tokens": 9, "stream": false}),
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
        check(call(json!("{\"a\":1}")), "tool_calls", &raw("{\"a\":1}", (3, 4), false));
        check(call(json!({"a": 1})), "stop", &raw("{\"a\":1}", (3, 4), false));
        check(json!({"content": "x", "tool_calls": []}), "stop", &raw("x", (3, 4), false));
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
