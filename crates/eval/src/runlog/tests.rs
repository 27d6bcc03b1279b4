use super::*;
use crate::Problem;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::thread;
use types::{Mode, RunRecord};

/// The index and the records of all runs, by line.
fn read(path: &Path) -> (LogIndex, Vec<(usize, RunRecord)>) {
    let log = LogIndex::open(path).expect("reads");
    let mut records: Vec<_> = log
        .runs
        .iter()
        .flat_map(|run| log.records(run))
        .map(|record| record.expect("a record"))
        .map(|found| (found.line, found.record))
        .collect();
    records.sort_by_key(|(line, _)| *line);
    (log, records)
}

fn record(id: &str, answer: &str) -> RunRecord {
    let mut record = RunRecord { query: "q".into(), query_id: Some(id.into()), ..RunRecord::default() };
    record.response.answer = answer.to_owned();
    record
}

#[test]
fn several_writers_keep_their_lines_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("logs/run_log.jsonl");
    // Longer than a pipe's or a page's atomic size.
    let long = "word ".repeat(8_000);
    thread::scope(|scope| {
        for writer in 0..4 {
            let (path, long) = (&path, &long);
            scope.spawn(move || {
                for n in 0..10 {
                    append(path, &record(&format!("{writer}-{n}"), long)).expect("appends");
                }
            });
        }
    });
    let (log, records) = read(&path);
    assert_eq!((records.len(), log.skipped.len()), (40, 0));
    let mut ids: Vec<_> = records.iter().filter_map(|(_, r)| r.query_id.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 40);
    assert!(records.iter().all(|(_, r)| r.response.answer == long));
}

#[test]
fn torn_and_foreign_lines_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    append(&path, &record("1", "x")).expect("appends");
    let mut file = OpenOptions::new().append(true).open(&path).expect("opens");
    file.write_all(b"\n{\"other\":1}\n\xff\xfe\n{\"query\":\"torn").expect("writes");
    drop(file);
    let (log, records) = read(&path);
    assert_eq!(records.len(), 1);
    let said: Vec<String> = log.skipped.iter().map(Problem::to_string).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[0].starts_with("line 3: not a run record"), "{said:?}");
    assert!(said[2].starts_with("line 5: torn last line"), "{said:?}");
    // The next record does not join the torn line.
    append(&path, &record("2", "y")).expect("appends");
    let (_, records) = read(&path);
    assert_eq!(records.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [1, 6]);
    assert!(LogIndex::open(&folder.path().join("none")).is_err());
    assert!(LogIndex::open(Path::new("/dev/zero")).is_err());
}

#[test]
fn the_earlier_form_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("old.jsonl");
    let line = r#"{"timestamp":"2026-01-02T03:04:05","query":"q","prompt_version":"v2","model":"m","retrieval":{"method":"hybrid","total_candidates":1,"above_threshold":1,"has_sufficient_evidence":true,"returned_chunks":[]},"response":{"answer":"x","citations":[],"confidence":"high","evidence_quality":"","no_evidence":false,"caveats":[]}}"#;
    fs::write(&path, format!("\u{feff}{line}\r\n{line}")).expect("writes");
    let (log, records) = read(&path);
    // The same question twice in one mode: the last record counts.
    assert_eq!((records.len(), log.runs[0].superseded), (1, 1));
    assert!(log.skipped.is_empty(), "{:?}", log.skipped);
    assert!(records[0].1.context.is_none());
}

#[test]
fn the_last_record_of_a_query_and_mode_counts_and_runs_stay_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    for (run, id, mode, answer) in [
        ("r1", "1", Mode::Hybrid, "old"),
        ("r2", "1", Mode::Hybrid, "other run"),
        ("r1", "1", Mode::Vector, "vector"),
        ("r1", "1", Mode::Hybrid, "new"),
    ] {
        let mut record = record(id, answer);
        (record.run_id, record.mode) = (Some(run.into()), Some(mode));
        record.run = (answer == "old").then(|| serde_json::json!({"seed": 7}));
        append(&path, &record).expect("appends");
    }
    let log = LogIndex::open(&path).expect("opens");
    let shown: Vec<_> = log.runs.iter().map(|r| (r.run_id.as_deref(), r.len(), r.superseded)).collect();
    assert_eq!(shown, [(Some("r1"), 2, 1), (Some("r2"), 1, 0)]);
    let records: Vec<_> = log.records(&log.runs[0]).flatten().collect();
    let answers: Vec<&str> = records.iter().map(|r| r.record.response.answer.as_str()).collect();
    assert_eq!(answers, ["new", "vector"]);
    // The replaced record carried the header of its run, which stays known.
    assert_eq!(log.runs[0].header, Some(serde_json::json!({"seed": 7})));
    assert!(log.runs[1].header.is_none());
}

/// Each record is what was written, or a problem names its line.
#[test]
fn no_flipped_bit_changes_a_record_without_a_word() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    for (run, id) in [("r1", "1"), ("r1", "2"), ("r2", "1")] {
        let mut record = record(id, "An answer of 12 words.");
        (record.run_id, record.mode) = (Some(run.into()), Some(Mode::Hybrid));
        append(&path, &record).expect("appends");
    }
    let whole = fs::read(&path).expect("reads");
    let (_, written) = read(&path);
    let mut joined = 0;
    for bit in (0..whole.len() * 8).filter(|bit| bit % 3 == 0 || whole[bit / 8] == b'\n') {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &bytes).expect("writes");
        let (log, records) = read(&path);
        let problems = log.problems(None, &[]);
        assert!(records.iter().all(|(_, record)| written.iter().any(|(_, own)| own == record)));
        assert_eq!(records.len() < written.len(), !problems.is_empty(), "bit {bit}: {problems:?}");
        joined += usize::from(written.len() - records.len() == 2);
    }
    assert_eq!(joined, 16, "a line feed that is none any more loses both lines");
}

#[test]
fn a_damaged_line_belongs_to_its_run_until_the_row_is_logged_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    let run = |run: &str, id: &str, answer: &str| RunRecord {
        run_id: Some(run.into()),
        mode: Some(Mode::Hybrid),
        ..record(id, answer)
    };
    let records = [("r1", "1"), ("r1", "2"), ("r2", "1")].map(|(id, query)| run(id, query, "12 mmHg"));
    for record in &records {
        append(&path, record).expect("appends");
    }
    let whole = fs::read_to_string(&path).expect("reads");
    let (first, rest) = whole.split_once('\n').expect("lines");
    let text = format!("{first}\n{}", rest.replacen("12 mmHg", "92 mmHg", 1));
    fs::write(&path, text).expect("writes");
    let counts = || {
        let log = LogIndex::open(&path).expect("reads");
        let runs: Vec<_> = log.runs.iter().map(|run| (run.len(), run.damaged.len())).collect();
        (runs, log.warning(None, &[]).unwrap_or_default())
    };
    let (runs, warning) = counts();
    assert_eq!(runs, [(1, 1), (1, 0)]);
    for part in ["log.jsonl", "line 2", "checksum", r#"run "r1", query "2", mode "hybrid""#] {
        assert!(warning.contains(part), "{part}: {warning}");
    }
    append(&path, &records[1]).expect("appends");
    assert_eq!(counts(), (vec![(2, 0), (1, 0)], String::new()));
}
