//! Small records for the tests of the metrics.

use super::Sample;
use crate::judge::Judged;
use crate::queries::QuerySet;
use crate::{Query, Score, metrics};
use types::{ChunkId, Citation, ContextRecord, Origin, ResponseRecord, RunRecord, SectionKind, SourceId};

/// A registered metric's score of a response.
pub(crate) fn score_of(
    key: &str,
    record: &RunRecord,
    response: &ResponseRecord,
    query: Option<&Query>,
    judged: &Judged,
) -> Score {
    let compared = Judged::NotApplicable("not compared".to_owned());
    let sample = Sample {
        record,
        response,
        query,
        judged,
        compared: &compared,
    };
    metrics::find(key)
        .expect("a registered metric")
        .score(Some(&sample))
}

/// An answerable query whose gold evidence is given as (source, quote).
pub(crate) fn query_with_gold(gold: &[(&str, &str)]) -> Query {
    let gold: Vec<_> = gold
        .iter()
        .map(|(s, q)| serde_json::json!({"source_id": s, "quote": q}))
        .collect();
    let line = serde_json::json!({"id": "A", "type": "direct", "query": "q", "expected_no_evidence": false,
        "gold_evidence": gold});
    QuerySet::parse("set", &line.to_string())
        .expect("loads")
        .queries
        .remove(0)
}

pub(crate) fn source_of(chunk_id: &str) -> SourceId {
    ChunkId::from(chunk_id)
        .source()
        .unwrap_or_else(|| SourceId::from("unknown"))
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
    let got = score
        .get()
        .unwrap_or_else(|| panic!("{what}: {score:?} instead of {expect}"));
    assert!((got - expect).abs() < 1e-12, "{what}: {got} instead of {expect}");
}
