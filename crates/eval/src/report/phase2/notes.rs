//! What a reader of the report must know about the file that it came from.

use super::ANSWER_CHARS;
use crate::report::Evaluation;
use crate::words::plural;
use crate::{Ordered, Row};
use std::collections::BTreeSet;
use types::words::first_of;

/// At most so many ids are listed.
const LISTED: usize = 20;

/// One sentence each, unescaped, without a full stop. `unknown`: keys that nothing was read from, with the number of times.
pub(super) fn notes(unknown: &Ordered<usize>, evaluation: &Evaluation) -> Vec<String> {
    let rows = &evaluation.rows;
    let modes: Vec<&str> = evaluation.summary.modes.keys().collect();
    let sizes: Vec<String> = modes
        .iter()
        .map(|mode| format!("{} in mode {mode}", plural(of(rows, mode).count(), "row")))
        .collect();
    let mut out = vec![format!(
        "this is an evaluation_report.json of the earlier system ({}): its scores are kept, and means, intervals and tests are \
         computed from them; the file has no context, no gold evidence, no reference answers and no timings",
        sizes.join(", ")
    )];
    for mode in &modes {
        out.extend(perfect_refusals(rows, mode));
    }
    if rows.iter().any(|row| row.answer.chars().count() >= ANSWER_CHARS) {
        out.push(format!("the file holds only the first {ANSWER_CHARS} characters of an answer"));
    }
    if let Some([first, second]) = &evaluation.summary.compared {
        let ids =
            |mode: &str| -> BTreeSet<&str> { of(rows, mode).map(|row| row.query_id.as_str()).collect() };
        let alone = ids(first).symmetric_difference(&ids(second)).count();
        if alone > 0 {
            out.push(format!(
                "{} in one of the two modes only, and in no paired test",
                if alone == 1 { "1 question is".to_owned() } else { format!("{alone} questions are") }
            ));
        }
    }
    if !unknown.is_empty() {
        let keys = unknown.iter().map(|(key, times)| match times {
            1 => format!("{key:?}"),
            _ => format!("{key:?} ({times} times)"),
        });
        out.push(format!("keys that are not read: {}", first_of(keys, LISTED)));
    }
    out
}

fn of<'a>(rows: &'a [Row], mode: &str) -> impl Iterator<Item = &'a Row> {
    rows.iter().filter(move |row| row.mode == mode)
}

/// Refusals that the file counts as faithful, and the rate without them.
fn perfect_refusals(rows: &[Row], mode: &str) -> Option<String> {
    let faithful = |row: &&Row| row.value("faithful") == Some(1.0);
    let refused = |row: &&Row| row.no_evidence == Some(true);
    let counted = of(rows, mode).filter(refused).filter(faithful).count();
    let judged: Vec<&Row> =
        of(rows, mode).filter(|row| !refused(row) && row.value("faithful").is_some()).collect();
    (counted > 0).then(|| {
        format!(
            "in mode {mode}, {} as faithful, as that system defines it; without refusals, {} of {} answers are faithful",
            if counted == 1 { "1 refusal counts".to_owned() } else { format!("{counted} refusals count") },
            judged.iter().filter(|row| faithful(row)).count(),
            judged.len()
        )
    })
}
