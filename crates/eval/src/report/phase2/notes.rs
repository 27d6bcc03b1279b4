//! What a reader of the report must know about the file that it came from.

use super::ANSWER_CHARS;
use crate::report::Evaluation;
use crate::words::plural;
use crate::{Ordered, Row, metrics};
use std::collections::BTreeMap;
use types::words::first_of;

/// At most so many ids are listed.
const LISTED: usize = 20;

/// What was counted while a file was read.
#[derive(Default)]
pub(super) struct Counts {
    /// Keys that nothing was read from, with the number of times.
    pub(super) unknown: Ordered<usize>,
}

/// One sentence each, unescaped, without a full stop.
pub(super) fn notes(counts: &Counts, evaluation: &Evaluation) -> Vec<String> {
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
        out.push(format!(
            "the file holds only the first {ANSWER_CHARS} characters of an answer"
        ));
    }
    if let Some([first, second]) = &evaluation.summary.compared {
        let pairs = pairs(rows, first, second);
        let alone = evaluation
            .rows
            .iter()
            .filter(|row| row.mode == *first || row.mode == *second)
            .count()
            - 2 * pairs.len();
        if alone > 0 {
            out.push(format!(
                "{} in one of the two modes only, and in no paired test",
                if alone == 1 {
                    "1 question is".to_owned()
                } else {
                    format!("{alone} questions are")
                }
            ));
        }
        out.extend(changed(&pairs, first, second));
    }
    if !counts.unknown.is_empty() {
        let keys = counts.unknown.iter().map(|(key, times)| match times {
            1 => format!("{key:?}"),
            _ => format!("{key:?} ({times} times)"),
        });
        out.push(format!("keys that are not read: {}", first_of(keys, LISTED)));
    }
    out
}

fn of<'a>(rows: &'a [Row], mode: &'a str) -> impl Iterator<Item = &'a Row> {
    rows.iter().filter(move |row| row.mode == mode)
}

/// Refusals that the file counts as faithful, and the rate without them.
fn perfect_refusals(rows: &[Row], mode: &str) -> Option<String> {
    let faithful = |row: &&Row| row.value("faithful") == Some(1.0);
    let refused = |row: &&Row| row.no_evidence == Some(true);
    let counted = of(rows, mode).filter(refused).filter(faithful).count();
    let judged: Vec<&Row> = of(rows, mode)
        .filter(|row| !refused(row) && row.value("faithful").is_some())
        .collect();
    (counted > 0).then(|| {
        format!(
            "in mode {mode}, {} as faithful, as that system defines it; without refusals, {} of {} answers are faithful",
            if counted == 1 { "1 refusal counts".to_owned() } else { format!("{counted} refusals count") },
            judged.iter().filter(|row| faithful(row)).count(),
            judged.len()
        )
    })
}

/// The rows of questions that both modes have.
fn pairs<'a>(rows: &'a [Row], first: &str, second: &'a str) -> Vec<(&'a Row, &'a Row)> {
    let others: BTreeMap<&str, &Row> = of(rows, second).map(|row| (row.query_id.as_str(), row)).collect();
    let firsts = rows.iter().filter(|row| row.mode == first);
    firsts
        .filter_map(|row| Some((row, *others.get(row.query_id.as_str())?)))
        .collect()
}

/// Which questions have another value in the other mode, by metric.
fn changed(pairs: &[(&Row, &Row)], first: &str, second: &str) -> Vec<String> {
    let mut out = Vec::new();
    for spec in metrics::specs() {
        for (word, higher) in [("higher", true), ("lower", false)] {
            let ids: Vec<&str> = pairs
                .iter()
                .filter(|(a, b)| match (a.value(spec.key), b.value(spec.key)) {
                    (Some(a), Some(b)) => {
                        if higher {
                            a > b
                        } else {
                            a < b
                        }
                    }
                    _ => false,
                })
                .map(|(a, _)| a.query_id.as_str())
                .collect();
            if ids.is_empty() {
                continue;
            }
            out.push(format!(
                "{} is {word} in mode {first} than in mode {second} for {}",
                spec.title,
                first_of(ids, LISTED)
            ));
        }
    }
    out
}
