//! Replies, streams and errors that differ from what the APIs promise, in ways that providers are known for.

use crate::language_model::world::{QUESTION, World, rows};
use serde_json::{Value, json};
use testkit::{ChatServer, Request, Step, reply};

const RESULT: &str = "Walking lowered systolic blood pressure by 12 mmHg";

/// The events of an answer, which is given as text and as a value.
type Stream = dyn Fn(&str, Value) -> String + Send + Sync;

/// The answer to a question that is put to a server, and what standard error says.
#[track_caller]
fn asked(
    world: &World,
    script: impl Fn(&Request) -> Step + Send + Sync + 'static,
    more: &[&str],
    stream: &str,
) -> (Value, usize) {
    let server = ChatServer::answering(script);
    world.settings(&server.base_url(), more);
    let (code, answer, said) = world.json(&["ask", QUESTION, "--stream", stream]);
    assert_eq!(code, 0, "{answer}\n{said}");
    assert!(
        answer["answer"]
            .as_str()
            .is_some_and(|text| text.contains(RESULT)),
        "{answer}"
    );
    (answer, server.requests().len())
}

#[test]
fn replies_that_can_be_read_in_one_way_are_read() {
    let Some(world) = World::new() else { return };
    let changes: [fn(Value) -> Value; 9] = [
        |mut answer| {
            answer["confidence"] = json!("Medium");
            answer["no_evidence"] = json!("False");
            answer["caveats"] = Value::Null;
            answer["evidence_quality"] = Value::Null;
            answer
        },
        |mut answer| {
            answer["claims"] = answer["claims"][0].clone();
            answer["claims"]["evidence"] = answer["claims"]["evidence"][0].clone();
            answer
        },
        |mut answer| {
            answer["caveats"] = json!("A small trial.");
            answer["claims"] = json!(answer["claims"].to_string());
            answer
        },
        |answer| json!([answer]),
        |answer| json!(answer.to_string()),
        |answer| json!({ "cited_answer": answer }),
        |answer| json!({"result": {"answer": answer.to_string()}}),
        |answer| json!(format!("<think>Walking, then.</think>\n```json\n[{answer}]\n```")),
        |answer| json!({"no_evidence": 0, "Claims": answer["claims"], "Confidence": " MEDIUM "}),
    ];
    for change in changes {
        let script = move |request: &Request| match change(reply::answer(request)) {
            Value::String(text) if text.starts_with("<think>") => Step::said(text),
            value => Step::json(&value),
        };
        let (answer, requests) = asked(&world, script, &[], "never");
        assert_eq!(
            (requests, &answer["confidence"]),
            (1, &json!("medium")),
            "{answer}"
        );
    }
    // The reranker reads its grades in the same way.
    let script = |request: &Request| match request.schema() {
        reply::RERANK => {
            let grades = reply::grades(request)["scores"]
                .to_string()
                .replace(":10", ":\"10\"");
            Step::said(grades)
        }
        _ => reply::good(request),
    };
    let (answer, requests) = asked(&world, script, &["rerank.method = \"llm\""], "never");
    assert_eq!(
        (requests, answer["caveats"].to_string().contains("rerank")),
        (2, false),
        "{answer}"
    );
}

#[test]
fn what_works_without_a_stream_works_with_one() {
    let Some(world) = World::new() else { return };
    let chunk = |delta: Value, finish: Value| {
        format!(
            "data: {}\n\n",
            json!({"model": "m-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
        )
    };
    let part = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    let call = |index: u32, arguments: Value| json!({"tool_calls": [{"index": index, "function": {"name": "cited_answer", "arguments": arguments}}]});
    let streams: [(&str, Box<Stream>); 6] = [
        (
            "parts",
            Box::new(move |text, _| chunk(part(text), Value::Null) + &chunk(json!({}), json!("stop"))),
        ),
        (
            "object",
            Box::new(move |_, answer| {
                chunk(call(0, answer), Value::Null) + &chunk(json!({}), json!("tool_calls"))
            }),
        ),
        (
            "index 1",
            Box::new(move |text, _| {
                let (first, second) = text.split_at(20);
                chunk(call(1, json!(first)), Value::Null)
                    + &chunk(call(1, json!(second)), json!("tool_calls"))
            }),
        ),
        (
            "no finish",
            Box::new(move |text, _| chunk(json!({ "content": text }), Value::Null) + "data: [DONE]\n\n"),
        ),
        (
            "message",
            Box::new(|text, _| {
                let choice =
                    json!({"message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
                format!("data: {}\n\n", json!({ "choices": [choice] }))
            }),
        ),
        (
            "lines",
            Box::new(move |text, _| {
                let body = json!({"choices": [{"delta": {"content": text}, "finish_reason": "stop"}]});
                let pretty = serde_json::to_string_pretty(&body).expect("JSON");
                pretty
                    .lines()
                    .map(|line| format!("data: {line}\r\n"))
                    .collect::<Vec<_>>()
                    .concat()
                    + "\r\n"
            }),
        ),
    ];
    for (name, stream) in streams {
        let script = move |request: &Request| {
            let answer = reply::answer(request);
            Step::answer(200, stream(&answer.to_string(), answer.clone()))
        };
        let (answer, requests) = asked(&world, script, &[], "always");
        assert_eq!(
            (requests, answer["caveats"].to_string().contains("whole replies")),
            (1, false),
            "{name}: {answer}"
        );
    }
    // What cannot be read while it is written is asked for as a whole, and an answer is an answer.
    let broken = |request: &Request| {
        let events = "data: {\"choices\":[{\"delta\":{\"content\":\"{\\\"claims\\\": [\"}}]}\n\n";
        let streams = request.body["stream"] == true;
        if streams {
            Step::answer(200, events)
        } else {
            reply::good(request)
        }
    };
    let (answer, requests) = asked(&world, broken, &[], "always");
    assert!(
        requests == 2 && answer["caveats"].to_string().contains("whole replies"),
        "{answer}"
    );
    let server = ChatServer::start([Step::error(401, "wrong key")]);
    world.settings(&server.base_url(), &[]);
    world
        .run(&["ask", QUESTION, "--stream", "always"])
        .fails_with(2, &["refused the key"]);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_rejected_part_is_given_up_with_a_note_and_once() {
    let Some(world) = World::new() else { return };
    let script = |request: &Request| {
        let temperature =
            json!([{"error": {"code": 400, "message": "invalid temperature: only 1 is allowed"}}]);
        let system = json!({"object": "error", "message": "System role not supported", "code": 400});
        let schema =
            json!({"error": {"message": "Unknown name \"additionalProperties\": Cannot find field."}});
        let rejected = [
            (request.body["temperature"].is_number(), temperature),
            (!request.system().is_empty(), system),
            (request.body["response_format"]["json_schema"].is_object(), schema),
        ];
        match rejected.into_iter().find(|(own, _)| *own) {
            Some((_, error)) => Step::answer(400, error.to_string()),
            None => reply::good(request),
        }
    };
    let (answer, requests) = asked(&world, script, &[], "never");
    let notes = answer["caveats"].to_string();
    for part in [
        "a temperature, so none",
        "they are sent before it",
        "json_schema; tools is used",
    ] {
        assert!(notes.contains(part), "{part}: {notes}");
    }
    assert_eq!(requests, 4, "each once");
    // In an evaluation it is learnt once.
    let server = ChatServer::answering(script);
    world.settings(&server.base_url(), &["eval.workers = 1"]);
    let (code, document, _) = world.eval(3);
    assert_eq!(
        (code, rows(&document).len(), server.requests().len()),
        (0, 3, 6),
        "{document}"
    );
}

#[test]
fn overload_inside_status_200_is_tried_again() {
    let Some(world) = World::new() else { return };
    let again: [fn() -> Step; 4] = [
        || {
            Step::answer(
                200,
                r#"{"error":{"code":"server_error","message":"Provider disconnected"}}"#,
            )
        },
        || {
            Step::answer(
                200,
                r#"{"choices":[{"message":{"content":""},"finish_reason":"error","error":{"code":502}}]}"#,
            )
        },
        || {
            Step::answer(
                200,
                "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
            )
        },
        || Step::answer(200, r#"{"choices":null}"#),
    ];
    for bad in again {
        let script = move |request: &Request| {
            if request.number == 0 {
                bad()
            } else {
                reply::good(request)
            }
        };
        let (_, requests) = asked(&world, script, &[], "always");
        assert_eq!(requests, 2);
    }
    let server = ChatServer::answering(|request| match request.number % 3 {
        2 => Step::answer(200, r#"{"error":{"type":"rate_limit_error","message":"slow"}}"#),
        _ => reply::good(request),
    });
    world.settings(&server.base_url(), &[]);
    let (code, document, _) = world.eval(6);
    assert_eq!((code, rows(&document).len()), (0, 6), "{document}");
}

#[test]
fn a_prompt_that_was_cut_is_a_caveat_and_an_error_of_a_row() {
    let Some(world) = World::new() else { return };
    let cut = |request: &Request| Step::completion(&reply::answer(request).to_string(), "stop", (300, 100));
    let (answer, _) = asked(&world, cut, &[], "never");
    let notes = answer["caveats"].to_string();
    assert!(
        notes.contains("read 300 tokens of more than") && notes.contains("num_ctx"),
        "{notes}"
    );
    let server = ChatServer::answering(cut);
    world.settings(&server.base_url(), &["llm.cache = \"on\""]);
    for requests in [2, 4] {
        let (code, document, _) = world.eval(2);
        let error = rows(&document)[0]["error"].to_string();
        assert!(
            code != 0 && error.contains("the server cut the prompt"),
            "{code} {document}"
        );
        assert_eq!(server.requests().len(), requests, "such a reply is not kept");
    }
}

#[test]
fn filters_and_long_prompts_are_named() {
    let Some(world) = World::new() else { return };
    let check = |step: Step, parts: &[&str]| {
        let server = ChatServer::start([step]);
        world.settings(&server.base_url(), &[]);
        world.run(&["ask", QUESTION]).fails_with(2, parts);
        assert_eq!(server.requests().len(), 1, "{parts:?}");
    };
    check(
        Step::completion("Walking", "content_filter", (7, 2)),
        &["content filter", "content_filter"],
    );
    check(
        Step::error(400, "prompt is too long: 9 tokens > 8"),
        &["llm.max_tokens", "generate.max_context_chars"],
    );
    let thought = json!({"choices": [{"message": {"content": null, "reasoning": "Let me see."}, "finish_reason": "stop"}]});
    check(
        Step::answer(200, thought.to_string()),
        &["only its reasoning", "enable_thinking"],
    );
}
