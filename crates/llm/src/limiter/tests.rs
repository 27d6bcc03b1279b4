//! Limits, on a clock that does not run by itself.

use super::*;
use crate::deadline;
use std::{sync::Arc, time::Duration};
use types::{JsonSchema, Prompt};

fn limiter(requests: Option<u32>, tokens: Option<u32>, concurrency: Option<u32>) -> Arc<Limiter> {
    let settings = LlmSettings {
        requests_per_minute: requests,
        tokens_per_minute: tokens,
        concurrency,
        ..LlmSettings::default()
    };
    Arc::new(Limiter::new(&settings).expect("limits above 0"))
}

/// Seconds until a request for `tokens` is let through; it ends at once.
async fn seconds(limiter: &Limiter, tokens: u64) -> f64 {
    let started = Instant::now();
    drop(limiter.enter(tokens, None).await.expect("no budget"));
    // The clock counts milliseconds.
    (started.elapsed().as_secs_f64() * 10.0).round() / 10.0
}

#[tokio::test(start_paused = true)]
async fn requests_are_spread_over_the_minute() {
    let limiter = limiter(Some(20), None, None);
    for want in [0.0, 0.0, 3.0, 3.0] {
        assert_eq!(seconds(&limiter, 1_000_000).await.to_string(), f64::to_string(&want));
    }
    tokio::time::sleep(Duration::from_mins(10)).await;
    for want in [0.0, 0.0, 3.0] {
        assert_eq!(seconds(&limiter, 0).await.to_string(), f64::to_string(&want));
    }
}

#[tokio::test(start_paused = true)]
async fn tokens_are_spread_over_the_minute() {
    let limiter = limiter(Some(1_000), Some(6_000), None);
    for (tokens, want) in [(600, 0.0), (100, 1.0), (100, 1.0), (6_000, 6.0), (100, 55.0)] {
        let waited = seconds(&limiter, tokens).await;
        assert_eq!(waited.to_string(), f64::to_string(&want), "{tokens}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_waits_side_by_side_goes_one_after_the_other() {
    let limiter = limiter(Some(10), None, None);
    let started = Instant::now();
    let waits = (0..4).map(|_| {
        let limiter = Arc::clone(&limiter);
        tokio::spawn(async move {
            drop(limiter.enter(0, None).await.expect("no budget"));
            started.elapsed().as_secs()
        })
    });
    let mut ends = Vec::new();
    for wait in waits.collect::<Vec<_>>() {
        ends.push(wait.await.expect("a time"));
    }
    assert_eq!(ends, [0, 6, 12, 18]);
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_given_up_costs_nothing() {
    let limiter = limiter(Some(10), None, Some(1));
    assert_eq!(seconds(&limiter, 0).await.to_string(), "0");
    for _ in 0..5 {
        timeout(Duration::from_millis(1), limiter.enter(0, None)).await.map(|_| ()).expect_err("it waits");
    }
    assert_eq!(seconds(&limiter, 0).await.to_string(), "6", "nothing was lost");
}

#[tokio::test(start_paused = true)]
async fn waiting_ends_with_the_time_of_the_question() {
    let limit = Duration::from_secs(5);
    let late = async |limiter: &Limiter, tokens: u64| {
        let started = Instant::now();
        let entered = deadline::with_deadline(limit, limiter.enter(tokens, None)).await;
        drop(entered);
        let refused = deadline::with_deadline(limit, async {
            limiter.enter(tokens, deadline::current()).await.map(drop)
        })
        .await;
        (refused.expect_err("too late").0, started.elapsed())
    };
    let none = Duration::ZERO;
    assert_eq!(late(&limiter(Some(10), None, None), 1).await, (REQUESTS, none));
    assert_eq!(late(&limiter(None, Some(60), None), 6).await, (TOKENS, none));
    let full = limiter(None, None, Some(1));
    let place = full.enter(0, None).await.expect("no budget");
    let refused = deadline::with_deadline(limit, async {
        let started = Instant::now();
        let refused = full.enter(0, deadline::current()).await.map(drop);
        (refused, started.elapsed().as_secs())
    });
    assert_eq!(refused.await, (Err(TooLate(CONCURRENCY, Duration::ZERO)), limit.as_secs()));
    drop(place);
    assert_eq!(seconds(&full, 0).await.to_string(), "0");
}

#[test]
fn a_limit_of_nothing_is_refused() {
    let settings = LlmSettings { tokens_per_minute: Some(0), ..LlmSettings::default() };
    let error = Limiter::new(&settings).err().expect("refused").to_string();
    assert_eq!(error, "llm.tokens_per_minute must be at least 1, got 0; leave it out for no limit");
}

#[test]
fn tokens_are_estimated_with_the_schema_and_the_reply() {
    let mut request = ChatRequest {
        system: Prompt::default().data(&"é".repeat(40)),
        user: Prompt::default().data(&"u".repeat(40)),
        schema: None,
        max_tokens: None,
    };
    assert_eq!(tokens_of(&request, None), 20);
    assert_eq!(tokens_of(&request, Some(100)), 120);
    request.schema = Some(JsonSchema { name: "n".to_owned(), schema: serde_json::json!({"type": "object"}) });
    assert_eq!(tokens_of(&request, None), 24);
}
