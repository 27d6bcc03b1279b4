//! What an answer decided, and whether that is right. An answer is never right because it was not refused: its content must
//! have been checked.

use crate::report::page::Line;
use eval::Row;
use types::AnswerOutcome;

/// Whether the content of an answer is right, as the score `matched` says; `None` where it was not checked, and for a refusal.
pub(super) fn is_right(row: &Row) -> Option<bool> {
    row.value("matched").filter(|_| row.no_evidence == Some(false)).map(|value| value >= 0.5)
}

/// The decision of a row in a word or two, with its colour.
pub(crate) fn decision(row: &Row) -> Line {
    let (word, right) = word(row);
    Line::new().decision(word, right)
}

/// The decision of a row, and whether it is right; `None` where nobody checked it.
pub fn word(row: &Row) -> (String, Option<bool>) {
    match (&row.error, row.no_evidence) {
        (Some(_), None) => return ("error".to_owned(), Some(false)),
        (Some(_), Some(_)) => return ("not judged".to_owned(), Some(false)),
        (None, None) => return ("no answer".to_owned(), None),
        (None, Some(true)) => return ("refused".to_owned(), row.expected_no_evidence),
        (None, Some(false)) => {}
    }
    let answered = match row.outcome {
        Some(AnswerOutcome::Partial) => "partial",
        _ => "answered",
    };
    if row.expected_no_evidence == Some(true) {
        return (format!("{answered}, no evidence"), Some(false));
    }
    match is_right(row) {
        Some(true) => (format!("{answered}, matched"), Some(true)),
        Some(false) => (format!("{answered}, not matched"), Some(false)),
        None => (format!("{answered}, not checked"), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eval::Score;

    #[test]
    fn no_answer_is_right_because_it_was_not_refused() {
        let check =
            |refused: bool, expected: Option<bool>, correct: Option<Score>, want: (&str, Option<bool>)| {
                let mut row =
                    Row { no_evidence: Some(refused), expected_no_evidence: expected, ..Row::default() };
                if let Some(score) = correct {
                    row.scores.insert("matched", score);
                }
                let (word, right) = word(&row);
                assert_eq!((word.as_str(), right), want, "{row:?}");
            };
        let no = Some(false);
        check(false, no, None, ("answered, not checked", None));
        check(false, no, Some(Score::n_a("no reference")), ("answered, not checked", None));
        check(false, no, Some(Score::flag(false)), ("answered, not matched", no));
        check(false, no, Some(Score::flag(true)), ("answered, matched", Some(true)));
        check(false, Some(true), Some(Score::flag(true)), ("answered, no evidence", no));
        check(false, None, None, ("answered, not checked", None));
        check(true, no, Some(Score::flag(false)), ("refused", no));
        check(true, Some(true), None, ("refused", Some(true)));
        check(true, None, None, ("refused", None));
    }
}
