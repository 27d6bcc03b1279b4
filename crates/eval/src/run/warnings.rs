//! What is said of rows that failed: one line for each cause.

use super::attempt::Item;
use types::words::first_of;

/// Rows that a line names; the report names all.
const SHOWN: usize = 5;

/// A row that failed for good.
pub(super) struct GivenUp {
    row: String,
    tries: u32,
    reason: String,
}

impl GivenUp {
    pub(super) fn new(item: Item<'_>, tries: u32, reason: &str) -> Self {
        Self { row: format!("{} ({})", item.query.id, item.mode), tries, reason: reason.to_owned() }
    }
}

/// One line for each cause, with the number of its rows, in the order of the first row of each.
pub(super) fn grouped(given_up: &[GivenUp]) -> Vec<String> {
    let mut causes: Vec<((u32, String), Vec<&GivenUp>)> = Vec::new();
    for row in given_up {
        let cause = (row.tries, without_details(&row.reason));
        match causes.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, rows)) => rows.push(row),
            None => causes.push((cause, vec![row])),
        }
    }
    causes.iter().filter_map(|(_, rows)| line(rows)).collect()
}

/// What is said of rows with one cause.
fn line(rows: &[&GivenUp]) -> Option<String> {
    let first = rows.first()?;
    let tries = match first.tries {
        1 => "1 try".to_owned(),
        tries => format!("{tries} tries"),
    };
    let reason = &first.reason;
    if rows.len() == 1 {
        return Some(format!("query {} failed ({tries}): {reason}", first.row));
    }
    let alike = if rows.iter().all(|row| row.reason == *reason) {
        ""
    } else {
        " (the first message; the others differ in numbers or quotations, see the report)"
    };
    Some(format!(
        "{} queries failed ({tries}), {}: {reason}{alike}",
        rows.len(),
        first_of(rows.iter().map(|row| &row.row), SHOWN)
    ))
}

/// The reason without what differs from row to row of one cause: quotations and numbers.
fn without_details(reason: &str) -> String {
    let (mut quoted, mut before) = (false, ' ');
    let stays = |c: &char| {
        quoted ^= *c == '"' && before != '\\';
        before = *c;
        !quoted && !matches!(c, '0'..='9' | '.')
    };
    reason.chars().filter(stays).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given_up(row: usize, tries: u32, reason: &str) -> GivenUp {
        GivenUp { row: format!("D{row:02} (hybrid)"), tries, reason: reason.to_owned() }
    }

    #[test]
    fn rows_of_one_cause_are_one_line() {
        let mut rows: Vec<GivenUp> = (0..7).map(|at| given_up(at, 3, "the model is down")).collect();
        rows.push(given_up(7, 1, "the reply breaks the schema"));
        rows.push(given_up(8, 1, "it began \"{\\\"a\\\": 1}\" at line 12"));
        rows.push(given_up(9, 1, "it began \"No.\" at line 3"));
        assert_eq!(
            grouped(&rows),
            [
                "7 queries failed (3 tries), D00 (hybrid), D01 (hybrid), D02 (hybrid), D03 (hybrid), D04 (hybrid) and 2 \
                 more: the model is down",
                "query D07 (hybrid) failed (1 try): the reply breaks the schema",
                "2 queries failed (1 try), D08 (hybrid), D09 (hybrid): it began \"{\\\"a\\\": 1}\" at line 12 (the first \
                 message; the others differ in numbers or quotations, see the report)",
            ]
        );
        assert!(grouped(&[]).is_empty());
    }

    #[test]
    fn other_causes_and_other_numbers_of_tries_stay_apart() {
        let rows = [
            given_up(0, 1, "HTTP 500: down"),
            given_up(1, 3, "HTTP 500: down"),
            given_up(2, 1, "cannot reach the server"),
            given_up(3, 1, "an open \"quotation"),
        ];
        assert_eq!(grouped(&rows).len(), 4);
    }
}
