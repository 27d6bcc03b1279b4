//! What runs write small is read back whole.

use super::{LogIndex, LogRecord, RunHeader, RunWriter, append};
use crate::metrics::testing::{chunk, cite, response};
use crate::{Problem, QuerySet, Row, evaluate};
use futures::FutureExt;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use types::{GuardrailAction, GuardrailKind, Mode, RunRecord};

const SENTENCE: &str = "Regular walking lowered blood pressure by 12 mmHg in 40 adults.";

/// An answered question with its scores, as a run logs it.
fn scored(id: &str, texts: &[&str]) -> RunRecord {
    let context: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| chunk(&format!("a__body__{at:03}"), text))
        .collect();
    let answer = response(
        &format!("{} (a, a__body__000).", SENTENCE.trim_end_matches('.')),
        &[cite("a__body__000", SENTENCE)],
    );
    let mut record = RunRecord {
        query: format!("Question {id}?"),
        query_id: Some(id.to_owned()),
        run_id: Some("r".to_owned()),
        mode: Some(Mode::Hybrid),
        context: Some(context),
        response_raw: Some(answer.clone()),
        response: answer,
        guardrails: vec![GuardrailAction {
            guardrail: GuardrailKind::Entity,
            action: "flagged".to_owned(),
            subject: "x".to_owned(),
            reason: "y".to_owned(),
            sentence: false,
        }],
        ..RunRecord::default()
    };
    record.response.probability = Some(0.44);
    record.response_raw = Some(record.response.clone());
    let row = evaluate(&record, None, None)
        .now_or_never()
        .expect("no judge is asked");
    record.evaluation = Some(serde_json::to_value(row).expect("JSON"));
    record
}

fn read(path: &Path) -> (Vec<LogRecord>, Vec<Problem>) {
    let log = LogIndex::open(path).expect("reads");
    let (mut records, mut problems) = (Vec::new(), log.skipped.clone());
    for run in &log.runs {
        for record in log.records(run).expect("reads") {
            match record {
                Ok(record) => records.push(record),
                Err(problem) => problems.push(problem),
            }
        }
    }
    records.sort_by_key(|record| record.line);
    (records, problems)
}

#[test]
fn a_run_stores_texts_once_and_is_read_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    let long = format!("Before this. {SENTENCE} {}", "More words. ".repeat(100));
    let mut written = Vec::new();
    let mut writer = RunWriter::new(&path, "1");
    for id in ["1", "2", "3"] {
        let record = scored(id, &[&long, SENTENCE]);
        writer.append(&record).expect("appends");
        written.push(record);
    }
    let log = fs::read_to_string(&path).expect("reads");
    let lines: Vec<&str> = log.lines().collect();
    assert!(
        lines[1].len() + long.len() < lines[0].len(),
        "{} {}",
        lines[0].len(),
        lines[1].len()
    );
    let line: Value = serde_json::from_str(lines[1]).expect("JSON");
    assert_eq!(line["response_raw"], json!("same"), "{line}");
    for key in [
        "query",
        "answer",
        "caveats",
        "guardrails",
        "preview",
        "probability",
    ] {
        assert!(line["evaluation"].get(key).is_none(), "{key}: {line}");
    }
    let (found, problems) = read(&path);
    assert_eq!(problems, []);
    for (found, written) in found.iter().zip(&written) {
        assert_eq!(&found.record, written);
        let row: Row =
            serde_json::from_value(found.record.evaluation.clone().expect("scores")).expect("a row");
        assert_eq!(row.answer, written.response.answer);
    }
    // A single question is never small.
    let alone = RunRecord {
        run_id: None,
        ..written[0].clone()
    };
    append(&path, &alone).expect("appends");
    append(&path, &alone).expect("appends");
    let log = fs::read_to_string(&path).expect("reads");
    assert!(log.lines().skip(3).all(|line| line.contains("Before this.")));
}

#[test]
fn processes_do_not_rely_on_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    let one = scored("1", &["the text of one process", SENTENCE]);
    let other = scored("2", &["another text under the same id", SENTENCE]);
    let (mut first, mut second) = (RunWriter::new(&path, "1"), RunWriter::new(&path, "2"));
    for _ in 0..2 {
        first.append(&one).expect("appends");
        second.append(&other).expect("appends");
    }
    let (found, problems) = read(&path);
    let records: Vec<&RunRecord> = found.iter().map(|found| &found.record).collect();
    assert_eq!((records, problems), (vec![&one, &other], vec![]));

    // The first line of one process is torn, as when it was killed: the next one starts anew.
    let log = fs::read_to_string(&path).expect("reads");
    let torn = &log[..log.find('\n').expect("a line") - 40];
    fs::write(&path, torn).expect("writes");
    let mut resumed = RunWriter::new(&path, "3");
    for record in [&one, &other] {
        resumed.append(record).expect("appends");
    }
    let (found, problems) = read(&path);
    let records: Vec<&RunRecord> = found.iter().map(|found| &found.record).collect();
    // Its row was logged again, so nothing is lost.
    assert_eq!((records, problems.len()), (vec![&one, &other], 0));

    // A line that lacks its texts is named, not made up.
    let log = fs::read_to_string(&path).expect("reads");
    let without: Vec<&str> = log
        .lines()
        .filter(|line| !line.contains("the text of one"))
        .collect();
    fs::write(&path, without.join("\n")).expect("writes");
    first.append(&one).expect("appends");
    let (found, problems) = read(&path);
    assert_eq!(found.len(), 0, "{found:?}");
    assert!(
        problems
            .iter()
            .all(|p| p.reason.contains("the text of chunk a__body__00")),
        "{problems:?}"
    );
}

#[test]
fn the_labels_of_a_run_stand_in_its_header() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    let line = r#"{"id":"1","type":"direct","query":"Why?","expected_no_evidence":false,"target_papers":["a"],
        "gold_evidence":[{"source_id":"a","quote":"Walking lowered blood pressure."}],"reference_answer":"x"}"#;
    let set = QuerySet::parse("set.jsonl", &line.replace('\n', "")).expect("a set");
    let mut header = RunHeader::new(crate::report::Provenance::default(), &set, &[Mode::Hybrid], false);
    header.name = Some("a name".to_owned());
    let mut record = scored("1", &[SENTENCE]);
    header.attach(&mut record).expect("JSON");
    let mut writer = RunWriter::new(&path, "1");
    writer.append(&record).expect("appends");
    writer.append(&scored("2", &[SENTENCE])).expect("appends");
    let log = LogIndex::open(&path).expect("reads");
    let run = &log.runs[0];
    let found = RunHeader::of(run).expect("a header");
    assert_eq!((found.name.as_deref(), found.labels.len()), (Some("a name"), 0));
    assert_eq!(
        log.labels(run).expect("reads").expect("labels").queries,
        set.queries
    );
}

/// The scores of a row, changed so that some of them are not what the record says.
fn changed(mut scores: Value, removed: &[usize], altered: Option<usize>) -> Value {
    let fields = scores.as_object_mut().expect("an object");
    let keys: Vec<String> = fields.keys().cloned().collect();
    for at in removed {
        fields.shift_remove(&keys[at % keys.len()]);
    }
    if let Some(at) = altered {
        fields.insert(keys[at % keys.len()].clone(), json!("another value"));
    }
    scores
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the scores hold, and wherever a crash tears the log between two records, each whole line is read back as
    /// it was written.
    #[test]
    fn what_is_written_and_read_back_is_equal(
        removed in prop::collection::vec(0usize..40, 0..3),
        altered in prop::option::of(0usize..40),
        texts in prop::collection::vec(prop::sample::select(vec!["one", "two", SENTENCE]), 0..4),
        raw in 0usize..3,
        torn in 1usize..200,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.jsonl");
        let mut record = scored("1", &texts);
        let scores = record.evaluation.take().expect("scores");
        record.evaluation = Some(changed(scores, &removed, altered));
        match raw {
            0 => record.response_raw = None,
            1 => record.response_raw.as_mut().expect("set").answer.push('!'),
            _ => {}
        }
        let mut writer = RunWriter::new(&path, "1");
        writer.append(&record).expect("appends");
        let first = fs::read(&path).expect("reads");
        let mut file = OpenOptions::new().append(true).open(&path).expect("opens");
        file.write_all(&first[..torn.min(first.len() - 2)]).expect("writes");
        drop(file);
        let second = RunRecord { query_id: Some("2".to_owned()), ..record.clone() };
        writer.append(&second).expect("appends");
        let (found, problems) = read(&path);
        let records: Vec<&RunRecord> = found.iter().map(|found| &found.record).collect();
        prop_assert_eq!((records, problems.len()), (vec![&record, &second], 1));
    }
}
