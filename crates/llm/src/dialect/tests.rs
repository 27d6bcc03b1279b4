use super::*;
use crate::complaint::complaint;
use serde_json::json;

const WAYS: &[SchemaMode] =
    &[SchemaMode::JsonSchema, SchemaMode::Tools, SchemaMode::JsonObject, SchemaMode::Prompt];

/// A body that has all that can be complained about, asked for by schema or by tool.
fn body(way: SchemaMode) -> Value {
    let mut body = json!({"model": "m", "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}],
        "temperature": 0.0, "max_tokens": 9, "stream": true, "stream_options": {"include_usage": true}});
    match way {
        SchemaMode::Tools => body["tools"] = json!([]),
        SchemaMode::Prompt => {}
        _ => body["response_format"] = json!({}),
    }
    body
}

fn dialect(schema: SchemaMode) -> Dialect {
    Dialect { schema, whole: false, cured: 0 }
}

/// What is written after a server said this in the body of an error.
fn after(way: SchemaMode, said: &str) -> Option<(Dialect, Value)> {
    let found = dialect(way).after(&body(way), &complaint(said).words, true, WAYS);
    found.map(|(dialect, what)| {
        assert!(!what.is_empty());
        let mut written = body(dialect.schema);
        dialect.apply(&mut written);
        (dialect, written)
    })
}

#[track_caller]
fn check(said: &str, changed: impl Fn(&Value) -> bool) {
    let found = after(SchemaMode::JsonSchema, said);
    let (dialect, written) = found.unwrap_or_else(|| panic!("nothing is changed: {said}"));
    assert!(changed(&written), "{said}: {dialect:?} {written}");
}

#[test]
fn a_temperature_is_left_out_whatever_the_words() {
    for said in [
        "invalid temperature: only 1 is allowed for this model",
        "invalid temperature: only 0.6 is allowed for this model",
        "Invalid temperature value: must be greater than 0 and less than or equal to 1",
        "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) value is supported.",
        "`temperature` is deprecated for this model.",
        "temperature: Extra inputs are not permitted",
        "temperature must be strictly positive, response_format or not",
        "The parameter temperature is fixed to 1.0 and cannot be changed",
        "参数 temperature 不支持",
        "Unrecognized request argument supplied: temperature",
    ] {
        let cold = |written: &Value| written.get("temperature").is_none() && written["max_tokens"] == 9;
        check(said, cold);
        check(&json!({"error": {"message": said, "type": "invalid_request_error"}}).to_string(), cold);
        let inner = json!({"error": {"message": said}}).to_string();
        check(&json!(inner).to_string(), cold);
        check(&json!({"error": {"message": inner}}).to_string(), cold);
        let provider = json!({"message": "Provider returned error", "code": 400, "metadata": {"raw": inner}});
        check(&json!({ "error": provider }).to_string(), cold);
        check(&format!("<html><body><h1>400</h1><p>{said}</p></body></html>"), cold);
    }
    check(
        r#"{"detail":[{"loc":["body","temperature"],"msg":"Input should be less than or equal to 1"}]}"#,
        |body| body.get("temperature").is_none(),
    );
    check(r#"{"error":{"message":"Unsupported parameter","param":"temperature"}}"#, |body| {
        body.get("temperature").is_none()
    });
}

#[test]
fn instructions_go_before_the_question() {
    for said in [
        "System role not supported",
        "Developer instruction is not enabled for models/gemma-3-27b-it",
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "Only user and assistant roles are supported!",
        "unexpected role 'system' in messages[0]",
        "This model does not support system messages.",
        "'system' is not one of ['user', 'assistant'] - 'messages.0.role'",
        "Jinja Exception: System role not supported",
        "system_instruction is not supported for this model",
        r#"{"detail":[{"loc":["body","messages",0,"role"],"msg":"Input should be 'user' or 'assistant'"}]}"#,
    ] {
        check(said, |body| body["messages"] == json!([{"role": "user", "content": "S\n\nU"}]));
    }
    let mut anthropic = json!({"system": "S", "messages": [{"role": "user", "content": "U"}]});
    let joined = dialect(SchemaMode::Prompt).after(&anthropic, " system is not supported ", true, WAYS);
    joined.expect("a cure").0.apply(&mut anthropic);
    assert_eq!(anthropic, json!({"messages": [{"role": "user", "content": "S\n\nU"}]}));
}

#[test]
fn a_schema_steps_down() {
    for said in [
        "Invalid parameter: 'response_format' of type 'json_schema' is not supported",
        "failed to parse grammar",
        "Invalid JSON payload received. Unknown name \"additionalProperties\" at 'generation_config.response_schema': Cannot find field.",
        "Invalid JSON payload received. Unknown name \"$ref\": Cannot find field.",
        "Failed to generate JSON. Please adjust your prompt.",
        r#"{"error":{"message":"Generated JSON does not match","code":"json_validate_failed"}}"#,
        "The specified schema produces a constraint that has too many states for serving",
        "'minLength' is not permitted",
        "Keyword anyOf is not supported",
        "pattern is not supported in strict mode",
        "unsupported property: const ",
        "xgrammar does not implement the features in this request",
        "guided_json is not supported by this backend",
        "Structured outputs are not available for m",
        "responseFormat: unknown field",
    ] {
        let (next, _) = after(SchemaMode::JsonSchema, said).expect(said);
        assert_eq!(next, dialect(SchemaMode::Tools), "{said}");
    }
    for said in [
        "m does not support tools",
        "bad tool_choice",
        "grammar",
        "No endpoints found that support tool use",
        "Failed to call a function. Please adjust your prompt.",
        "tool_choice parameter does not support being set to required or object in thinking mode",
    ] {
        let (next, _) = after(SchemaMode::Tools, said).expect(said);
        assert_eq!(next, dialect(SchemaMode::JsonObject), "{said}");
    }
    let fixed = dialect(SchemaMode::JsonSchema);
    let said = complaint("response_format is not supported").words;
    assert_eq!(fixed.after(&body(SchemaMode::JsonSchema), &said, false, WAYS), None, "it was chosen");
    let last = dialect(SchemaMode::Prompt);
    assert_eq!(last.after(&body(SchemaMode::Prompt), &said, true, WAYS), None, "there is no other");
}

#[test]
fn other_parts_are_renamed_or_left_out() {
    let said = "'max_tokens' is not supported; use 'max_completion_tokens' instead";
    check(said, |body| body["max_completion_tokens"] == 9 && body.get("max_tokens").is_none());
    check("Unknown parameter: maxTokens", |body| body.get("max_tokens").is_none());
    check("stream_options is not allowed", |body| {
        body["stream"] == true && body.get("stream_options").is_none()
    });
    let (next, _) = after(SchemaMode::Prompt, "Streaming is not supported for this model").expect("a cure");
    assert!(next.whole);
}

#[test]
fn the_part_that_is_named_first_is_changed_and_each_once() {
    let said =
        complaint("Unsupported parameters: temperature, max_tokens, stream_options, system message").words;
    let mut own = dialect(SchemaMode::Prompt);
    let mut rounds = 0;
    loop {
        let mut sent = body(SchemaMode::Prompt);
        own.apply(&mut sent);
        let Some((next, _)) = own.after(&sent, &said, true, WAYS) else {
            break;
        };
        own = next;
        rounds += 1;
        assert!(rounds < 20, "it ends");
    }
    let mut sent = body(SchemaMode::Prompt);
    own.apply(&mut sent);
    let least = json!({"model": "m", "messages": [{"role": "user", "content": "S\n\nU"}], "stream": true});
    assert_eq!((sent, own.whole), (least, true));
}

#[test]
fn what_names_nothing_that_was_sent_changes_nothing() {
    for said in [
        "max_tokens is too large: 9",
        "context length exceeded",
        "Bad Request",
        "the upstream closed the connection",
        "top_p is not supported",
        "",
        r#"{"request":{"content":"temperature is not supported"}}"#,
    ] {
        assert!(after(SchemaMode::JsonSchema, said).is_none(), "{said}");
    }
    let none = json!({"messages": [{"role": "user", "content": "U"}]});
    let said = complaint("temperature, max_tokens, system role and response_format are not supported").words;
    assert_eq!(dialect(SchemaMode::JsonSchema).after(&none, &said, true, WAYS), None);
}

#[test]
fn a_mode_that_the_format_lacks_is_replaced_by_its_best_one() {
    let check = |mode: SchemaMode, want: SchemaMode| {
        let settings = LlmSettings { schema_mode: mode, ..LlmSettings::default() };
        assert_eq!(Dialect::new(&settings, &[SchemaMode::Tools, SchemaMode::Prompt]).schema, want);
    };
    check(SchemaMode::Auto, SchemaMode::Tools);
    check(SchemaMode::Prompt, SchemaMode::Prompt);
    check(SchemaMode::JsonObject, SchemaMode::Tools);
}
