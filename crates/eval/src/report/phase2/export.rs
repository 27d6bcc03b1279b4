//! Rows become `evaluation_report.json`.

use super::{ANSWER_CHARS, LISTS};
use crate::report::Evaluation;
use crate::{EvalError, Ordered, Row, Score};
use serde::Serialize;

/// A row, with the keys and types of the earlier system. Null is what our row does not know.
#[derive(Serialize)]
struct ReportRow<'a> {
    query_id: &'a str,
    query_type: &'a str,
    query: &'a str,
    answer_preview: String,
    confidence: &'a str,
    no_evidence: Option<bool>,
    num_citations: Option<usize>,
    citation_precision: Option<f64>,
    no_evidence_correct: Option<bool>,
    faithful: Option<bool>,
    faithfulness_note: String,
    caveats: &'a [String],
    mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// The file: one JSON document, indented by two spaces, which ends with a line feed. Rows keep their order.
///
/// # Errors
/// [`EvalError::ReportMode`] when a row has a mode that the file has no list for, [`EvalError::Json`].
pub fn export(evaluation: &Evaluation) -> Result<String, EvalError> {
    let mut lists: Ordered<Vec<ReportRow<'_>>> = Ordered::default();
    for (list, _) in &LISTS[..2] {
        lists.entry(list);
    }
    for row in &evaluation.rows {
        let (list, _) = LISTS
            .into_iter()
            .find(|(_, mode)| mode.as_str() == row.mode)
            .ok_or_else(|| EvalError::ReportMode {
                mode: row.mode.clone(),
            })?;
        lists.entry(list).push(report_row(row, list));
    }
    let mut text = serde_json::to_string_pretty(&lists).map_err(|source| EvalError::Json {
        what: "evaluation_report.json",
        source,
    })?;
    text.push('\n');
    Ok(text)
}

fn report_row<'a>(row: &'a Row, mode: &'static str) -> ReportRow<'a> {
    let flag = |key: &str| row.value(key).map(|value| value > 0.5);
    let answer = if row.answer.is_empty() {
        &row.preview
    } else {
        &row.answer
    };
    ReportRow {
        query_id: &row.query_id,
        query_type: &row.kind,
        query: &row.query,
        answer_preview: answer.chars().take(ANSWER_CHARS).collect(),
        confidence: &row.confidence,
        no_evidence: row.no_evidence,
        num_citations: row.citations,
        citation_precision: row
            .value("citation_precision")
            .map(|value| (value * 1000.0).round() / 1000.0),
        no_evidence_correct: flag("no_evidence_accuracy"),
        faithful: flag("faithful"),
        faithfulness_note: note(row),
        caveats: &row.caveats,
        mode,
        error: row.error.as_deref(),
    }
}

/// The verdict in words: what is unsupported and why, or why there is no verdict.
fn note(row: &Row) -> String {
    match row.scores.get("faithful") {
        Some(Score::NotApplicable(reason) | Score::Error(reason)) => reason.clone(),
        Some(Score::Value(_)) => {
            let claims = row.unsupported.iter().map(|claim| {
                if claim.claim.is_empty() {
                    claim.reason.clone()
                } else {
                    format!("{:?}: {}", claim.claim, claim.reason)
                }
            });
            claims.collect::<Vec<_>>().join("; ")
        }
        None => String::new(),
    }
}
