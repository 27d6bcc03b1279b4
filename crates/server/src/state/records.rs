//! Records of evaluations, by tenant and collection.

use super::{Items, damaged, part};
use crate::{limits::RECORDS, name::Name};
use rusqlite::{Connection, OptionalExtension as _, Result, Row, params};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The checksum of a row, as it should be.
pub(super) const CHECKSUM: &str =
    "checksum_of(tenant, collection, number, document, context_recall, faithfulness, answer_relevance, rag_score,
                 auto_fail, hallucination)";

/// The scores of an answer, 0 to 1; null where a score cannot be had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "RagasMetrics", deny_unknown_fields)]
pub(crate) struct Metrics {
    /// Share of what answers the question that was retrieved; needs `expected_resumes` or `ground_truth`.
    pub(crate) context_recall: Option<f64>,
    /// Share of the claims that a passage supports.
    pub(crate) faithfulness: Option<f64>,
    /// Whether the answer addresses the question.
    pub(crate) answer_relevance: Option<f64>,
}

/// The scores of a record that are summarised, 0 to 1; `None` where a score could not be had.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Scores {
    pub(crate) metrics: Metrics,
    pub(crate) rag_score: Option<f64>,
    pub(crate) auto_fail: Option<f64>,
    pub(crate) hallucination: Option<f64>,
}

/// The id of the record with this number.
pub(crate) fn question_id(number: i64) -> String {
    format!("q_{number:03}")
}

/// Removes a record; whether there was one.
pub(crate) fn delete(connection: &Connection, tenant: &Name, collection: &Name, number: i64) -> Result<bool> {
    let sql = "DELETE FROM records WHERE tenant = ?1 AND collection = ?2 AND number = ?3";
    Ok(connection.execute(sql, params![tenant, collection, number])? > 0)
}

/// Adds a record, which `document` makes of its id; the collection is added if it does not exist. `None` if that has as many as
/// are allowed.
pub(crate) fn add(
    connection: &mut Connection,
    tenant: &Name,
    collection: &Name,
    scores: &Scores,
    document: impl FnOnce(&str) -> Value,
) -> Result<Option<Value>> {
    let step = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    super::collections::add(&step, tenant, collection)?;
    // A number is not given again, so that an id always means the same record.
    let sql = "UPDATE collections SET record_count = record_count + 1, last_record = last_record + 1
               WHERE tenant = ?1 AND id = ?2 AND record_count < ?3 RETURNING last_record";
    let place = params![tenant, collection, RECORDS];
    let number: Option<i64> = step.query_row(sql, place, |row| row.get(0)).optional()?;
    let Some(number) = number else {
        return Ok(None);
    };
    let document = document(&question_id(number));
    let sql = "INSERT INTO records VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
         checksum_of(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10))";
    let (text, s, m) = (document.to_string(), scores, &scores.metrics);
    let (recall, faithful, relevant) = (m.context_recall, m.faithfulness, m.answer_relevance);
    let (rag, fail, made_up) = (s.rag_score, s.auto_fail, s.hallucination);
    let row = params![tenant, collection, number, text, recall, faithful, relevant, rag, fail, made_up];
    step.execute(sql, row)?;
    step.commit()?;
    Ok(Some(document))
}

/// The number of records, and the mean of each score over those that have it.
pub(crate) fn summary(connection: &Connection, tenant: &Name, collection: &Name) -> Result<(usize, Scores)> {
    let sql =
        "SELECT COUNT(*), AVG(context_recall), AVG(faithfulness), AVG(answer_relevance), AVG(rag_score),
                      AVG(auto_fail), AVG(hallucination)
               FROM records WHERE tenant = ?1 AND collection = ?2";
    connection.prepare_cached(sql)?.query_row(params![tenant, collection], |row| {
        let scores = Scores {
            metrics: Metrics {
                context_recall: row.get(1)?,
                faithfulness: row.get(2)?,
                answer_relevance: row.get(3)?,
            },
            rag_score: row.get(4)?,
            auto_fail: row.get(5)?,
            hallucination: row.get(6)?,
        };
        Ok((row.get::<_, i64>(0)? as usize, scores))
    })
}

/// The newest records before one, the newest first: as many as a part of an answer holds.
pub(crate) fn list(
    connection: &Connection,
    tenant: &Name,
    collection: &Name,
    before: i64,
    limit: usize,
) -> Result<Items> {
    let sql = format!(
        "SELECT number, document, checksum IS {CHECKSUM} FROM records
         WHERE tenant = ?1 AND collection = ?2 AND number < ?3 ORDER BY number DESC LIMIT ?4"
    );
    let mut list = connection.prepare_cached(&sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = list.query(params![tenant, collection, before, limit])?;
    part(rows, document)
}

/// A document, if it is what was written.
fn document(row: &Row<'_>) -> Result<String> {
    if row.get(2)? {
        return row.get(1);
    }
    Err(damaged(&format!("record {}:", question_id(row.get(0)?))))
}

/// Calls `each` with tenant, collection, id and document of every record, or of those of one tenant.
pub(crate) fn each(
    connection: &Connection,
    tenant: Option<&Name>,
    mut each: impl FnMut(&str, &str, &str, &str) -> std::io::Result<()>,
) -> Result<std::io::Result<usize>> {
    let sql = format!(
        "SELECT number, document, checksum IS {CHECKSUM}, tenant, collection FROM records
         WHERE ?1 IS NULL OR tenant = ?1 ORDER BY tenant, collection, number"
    );
    let mut all = connection.prepare(&sql)?;
    let mut rows = all.query([tenant])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let (tenant, collection): (String, String) = (row.get(3)?, row.get(4)?);
        if let Err(error) = each(&tenant, &collection, &question_id(row.get(0)?), &document(row)?) {
            return Ok(Err(error));
        }
        count += 1;
    }
    Ok(Ok(count))
}
