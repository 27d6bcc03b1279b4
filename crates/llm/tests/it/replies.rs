//! Calls that succeed, at once or after a while, and what is counted.

use crate::setup::{client, plain, settings};
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
async fn what_can_pass_is_tried_again() {
    let check = async |bad: Step| {
        let server = ChatServer::start(vec![bad, Step::said("in the end")]);
        let model = client(settings(&server.base_url()));
        let reply = model.complete(&plain()).await.expect("a reply");
        assert_eq!(reply.text, "in the end");
        assert_eq!((reply.usage.requests, server.requests().len()), (2, 2));
    };
    check(Step::error(429, "slow down").with_header("retry-after", "0")).await;
    check(Step::error(429, "capped, so this test ends").with_header("retry-after", "290")).await;
    check(Step::error(500, "oops")).await;
    check(Step::error(503, "loading model")).await;
    check(Step::answer(502, "<html>bad gateway</html>")).await;
    check(Step::answer(200, r#"{"error":{"code":503,"message":"later"}}"#)).await;
    for body in [
        r#"{"error":{"code":"429","message":"slow"}}"#,
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
async fn a_server_that_names_no_model_and_counts_no_tokens_is_heard() {
    let body = r#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}"#;
    let server = ChatServer::start(vec![Step::answer(200, body)]);
    let reply = client(settings(&server.base_url())).complete(&plain()).await;
    let reply = reply.expect("a reply");
    let one = Usage { requests: 1, ..Usage::default() };
    assert_eq!((reply.model.as_str(), reply.usage), ("m", one));
}

#[tokio::test]
async fn a_key_is_sent_as_bearer_and_goes_before_a_login() {
    let check = async |base: String, key: Option<&str>, want: &str| {
        let server = ChatServer::start(vec![Step::said("x")]);
        let base_url = server.base_url().replace("http://", &base);
        let settings = LlmSettings { base_url, ..settings("") };
        let model = llm::provider_with_keys(settings, |name| {
            assert_eq!(name, "TEST_KEY");
            key.map(str::to_owned)
        });
        model.expect("settings are right").complete(&plain()).await.expect("a reply");
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
    assert_eq!((seen.header("api-key"), seen.header("authorization")), (Some("sk-secret-1"), None));
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
    let model = client(LlmSettings { concurrency: Some(1), ..settings(&server.base_url()) });
    let request = plain();
    let (a, b) = tokio::join!(model.complete(&request), model.complete(&request));
    assert!(a.is_ok() && b.is_ok());
    assert_eq!(most.load(Ordering::SeqCst), 1, "one after the other");
}
