//! The run loop: order, retries, cancelling, resuming.

use crate::world::{self, Act, Fake, in_memory};
use eval::{EvalError, PartialRows, Row, RunOutcome, RunSettings, Score, run};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use types::{Mode, RunRecord};

const BOTH: [Mode; 2] = [Mode::Hybrid, Mode::Vector];

fn names(rows: &[Row]) -> Vec<String> {
    rows.iter().map(|r| format!("{}/{}", r.query_id, r.mode)).collect()
}

#[tokio::test]
async fn rows_come_in_query_order_then_mode_order() {
    let (set, judge, fake) = (world::query_set(5, 2), world::judge(), Fake::new(5));
    let (outcome, records) = in_memory(world::job(&set, &BOTH, &fake, &judge)).await.finished();
    let expect: Vec<String> =
        set.queries.iter().flat_map(|q| BOTH.map(|mode| format!("{}/{mode}", q.id))).collect();
    assert_eq!(names(&outcome.rows), expect);
    assert_eq!((outcome.interrupted, outcome.failed, outcome.resumed), (false, 0, 0));
    assert_eq!(records.len(), 14);
    for record in &records {
        assert_eq!(record.run_id.as_deref(), Some("run-1"));
        assert_eq!(record.models.get("judge").map(String::as_str), Some(eval::Judge::id(&judge).as_str()));
        let row: Row = serde_json::from_value(record.evaluation.clone().expect("evaluated")).expect("a row");
        assert!(outcome.rows.contains(&row), "the record carries its row");
    }
}

#[tokio::test]
async fn never_more_in_flight_than_workers() {
    let (set, judge) = (world::query_set(12, 0), world::judge());
    for workers in [0, 1, 3, 4] {
        let fake = Fake::new(12);
        let mut job = world::job(&set, &BOTH, &fake, &judge);
        job.settings.workers = workers;
        let (outcome, _) = in_memory(job).await.finished();
        assert_eq!(outcome.rows.len(), 24);
        assert_eq!(fake.most_in_flight(), workers.max(1));
    }
}

#[tokio::test]
async fn what_fails_is_tried_again_at_the_end_and_counted() {
    let (set, judge) = (world::query_set(4, 0), world::judge());
    let fake = Fake::new(4)
        .does(0, Mode::Hybrid, &[Act::Fail])
        .does(1, Mode::Vector, &[Act::Fail, Act::Panic])
        .does(2, Mode::Hybrid, &[Act::Fail, Act::Fail, Act::Fail]);
    let (outcome, records) = in_memory(world::job(&set, &BOTH, &fake, &judge)).await.finished();
    assert_eq!((outcome.rows.len(), outcome.failed), (8, 1));
    let attempts: Vec<u32> = outcome.rows.iter().map(|r| r.attempts).collect();
    assert_eq!(attempts, [2, 1, 1, 3, 3, 1, 1, 1]);
    let failed = &outcome.rows[4];
    assert_eq!(failed.error.as_deref(), Some("the model is down"));
    assert!(failed.scores.iter().all(|(_, s)| matches!(s, Score::Error(_))));
    assert_eq!(failed.scores.len(), eval::metrics::keys().len());
    // Retries come after every first try, in query order.
    let calls = fake.calls();
    assert_eq!(calls.len(), 8 + 1 + 2 + 2);
    let late: Vec<&str> = calls[8..].iter().map(|(q, _)| q.as_str()).collect();
    assert_eq!(late, [0, 1, 1, 2, 2].map(world::question));
    assert_eq!(records.len(), 8, "the failed one is recorded, too");
    let failed_record = records.iter().find(|r| r.response.answer.is_empty()).expect("recorded");
    assert!(failed_record.response.caveats[0].contains("the model is down"));
}

#[tokio::test]
async fn no_retries_where_none_are_wanted() {
    let (set, judge) = (world::query_set(2, 0), world::judge());
    let fake = Fake::new(2).does(0, Mode::Hybrid, &[Act::Fail]);
    let mut job = world::job(&set, &[Mode::Hybrid], &fake, &judge);
    job.settings.retries = 0;
    let (outcome, _) = in_memory(job).await.finished();
    assert_eq!((outcome.failed, fake.calls().len()), (1, 2));
}

/// Runs against a file of unfinished rows; cancels once `stop_after` records were taken.
async fn on_disk(folder: &Path, fake: &Fake, stop_after: Option<usize>) -> (RunOutcome, Vec<RunRecord>) {
    let (set, judge) = (world::query_set(6, 2), world::judge());
    let (mut store, resumed) = PartialRows::open(folder, &["key"], "run-1", false).expect("opens");
    let mut job = world::job(&set, &BOTH, fake, &judge);
    job.settings = RunSettings { run_id: resumed.run_id, workers: 3, ..job.settings };
    job.done = resumed.rows;
    let stop = types::Stop::default();
    let mut records = Vec::new();
    let outcome = run(
        job,
        &mut store,
        &mut |record| {
            records.push(record);
            if stop_after == Some(records.len()) {
                stop.request();
            }
            Ok(())
        },
        &stop,
    )
    .await
    .expect("runs");
    if !outcome.interrupted {
        store.finish().expect("removes");
    }
    (outcome, records)
}

#[tokio::test]
async fn a_cancelled_run_resumes_to_the_same_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = on_disk(&folder.path().join("whole"), &Fake::new(6), None).await.0;
    assert_eq!(whole.rows.len(), 16);
    for stop_after in [1, 2, 7, 15] {
        let path = folder.path().join(format!("rows-{stop_after}"));
        // One query fails first, so that a cancel can also fall before its retry.
        let fake = Fake::new(6).does(0, Mode::Hybrid, &[Act::Fail]);
        let (first, first_records) = on_disk(&path, &fake, Some(stop_after)).await;
        assert!(first.interrupted && first.rows.len() >= stop_after && first.rows.len() < 16, "{stop_after}");
        let asked = fake.calls().len();
        let (second, second_records) = on_disk(&path, &fake, None).await;
        assert!(!second.interrupted);
        assert_eq!(second.resumed, first.rows.len());
        assert_eq!(names(&second.rows), names(&whole.rows), "no row twice, none missing");
        let scores =
            |rows: &[Row]| rows.iter().map(|r| (r.scores.clone(), r.answer.clone())).collect::<Vec<_>>();
        assert_eq!(scores(&second.rows), scores(&whole.rows));
        // What was finished was not asked again.
        let finished: BTreeSet<String> = names(&first.rows).into_iter().collect();
        let set = world::query_set(6, 2);
        for (query, mode) in &fake.calls()[asked..] {
            let id = &set.by_text(query).expect("of the set").id;
            assert!(!finished.contains(&format!("{id}/{mode}")), "{id} {mode} was asked again");
        }
        assert_eq!(first_records.len() + second_records.len(), 16);
        assert_eq!(fs::read_dir(&path).expect("reads").count(), 0, "a finished run cannot be resumed");
    }
}

#[tokio::test]
async fn failed_rows_of_an_unfinished_run_are_tried_again() {
    let (set, judge, fake) = (world::query_set(2, 0), world::judge(), Fake::new(2));
    let mut job = world::job(&set, &[Mode::Hybrid], &fake, &judge);
    let row = |id: &str, mode: &str, error: Option<&str>| Row {
        query_id: id.into(),
        mode: mode.into(),
        error: error.map(str::to_owned),
        ..Row::default()
    };
    let row = |id: &str, mode: &str, error: Option<&str>| (row(id, mode, error), None);
    job.done = vec![
        row("D00", "hybrid", None),
        row("D00", "hybrid", None),
        row("D01", "hybrid", Some("down")),
        row("D00", "bm25", None),
        row("Z99", "hybrid", None),
    ];
    let ran = in_memory(job).await;
    let outcome = ran.outcome.expect("runs");
    assert_eq!(names(&outcome.rows), ["D00/hybrid", "D01/hybrid"]);
    assert_eq!((outcome.resumed, fake.calls().len(), ran.records.len()), (1, 1, 1));
}

#[tokio::test]
async fn a_record_that_is_not_taken_stops_the_run() {
    let (set, judge, fake) = (world::query_set(3, 0), world::judge(), Fake::new(3));
    let folder = tempfile::tempdir().expect("a folder");
    let open = || PartialRows::open(folder.path(), &["key"], "run-1", false).expect("opens");
    let result = run(
        world::job(&set, &BOTH, &fake, &judge),
        &mut open().0,
        &mut |_| Err("disk full".into()),
        &types::Stop::default(),
    )
    .await;
    assert!(matches!(result, Err(EvalError::Record { .. })), "{result:?}");
    assert!(open().1.rows.is_empty(), "a row that is not in the log is not finished");
}
