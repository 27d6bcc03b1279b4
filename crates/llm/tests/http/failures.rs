//! Calls that fail: which error, after how many tries, and what it never tells.

use crate::server::{Server, Step, client, error, plain, said, settings};
use llm::{LlmError, LlmSettings, OpenAiChat};
use std::{sync::Arc, time::Duration};
use tokio::net::TcpListener;
use types::{ChatError, ChatModel};

#[tokio::test]
async fn each_failure_has_its_error_and_its_number_of_tries() {
    let check = async |step: Step, tries: usize, want: &dyn Fn(&ChatError) -> bool| {
        let server = Server::start(vec![step]).await;
        let failed = client(settings(&server.base_url))
            .complete(&plain())
            .await
            .expect_err("no reply");
        assert!(want(&failed), "{failed:?}");
        assert_eq!(server.seen().len(), tries, "{failed:?}");
    };
    let overloaded = |status: u16| move |e: &ChatError| matches!(e, ChatError::Overloaded { status: s, attempts: 3, .. } if *s == status);
    let rejected =
        |status: u16| move |e: &ChatError| matches!(e, ChatError::Rejected { status: s, .. } if *s == status);
    check(error(500, "", "oops"), 3, &overloaded(500)).await;
    check(error(429, "retry-after: 0\r\n", "slow down"), 3, &overloaded(429)).await;
    check(error(429, "", "insufficient_quota"), 1, &rejected(429)).await;
    check(error(404, "", "model 'm' not found"), 1, &rejected(404)).await;
    check(error(400, "", "context length exceeded"), 1, &rejected(400)).await;
    check(error(501, "", "not here"), 1, &rejected(501)).await;
    check(
        Step::Answer(307, "location: http://127.0.0.1:1/\r\n", String::new()),
        1,
        &rejected(307),
    )
    .await;
    check(
        error(401, "", "bad key"),
        1,
        &|e| matches!(e, ChatError::Auth { status: 401, key_env, .. } if key_env == "TEST_KEY"),
    )
    .await;
    check(error(403, "", "bad key"), 1, &|e| {
        matches!(e, ChatError::Auth { status: 403, .. })
    })
    .await;
    check(
        Step::Answer(200, "", "<html>login</html>".into()),
        1,
        &|e| matches!(e, ChatError::Malformed { preview, .. } if preview == "<html>login</html>"),
    )
    .await;
    check(
        said("  "),
        1,
        &|e| matches!(e, ChatError::Malformed { reason, .. } if reason.contains("empty")),
    )
    .await;
    check(Step::Cut("{".into()), 3, &|e| {
        matches!(e, ChatError::Network { attempts: 3, .. })
    })
    .await;
    check(Step::Close, 3, &|e| {
        matches!(e, ChatError::Network { attempts: 3, .. })
    })
    .await;
}

#[tokio::test]
async fn silence_is_a_timeout() {
    let server = Server::start(vec![Step::Hang]).await;
    let timeout = Duration::from_millis(40);
    let model = client(LlmSettings {
        timeout,
        max_retries: 1,
        ..settings(&server.base_url)
    });
    let failed = model.complete(&plain()).await.expect_err("no reply");
    assert!(
        matches!(&failed, ChatError::Timeout { timeout: t, attempts: 2, .. } if *t == timeout),
        "{failed:?}"
    );
}

#[tokio::test]
async fn a_closed_port_is_named() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        listener.local_addr().expect("an address").port()
    };
    let model = client(settings(&format!("http://127.0.0.1:{port}/v1")));
    let failed = model.complete(&plain()).await.expect_err("no reply");
    let text = failed.to_string();
    assert!(matches!(failed, ChatError::Network { attempts: 3, .. }), "{text}");
    assert!(
        text.contains(&format!("http://127.0.0.1:{port}/v1/chat/completions")),
        "{text}"
    );
    assert!(text.to_lowercase().contains("refused"), "{text}");
}

#[tokio::test]
async fn dropping_the_call_hangs_up() {
    let server = Server::start(vec![Step::Hang]).await;
    let model = Arc::new(client(settings(&server.base_url)));
    let worker = Arc::clone(&model);
    let call = tokio::spawn(async move { worker.complete(&plain()).await });
    while server.seen().is_empty() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    call.abort();
    tokio::time::timeout(Duration::from_secs(20), server.hung_up.notified())
        .await
        .expect("the connection is closed");
    assert_eq!(server.seen().len(), 1, "nothing is tried again");
}

#[tokio::test]
async fn secrets_never_show() {
    const KEY: &str = "sk-very-secret-key-123";
    const PASSWORD: &str = "hush-hush-pw";
    let echo = format!("wrong key {KEY} or {PASSWORD} for api-code-77");
    for step in [
        error(401, "", &echo),
        error(400, "", &echo),
        error(500, "", &echo),
        error(400, "", &format!("temperature is not supported, {echo}")),
        Step::Answer(200, "", echo.clone()),
        Step::Close,
    ] {
        let server = Server::start(vec![step]).await;
        let base_url = server
            .base_url
            .replace("http://", &format!("http://me:{PASSWORD}@"))
            + "?code=api-code-77";
        let settings = LlmSettings {
            base_url,
            max_retries: 0,
            ..settings("")
        };
        let model = OpenAiChat::with_keys(settings, |_| Some(KEY.to_owned())).expect("settings are right");
        let failed = model.complete(&plain()).await.expect_err("no reply");
        let all = format!("{failed} {failed:?} {model:?} {:?}", model.notes());
        for secret in [KEY, PASSWORD, "api-code-77"] {
            assert!(!all.contains(secret), "{secret} in {all}");
        }
        let sent = server.seen()[0].head.clone();
        assert!(
            sent.contains("?code=api-code-77") && sent.contains(KEY),
            "they are still used: {sent}"
        );
    }
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let check = |change: &dyn Fn(&mut LlmSettings), key: &str, want: &dyn Fn(&LlmError) -> bool| {
        let mut settings = settings("http://localhost/v1");
        change(&mut settings);
        let refused = OpenAiChat::with_keys(settings, |_| Some(key.to_owned())).expect_err("refused");
        assert!(want(&refused), "{refused:?}");
        assert!(
            key.is_empty() || !format!("{refused} {refused:?}").contains(key),
            "{refused:?}"
        );
    };
    check(&|s| s.base_url = "localhost".into(), "", &|e| {
        matches!(e, LlmError::BaseUrl { .. })
    });
    check(&|s| s.model = " ".into(), "", &|e| {
        matches!(e, LlmError::NoModel { .. })
    });
    check(&|s| s.temperature = Some(f32::NAN), "", &|e| {
        matches!(e, LlmError::Temperature { .. })
    });
    check(
        &|s| s.temperature = Some(2.1),
        "",
        &|e| matches!(e, LlmError::Temperature { value } if value == "2.1"),
    );
    check(
        &|_| {},
        "two\nlines",
        &|e| matches!(e, LlmError::Key { key_env } if key_env == "TEST_KEY"),
    );
}
