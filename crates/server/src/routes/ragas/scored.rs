//! Answers of any system, scored, and their records.

use super::company::Company;
use crate::{
    app::{App, Caller},
    asked::{Deleted, limit_of},
    document::{Json, listed},
    extract::{Asked, Body, Path, Room},
    failed::Failed,
    limits::{ANSWER_BYTES, RECORDS},
    name::Name,
    state::records::{self, Metrics, Scores},
};
use axum::{extract::State, response::Response};
use lab::{
    eval::{Score, judge::dimensions::Dimension, rows::Format},
    evaluate_run::EvaluateResult,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::to_value;
use std::collections::BTreeMap;

/// An answer of any system.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RagasEvaluateRequest")]
pub(super) struct EvaluateRequest {
    /// The tenant.
    company_id: Name,
    /// The question.
    question: String,
    /// The answer.
    answer: String,
    /// The passages that it was written from.
    contexts: Vec<String>,
    /// The files that were retrieved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(length(min = 1)))]
    retrieved_resumes: Option<Vec<String>>,
    /// The files that answer the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(length(min = 1)))]
    expected_resumes: Option<Vec<String>>,
    /// The right answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ground_truth: Option<String>,
}

/// What an evaluation found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RagasEvaluated", deny_unknown_fields)]
pub(super) struct Evaluated {
    /// The id of the record.
    question_id: String,
    /// The scores.
    metrics: Metrics,
    /// Whether a rule of automatic failure applies.
    auto_fail: bool,
    /// Why, one reason for each rule that applies.
    failure_reasons: Vec<String>,
}

fn scores(row: &EvaluateResult) -> Scores {
    let value = |key: &str| row.metrics.get(key).and_then(Score::get);
    Scores {
        metrics: Metrics {
            context_recall: value("context_recall"),
            faithfulness: value("faithfulness"),
            answer_relevance: value("answer_relevance"),
        },
        rag_score: value("rag_score"),
        auto_fail: value("auto_fail"),
        hallucination: value("hallucination"),
    }
}

pub(super) async fn evaluate(
    State(app): State<App>,
    caller: Caller,
    Path(collection): Path<Name>,
    _room: Room<ANSWER_BYTES>,
    Body(asked): Body<EvaluateRequest>,
) -> Result<Json<Evaluated>, Failed> {
    let place = caller.place_in(&asked.company_id, &collection)?;
    let _turn = app.turn(&caller)?;
    let scored = app.score(&place.tenant, Format::RagasService, &asked, &Dimension::ALL);
    let (row, judge) = scored.await?;
    let scores = scores(&row);
    let why = |key: &str| {
        let reason = match row.metrics.get(key)? {
            Score::Value(_) => return None,
            Score::Error(reason) => app.unjudged(reason),
            Score::NotApplicable(reason) => match reason.strip_prefix("pending: ") {
                Some(reason) => app.unjudged(reason),
                None => reason,
            },
        };
        Some((key.to_owned(), format!("N/A: {reason}")))
    };
    let evaluated = Evaluated {
        question_id: String::new(),
        metrics: scores.metrics,
        auto_fail: row.auto_fail,
        failure_reasons: row.failure_reasons.clone(),
    };
    let record = Record {
        question_id: String::new(),
        collection_id: collection,
        company_id: asked.company_id,
        question: asked.question,
        answer: asked.answer,
        contexts: asked.contexts,
        retrieved_resumes: asked.retrieved_resumes.unwrap_or_default(),
        expected_resumes: asked.expected_resumes,
        ground_truth: asked.ground_truth,
        metrics: evaluated.metrics,
        not_measured: ["context_recall", "faithfulness", "answer_relevance"]
            .into_iter()
            .filter_map(why)
            .collect(),
        auto_fail: row.auto_fail,
        failure_reasons: row.failure_reasons,
        status: if row.auto_fail { "failed" } else { "passed" }.to_owned(),
        judge,
        timestamp: engine::timestamp(),
    };
    let add = move |c: &mut rusqlite::Connection| {
        records::add(c, &place.tenant, &place.collection, &scores, |id| {
            let record = Record { question_id: id.to_owned(), ..record };
            to_value(record).unwrap_or_default()
        })
    };
    let kept = app.state.run(add).await?.ok_or_else(|| {
        Failed::full(format!("the collection has reached its limit of {RECORDS} records; delete some first"))
            .hint("delete records, or use another collection")
    })?;
    let question_id = kept["question_id"].as_str().unwrap_or_default().to_owned();
    Ok(Json(Evaluated { question_id, ..evaluated }))
}

/// A record of an evaluation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RagasRecord", deny_unknown_fields)]
struct Record {
    /// Its id, `q_001` for the first of a collection.
    question_id: String,
    /// The collection.
    collection_id: Name,
    /// The tenant.
    company_id: Name,
    /// The question.
    question: String,
    /// The answer.
    answer: String,
    /// The passages that it was written from.
    contexts: Vec<String>,
    /// The files that were retrieved.
    retrieved_resumes: Vec<String>,
    /// The files that answer the question; null if they were not given.
    expected_resumes: Option<Vec<String>>,
    /// The right answer; null if it was not given.
    ground_truth: Option<String>,
    /// The scores.
    metrics: Metrics,
    /// By metric without a value: why.
    not_measured: BTreeMap<String, String>,
    /// Whether a rule of automatic failure applies.
    auto_fail: bool,
    /// Why, one reason for each rule that applies.
    failure_reasons: Vec<String>,
    /// `failed` if a rule of automatic failure applies, else `passed`.
    status: String,
    /// What judged: `lexical`, or the language model.
    judge: String,
    /// When, RFC 3339 in UTC.
    timestamp: String,
}

/// The records of a collection in numbers.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RagasSummary", deny_unknown_fields)]
pub(super) struct Summary {
    /// The collection.
    collection_id: Name,
    /// Records.
    total_questions: usize,
    /// Mean of each score over the records that have it; null if none has.
    avg_metrics: Metrics,
    /// Share of records that fail automatically; null without a record that a rule could be checked for.
    failure_rate: Option<f64>,
    /// Share of records whose answer mentions what no passage has.
    hallucination_rate: Option<f64>,
    /// Mean of 0.4 × context_recall + 0.4 × faithfulness + 0.2 × answer_relevance over the records that have all three.
    rag_score: Option<f64>,
}

pub(super) async fn summary(
    State(app): State<App>,
    caller: Caller,
    Path(collection): Path<Name>,
    Asked(asked): Asked<Company>,
) -> Result<Json<Summary>, Failed> {
    let place = caller.existing(&app, &asked.company_id, &collection).await?;
    let (total, means) =
        app.state.read(move |c| records::summary(c, &place.tenant, &place.collection)).await?;
    Ok(Json(Summary {
        collection_id: collection,
        total_questions: total,
        avg_metrics: means.metrics,
        failure_rate: means.auto_fail,
        hallucination_rate: means.hallucination,
        rag_score: means.rag_score,
    }))
}

/// Which records.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RecordsQuery {
    /// The tenant.
    company_id: Name,
    /// The newest so many, 1 to 1000; 50 unless given.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// Only those before this `question_id`: that of the last record of a list asks for the next ones.
    before: Option<String>,
}

/// Records of a collection.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RagasRecords", deny_unknown_fields)]
pub(super) struct Records {
    /// The collection.
    collection_id: Name,
    /// Records that the collection has.
    total: usize,
    /// The newest first.
    #[serde(rename = "records")]
    newest: Vec<Record>,
}

pub(super) async fn list(
    State(app): State<App>,
    caller: Caller,
    room: Room<ANSWER_BYTES>,
    Path(collection): Path<Name>,
    Asked(asked): Asked<RecordsQuery>,
) -> Result<Response, Failed> {
    let limit = limit_of(asked.limit)?;
    let end = asked.before.as_deref().map_or(Ok(i64::MAX), number_of)?;
    let place = caller.existing(&app, &asked.company_id, &collection).await?;
    let own = place.clone();
    let count = move |c: &mut _| records::summary(c, &own.tenant, &own.collection);
    let records =
        Records { collection_id: collection, total: app.state.read(count).await?.0, newest: Vec::new() };
    let read = move |c: &_, before: i64, most| {
        records::list(c, &place.tenant, &place.collection, before.min(end), most)
    };
    listed(app, room, records, limit, read)
}

/// The number of a record.
fn number_of(id: &str) -> Result<i64, Failed> {
    let number = id.strip_prefix("q_").and_then(|number| number.parse().ok());
    number.ok_or_else(|| Failed::not_found("record", id))
}

pub(super) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Path((collection, id)): Path<(Name, String)>,
    Asked(asked): Asked<Company>,
) -> Result<Json<Deleted>, Failed> {
    let place = caller.existing(&app, &asked.company_id, &collection).await?;
    let number = number_of(&id)?;
    let delete = move |c: &mut _| records::delete(c, &place.tenant, &place.collection, number);
    if app.state.run(delete).await? {
        return Ok(Json(Deleted { deleted: 1 }));
    }
    Err(Failed::not_found("record", &id))
}
