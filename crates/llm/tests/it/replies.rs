//! Calls that succeed, at once or after a while, and what is counted.

use crate::setup::{client, plain, settings, structured};
use llm::LlmSettings;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use testkit::{ChatServer, Step};
use types::{ChatModel, Usage};

#[tokio::test]
async fn a_reply_comes_back_with_its_usage() {
    let server = ChatServer::start(vec![Step::said("because")]);
    let model = client(settings(&server.base_url()));
    let reply = model.complete(&plain()).await.expect("a reply");
    assert_eq!(
        (reply.text.as_str(), reply.model.as_str(), reply.truncated),
        ("because", "m-1", false)
    );
    assert_eq!(
        reply.usage,
        Usage {
            requests: 1,
            failed_requests: 0,
            prompt_tokens: 7,
            completion_tokens: 2
        }
    );
    let seen = &server.requests()[0];
    assert!(
        seen.head.starts_with("POST /v1/chat/completions HTTP/1.1"),
        "{}",
        seen.head
    );
    assert!(
        seen.header("authorization").is_none(),
        "no key, no header: {}",
        seen.head
    );
    assert_eq!(seen.body["messages"][1]["content"], "why?");
    assert_eq!(
        (&seen.body["temperature"], &seen.body["max_tokens"]),
        (&0.0.into(), &50.into())
    );
    assert_eq!(model.id(), "m");
}

#[tokio::test]
async fn what_can_pass_is_tried_again() {
    let check = async |bad: Step| {
        let server = ChatServer::start(vec![bad, Step::said("in the end")]);
        let model = client(settings(&server.base_url()));
        let reply = model.complete(&plain()).await.expect("a reply");
        assert_eq!(reply.text, "in the end");
        assert_eq!((reply.usage.requests, server.requests().len()), (2, 2));
    };
    check(Step::error(429, "slow down").with_header("retry-after", "0")).await;
    check(Step::error(429, "capped, so this test ends").with_header("retry-after", "900")).await;
    check(Step::error(500, "oops")).await;
    check(Step::error(503, "loading model")).await;
    check(Step::answer(502, "<html>bad gateway</html>")).await;
    check(Step::answer(200, r#"{"error":{"code":503,"message":"later"}}"#)).await;
    for body in [
        r#"{"error":{"code":"429","message":"slow"}}"#,
        r#"{"error":{"code":"server_error","message":"Provider disconnected unexpectedly"}}"#,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        r#"{"error":"Rate limit reached"}"#,
        r#"[{"error":{"code":503,"status":"UNAVAILABLE"}}]"#,
        r#"{"choices":[{"message":{"content":""},"finish_reason":"error","error":{"code":502,"message":"x"}}]}"#,
        r#"{"choices":[{"message":{"content":"Half"},"finish_reason":"error"}]}"#,
        r#"{"choices":null}"#,
        r#"{"choices":[]}"#,
        "<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>",
        "upstream connect error or disconnect/reset before headers",
    ] {
        check(Step::answer(200, body)).await;
    }
    check(Step::Cut(r#"{"choices":[{"mess"#.into())).await;
    check(Step::Close).await;
}

#[tokio::test]
async fn the_server_says_how_long_to_wait() {
    // The own wait is set far beyond the server's: only honouring the server's lets this end in time.
    let server = ChatServer::start(vec![
        Step::error(429, "slow down").with_header("retry-after", "0.01"),
        Step::said("ok"),
    ]);
    let mut settings = settings(&server.base_url());
    settings.backoff.base = Duration::from_hours(1);
    settings.backoff.cap = settings.backoff.base;
    let waited = tokio::time::timeout(Duration::from_mins(1), async {
        client(settings).complete(&plain()).await.expect("a reply")
    });
    assert_eq!(waited.await.expect("the server's wait is taken").text, "ok");
}

#[tokio::test]
async fn a_reply_at_the_limit_is_marked() {
    let body = r#"{"choices":[{"message":{"content":"{\"a\": [1,"},"finish_reason":"length"}]}"#;
    let server = ChatServer::start(vec![Step::answer(200, body)]);
    let reply = client(settings(&server.base_url()))
        .complete(&structured())
        .await
        .expect("a reply");
    assert!(reply.truncated);
    assert_eq!(reply.text, "{\"a\": [1]}");
    assert_eq!(reply.repairs, ["closed brackets that were missing at the end"]);
    assert_eq!(
        reply.model, "m",
        "the server names no model, so the asked one stands"
    );
    assert_eq!(
        reply.usage,
        Usage {
            requests: 1,
            ..Usage::default()
        },
        "the server counts no tokens"
    );
}

#[tokio::test]
async fn wrapped_json_is_unwrapped() {
    let server = ChatServer::start(vec![Step::said("<think>{}</think>\n```json\n{\"a\":1}\n```")]);
    let model = client(settings(&server.base_url()));
    assert_eq!(
        model.complete(&structured()).await.expect("a reply").text,
        "{\"a\":1}"
    );
    assert!(
        model
            .complete(&plain())
            .await
            .expect("a reply")
            .text
            .starts_with("```json")
    );
}

#[tokio::test]
async fn a_key_is_sent_as_bearer_and_goes_before_a_login() {
    let check = async |base: String, key: Option<&str>, want: &str| {
        let server = ChatServer::start(vec![Step::said("x")]);
        let base_url = server.base_url().replace("http://", &base);
        let settings = LlmSettings {
            base_url,
            ..settings("")
        };
        let model = llm::provider_with_keys(settings, |name| {
            assert_eq!(name, "TEST_KEY");
            key.map(str::to_owned)
        });
        model
            .expect("settings are right")
            .complete(&plain())
            .await
            .expect("a reply");
        let seen = server.requests().remove(0);
        let sent = seen.header("authorization").unwrap_or_default();
        assert_eq!(sent, want);
    };
    check("http://".into(), Some(" sk-secret-1\n"), "Bearer sk-secret-1").await;
    check("http://".into(), Some("  "), "").await;
    check("http://me:pw@".into(), Some("sk-secret-1"), "Bearer sk-secret-1").await;
    check("http://me:pw@".into(), None, "Basic bWU6cHc=").await;
}

#[tokio::test]
async fn azure_gets_the_key_in_its_own_header() {
    let server = ChatServer::start([Step::said("x")]);
    let settings = settings(&(server.base_url() + "?api-version=2024-10-21"));
    let model = llm::provider_with_keys(settings, |_| Some("sk-secret-1".to_owned()));
    let model = model.expect("settings are right");
    model.complete(&plain()).await.expect("a reply");
    let seen = server.requests().remove(0);
    assert_eq!(
        (seen.header("api-key"), seen.header("authorization")),
        (Some("sk-secret-1"), None)
    );
    assert!(seen.head.contains("?api-version=2024-10-21"), "{}", seen.head);
}

#[tokio::test]
async fn calls_side_by_side_keep_to_the_limit() {
    let (in_flight, most) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let peak = Arc::clone(&most);
    let server = ChatServer::answering(move |_| {
        peak.fetch_max(in_flight.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(5));
        in_flight.fetch_sub(1, Ordering::SeqCst);
        Step::said("x")
    });
    let model = client(LlmSettings {
        concurrency: Some(1),
        ..settings(&server.base_url())
    });
    let request = plain();
    let (a, b) = tokio::join!(model.complete(&request), model.complete(&request));
    assert!(a.is_ok() && b.is_ok());
    assert_eq!(most.load(Ordering::SeqCst), 1, "one after the other");
    // A minute is not waited for: the question has less time.
    let slow = client(LlmSettings {
        requests_per_minute: Some(1),
        ..settings(&server.base_url())
    });
    let failed = llm::with_deadline(Duration::from_secs(10), async {
        slow.complete(&request).await.expect("a reply");
        slow.complete(&request).await.expect_err("no time")
    })
    .await;
    assert_eq!(failed.usage, Usage::default(), "nothing was sent");
    assert!(
        failed
            .to_string()
            .contains("not sent, waiting for llm.requests_per_minute"),
        "{failed}"
    );
}
