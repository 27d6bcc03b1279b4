//! Rows become `evaluation_report.json`.

use super::{ANSWER_CHARS, LISTS};
use crate::report::Evaluation;
use crate::{EvalError, Ordered, Row, Score};
use serde_json::{Value, json};

/// The file: one JSON document, indented by two spaces, which ends with a line feed. Rows keep their order.
///
/// # Errors
/// [`EvalError::ReportMode`] when a row has a mode that the file has no list for, [`EvalError::Json`].
pub fn export(evaluation: &Evaluation) -> Result<String, EvalError> {
    let mut lists: Ordered<Vec<Value>> = Ordered::default();
    for (list, _) in &LISTS[..2] {
        lists.entry(list);
    }
    for row in &evaluation.rows {
        let (list, _) = LISTS
            .into_iter()
            .find(|(_, mode)| mode.as_str() == row.mode)
            .ok_or_else(|| EvalError::ReportMode { mode: row.mode.clone() })?;
        lists.entry(list).push(report_row(row, list));
    }
    let mut text = serde_json::to_string_pretty(&lists)
        .map_err(|source| EvalError::Json { what: "evaluation_report.json", source })?;
    text.push('\n');
    Ok(text)
}

fn report_row(row: &Row, mode: &str) -> Value {
    let flag = |key: &str| row.value(key).map(|value| value > 0.5);
    let precision = row.value("citation_precision");
    let mut out = json!({
        "query_id": row.query_id,
        "query_type": row.kind,
        "query": row.query,
        "answer_preview": row.answer.chars().take(ANSWER_CHARS).collect::<String>(),
        "confidence": row.confidence,
        "no_evidence": row.no_evidence,
        "num_citations": row.citations,
        "citation_precision": precision.map(|value| (value * 1000.0).round() / 1000.0),
        "no_evidence_correct": flag("no_evidence_accuracy"),
        "faithful": flag("faithful"),
        "faithfulness_note": note(row),
        "caveats": row.caveats,
        "mode": mode,
    });
    if let Some(error) = &row.error {
        out["error"] = json!(error);
    }
    out
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
