//! Logs of the earlier system: six fields, no context, no labels.

use eval::report::{from_log, groups};
use eval::{QuerySet, Score, runlog};
use std::fmt::Write;

fn line(query: &str, method: &str, cited: &[&str], no_evidence: bool) -> String {
    let chunk = |id: &str| {
        serde_json::json!({"chunk_id": id, "source_id": id.split("__").next(), "section": "body", "vector_score": 0.5,
            "bm25_score": 1.0, "combined_score": 0.7, "text_preview": "The beginning of"})
    };
    let citation = |id: &&str| serde_json::json!({"source_id": id.split("__").next(), "chunk_id": id, "relevant_quote": "The beginning of"});
    let cites: Vec<_> = cited.iter().map(citation).collect();
    serde_json::json!({
        "timestamp": "2026-01-02T03:04:05.678901", "query": query, "prompt_version": "v2", "model": "model-x",
        "retrieval": {"method": method, "total_candidates": 10, "above_threshold": 10, "has_sufficient_evidence": true,
            "returned_chunks": [chunk("a__body__000"), chunk("b__body__000")]},
        "response": {"answer": "Some answer.", "citations": cites, "confidence": "high", "evidence_quality": "good",
            "no_evidence": no_evidence, "caveats": ["a caveat"]}
    })
    .to_string()
}

fn log() -> runlog::RunLog {
    let mut text = String::new();
    for line in [
        line("First?", "hybrid", &["a__body__000", "b__body__000"], false),
        line("Second?", "hybrid", &["a__body__000", "z__body__000"], false),
        line("Third?", "hybrid", &["a__body__000"], true),
        line("First?", "vector", &["a__body__000"], false),
        line("Second?", "vector", &["a__body__000"], false),
        line("Third?", "vector", &[], true),
    ] {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line}");
    }
    text.push_str("{\"timestamp\": \"2026-01-02T03:04");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run_log.jsonl");
    std::fs::write(&path, text).expect("writes");
    runlog::read(&path).expect("reads")
}

#[tokio::test]
async fn what_it_cannot_tell_is_not_applicable() {
    let log = log();
    assert_eq!((log.records.len(), log.skipped.len()), (6, 1));
    let groups = groups(&log);
    assert_eq!(groups.len(), 1);
    let evaluation = from_log(&log, &groups[0], None, Some(&crate::world::judge()), 1).await;
    let names: Vec<String> = evaluation
        .rows
        .iter()
        .map(|r| format!("{}/{}", r.query_id, r.mode))
        .collect();
    assert_eq!(
        names,
        [
            "L1/hybrid",
            "L1/vector",
            "L2/hybrid",
            "L2/vector",
            "L3/hybrid",
            "L3/vector"
        ]
    );
    let precision: Vec<Option<f64>> = evaluation
        .rows
        .iter()
        .map(|r| r.value("citation_precision"))
        .collect();
    assert_eq!(
        precision,
        [Some(1.0), Some(1.0), Some(0.5), Some(1.0), None, None]
    );
    for (key, _) in evaluation.rows[0]
        .scores
        .iter()
        .filter(|(key, _)| *key != "citation_precision")
    {
        for row in &evaluation.rows {
            assert!(
                matches!(row.scores.get(key), Some(Score::NotApplicable(_))),
                "{key}"
            );
        }
    }
    let markdown = evaluation.markdown();
    assert!(markdown.contains("skipped: 7"), "the torn line is named");
    assert!(
        markdown.contains("6 record\\(s\\) hold no context")
            || markdown.contains("6 record(s) hold no context")
    );
    assert!(markdown.contains("| unknown | 3 | 0 | 0 | 3 |"));
    assert!(markdown.contains("model-x"));
}

#[tokio::test]
async fn a_query_set_gives_it_labels() {
    let set = QuerySet::parse(
        "set",
        "{\"id\":\"D01\",\"type\":\"direct\",\"query\":\"First?\",\"expected_no_evidence\":false}\n\
         {\"id\":\"E01\",\"type\":\"edge\",\"query\":\"Third?\",\"expected_no_evidence\":true}\n\
         {\"id\":\"E02\",\"type\":\"edge\",\"query\":\"Never asked?\",\"expected_no_evidence\":true}",
    )
    .expect("loads");
    let log = log();
    let evaluation = from_log(&log, &groups(&log)[0], Some(&set), None, 1).await;
    let ids: Vec<&str> = evaluation.rows.iter().map(|r| r.query_id.as_str()).collect();
    assert_eq!(ids, ["D01", "D01", "E01", "E01", "L2", "L2"]);
    let right: Vec<Option<f64>> = evaluation
        .rows
        .iter()
        .map(|r| r.value("no_evidence_accuracy"))
        .collect();
    assert_eq!(right, [Some(1.0), Some(1.0), Some(1.0), Some(1.0), None, None]);
    assert!(
        evaluation
            .notes
            .iter()
            .any(|n| n.contains("1 of 3 queries of the set have no record"))
    );
    let table = evaluation.summary.abstention.get("hybrid").expect("a mode");
    assert_eq!((table.n, table.n_a, table.always_answer), (2, 1, Some(0.5)));
}
