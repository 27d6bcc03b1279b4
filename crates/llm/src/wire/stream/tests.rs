use super::*;
use crate::wire;
use std::cell::RefCell;

/// Feeds `lines` in pieces of `size` bytes; the body, and the text that was told.
fn fed(api: Api, lines: &str, size: usize) -> (Option<String>, String) {
    let told = RefCell::new(String::new());
    let written = |text: &str| told.borrow_mut().push_str(text);
    let mut all = Lines::new(api);
    for piece in lines.as_bytes().chunks(size) {
        all.take(piece, &written);
    }
    let body = all.body(&written);
    (body, told.into_inner())
}

#[track_caller]
fn check(api: Api, lines: &str, text: &str, tokens: (u64, u64), truncated: bool) {
    for size in [1, 7, 4096] {
        let (body, told) = fed(api, lines, size);
        let body = serde_json::from_str(&body.expect("a body")).expect("JSON");
        let raw = wire::of(api).read(body).expect("a reply");
        assert_eq!((raw.text.as_str(), told.as_str()), (text, text), "{size}");
        assert_eq!((raw.tokens.read, raw.tokens.written, raw.truncated), (tokens.0, tokens.1, truncated));
        assert_eq!(raw.model.as_deref(), Some("m1"));
    }
}

#[test]
fn chunks_of_chat_completions_are_joined() {
    let text = "data: {\"model\":\"m1\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n\
                : a comment\n\n\
                data: {\"model\":\"m1\",\"choices\":[{\"delta\":{\"content\":\"Grün\"},\"finish_reason\":null}]}\r\n\r\n\
                data: {\"model\":\"m1\",\"choices\":[{\"delta\":{\"content\":\" tea\"},\"finish_reason\":\"stop\"}]}\n\n\
                data: {\"model\":\"m1\",\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\n\
                data: [DONE]\n\n";
    check(Api::OpenAi, text, "Grün tea", (3, 4), false);
    let tool = "data: {\"model\":\"m1\",\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"a\",\"arguments\":\"{\\\"a\\\":\"}}]}}]}\n\n\
                data: {\"model\":\"m1\",\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]},\"finish_reason\":\"length\"}]}\n\n";
    check(Api::OpenAi, tool, "{\"a\":1}", (0, 0), true);
}

#[test]
fn events_of_messages_are_joined() {
    let start = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m1\",\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n";
    let end = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":4}}\n\n\
               event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    let text = "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n\
                data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Tea \"}}\n\n\
                event: ping\ndata: {\"type\":\"ping\"}\n\n\
                data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"helps\"}}\n\n";
    check(Api::Anthropic, &format!("{start}{text}{end}"), "Tea helps", (3, 4), false);
    let tool = "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"input\":{}}}\n\n\
                data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\"\"}}\n\n\
                data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\":1}\"}}\n\n";
    check(Api::Anthropic, &format!("{start}{tool}{end}"), "{\"a\":1}", (3, 4), false);
}

#[test]
fn lines_of_ollama_are_joined() {
    let lines = "{\"model\":\"m1\",\"message\":{\"content\":\"Tea \"},\"done\":false}\n\
                 {\"model\":\"m1\",\"message\":{\"content\":\"helps\"},\"done\":false}\n\
                 {\"model\":\"m1\",\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"length\",\"prompt_eval_count\":3,\"eval_count\":4}";
    check(Api::Ollama, lines, "Tea helps", (3, 4), true);
}

/// Chunks of chat completions with these deltas.
fn chunks(deltas: &[serde_json::Value]) -> String {
    let chunk =
        |delta| json!({"model": "m1", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    deltas.iter().map(|delta| format!("data: {}\n\n", chunk(delta))).collect::<Vec<_>>().concat()
}

#[test]
fn chunks_are_joined_whatever_their_form() {
    const WHOLE: &str = "{\"a\":[1,2]}";
    const END: &str = "data: {\"model\":\"m1\",\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    const DONE: &str = "data: [DONE]\n\n";
    let check = |lines: &str| check(Api::OpenAi, lines, WHOLE, (0, 0), false);
    let part = |text: &str| json!([{"type": "text", "text": text}]);
    let thought = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "{\"b\": 1}"}]}]);
    let parts = [
        json!({ "content": thought }),
        json!({"content": part("{\"a\":")}),
        json!({"content": part("[1,2]}")}),
    ];
    check(&(chunks(&parts) + END));
    let call = |index: serde_json::Value, arguments: serde_json::Value| json!({"index": index, "function": {"arguments": arguments}});
    let calls = |calls: &[serde_json::Value]| json!({ "tool_calls": calls });
    let object = json!({"a": [1, 2]});
    for index in [json!(0), json!(1), json!(7), json!(null)] {
        check(&(chunks(&[calls(&[call(index.clone(), object.clone())])]) + END));
        let halves = [call(index.clone(), json!("{\"a\":")), call(index.clone(), json!("[1,2]}"))];
        check(&(chunks(&[calls(&halves)]) + END));
        check(&(chunks(&halves.clone().map(|half| calls(&[half]))) + DONE));
        check(&(chunks(&[calls(&[call(index.clone(), json!(""))]), calls(&halves)]) + END));
    }
    // Another call beside it.
    check(&(chunks(&[calls(&[call(json!(1), json!(WHOLE)), call(json!(2), json!("{}"))])]) + END));
    let text = |content: &str| json!({ "content": content });
    // No reason to finish: the end is said, or the JSON is whole.
    check(&(chunks(&[text("{\"a\":"), text("[1,2]}")]) + DONE));
    check(&chunks(&[text("{\"a\":"), text("[1,2]}")]));
    check(chunks(&[text(WHOLE)]).trim_end());
    let pretty = serde_json::to_string_pretty(&json!({"model": "m1", "choices": [{"delta": text(WHOLE)}]}))
        .expect("JSON");
    let lines = pretty.lines().map(|line| format!("data: {line}\r\n")).collect::<Vec<_>>().concat();
    check(&format!(": ping\r\n\r\n{lines}\r\nid: 1\r\nretry: 3\r\ndata:{}\r\n\r\n", &END[6..].trim_end()));
    check(&format!("\u{feff}{}", chunks(&[text(WHOLE)]) + END).replace('\n', "\r\n"));
    let message = json!({"model": "m1", "choices": [{"message": {"role": "assistant", "content": WHOLE}, "finish_reason": "stop"}]});
    check(&format!("data: {message}\n\n{DONE}"));
    check(&chunks(&[text(WHOLE)]).replace('\n', "\r"));
}

#[test]
fn a_stream_of_errors_is_an_error() {
    for (api, lines) in [
        (Api::OpenAi, "data: {\"error\":{\"code\":502,\"message\":\"Overloaded\"}}\n\n"),
        (
            Api::OpenAi,
            "data: {\"choices\":[{\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\",\"error\":{\"message\":\"Overloaded\"}}]}\n\n",
        ),
        (Api::OpenAi, "event: error\ndata: Overloaded\n\n"),
        (
            Api::Anthropic,
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
        ),
        (Api::Ollama, "{\"error\":\"Overloaded\"}\n"),
    ] {
        let (body, _) = fed(api, lines, 7);
        let body = body.unwrap_or_else(|| panic!("events: {lines}"));
        let schema = json!({"type": "object"});
        match crate::reply::parse(wire::of(api), &body, Some(&schema)) {
            Err(crate::wire::NoReply::Error(said)) => {
                assert!(said.words.contains(" overloaded "), "{lines}: {said:?}");
            }
            other => panic!("{lines}: {other:?}"),
        }
    }
}

#[test]
fn a_reply_without_an_end_is_none_and_an_error_is_kept() {
    for (api, line) in [
        (Api::OpenAi, "data: {\"choices\":[{\"delta\":{\"content\":\"Tea\"},\"finish_reason\":null}]}\n"),
        (
            Api::Anthropic,
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"text\":\"Tea\"}}\n",
        ),
        (Api::Ollama, "{\"message\":{\"content\":\"Tea\"},\"done\":false}\n"),
    ] {
        let (body, told) = fed(api, line, 9);
        let body = serde_json::from_str(&body.expect("a body")).expect("JSON");
        assert_eq!(told, "Tea");
        assert!(wire::of(api).read(body).is_err(), "{api:?}");
        let error = format!("{line}data: {{\"error\":{{\"message\":\"overloaded\"}}}}\n");
        let (body, _) = fed(api, &error, 9);
        assert!(body.expect("a body").contains("overloaded"));
    }
    // A server that does not stream.
    assert_eq!(fed(Api::OpenAi, "<html>\nno\n", 5).0, None);
    let whole = "{\"choices\": [{\"message\": {\"content\": \"Tea\"}}]}";
    assert_eq!(fed(Api::OpenAi, whole, 5), (None, String::new()));
    let (body, told) = fed(Api::Ollama, "{\"message\": {\"content\": \"Tea\"}, \"done\": true}", 5);
    assert!(body.expect("a body").contains("Tea") && told == "Tea");
}
