//! Samples, records and judges for the tests of this crate.

use super::{Metric, Scores, Tools, View, find_metric, judge_input, score};
use crate::judge::{Judge as _, Judged, OfflineJudge, Verdicts};
use crate::queries::QuerySet;
use crate::{Expected, Passage, Query, Sample, Score};
use evidence::support::LexicalSupport;
use futures::FutureExt as _;
use std::sync::Arc;
use types::{ChunkId, Citation, ContextRecord, Origin, ResponseRecord, RunRecord, SectionKind, SourceId};

pub(crate) fn passage(document: &str, text: &str) -> Passage {
    Passage { text: text.to_owned(), document: Some(document.to_owned()), ..Passage::default() }
}

pub(crate) fn expected(document: &str, grade: u32) -> Expected {
    Expected { document: document.to_owned(), pages: Vec::new(), grade }
}

/// A question, an answer and passages of documents.
pub(crate) fn row(question: &str, answer: &str, passages: &[(&str, &str)]) -> Sample {
    Sample {
        id: "r1".to_owned(),
        question: Some(question.to_owned()),
        answer: Some(answer.to_owned()),
        passages: Some(passages.iter().map(|(id, text)| passage(id, text)).collect()),
        ..Sample::default()
    }
}

/// A row with only retrieved and expected documents, all of grade 1.
pub(crate) fn ranked(retrieved: &[&str], relevant: &[&str]) -> Sample {
    Sample {
        retrieved: Some(retrieved.iter().map(|id| (*id).to_owned()).collect()),
        expected: Some(relevant.iter().map(|id| expected(id, 1)).collect()),
        ..Sample::default()
    }
}

/// The offline verdict on a row.
pub(crate) fn judged(row: &Sample) -> Verdicts {
    let judge = OfflineJudge::new(Arc::new(LexicalSupport::new()));
    let claims = match judge_input(row) {
        Ok(input) => Judged::of(judge.judge(&input).now_or_never().expect("it never waits")),
        Err(why) => Judged::NotApplicable(format!("{why:?}")),
    };
    Verdicts { claims, ..Verdicts::default() }
}

/// The score of a row by the offline judge and the default limits.
pub(crate) fn score_of(metric: &Metric, row: &Sample) -> Score {
    View::new(row, Tools::default(), &judged(row)).score(metric)
}

/// All scores of a row by the offline judge and the default limits.
pub(crate) fn scores(row: &Sample) -> Scores {
    score(row, Tools::default(), &judged(row))
}

/// The score of a response of a record, with a verdict on its claims.
pub(crate) fn of_record(
    key: &str,
    record: &RunRecord,
    response: &ResponseRecord,
    query: Option<&Query>,
    claims: Judged,
) -> Score {
    let sample = Sample::of_record(record, response, query);
    let verdicts = Verdicts { claims, ..Verdicts::default() };
    let metric = find_metric(key).expect("a registered metric");
    View::new(&sample, Tools::default(), &verdicts).score(metric)
}

#[track_caller]
pub(crate) fn check(metric: &Metric, row: &Sample, want: f64) {
    match score_of(metric, row) {
        Score::Value(value) => {
            assert!((value - want).abs() < 1e-9, "{}: {value}, not {want}", metric.spec.key);
        }
        other => panic!("{}: {other:?}, not {want}", metric.spec.key),
    }
}

/// The metric is n/a, and the reason contains `word`.
#[track_caller]
pub(crate) fn check_n_a(metric: &Metric, row: &Sample, word: &str) {
    match score_of(metric, row) {
        Score::NotApplicable(why) => assert!(why.contains(word), "{}: {why}", metric.spec.key),
        other => panic!("{}: {other:?}, not n/a", metric.spec.key),
    }
}

/// An answerable query whose gold evidence is given as (source, quote).
pub(crate) fn query_with_gold(gold: &[(&str, &str)]) -> Query {
    let gold: Vec<_> = gold.iter().map(|(s, q)| serde_json::json!({"source_id": s, "quote": q})).collect();
    let line = serde_json::json!({"id": "A", "type": "direct", "query": "q", "expected_no_evidence": false,
        "gold_evidence": gold});
    QuerySet::parse("set", &line.to_string()).expect("loads").queries.remove(0)
}

pub(crate) fn source_of(chunk_id: &str) -> SourceId {
    ChunkId::from(chunk_id).source().unwrap_or_else(|| SourceId::from("unknown"))
}

pub(crate) fn chunk(chunk_id: &str, text: &str) -> ContextRecord {
    ContextRecord {
        chunk_id: chunk_id.into(),
        source_id: source_of(chunk_id),
        section: SectionKind::Body,
        page_start: 1,
        page_end: 1,
        text: text.to_owned(),
        origin: Origin::Reranked,
        rerank_score: Some(5.0),
        title: None,
        authors: Vec::new(),
        year: None,
    }
}

pub(crate) fn cite(chunk_id: &str, quote: &str) -> Citation {
    Citation {
        source_id: source_of(chunk_id),
        chunk_id: chunk_id.into(),
        relevant_quote: quote.to_owned(),
        ..Citation::default()
    }
}

pub(crate) fn response(answer: &str, citations: &[Citation]) -> ResponseRecord {
    ResponseRecord {
        answer: answer.to_owned(),
        citations: citations.to_vec(),
        confidence: "high".to_owned(),
        ..ResponseRecord::default()
    }
}

pub(crate) fn refusal() -> ResponseRecord {
    ResponseRecord {
        answer: "No answer found in your papers.".to_owned(),
        no_evidence: true,
        confidence: "low".to_owned(),
        ..ResponseRecord::default()
    }
}

pub(crate) fn close(score: &Score, expect: f64, what: &str) {
    let got = score.get().unwrap_or_else(|| panic!("{what}: {score:?} instead of {expect}"));
    assert!((got - expect).abs() < 1e-12, "{what}: {got} instead of {expect}");
}
