//! Reports out of runs, and the same out of their logs.

use crate::world::{self, Act, Fake};
use eval::report::{self, LogScoring, Provenance, Setting};
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
    let (mut sink, mut records) = (eval::PartialRows::none(eval::Remains::Nothing), Vec::new());
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
async fn two_runs_of_one_mode_each_are_compared() {
    let (_, records) = rows_and_records().await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run_log.jsonl");
    let set = world::query_set(6, 3);
    let modes = [(Mode::Vector, "later-settings"), (Mode::Hybrid, "same"), (Mode::Vector, "same")];
    for (run, (mode, settings)) in modes.into_iter().enumerate() {
        let from = Provenance { config_hash: settings.to_owned(), ..provenance("extractive") };
        let own = records.iter().filter(|record| record.mode == Some(mode));
        for (at, record) in own.enumerate() {
            let mut record = record.clone();
            record.run_id = Some(format!("run-{run}"));
            if at == 0 {
                RunHeader::new(from.clone(), &set, &[mode], false).attach(&mut record).expect("serialises");
            }
            runlog::append(&path, &record).expect("appends");
        }
    }
    let log = LogIndex::open(&path).expect("reads");
    let ids = |at: usize| report::beside(&log, &log.runs[at]).and_then(|run| run.run_id.clone());
    // Other settings: nothing stands beside it.
    assert_eq!((ids(0), ids(1), ids(2)), (None, Some("run-2".into()), Some("run-1".into())));
    let read = async |at: usize| {
        let run = &log.runs[at];
        report::from_log(&log, run, &LogScoring::default()).await.expect("reads")
    };
    for (own, other) in [(1, 2), (2, 1)] {
        let joined = read(own).await.joined(read(other).await);
        assert_eq!(joined.summary.compared, Some(["hybrid".to_owned(), "vector".to_owned()]));
        assert_eq!(joined.summary.run_id, format!("run-{own}"));
        assert_eq!(joined.rows.len(), 18);
        assert!(joined.rows.chunks(2).all(|pair| pair[0].query_id == pair[1].query_id));
        assert!(joined.notes.iter().any(|note| note.contains(&format!("is of the run run-{other}"))));
    }
}
