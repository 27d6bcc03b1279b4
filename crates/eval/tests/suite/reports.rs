//! Reports out of runs, and the same out of their logs.

use crate::world::{self, Act, Fake};
use eval::report::{self, Evaluation, LogScoring, Provenance, Setting};
use eval::runlog::{LogIndex, RunHeader};
use eval::{Row, run, runlog};
use std::collections::BTreeMap;
use types::{GuardrailAction, GuardrailKind, Mode, RunRecord};

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
    let (mut sink, mut records) = (Vec::new(), Vec::new());
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
async fn the_json_follows_the_contract() {
    let (rows, _) = rows_and_records().await;
    let evaluation = Evaluation::new("run-1", rows, provenance("extractive"));
    let json = evaluation.json().expect("serialises");
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
async fn the_markdown_has_the_verdict_first_and_settings_last() {
    let (rows, _) = rows_and_records().await;
    let evaluation = Evaluation::new("run-1", rows, provenance("extractive"));
    let markdown = evaluation.markdown();
    let headings: Vec<&str> = markdown.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(
        headings,
        [
            "# Evaluation report run-1",
            "## 1. Verdict",
            "## 2. Query set",
            "## 3. Metrics",
            "## 4. Where answers fail",
            "## 5. Groups of questions",
            "## 6. Failures",
            "## 7. Modes compared: hybrid against vector",
            "## 8. Guardrails",
            "## 9. Time and cost",
            "## 10. Settings",
        ]
    );
    for says in [
        "In mode hybrid, 6 of 6 answerable questions (61 to 100 %) were answered and 3 of 3 unanswerable ones",
        "| direct | 6 | 6 | 0 | 0 | a fact of one paper: is its passage found and quoted? |",
        "| edge | 3 | 0 | 3 | 0 |",
        "they are not a finding",
        "no answer after 3 tries: the model is down",
        "No row has any of these: retrieval miss, reranking miss,",
        "No question is answered better in one of them.",
        // Nobody says what the defaults are: every setting is listed.
        "| Retrieval.weights | 0.6 / 0.4 | – |",
    ] {
        assert!(markdown.contains(says), "{says:?} is not in {markdown}");
    }
    assert!(!markdown.contains("NaN"));
    let other = Evaluation::new("run-1", evaluation.rows.clone(), provenance("some-model")).markdown();
    assert!(!other.contains("by construction"));
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
async fn hostile_text_stays_text() {
    let (mut rows, _) = rows_and_records().await;
    let hostile = "x | y\n## Injected\n<img src=x onerror=alert(1)> [click](http://evil.example) `code`";
    rows[0].query = hostile.into();
    rows[0].preview = hostile.into();
    rows[0].error = Some(hostile.into());
    rows[1].mode = "vector".into();
    rows[1].guardrails = vec![GuardrailAction {
        guardrail: GuardrailKind::Entity,
        action: hostile.into(),
        subject: hostile.into(),
        reason: hostile.into(),
        sentence: false,
    }];
    let mut from = provenance(hostile);
    from.architecture[0].value = hostile.into();
    let evaluation = Evaluation::new(hostile, rows, from);
    let page = evaluation.page();
    assert!(!page.contains("<img") && page.contains("&lt;img src=x onerror=alert(1)&gt;"));
    assert!(!page.contains("href=\"http"), "no link leads away");
    let markdown = evaluation.markdown();
    assert!(!markdown.contains("<img"), "tags are escaped");
    assert!(!markdown.replace("\\]", "").contains("]("), "links are escaped");
    assert!(!markdown.lines().any(|line| line.starts_with("## Injected")));
    for line in markdown.lines().filter(|l| l.starts_with('|')) {
        let bars = line.replace("\\|", "").matches('|').count();
        assert!(bars >= 3, "{line}");
    }
}

#[tokio::test]
async fn the_same_rows_give_the_same_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bytes = Vec::new();
    for name in ["a", "b"] {
        let (rows, _) = rows_and_records().await;
        let written = Evaluation::new("run-1", rows, provenance("extractive"))
            .write(&folder.path().join(name))
            .expect("writes");
        assert!(written.markdown.ends_with(format!("{name}/run-1/report.md")));
        bytes.push(
            [written.markdown, written.page, written.json, written.rows]
                .map(|p| std::fs::read(p).expect("reads")),
        );
    }
    assert_eq!(bytes[0], bytes[1]);
    assert_eq!(
        std::fs::read_dir(folder.path().join("a/run-1"))
            .expect("lists")
            .count(),
        4,
        "no side files are left"
    );
}

#[tokio::test]
async fn the_terminal_lists_every_metric_in_a_hundred_columns() {
    let (rows, _) = rows_and_records().await;
    let text = report::summary_text(&Evaluation::new("run-1", rows, provenance("extractive")));
    for metric in eval::metrics::specs() {
        assert!(text.contains(metric.title), "{}: {text}", metric.title);
    }
    assert!(text.contains("8 (1 error)"), "{text}");
    for line in text.lines() {
        assert!(line.chars().count() <= report::WIDTH, "{line}");
    }
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
    let direct = Evaluation::new("run-1", rows, from)
        .write(&folder.path().join("eval"))
        .expect("writes");
    let log = LogIndex::open(&path).expect("reads");
    let again = report::from_log(&log, &log.runs[0], &LogScoring::default())
        .await
        .expect("reports")
        .write(&folder.path().join("report"))
        .expect("writes");
    for (a, b) in [
        (direct.markdown, again.markdown),
        (direct.page, again.page),
        (direct.json, again.json),
        (direct.rows, again.rows),
    ] {
        let read = |path: &std::path::Path| std::fs::read_to_string(path).expect("reads");
        assert_eq!(read(&a), read(&b));
    }
}
