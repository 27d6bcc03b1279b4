//! Calls that fail: which error, after how many tries, and what it never tells.

use crate::setup::{client, plain, settings, structured};
use llm::{ChatClient, LlmError, LlmSettings};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use testkit::{ChatServer, Step, refusing_address};
use types::{ChatError, ChatModel, FailureKind, Usage};

#[tokio::test]
async fn each_failure_has_its_error_and_its_number_of_tries() {
    let check = async |step: Step, tries: usize, want: &dyn Fn(&ChatError) -> bool| {
        let server = ChatServer::start(vec![step]);
        let failed = client(settings(&server.base_url())).complete(&plain()).await.expect_err("no reply");
        assert!(want(&failed.error), "{failed:?}");
        assert_eq!(server.requests().len(), tries, "{failed:?}");
        let sent = tries as u32;
        assert_eq!((failed.usage.requests, failed.usage.failed_requests), (sent, sent), "{failed:?}");
    };
    let overloaded = |status: u16| move |e: &ChatError| matches!(e, ChatError::Overloaded { status: s, attempts: 3, .. } if *s == status);
    let rejected =
        |status: u16| move |e: &ChatError| matches!(e, ChatError::Rejected { status: s, .. } if *s == status);
    check(Step::error(500, "oops"), 3, &overloaded(500)).await;
    check(Step::error(429, "slow down").with_header("retry-after", "0"), 3, &overloaded(429)).await;
    let quota =
        |status: u16| move |e: &ChatError| matches!(e, ChatError::Quota { status: s, .. } if *s == status);
    let not_served = |status: u16| move |e: &ChatError| matches!(e, ChatError::NotServed { status: s, model, .. } if *s == status && model == "m");
    check(Step::error(429, "insufficient_quota"), 1, &quota(429)).await;
    check(
        Step::error(429, "Daily limit reached").with_header("retry-after", "3600"),
        1,
        &|e| matches!(e, ChatError::Overloaded { status: 429, body, .. } if body.contains("wait 60 minutes")),
    )
    .await;
    let unknown = r#"{"error":"Unexpected endpoint or method. (POST /chat/completions)"}"#;
    check(Step::answer(200, unknown), 1, &not_served(200)).await;
    let server = ChatServer::start(vec![Step::answer(200, unknown)]);
    let failed = client(settings(server.base_url().trim_end_matches("/v1"))).complete(&plain()).await;
    let said = failed.expect_err("no reply").error.to_string();
    assert!(said.contains("the address has no /v1"), "{said}");
    check(Step::error(402, "pay"), 1, &quota(402)).await;
    check(Step::error(404, "model 'm' not found"), 1, &not_served(404)).await;
    check(Step::error(400, "The model `m` does not exist"), 1, &not_served(400)).await;
    let said = "400 context length exceeded
        400 This model's maximum context length is 4096 tokens. However, you requested 5000 tokens
        400 prompt is too long: 210000 tokens > 200000 maximum
        400 'max_tokens' is too large: 9000. This model supports at most 4096 completion tokens
        400 the request exceeds the available context size, try increasing it
        400 The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)
        400 Please reduce the length of the messages or completion. context_length_exceeded
        400 Range of input length should be [1, 30720]
        422 Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000
        413 Request Entity Too Large
        500 the input length exceeds the context length
        400 Trying to keep the first 5200 tokens when context the overflows. The model has a context length of 4096";
    for line in said.lines() {
        let (status, said) = line.trim().split_once(' ').expect("a status and words");
        let status = status.parse().expect("a status");
        let too_long = |e: &ChatError| {
            matches!(e, ChatError::TooLong { .. }) && e.to_string().contains("llm.max_tokens")
        };
        check(Step::error(status, said), 1, &too_long).await;
    }
    let said = r#"400 {"error":{"message":"The response was filtered due to the prompt triggering content management policy","code":"content_filter"}}
        400 {"error":{"message":"x","innererror":{"code":"ResponsibleAIPolicyViolation"}}}
        403 {"error":{"code":403,"message":"m requires moderation. Your input was flagged"}}
        200 {"promptFeedback":{"blockReason":"SAFETY"}}
        200 {"choices":[{"message":{"content":"It is"},"finish_reason":"content_filter"}]}
        200 {"choices":[{"message":{"content":""},"finish_reason":"SAFETY"}]}"#;
    for line in said.lines() {
        let (status, said) = line.trim().split_once(' ').expect("a status and a body");
        let status = status.parse().expect("a status");
        let filtered = |e: &ChatError| matches!(e, ChatError::NoAnswer { reason, .. } if reason.contains("content filter"));
        check(Step::answer(status, said), 1, &filtered).await;
    }
    check(
        Step::answer(200, r#"{"choices":[{"message":{"content":null,"reasoning_content":"I would say that"},"finish_reason":"stop"}]}"#),
        1,
        &|e| matches!(e, ChatError::NoAnswer { reason, .. } if reason.contains("only its reasoning (16 characters); switch")),
    )
    .await;
    check(Step::error(501, "not here"), 1, &rejected(501)).await;
    check(
        Step::error(401, "bad key"),
        1,
        &|e| matches!(e, ChatError::Auth { status: 401, key_env, sent: false, body, .. } if key_env == "TEST_KEY" && body.is_empty()),
    )
    .await;
    check(Step::error(403, "bad key"), 1, &|e| matches!(e, ChatError::Auth { status: 403, .. })).await;
    check(
        Step::answer(200, "<html>login</html>"),
        1,
        &|e| matches!(e, ChatError::Malformed { preview, .. } if preview == "<html>login</html>"),
    )
    .await;
    check(
        Step::said("  "),
        1,
        &|e| matches!(e, ChatError::NoAnswer { reason, .. } if reason.contains("empty")),
    )
    .await;
    check(Step::Cut("{".into()), 3, &|e| matches!(e, ChatError::Network { attempts: 3, .. })).await;
    check(Step::Close, 3, &|e| matches!(e, ChatError::Network { attempts: 3, .. })).await;
}

#[tokio::test]
async fn silence_and_slow_bytes_are_a_timeout_and_are_not_waited_for_twice() {
    let timeout = Duration::from_millis(40);
    for step in [Step::Hang, Step::Slow(vec![b' '; 400], 20)] {
        let server = ChatServer::start([step]);
        let model = client(LlmSettings { timeout, ..settings(&server.base_url()) });
        let failed = model.complete(&plain()).await.expect_err("no reply").error;
        assert!(
            matches!(&failed, ChatError::Timeout { timeout: t, attempts: 1, .. } if *t == timeout),
            "{failed:?}"
        );
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_question_has_a_deadline_for_all_its_calls() {
    let limit = Duration::from_millis(300);
    let within = async |steps: Vec<Step>, calls: usize| {
        let server = ChatServer::start(steps);
        let mut settings = settings(&server.base_url());
        settings.max_retries = 1000;
        settings.backoff.retry_after_cap = Duration::from_hours(1);
        let model = client(settings);
        let started = Instant::now();
        let failed = llm::with_deadline(limit, async {
            for _ in 1..calls {
                model.complete(&plain()).await.expect("a reply");
            }
            model.complete(&plain()).await.expect_err("no reply")
        })
        .await;
        assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
        assert!(
            matches!(&failed.error, ChatError::Deadline { limit: own, .. } if *own == limit),
            "{failed:?}"
        );
        assert_eq!(failed.error.kind(), FailureKind::Permanent);
        failed
    };
    within(vec![Step::Hang], 1).await;
    within(vec![Step::said("x"), Step::Hang], 2).await;
    // A wait that would end too late is not begun.
    let failed = within(vec![Step::error(429, "slow down").with_header("retry-after", "290")], 1).await;
    assert_eq!((failed.usage.requests, failed.usage.failed_requests), (1, 1));
    let said = failed.error.to_string();
    assert!(said.contains("HTTP 429") && said.contains("the wait of 290 s before the next try"), "{said}");
    assert!(!said.contains("ran out"), "{said}");
    let failed = within(vec![Step::error(500, "oops")], 1).await;
    assert!(failed.usage.requests > 1, "{failed:?}");
}

#[tokio::test]
async fn a_server_that_keeps_failing_is_not_asked_again() {
    let server = ChatServer::start([Step::error(500, "oops")]);
    let model = client(LlmSettings { max_retries: 0, give_up_after: 2, ..settings(&server.base_url()) });
    let mut errors = Vec::new();
    for _ in 0..5 {
        errors.push(model.complete(&plain()).await.expect_err("no reply"));
    }
    assert_eq!(server.requests().len(), 2);
    for refused in &errors[2..] {
        assert!(matches!(refused.error, ChatError::GivenUp { calls: 2, .. }), "{refused:?}");
        assert_eq!(refused.usage, Usage::default(), "it cost nothing");
        assert!(refused.to_string().contains("HTTP 500"), "{refused}");
    }
}

#[tokio::test]
async fn a_refused_key_ends_all_calls_at_once() {
    let check = async |step: Step, parts: &[&str]| {
        let server = ChatServer::start([step]);
        let model =
            llm::provider_with_keys(settings(&server.base_url()), |_| Some("sk-wrong-key-1".to_owned()));
        let model = model.expect("settings are right");
        for _ in 0..3 {
            let failed = model.complete(&plain()).await.expect_err("no reply");
            assert_eq!(failed.error.kind(), FailureKind::Fatal, "{failed:?}");
            for part in parts {
                assert!(failed.to_string().contains(part), "{part} in {failed}");
            }
            assert!(!failed.to_string().contains("sk-wrong"), "{failed}");
        }
        assert_eq!(server.requests().len(), 1);
    };
    check(Step::error(401, "wrong key sk-wrong-key-1"), &["refused the key", "TEST_KEY"]).await;
    check(Step::error(403, "no access to m"), &["TEST_KEY", "no access to m"]).await;
    check(Step::error(404, "no model m"), &["llm.model", "llm.base_url", "\"m\""]).await;
}

#[tokio::test]
async fn failed_calls_count_what_they_cost() {
    let check = async |steps: Vec<Step>, want: (u32, u32, u64, u64)| {
        let server = ChatServer::start(steps);
        let model = client(settings(&server.base_url()));
        let usage = match model.complete(&structured()).await {
            Ok(reply) => reply.usage,
            Err(failed) => failed.usage,
        };
        let Usage { requests, failed_requests, prompt_tokens, completion_tokens } = usage;
        assert_eq!((requests, failed_requests, prompt_tokens, completion_tokens), want);
    };
    check(vec![Step::error(500, "oops"), Step::said("{}")], (2, 1, 7, 2)).await;
    check(vec![Step::said(" ")], (1, 1, 7, 2)).await;
    check(vec![Step::error(400, "no")], (1, 1, 0, 0)).await;
}

#[tokio::test]
async fn a_closed_port_is_named() {
    let model = client(settings(&refusing_address()));
    let failed = model.complete(&plain()).await.expect_err("no reply").error;
    let text = failed.to_string();
    assert!(matches!(failed, ChatError::Network { attempts: 3, .. }), "{text}");
    assert!(text.contains("/v1/chat/completions"), "{text}");
    assert!(text.contains("(3 tries): Connection refused"), "the cause, without its wrappings: {text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_the_call_hangs_up() {
    let server = ChatServer::start([Step::Hang]);
    let model = Arc::new(client(settings(&server.base_url())));
    let worker = Arc::clone(&model);
    let call = tokio::spawn(async move { worker.complete(&plain()).await });
    while server.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    call.abort();
    server.wait_until("the connection is closed", |server| server.hang_ups() == 1);
    assert_eq!(server.requests().len(), 1, "nothing is tried again");
}

#[tokio::test]
async fn a_reply_never_repeats_the_key() {
    const KEY: &str = "sk-very/secret-key-123";
    let server = ChatServer::answering(|request| {
        let echo = request.header("authorization").unwrap_or_default().to_owned();
        match request.number {
            0 => Step::said(echo),
            1 => Step::said(format!("{{\"a\": \"{}\"}}", echo.replace('/', "\\/").replace('-', "\\u002d"))),
            2 => Step::cut_short(&format!("{{\"a\": \"{echo}")),
            _ => Step::said(format!("{{\"{echo}\": [\"{echo}\"]}}")),
        }
    });
    let model = llm::provider_with_keys(settings(&server.base_url()), |_| Some(KEY.to_owned()));
    let model = model.expect("settings are right");
    for request in [plain(), structured(), structured(), structured()] {
        let reply = model.complete(&request).await.expect("a reply");
        assert!(reply.text.contains("[redacted]") && !reply.text.contains("secret"), "{}", reply.text);
    }
}

#[tokio::test]
async fn secrets_never_show() {
    const KEY: &str = "sk-very-secret-key-123";
    const PASSWORD: &str = "hush-hush-pw";
    let echo = format!("wrong key {KEY} or {PASSWORD} for api-code-77");
    for step in [
        Step::error(401, &echo),
        Step::error(400, &echo),
        Step::error(500, &echo),
        Step::error(400, &format!("temperature is not supported, {echo}")),
        Step::answer(200, echo.clone()),
        Step::Close,
    ] {
        let server = ChatServer::start(vec![step]);
        let base_url =
            server.base_url().replace("http://", &format!("http://me:{PASSWORD}@")) + "?code=api-code-77";
        let settings = LlmSettings { base_url, max_retries: 0, ..settings("") };
        let model = ChatClient::with_keys(settings, |_| Some(KEY.to_owned())).expect("settings are right");
        let failed = model.complete(&plain()).await.expect_err("no reply");
        let all = format!("{failed} {failed:?}");
        for secret in [KEY, PASSWORD, "api-code-77"] {
            assert!(!all.contains(secret), "{secret} in {all}");
        }
        let sent = server.requests()[0].head.clone();
        assert!(sent.contains("?code=api-code-77") && sent.contains(KEY), "they are still used: {sent}");
    }
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let check = |change: &dyn Fn(&mut LlmSettings), key: &str, want: &dyn Fn(&LlmError) -> bool| {
        let mut settings = settings("http://localhost/v1");
        change(&mut settings);
        let refused = ChatClient::with_keys(settings, |_| Some(key.to_owned())).err().expect("refused");
        assert!(want(&refused), "{refused:?}");
        assert!(key.is_empty() || !format!("{refused} {refused:?}").contains(key), "{refused:?}");
    };
    check(&|s| s.base_url = "localhost".into(), "", &|e| matches!(e, LlmError::BaseUrl { .. }));
    check(&|s| s.model = " ".into(), "", &|e| matches!(e, LlmError::NoModel { .. }));
    check(&|s| s.temperature = Some(f32::NAN), "", &|e| matches!(e, LlmError::Temperature { .. }));
    check(
        &|s| s.temperature = Some(2.1),
        "",
        &|e| matches!(e, LlmError::Temperature { value } if value == "2.1"),
    );
    check(
        &|s| s.requests_per_minute = Some(0),
        "",
        &|e| matches!(e, LlmError::Limit { name } if *name == "requests_per_minute"),
    );
    check(&|_| {}, "two\nlines", &|e| matches!(e, LlmError::Key { key_env } if key_env == "TEST_KEY"));
}
