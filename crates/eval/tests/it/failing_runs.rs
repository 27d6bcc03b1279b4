//! Runs in which the generator or the judge fails: what is retried, what it cost, and when the run stops.

use crate::world::{self, Act, Fake, in_memory};
use eval::judge::{Judge, JudgeError, JudgeInput, JudgeOutput, OfflineJudge};
use eval::{EvalError, Row, Score};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use types::{BoxFuture, ChatError, ChatFailure, Mode, Spent, Usage};

const ONE: [Mode; 1] = [Mode::Hybrid];

fn requests(row: &Row, stage: &str) -> (u32, u32) {
    row.usage
        .get(stage)
        .map_or((0, 0), |u| (u.requests, u.failed_requests))
}

#[tokio::test]
async fn what_fails_for_good_is_not_retried_and_its_cost_is_kept() {
    let (set, judge) = (world::query_set(4, 0), world::judge());
    let fake = Fake::new(4)
        .does(1, Mode::Hybrid, &[Act::Refuse])
        .does(2, Mode::Hybrid, &[Act::Fail, Act::Answer])
        .does(3, Mode::Hybrid, &[Act::Fail, Act::Refuse]);
    let (outcome, records) = in_memory(world::job(&set, &ONE, &fake, &judge)).await.finished();
    assert_eq!(fake.calls().len(), 4 + 2, "one call for each retry that can help");
    assert_eq!((outcome.failed, outcome.recovered, outcome.not_asked), (2, 1, 0));
    let attempts: Vec<u32> = outcome.rows.iter().map(|row| row.attempts).collect();
    assert_eq!(attempts, [1, 1, 2, 2]);
    let spent: Vec<(u32, u32)> = outcome
        .rows
        .iter()
        .map(|row| requests(row, Spent::GENERATE))
        .collect();
    assert_eq!(spent, [(0, 0), (3, 3), (3, 3), (6, 6)]);
    let record = records
        .iter()
        .find(|r| r.query_id.as_deref() == Some("D01"))
        .expect("recorded");
    assert_eq!(record.usage.map(|u| u.prompt_tokens), Some(10));
}

#[tokio::test]
async fn failures_in_a_row_stop_the_run_and_the_rest_says_so() {
    let (set, judge) = (world::query_set(8, 0), world::judge());
    let fail = |fake: Fake, numbers: &[usize]| {
        numbers
            .iter()
            .fold(fake, |fake, n| fake.does(*n, Mode::Hybrid, &[Act::Fail]))
    };
    let all = fail(Fake::new(8), &[0, 1, 2, 3, 4, 5, 6, 7]);
    let mut job = world::job(&set, &ONE, &all, &judge);
    (job.settings.workers, job.settings.stop_after) = (1, 3);
    let (outcome, records) = in_memory(job).await.finished();
    assert_eq!(all.calls().len(), 3, "no other question and no retry");
    assert_eq!((outcome.failed, outcome.not_asked, outcome.rows.len()), (8, 5, 8));
    assert_eq!(records.len(), 8);
    for row in &outcome.rows[3..] {
        let error = row.error.as_deref().expect("an error");
        assert!(
            error.starts_with("not asked: 3 queries before it had failed in a row")
                && error.contains("the model is down"),
            "{error}"
        );
        assert!(
            row.scores
                .iter()
                .all(|(_, score)| matches!(score, Score::Error(_)))
        );
    }
    // A success in between, or no limit: the run goes on.
    for (stop_after, failing) in [(3, &[0, 1, 3, 4, 6][..]), (0, &[0, 1, 2, 3, 4, 5, 6, 7])] {
        let fake = fail(Fake::new(8), failing);
        let mut job = world::job(&set, &ONE, &fake, &judge);
        (job.settings.workers, job.settings.stop_after) = (1, stop_after);
        let (outcome, _) = in_memory(job).await.finished();
        assert_eq!((outcome.failed, outcome.not_asked), (0, 0), "{stop_after}");
    }
}

#[tokio::test]
async fn a_fatal_failure_ends_the_run_at_once() {
    let (set, judge) = (world::query_set(6, 0), world::judge());
    let fake = Fake::new(6).does(2, Mode::Hybrid, &[Act::Fatal]);
    let mut job = world::job(&set, &ONE, &fake, &judge);
    job.settings.workers = 1;
    let ended = in_memory(job).await;
    let error = ended.outcome.expect_err("ends");
    assert!(
        matches!(&error, EvalError::Fatal { query_id, .. } if query_id == "D02"),
        "{error}"
    );
    assert!(error.to_string().contains("the key is refused"), "{error}");
    assert_eq!(
        (fake.calls().len(), ended.sink.len()),
        (3, 2),
        "what was finished is kept"
    );
}

/// Fails the first so many times, after one request each.
struct Failing {
    judge: OfflineJudge,
    failures: usize,
    calls: AtomicUsize,
    error: ChatError,
}

impl Failing {
    fn new(failures: usize, error: ChatError) -> Self {
        Self {
            judge: world::judge(),
            failures,
            calls: AtomicUsize::new(0),
            error,
        }
    }
}

impl Judge for Failing {
    fn id(&self) -> String {
        "failing".into()
    }
    fn judge<'a>(&'a self, input: &'a JudgeInput) -> BoxFuture<'a, Result<JudgeOutput, JudgeError>> {
        if self.calls.fetch_add(1, Ordering::SeqCst) >= self.failures {
            return self.judge.judge(input);
        }
        let failure = ChatFailure {
            error: self.error.clone(),
            usage: Usage {
                requests: 1,
                failed_requests: 1,
                ..Usage::default()
            },
            notes: Arc::default(),
        };
        Box::pin(async { Err(JudgeError::Chat(failure)) })
    }
}

fn down() -> ChatError {
    ChatError::Overloaded {
        url: "http://judge".into(),
        status: 500,
        attempts: 1,
        body: "down".into(),
    }
}

#[tokio::test]
async fn a_dead_judge_fails_the_row_and_is_asked_again_alone() {
    let set = world::query_set(2, 0);
    let fake = Fake::new(2);
    let dead = Failing::new(usize::MAX, down());
    let (outcome, records) = in_memory(world::job(&set, &ONE, &fake, &dead)).await.finished();
    assert_eq!((outcome.failed, outcome.recovered), (2, 0));
    assert_eq!(fake.calls().len(), 2, "the answers stand");
    for row in &outcome.rows {
        assert!(
            row.error.as_deref().is_some_and(|e| e.contains("HTTP 500")),
            "{row:?}"
        );
        assert!(
            matches!(row.scores.get("faithful"), Some(Score::NotApplicable(reason)) if reason.starts_with("pending: "))
        );
        assert_eq!(
            row.value("citation_precision"),
            Some(1.0),
            "what needs no judge is scored"
        );
        assert_eq!((row.attempts, requests(row, Spent::JUDGE)), (3, (3, 3)));
        assert_eq!(row.judge_usage.map(|u| u.requests), Some(3));
    }
    assert!(records.iter().all(|record| !record.response.answer.is_empty()));

    let slow_start = Failing::new(2, down());
    let (outcome, _) = in_memory(world::job(&set, &ONE, &fake, &slow_start))
        .await
        .finished();
    assert_eq!((outcome.failed, outcome.recovered), (0, 2));
    assert!(
        outcome
            .rows
            .iter()
            .all(|row| row.error.is_none() && row.value("faithful") == Some(1.0))
    );

    let refused = Failing::new(
        usize::MAX,
        ChatError::Redirect {
            url: "http://judge".into(),
            status: 301,
        },
    );
    assert!(matches!(
        in_memory(world::job(&set, &ONE, &fake, &refused)).await.outcome,
        Err(EvalError::Fatal { .. })
    ));
}
