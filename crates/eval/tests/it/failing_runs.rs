//! Runs in which the generator fails: what is retried, what it cost, and when the run stops.

use crate::world::{self, Act, Fake, in_memory};
use eval::{EvalError, Row, Score};
use types::{Mode, Spent};

const ONE: [Mode; 1] = [Mode::Hybrid];

fn requests(row: &Row, stage: &str) -> (u32, u32) {
    row.usage.get(stage).map_or((0, 0), |u| (u.requests, u.failed_requests))
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
    assert_eq!(outcome.failed, 2);
    let attempts: Vec<u32> = outcome.rows.iter().map(|row| row.attempts).collect();
    assert_eq!(attempts, [1, 1, 2, 2]);
    let spent: Vec<(u32, u32)> = outcome.rows.iter().map(|row| requests(row, Spent::GENERATE)).collect();
    assert_eq!(spent, [(0, 0), (3, 3), (3, 3), (6, 6)]);
    let record = records.iter().find(|r| r.query_id.as_deref() == Some("D01")).expect("recorded");
    assert_eq!(record.usage.map(|u| u.prompt_tokens), Some(10));
}

#[tokio::test]
async fn failures_in_a_row_stop_the_run_and_the_rest_says_so() {
    let (set, judge) = (world::query_set(8, 0), world::judge());
    let fail = |fake: Fake, numbers: &[usize]| {
        numbers.iter().fold(fake, |fake, n| fake.does(*n, Mode::Hybrid, &[Act::Fail]))
    };
    let all = fail(Fake::new(8), &[0, 1, 2, 3, 4, 5, 6, 7]);
    let mut job = world::job(&set, &ONE, &all, &judge);
    (job.settings.workers, job.settings.stop_after) = (1, 3);
    let (outcome, records) = in_memory(job).await.finished();
    assert_eq!(all.calls().len(), 3, "no other question and no retry");
    assert_eq!((outcome.failed, outcome.rows.len()), (8, 8));
    assert_eq!(records.len(), 8);
    for row in &outcome.rows[3..] {
        let error = row.error.as_deref().expect("an error");
        assert!(
            error.starts_with("not asked: 3 queries before it had failed in a row")
                && error.contains("the model is down"),
            "{error}"
        );
        assert!(row.scores.iter().all(|(_, score)| matches!(score, Score::Error(_))));
    }
    // A success in between, or no limit: the run goes on.
    for (stop_after, failing) in [(3, &[0, 1, 3, 4, 6][..]), (0, &[0, 1, 2, 3, 4, 5, 6, 7])] {
        let fake = fail(Fake::new(8), failing);
        let mut job = world::job(&set, &ONE, &fake, &judge);
        (job.settings.workers, job.settings.stop_after) = (1, stop_after);
        let (outcome, _) = in_memory(job).await.finished();
        assert_eq!(outcome.failed, 0, "{stop_after}");
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
    assert!(matches!(&error, EvalError::Fatal { query_id, .. } if query_id == "D02"), "{error}");
    assert!(error.to_string().contains("the key is refused"), "{error}");
    assert_eq!((fake.calls().len(), ended.records.len()), (3, 2), "what was finished is kept");
}
