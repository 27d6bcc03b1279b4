//! The decision of a row, and whether it is right.

use crate::Row;
use types::AnswerOutcome;

/// What the row decided and whether that is right, in a word and a sign.
pub(super) fn outcome(row: &Row) -> (&'static str, &'static str) {
    let word = match (&row.error, row.no_evidence, row.outcome) {
        (Some(_), None, _) => return ("error", "wrong"),
        (Some(_), Some(_), _) => return ("not judged", "wrong"),
        (None, Some(true), _) => ["✓ refused", "✗ refused", "refused"],
        (None, _, Some(AnswerOutcome::Partial)) => ["✓ partial", "✗ partial", "partial"],
        _ => ["✓ answered", "✗ answered", "answered"],
    };
    match (row.expected_no_evidence, row.no_evidence) {
        (Some(expected), Some(refused)) if expected == refused => (word[0], "right"),
        (Some(_), _) => (word[1], "wrong"),
        _ => (word[2], ""),
    }
}
