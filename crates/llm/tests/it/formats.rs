//! Each format: what is sent, what is read, and how it fails.

use crate::setup::{plain, settings, structured};
use llm::{Api, LlmSettings};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{ChatServer, Step};
use types::{ChatError, ChatModel, Usage};

const KEY: &str = "sk-secret-key-1";

/// A model that sends a key.
fn client(api: Api, server: &ChatServer) -> Arc<dyn ChatModel> {
    let settings = LlmSettings { api, ..settings(&server.base_url()) };
    llm::provider_with_keys(settings, |_| Some(KEY.to_owned())).expect("settings are right")
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

#[tokio::test]
async fn each_format_has_its_path_its_key_and_its_body() {
    let check = async |api: Api, step: Step, first: &str, header: (&str, &str), body: Value| {
        let server = ChatServer::start([step]);
        let reply = client(api, &server).complete(&plain()).await.expect("a reply");
        assert_eq!((reply.text.as_str(), reply.model.as_str(), reply.truncated), ("because", "m-1", false));
        let usage = Usage { requests: 1, failed_requests: 0, prompt_tokens: 7, completion_tokens: 2 };
        assert_eq!(reply.usage, usage);
        let seen = server.requests().remove(0);
        assert!(seen.head.starts_with(first), "{}", seen.head);
        assert_eq!(seen.header(header.0), Some(header.1), "{}", seen.head);
        assert_eq!(seen.body, body);
        seen
    };
    let (system, user) =
        (json!({"role": "system", "content": "be brief"}), json!({"role": "user", "content": "why?"}));
    let bearer = format!("Bearer {KEY}");
    check(
        Api::OpenAi,
        Step::said("because"),
        "POST /v1/chat/completions ",
        ("authorization", &bearer),
        json!({"model": "m", "messages": [system, user], "temperature": 0.0, "max_tokens": 50, "stream": false}),
    )
    .await;
    let seen = check(
        Api::Anthropic,
        Step::anthropic(&text("because"), "end_turn"),
        "POST /v1/messages ",
        ("x-api-key", KEY),
        json!({"model": "m", "max_tokens": 50, "system": "be brief", "messages": [user], "temperature": 0.0}),
    )
    .await;
    assert_eq!(seen.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(seen.header("authorization"), None);
    check(
        Api::Ollama,
        Step::ollama("because", "stop"),
        "POST /api/chat ",
        ("authorization", &bearer),
        json!({"model": "m", "messages": [system, user], "stream": false,
            "options": {"temperature": 0.0, "num_predict": 50, "num_ctx": 4_096}}),
    )
    .await;
}

#[tokio::test]
async fn each_format_steps_down() {
    let check = async |api: Api, steps: Vec<Step>, notes: &[&str]| {
        let server = ChatServer::start(steps);
        let model = client(api, &server);
        let reply = model.complete(&structured()).await.expect("a reply");
        assert_eq!(reply.text, "{\"a\":1}");
        assert_eq!(reply.notes.len(), notes.len(), "{:?}", reply.notes);
        for (note, part) in reply.notes.iter().zip(notes) {
            assert!(note.contains(part), "{part} in {note}");
        }
        assert!(server.requests()[notes.len()].system().contains("JSON schema"));
    };
    check(
        Api::Anthropic,
        vec![
            Step::anthropic_error(
                400,
                "invalid_request_error",
                "`temperature` is deprecated for this model.",
            ),
            Step::anthropic_error(400, "invalid_request_error", "tools: not supported"),
            Step::anthropic(&text("{\"a\":1}"), "end_turn"),
        ],
        &["does not accept a temperature", "tools; prompt is used"],
    )
    .await;
    check(
        Api::Ollama,
        vec![
            Step::ollama_error(400, "invalid JSON schema in format"),
            Step::ollama_error(400, "unknown format"),
            Step::ollama("{\"a\":1}", "stop"),
        ],
        &["json_schema; json_object is used", "json_object; prompt is used"],
    )
    .await;
}

#[tokio::test]
async fn a_cut_reply_is_marked_in_each_format() {
    for (api, step) in [
        (Api::OpenAi, Step::cut_short("{\"a\": 1, \"b")),
        (Api::Anthropic, Step::anthropic(&text("{\"a\": 1, \"b"), "max_tokens")),
        (Api::Ollama, Step::ollama("{\"a\": 1, \"b", "length")),
    ] {
        let server = ChatServer::start([step]);
        let reply = client(api, &server).complete(&structured()).await.expect("a reply");
        assert!(reply.truncated, "{api:?}");
        assert_eq!(reply.text, "{\"a\": 1, \"b", "{api:?}");
    }
}

#[tokio::test]
async fn failures_are_told_apart_in_each_format() {
    let check = async |api: Api, step: Step, tries: usize, want: &dyn Fn(&ChatError) -> bool| {
        let server = ChatServer::start([step]);
        let failed = client(api, &server).complete(&plain()).await.expect_err("no reply");
        assert!(want(&failed.error), "{failed:?}");
        assert_eq!(server.requests().len(), tries, "{failed:?}");
        let shown = format!("{failed} {failed:?}");
        assert!(!shown.contains(KEY), "{shown}");
    };
    let auth = |e: &ChatError| matches!(e, ChatError::Auth { sent: true, .. });
    let not_served =
        |e: &ChatError| matches!(e, ChatError::NotServed { status: 404, model, .. } if model == "m");
    let quota = |e: &ChatError| matches!(e, ChatError::Quota { .. });
    let no_answer = |e: &ChatError| matches!(e, ChatError::NoAnswer { .. });
    let overloaded = |e: &ChatError| matches!(e, ChatError::Overloaded { attempts: 3, .. });
    let wrong_key = format!("invalid x-api-key {KEY}");
    let error = Step::anthropic_error;
    let api = Api::Anthropic;
    check(api, error(401, "authentication_error", &wrong_key), 1, &auth).await;
    check(api, error(403, "permission_error", &wrong_key), 1, &auth).await;
    check(api, error(404, "not_found_error", "model: m"), 1, &not_served).await;
    let credit = "Your credit balance is too low to access the API.";
    check(api, error(400, "invalid_request_error", credit), 1, &quota).await;
    check(api, error(529, "overloaded_error", "Overloaded"), 3, &overloaded).await;
    check(api, error(429, "rate_limit_error", "slow down").with_header("retry-after", "0"), 3, &overloaded)
        .await;
    check(api, Step::anthropic(&text("I"), "refusal"), 1, &no_answer).await;
    check(api, Step::anthropic(&json!([]), "end_turn"), 1, &no_answer).await;
    check(
        api,
        error(400, "invalid_request_error", &wrong_key),
        1,
        &|e| matches!(e, ChatError::Rejected { body, .. } if body.contains("[redacted]")),
    )
    .await;
    let error = Step::ollama_error;
    let api = Api::Ollama;
    check(api, error(404, "model \"m\" not found, try pulling it first"), 1, &not_served).await;
    check(api, error(401, "unauthorized"), 1, &auth).await;
    check(api, error(500, "llama runner process has terminated"), 3, &overloaded).await;
    check(api, error(503, "server busy, please try again"), 3, &overloaded).await;
    check(api, Step::ollama("", "stop"), 1, &no_answer).await;
    check(
        api,
        error(200, "something went wrong"),
        1,
        &|e| matches!(e, ChatError::Rejected { body, .. } if body.contains("went wrong")),
    )
    .await;
}
