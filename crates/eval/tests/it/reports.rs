//! Reports out of runs, and the same out of their logs.

use crate::world::{self, Act, Fake};
use eval::report::{self, Evaluation, LogScoring, Provenance, Setting};
use eval::runlog::{LogIndex, RunHeader};
use eval::{Row, run, runlog};
use std::collections::BTreeMap;
use types::{Mode, RunRecord};

const BOTH: [Mode; 2] = [Mode::Hybrid, Mode::Vector];

fn provenance(generator: &str) -> Provenance {
    Provenance {
        architecture: vec![Setting {
            section: "Retrieval".into(),
            key: "weights".into(),
            value: "0.6 / 0.4".into(),
        }],
        config_hash: "c0ffee".into(),
        query_set: "world".into(),
        query_set_hash: "abc".into(),
        seed: 7,
        models: BTreeMap::from([("generator".to_owned(), generator.to_owned())]),
        ..Provenance::default()
    }
}

async fn rows_and_records() -> (Vec<Row>, Vec<RunRecord>) {
    let (set, judge) = (world::query_set(6, 3), world::judge());
    let fake = Fake::new(6).does(1, Mode::Vector, &[Act::Fail, Act::Fail, Act::Fail]);
    let (mut sink, mut records) = (eval::Remains::Nothing, Vec::new());
    let outcome = run(
        world::job(&set, &BOTH, &fake, &judge),
        &mut sink,
        &mut |record| {
            records.push(record);
            Ok(())
        },
        &types::Stop::default(),
    )
    .await
    .expect("runs");
    (outcome.rows, records)
}

#[tokio::test]
async fn the_json_has_the_keys_that_programs_read() {
    let (rows, _) = rows_and_records().await;
    let evaluation = Evaluation::new("run-1", rows, provenance("extractive"));
    let json = serde_json::to_value(&evaluation).expect("serialises");
    let keys: Vec<&String> = json.as_object().expect("an object").keys().collect();
    assert_eq!(keys[..3], ["run_id", "modes", "comparison"]);
    assert!(keys.contains(&&"rows".to_owned()));
    let metric = &json["modes"]["hybrid"]["citation_precision"];
    for key in ["mean", "ci_low", "ci_high", "n", "n_a", "errors"] {
        assert!(metric[key].is_number(), "{key}: {metric}");
    }
    assert_eq!((metric["n"].as_u64(), metric["n_a"].as_u64()), (Some(6), Some(3)));
    assert_eq!(json["modes"]["vector"]["citation_precision"]["errors"], 1);
    for key in ["delta", "p", "test"] {
        assert!(
            !json["comparison"]["no_evidence_accuracy"][key].is_null(),
            "{key}"
        );
    }
    assert_eq!(json["rows"][0]["query_id"], "D00");
    assert_eq!(json["rows"][1]["mode"], "vector");
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(18));
    assert_eq!(evaluation.rows_jsonl().expect("serialises").lines().count(), 18);
}

#[tokio::test]
async fn a_log_gives_the_same_report() {
    let (rows, records) = rows_and_records().await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("logs/run_log.jsonl");
    // A crash between log and row repeats a line; a single question belongs to no run.
    runlog::append(&path, &records[0]).expect("appends");
    runlog::append(
        &path,
        &RunRecord {
            query: "alone".into(),
            ..RunRecord::default()
        },
    )
    .expect("appends");
    for record in &records {
        runlog::append(&path, record).expect("appends");
    }
    let log = LogIndex::open(&path).expect("reads");
    assert_eq!(
        log.runs.iter().map(|g| g.run_id.as_deref()).collect::<Vec<_>>(),
        [Some("run-1"), None]
    );
    assert_eq!((log.runs[0].len(), log.runs[0].superseded), (18, 1));
    let set = world::query_set(6, 3);
    let scoring = LogScoring {
        set: Some(&set),
        seed: 7,
        ..LogScoring::default()
    };
    let again = report::from_log(&log, &log.runs[0], &scoring)
        .await
        .expect("reports");
    let direct = Evaluation::new("run-1", rows, provenance("extractive"));
    assert_eq!(again.rows, direct.rows);
    assert_eq!(again.summary, direct.summary);
    assert_eq!(
        again.rows_jsonl().expect("rows"),
        direct.rows_jsonl().expect("rows")
    );
    assert!(
        again
            .notes
            .iter()
            .any(|n| n.contains("1 earlier record left out")),
        "{:?}",
        again.notes
    );
    assert_eq!(again.provenance.query_set_hash, set.hash());
}

#[tokio::test]
async fn the_log_alone_gives_the_very_same_report() {
    let (rows, mut records) = rows_and_records().await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run_log.jsonl");
    // The order of the set is not the order of ids, nor that of the log.
    let mut set = world::query_set(6, 3);
    set.queries.reverse();
    let mut rows = rows;
    rows.sort_by_key(|row| {
        let at = set.queries.iter().position(|q| q.id == row.query_id);
        (at, BOTH.iter().position(|m| m.as_str() == row.mode))
    });
    for (at, record) in records.iter_mut().enumerate() {
        record.timings_ms = BTreeMap::from([("embed".to_owned(), at as f64), ("total".to_owned(), 9.5)]);
    }
    for row in &mut rows {
        let own = records.iter().find(|r| {
            r.query_id.as_deref() == Some(&row.query_id) && r.mode.map(Mode::as_str) == Some(&row.mode)
        });
        row.timings_ms = own.expect("logged").timings_ms.clone();
    }
    let from = provenance("extractive");
    let header = RunHeader::new(from.clone(), &set, &BOTH, false);
    header.attach(&mut records[0]).expect("serialises");
    for record in &records {
        runlog::append(&path, record).expect("appends");
    }
    let direct = Evaluation::new("run-1", rows, from);
    let log = LogIndex::open(&path).expect("reads");
    let mut again = report::from_log(&log, &log.runs[0], &LogScoring::default())
        .await
        .expect("reports");
    for text in [Evaluation::json_text, Evaluation::rows_jsonl] {
        assert_eq!(
            text(&direct).expect("serialises"),
            text(&again).expect("serialises")
        );
    }
    // What is shown beyond the rows: each passage once, the date, and this run among the earlier ones.
    again.read_log(&log, &log.runs[0]).expect("reads");
    let details = again.details.as_ref().expect("read");
    assert_eq!(details.passages.len(), 6 * world::CLAIMS);
    assert!(
        again
            .rows
            .iter()
            .all(|row| row.error.is_some() || details.of_row(row).is_some())
    );
    assert_eq!(again.started, records[0].timestamp);
    assert!(again.trends.iter().all(|run| run.is_this), "{:?}", again.trends);
}

#[tokio::test]
async fn two_runs_of_one_mode_each_are_compared() {
    let (_, records) = rows_and_records().await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run_log.jsonl");
    let set = world::query_set(6, 3);
    let modes = [
        (Mode::Vector, "later-settings"),
        (Mode::Hybrid, "same"),
        (Mode::Vector, "same"),
    ];
    for (run, (mode, settings)) in modes.into_iter().enumerate() {
        let from = Provenance {
            config_hash: settings.to_owned(),
            ..provenance("extractive")
        };
        let own = records.iter().filter(|record| record.mode == Some(mode));
        for (at, record) in own.enumerate() {
            let mut record = record.clone();
            record.run_id = Some(format!("run-{run}"));
            if at == 0 {
                RunHeader::new(from.clone(), &set, &[mode], false)
                    .attach(&mut record)
                    .expect("serialises");
            }
            runlog::append(&path, &record).expect("appends");
        }
    }
    let log = LogIndex::open(&path).expect("reads");
    let ids = |at: usize| report::beside(&log, &log.runs[at]).and_then(|run| run.run_id.clone());
    // Other settings: nothing stands beside it.
    assert_eq!(
        (ids(0), ids(1), ids(2)),
        (None, Some("run-2".into()), Some("run-1".into()))
    );
    let read = async |at: usize| {
        let run = &log.runs[at];
        report::from_log(&log, run, &LogScoring::default())
            .await
            .expect("reads")
    };
    for (own, other) in [(1, 2), (2, 1)] {
        let joined = read(own).await.joined(read(other).await);
        assert_eq!(
            joined.summary.compared,
            Some(["hybrid".to_owned(), "vector".to_owned()])
        );
        assert_eq!(joined.summary.run_id, format!("run-{own}"));
        assert_eq!(joined.rows.len(), 18);
        assert!(
            joined
                .rows
                .chunks(2)
                .all(|pair| pair[0].query_id == pair[1].query_id)
        );
        assert!(
            joined
                .notes
                .iter()
                .any(|note| note.contains(&format!("is of the run run-{other}")))
        );
    }
}
