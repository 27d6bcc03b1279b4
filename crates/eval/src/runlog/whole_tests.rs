//! What is written is read back, and each line says everything of its row.

use super::{LogIndex, LogRecord, RunHeader, append};
use crate::metrics::testing::{chunk, cite, response};
use crate::{Problem, QuerySet, Row, evaluate};
use futures::FutureExt;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use types::{Mode, ReturnedChunk, RunRecord};

const SENTENCE: &str = "Regular walking lowered blood pressure by 12 mmHg in 40 adults.";

/// An answered question with its scores, as a run logs it.
fn scored(id: &str, texts: &[&str]) -> RunRecord {
    let context: Vec<_> =
        texts.iter().enumerate().map(|(at, text)| chunk(&format!("a__body__{at:03}"), text)).collect();
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
        ..RunRecord::default()
    };
    record.retrieval.returned_chunks = vec![ReturnedChunk {
        chunk_id: "a__body__000".into(),
        source_id: "a".into(),
        section: "body".to_owned(),
        vector_score: 0.723_456_7,
        combined_score: -0.0,
        text_preview: texts.first().map_or_else(String::new, |text| text.chars().take(200).collect()),
        ..ReturnedChunk::default()
    }];
    record.response.probability = Some(0.44);
    let row = evaluate(&record, None, None).now_or_never().expect("no judge is asked");
    record.evaluation = Some(serde_json::to_value(row).expect("JSON"));
    record
}

fn read(path: &Path) -> (Vec<LogRecord>, Vec<Problem>) {
    let log = LogIndex::open(path).expect("reads");
    let (mut records, mut problems) = (Vec::new(), log.skipped.clone());
    for run in &log.runs {
        for record in log.records(run) {
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
fn each_line_says_everything_and_texts_are_stored_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    let long = format!("Before this. {SENTENCE} {}", "More words. ".repeat(100));
    let written: Vec<RunRecord> = ["1", "2", "3"].map(|id| scored(id, &[&long, SENTENCE])).into();
    for record in &written {
        append(&path, record).expect("appends");
    }
    let log = fs::read_to_string(&path).expect("reads");
    for (line, written) in log.lines().zip(&written) {
        assert!(!line.contains(&long), "the text is beside the log");
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(line["log_version"], 2);
        let mut whole: Value =
            serde_json::from_str(&serde_json::to_string(written).expect("JSON")).expect("JSON");
        for (chunk, own) in whole["context"]
            .as_array_mut()
            .expect("chunks")
            .iter_mut()
            .zip(line["context"].as_array().expect("chunks"))
        {
            let text = chunk["text"].take();
            let hash = own["text_sha256"].as_str().expect("a hash");
            let file = folder.path().join("texts").join(&hash[..2]).join(hash);
            assert_eq!(fs::read_to_string(file).expect("a text"), text.as_str().expect("a text"));
        }
        for key in ["query", "response", "response_raw", "evaluation", "mode", "run_id"] {
            assert_eq!(line[key], whole[key], "{key}");
        }
        let returned = &line["retrieval"]["returned_chunks"][0];
        assert_eq!(returned["vector_score"].to_string(), "0.7234567");
        assert!(
            ["source_id", "section", "text_preview"].iter().all(|key| returned[key].is_string()),
            "{returned}"
        );
    }
    let (found, problems) = read(&path);
    assert_eq!(problems, []);
    for (found, written) in found.iter().zip(&written) {
        assert_eq!((&found.record, &found.without_text), (written, &None));
        let row: Row =
            serde_json::from_value(found.record.evaluation.clone().expect("scores")).expect("a row");
        assert_eq!(row.answer, written.response.answer);
    }
}

#[test]
fn a_row_without_its_texts_is_named_and_has_no_context() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    append(&path, &scored("1", &[SENTENCE])).expect("appends");
    append(&path, &scored("2", &["Another text."])).expect("appends");
    let hash = types::digest::sha256(SENTENCE.as_bytes());
    fs::write(folder.path().join("texts").join(&hash[..2]).join(&hash), "short").expect("writes");
    let (found, problems) = read(&path);
    assert_eq!((found.len(), problems.len()), (2, 0), "the rows are there");
    let without = found[0].without_text.as_ref().expect("a problem").to_string();
    for part in ["line 1: ", "a__body__000", &hash, "does not match"] {
        assert!(without.contains(part), "{without}");
    }
    assert!(found[0].record.context.is_none() && found[0].record.evaluation.is_some());
    assert!(found[1].record.context.is_some() && found[1].without_text.is_none());
}

#[test]
fn lines_of_other_versions_are_listed_and_say_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    let line = |id: &str, more: Value| {
        let mut line = json!({"query": "q", "query_id": id, "run_id": "r", "mode": "hybrid", "response": {},
            "context": [{"chunk_id": "a__body__000"}]});
        line.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        line.to_string() + "\n"
    };
    let version = |n: u64| json!({"log_version": n, "context": []});
    let lines = [line("1", version(3)), line("2", version(3)), line("3", version(4))];
    fs::write(&path, lines.concat()).expect("writes");
    let log = LogIndex::open(&path).expect("reads");
    assert_eq!((log.runs.len(), log.runs[0].len()), (1, 3));
    let (found, problems) = read(&path);
    assert_eq!((found.len(), problems.len()), (0, 3));
    let warning = log.warning(None, &problems).expect("a warning");
    for part in [
        "2 lines from 1 to 2: its log_version is 3",
        "use the version that wrote it",
        "line 3: its log_version is 4",
    ] {
        assert!(warning.contains(part), "{warning}");
    }
}

#[test]
fn a_header_holds_the_labels_of_its_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.jsonl");
    let line = r#"{"id":"1","type":"direct","query":"Why?","expected_no_evidence":false,"target_papers":["a"],
        "gold_evidence":[{"source_id":"a","quote":"Walking lowered blood pressure."}],"reference_answer":"x"}"#;
    let set = QuerySet::parse("set.jsonl", &line.replace('\n', "")).expect("a set");
    let mut header = RunHeader::new(crate::report::Provenance::default(), &set, &[Mode::Hybrid], false);
    header.name = Some("a name".to_owned());
    let mut record = scored("1", &[SENTENCE]);
    header.attach(&mut record).expect("JSON");
    append(&path, &record).expect("appends");
    append(&path, &scored("2", &[SENTENCE])).expect("appends");
    let log = LogIndex::open(&path).expect("reads");
    let run = &log.runs[0];
    let found = RunHeader::of(run).expect("a header");
    assert_eq!((found.name.as_deref(), found.labels.len()), (Some("a name"), 0));
    assert_eq!(run.labels().expect("reads").expect("labels").queries, set.queries);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Wherever a crash tears the log between two records of two processes, each whole line is read back as it was written.
    #[test]
    fn what_is_written_and_read_back_is_equal(
        texts in prop::collection::vec(prop::sample::select(vec!["", "one", "two \"q\"\r\n\u{202e}", SENTENCE]), 0..4),
        torn in 1usize..200,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.jsonl");
        let record = scored("1", &texts);
        append(&path, &record).expect("appends");
        let first = fs::read(&path).expect("reads");
        let mut file = OpenOptions::new().append(true).open(&path).expect("opens");
        file.write_all(&first[..torn.min(first.len() - 2)]).expect("writes");
        drop(file);
        let second = RunRecord { query_id: Some("2".to_owned()), ..record.clone() };
        append(&path, &second).expect("appends");
        let (found, problems) = read(&path);
        let records: Vec<&RunRecord> = found.iter().map(|found| &found.record).collect();
        prop_assert_eq!((records, problems.len()), (vec![&record, &second], 1));
    }
}
