//! Logs of the earlier system: six fields, no context, no labels, one method name for both modes.
//!
//! Every expected number below was counted by hand on the fixture, which stands in for a log that is not at hand:
//! nothing more is claimed than that the rules do this.

use eval::report::{Evaluation, LogScoring, from_log};
use eval::runlog::LogIndex;
use eval::{QuerySet, Score};
use std::fmt::Write;
use types::GuardrailKind;

/// One line. Both modes log the method `hybrid`; in mode vector the combined score is the vector score. Two chunks
/// were found; the third is a neighbour of the first with 0.8 of its scores.
fn line(query: &str, vector: bool, cited: &[&str], no_evidence: bool, caveats: &[&str]) -> String {
    let fused = |v: f64, b: f64| if vector { v } else { 0.6 * v + 0.4 * b };
    let chunk = |id: &str, v: f64, b: f64, combined: f64| {
        serde_json::json!({"chunk_id": id, "source_id": id.split("__").next(), "section": "body", "vector_score": v,
            "bm25_score": b, "combined_score": combined, "text_preview": "The beginning of"})
    };
    let citation = |id: &&str| serde_json::json!({"source_id": id.split("__").next(), "chunk_id": id, "relevant_quote": "The beginning of"});
    let cites: Vec<_> = cited.iter().map(citation).collect();
    serde_json::json!({
        "timestamp": "2026-01-02T03:04:05.678901", "query": query, "prompt_version": "v2", "model": "model-x",
        "retrieval": {"method": "hybrid", "total_candidates": 10, "above_threshold": 10, "has_sufficient_evidence": true,
            "returned_chunks": [
                chunk("a__body__000", 0.5, 1.0, fused(0.5, 1.0)),
                chunk("b__body__000", 0.4, 0.0, fused(0.4, 0.0)),
                chunk("a__body__001", 0.4, 0.0, 0.8 * fused(0.5, 1.0)),
            ]},
        "response": {"answer": "Some answer.", "citations": cites, "confidence": "high", "evidence_quality": "good",
            "no_evidence": no_evidence, "caveats": caveats}
    })
    .to_string()
}

const STRIPPED: &str =
    "Entity guard: removed 2 sentence(s) containing terms not found in context: ['BMI/', 'FMD']";
const FLAGGED: &str =
    "Entity check: 1 term(s) in the answer may not appear in the retrieved context: ['IIS/']";
const DROPPED: &str = "Removed 1 unverified citation(s): ['z__body__009']";

/// Hybrid rows, then vector rows; `First?` was asked twice in mode hybrid; `Alone?` belongs to no set.
fn log() -> (tempfile::TempDir, LogIndex) {
    let mut text = String::new();
    let (a, b, z) = ("a__body__000", "b__body__000", "z__body__000");
    for line in [
        line("First?", false, &[z], false, &["superseded"]),
        line("First?", false, &[a, b], false, &[STRIPPED]),
        line("Second?", false, &[a, z], false, &["Small sample.", DROPPED]),
        line("Third?", false, &[a], true, &[]),
        line("First?", true, &[a], false, &[STRIPPED, FLAGGED]),
        line("Second?", true, &[a], false, &[]),
        line("Third?", true, &[], true, &[]),
        line("Alone?", false, &[b], false, &[]),
    ] {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line}");
    }
    text.push_str("{\"timestamp\": \"2026-01-02T03:04");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run_log.jsonl");
    std::fs::write(&path, text).expect("writes");
    let log = LogIndex::open(&path).expect("reads");
    (folder, log)
}

async fn report(set: Option<&QuerySet>, perfect_refusals: bool) -> Evaluation {
    let (_folder, log) = log();
    assert_eq!((log.runs.len(), log.runs[0].len(), log.skipped.len()), (1, 7, 1));
    let judge = crate::world::judge();
    let scoring = LogScoring { set, judge: Some(&judge), seed: 1, perfect_refusals };
    from_log(&log, &log.runs[0], &scoring).await.expect("reports")
}

fn set() -> QuerySet {
    QuerySet::parse(
        "set",
        "{\"id\":\"D01\",\"type\":\"direct\",\"query\":\"First?\",\"expected_no_evidence\":false}\n\
         {\"id\":\"D02\",\"type\":\"direct\",\"query\":\"Second?\",\"expected_no_evidence\":true}\n\
         {\"id\":\"E01\",\"type\":\"edge\",\"query\":\"Third?\",\"expected_no_evidence\":true}\n\
         {\"id\":\"E02\",\"type\":\"edge\",\"query\":\"Never asked?\",\"expected_no_evidence\":true}",
    )
    .expect("loads")
}

fn values(evaluation: &Evaluation, key: &str) -> Vec<Option<f64>> {
    evaluation.rows.iter().map(|r| r.value(key)).collect()
}

#[tokio::test]
async fn modes_follow_from_the_scores_and_what_the_log_cannot_tell_is_not_applicable() {
    let evaluation = report(None, false).await;
    let names: Vec<String> = evaluation.rows.iter().map(|r| format!("{}/{}", r.query_id, r.mode)).collect();
    // Named after the first line that asks them and is still there: the first record of `First?` was replaced.
    assert_eq!(
        names,
        ["L2/hybrid", "L2/vector", "L3/hybrid", "L3/vector", "L4/hybrid", "L4/vector", "L8/hybrid"]
    );
    let precision = values(&evaluation, "citation_precision");
    assert_eq!(precision, [Some(1.0), Some(1.0), Some(0.5), Some(1.0), None, None, Some(1.0)]);
    for (key, _) in evaluation.rows[0]
        .scores
        .iter()
        .filter(|(key, _)| !["citation_precision", "documents_per_query", "passages_per_query"].contains(key))
    {
        for row in &evaluation.rows {
            assert!(matches!(row.scores.get(key), Some(Score::NotApplicable(_))), "{key}");
        }
    }
    let notes = evaluation.notes.join("\n");
    for says in [
        "1 line of the log cannot be read whole: line 9: torn last line: ",
        "1 earlier record left out: a later record has the same query and mode",
        "names no mode, and the method \"hybrid\" for every record: the mode was derived from the scores (4 hybrid,",
        "3 vector, combined = vector",
        "7 records without a context",
    ] {
        assert!(notes.contains(says), "{says:?} is not in {notes}");
    }
    assert_eq!(evaluation.provenance.models["generator"], "model-x");
    // Nothing was judged: no judge is named.
    assert!(!evaluation.provenance.models.contains_key("judge"));
}

#[tokio::test]
async fn guardrail_actions_are_read_from_the_caveats() {
    let evaluation = report(None, false).await;
    let acted = |mode: &str| -> Vec<(GuardrailKind, String)> {
        let rows = evaluation.rows.iter().filter(|row| row.mode == mode);
        rows.flat_map(|row| &row.guardrails).map(|own| (own.guardrail, own.action.clone())).collect()
    };
    let want = |kind, action: &str| (kind, action.to_owned());
    assert_eq!(
        acted("hybrid"),
        [want(GuardrailKind::Entity, "stripped"), want(GuardrailKind::Citation, "dropped")]
    );
    assert_eq!(
        acted("vector"),
        [want(GuardrailKind::Entity, "stripped"), want(GuardrailKind::Entity, "flagged")]
    );
    assert!(evaluation.notes.iter().any(|note| note.contains("(3 of 7 answers have one)")));
}

#[tokio::test]
async fn a_query_set_gives_it_labels_and_leaves_out_what_it_does_not_hold() {
    let evaluation = report(Some(&set()), false).await;
    let ids: Vec<&str> = evaluation.rows.iter().map(|r| r.query_id.as_str()).collect();
    assert_eq!(ids, ["D01", "D01", "D02", "D02", "E01", "E01"]);
    assert_eq!(
        values(&evaluation, "no_evidence_accuracy"),
        [Some(1.0), Some(1.0), Some(0.0), Some(0.0), Some(1.0), Some(1.0)]
    );
    let said = evaluation.notes.join("\n");
    for says in [
        "1 record left out: the query set does not hold the question",
        "1 of 4 queries of the set have no record",
    ] {
        assert!(said.contains(says), "{says:?} is not in {said}");
    }
    // Two of three right in either mode.
    for mode in ["hybrid", "vector"] {
        let table = evaluation.summary.abstention.get(mode).expect("a mode");
        assert_eq!((table.n, table.accuracy), (3, Some(2.0 / 3.0)), "{mode}");
    }
    let precision = |mode: &str| {
        let metrics = evaluation.summary.modes.get(mode).expect("a mode");
        metrics.get("citation_precision").and_then(|m| m.mean)
    };
    // Hybrid: 2 of 2, 1 of 2. Vector: 1 of 1, 1 of 1.
    assert_eq!((precision("hybrid"), precision("vector")), (Some(0.75), Some(1.0)));
}

#[tokio::test]
async fn refusals_count_as_perfect_only_where_asked() {
    let evaluation = report(Some(&set()), true).await;
    assert_eq!(
        values(&evaluation, "citation_precision"),
        [Some(1.0), Some(1.0), Some(0.5), Some(1.0), Some(1.0), Some(1.0)]
    );
    assert_eq!(values(&evaluation, "faithful"), [None, None, None, None, Some(1.0), Some(1.0)]);
}

#[tokio::test]
async fn a_set_that_does_not_belong_to_the_log_is_refused() {
    let (_folder, log) = log();
    let other = QuerySet::parse(
        "other.jsonl",
        "{\"id\":\"A\",\"type\":\"edge\",\"query\":\"Something else?\",\"expected_no_evidence\":true}",
    )
    .expect("loads");
    let scoring = LogScoring { set: Some(&other), ..LogScoring::default() };
    let error = from_log(&log, &log.runs[0], &scoring).await.expect_err("refused");
    assert!(
        error.to_string().contains("none of the log's 7 records asks a question of other.jsonl"),
        "{error}"
    );
}
