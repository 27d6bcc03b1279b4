//! One line a row, for spreadsheets.

use super::{is_of, text};
use crate::report::failures;
use crate::stored::StoredRun;
use crate::{EvalError, Row, Score, metrics};
use std::io::Write;
use types::{RunRecord, csv::record};

/// The columns before the metrics.
const COLUMNS: [&str; 19] = [
    "run_id",
    "query_id",
    "mode",
    "type",
    "tags",
    "query",
    "expected_no_evidence",
    "no_evidence",
    "outcome",
    "confidence",
    "probability",
    "answer",
    "citations",
    "failures",
    "gold_lost_at",
    "error",
    "total_ms",
    "requests",
    "tokens",
];

/// Writes the header and the rows. The cell of a metric is empty where the metric is not applicable, and `error` where it
/// could not be computed.
///
/// # Errors
/// When the log cannot be read, the format cannot hold an id, or `out` fails.
pub fn write(run: &StoredRun<'_>, mode: Option<&str>, out: &mut dyn Write) -> Result<(), EvalError> {
    let keys = metrics::keys();
    let header = COLUMNS.iter().copied().chain(keys.iter().map(String::as_str));
    text(out, &(record(header) + "\n"))?;
    run.each(
        |row| is_of(row, mode),
        |row, found| {
            let mut cells = cells(run, row, &found.record);
            cells.extend(keys.iter().map(|key| match row.scores.get(key) {
                Some(Score::Value(value)) => value.to_string(),
                Some(Score::NotApplicable(_)) | None => String::new(),
                Some(Score::Error(_)) => "error".to_owned(),
            }));
            text(out, &(record(&cells) + "\n"))
        },
    )
}

fn cells(run: &StoredRun<'_>, row: &Row, record: &RunRecord) -> Vec<String> {
    let flag = |value: Option<bool>| value.map(|value| value.to_string()).unwrap_or_default();
    let citations = record.response.citations.iter();
    let cited: Vec<&str> = citations.map(|citation| citation.chunk_id.as_str()).collect();
    let lost: Vec<String> = row.lost_gold().filter_map(|(_, lost)| Some(lost?.to_string())).collect();
    let usage = row.usage.total();
    let outcome = row.outcome.and_then(|outcome| serde_json::to_value(outcome).ok());
    let outcome = outcome.as_ref().and_then(|outcome| outcome.as_str());
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    vec![
        run.id().to_owned(),
        row.query_id.clone(),
        row.mode.clone(),
        row.kind.clone(),
        row.tags.join("; "),
        row.query.clone(),
        flag(row.expected_no_evidence),
        flag(row.no_evidence),
        outcome.unwrap_or_default().to_owned(),
        row.confidence.clone(),
        number(row.probability),
        row.answer.clone(),
        cited.join("; "),
        failures(row).join("; "),
        lost.join("; "),
        row.error.clone().unwrap_or_default(),
        number(row.timings_ms.get("total").copied()),
        usage.requests.to_string(),
        (usage.prompt_tokens + usage.completion_tokens).to_string(),
    ]
}
