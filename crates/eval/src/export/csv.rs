//! One line a row, for spreadsheets: text cannot become a formula there.

use super::is_of;
use crate::report::failures;
use crate::stored::StoredRun;
use crate::{EvalError, Row, Score, metrics};
use std::borrow::Cow;
use std::io::{self, Write};
use types::RunRecord;

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
pub(super) fn write(run: &StoredRun<'_>, mode: Option<&str>, out: &mut dyn Write) -> Result<(), EvalError> {
    let mut table = csv::Writer::from_writer(out);
    let failed = |error: csv::Error| EvalError::Output {
        source: io::Error::from(error),
    };
    let keys = metrics::keys();
    let header = COLUMNS.iter().copied().chain(keys.iter().map(String::as_str));
    table.write_record(header).map_err(failed)?;
    run.each(
        |row| is_of(row, mode),
        |row, found| {
            let mut cells = cells(run, row, &found.record);
            cells.extend(keys.iter().map(|key| match row.scores.get(key) {
                Some(Score::Value(value)) => value.to_string(),
                Some(Score::NotApplicable(_)) | None => String::new(),
                Some(Score::Error(_)) => "error".to_owned(),
            }));
            table.write_record(&cells).map_err(failed)
        },
    )?;
    table.flush().map_err(|source| EvalError::Output { source })
}

fn cells(run: &StoredRun<'_>, row: &Row, record: &RunRecord) -> Vec<String> {
    let flag = |value: Option<bool>| value.map(|value| value.to_string()).unwrap_or_default();
    let citations = record.response.citations.iter();
    let cited: Vec<&str> = citations.map(|citation| citation.chunk_id.as_str()).collect();
    let lost: Vec<String> = row
        .lost_gold()
        .into_iter()
        .filter_map(|(_, lost)| Some(lost?.to_string()))
        .collect();
    let usage = row.usage.total();
    let outcome = row.outcome.and_then(|outcome| serde_json::to_value(outcome).ok());
    let outcome = outcome.as_ref().and_then(|outcome| outcome.as_str());
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let texts = [
        run.id(),
        &row.query_id,
        &row.mode,
        &row.kind,
        &row.tags.join("; "),
        &row.query,
    ]
    .map(|text| inert(text).into_owned());
    let mut out = texts.to_vec();
    out.extend([
        flag(row.expected_no_evidence),
        flag(row.no_evidence),
        outcome.unwrap_or_default().to_owned(),
        inert(&row.confidence).into_owned(),
        number(row.probability),
        inert(&row.answer).into_owned(),
        inert(&cited.join("; ")).into_owned(),
        inert(&failures(row).join("; ")).into_owned(),
        lost.join("; "),
        inert(row.error.as_deref().unwrap_or_default()).into_owned(),
        number(row.timings_ms.get("total").copied()),
        usage.requests.to_string(),
        (usage.prompt_tokens + usage.completion_tokens).to_string(),
    ]);
    out
}

/// The text with an apostrophe before it where a spreadsheet would compute it.
fn inert(text: &str) -> Cow<'_, str> {
    let begins = |c: char| {
        matches!(
            c,
            '=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠'
        )
    };
    if text.starts_with(begins) || text.trim_start().starts_with(['=', '+', '-', '@']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::inert;

    #[test]
    fn no_text_is_a_formula() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =1", "\r\n=1", "＝1"] {
            assert_eq!(inert(text), format!("'{text}"));
        }
        for text in ["", "a=1", "5 mmHg", "'=1"] {
            assert_eq!(inert(text), text);
        }
    }
}
