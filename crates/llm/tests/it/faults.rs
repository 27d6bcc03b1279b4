//! Servers that are broken, hostile, or no model servers at all.

use crate::setup::{plain, settings};
use llm::{Api, ChatClient, LlmSettings};
use testkit::{ChatServer, Step};
use types::{ChatError, ChatModel};

const KEY: &str = "sk-secret-key-1";
const APIS: [Api; 3] = [Api::OpenAi, Api::Anthropic, Api::Ollama];

/// The error of one call, which must not show the key.
async fn failure(api: Api, server: &ChatServer) -> ChatError {
    let settings = LlmSettings { api, max_retries: 0, ..settings(&server.base_url()) };
    let model = ChatClient::with_keys(settings, |_| Some(KEY.to_owned())).expect("settings are right");
    let failed = model.complete(&plain()).await.expect_err("no reply");
    let shown = format!("{failed} {failed:?}");
    assert!(!shown.contains(KEY), "{shown}");
    failed.error
}

#[tokio::test]
async fn fifty_megabytes_are_not_read() {
    for status in [200, 400] {
        let server = ChatServer::start([Step::answer(status, vec![b'['; 50 << 20])]);
        let error = failure(Api::Anthropic, &server).await;
        assert!(
            matches!(&error, ChatError::Malformed { reason, .. } if reason.contains("more than 4 MiB")),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn deep_nesting_is_no_reply() {
    for api in APIS {
        let server = ChatServer::start([Step::answer(200, "[".repeat(100_000))]);
        let error = failure(api, &server).await;
        assert!(matches!(&error, ChatError::Malformed { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = ChatServer::start([Step::said("x")]);
    for api in APIS {
        for status in [301, 302, 307, 308] {
            let server =
                ChatServer::start([Step::answer(status, "").with_header("location", &other.base_url())]);
            let error = failure(api, &server).await;
            assert!(matches!(&error, ChatError::Redirect { status: own, .. } if *own == status), "{error:?}");
        }
    }
    assert!(other.requests().is_empty(), "nothing reached the other server");
}

#[tokio::test]
async fn what_steers_a_terminal_is_removed() {
    let hostile =
        format!("\u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[31mno\u{202e} {}\u{1b}[0m{}", &KEY[..6], &KEY[6..]);
    for (api, body) in [
        (Api::OpenAi, serde_json::json!({"error": {"message": hostile}}).to_string()),
        (Api::Anthropic, serde_json::json!({"type": "error", "error": {"message": hostile}}).to_string()),
        (Api::Ollama, serde_json::json!({"error": hostile}).to_string()),
        (Api::OpenAi, hostile.clone()),
    ] {
        let server = ChatServer::start([Step::answer(400, body)]);
        let error = failure(api, &server).await;
        assert!(matches!(&error, ChatError::Rejected { body, .. } if body == "no [redacted]"), "{error:?}");
    }
}
