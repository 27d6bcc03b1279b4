//! Which questions one mode wins and which it loses, by id.

use super::{Evaluation, escape};
use crate::Row;
use crate::metrics::{self, Direction};
use crate::paired::pairs_of;
use std::fmt::Write;
use types::words::first_of;

/// The metrics that are compared question by question.
const COMPARED: [&str; 4] = [
    "no_evidence_accuracy",
    "gold_recall_context",
    "gold_recall_answer",
    "token_f1",
];
/// Most ids of a list; the rest is counted.
const MOST_IDS: usize = 20;

/// The section. (Writing to a string cannot fail: the results of `write!` are dropped.)
pub(super) fn section(evaluation: &Evaluation) -> String {
    let Some([first, second]) = &evaluation.summary.compared else {
        let modes: Vec<String> = evaluation.summary.modes.keys().map(escape).collect();
        return format!(
            "## 7. Modes compared\n\nAll rows are of mode {}: there is nothing to compare.\n",
            modes.join(", ")
        );
    };
    let mut out = format!(
        "## 7. Modes compared: {} against {}\n\n",
        escape(first),
        escape(second)
    );
    let mut differ = by_id(evaluation, first, second);
    differ.retain(|(_, better, worse)| !(better.is_empty() && worse.is_empty()));
    if differ.is_empty() {
        out.push_str("No question is answered better in one of them.\n");
    }
    for (title, better, worse) in differ {
        let _ = writeln!(
            out,
            "- {title}: better in {} for {}; in {} for {}.",
            escape(first),
            escape(&ids(&better)),
            escape(second),
            escape(&ids(&worse))
        );
    }
    out
}

/// For each metric, the ids for which the first mode is better, and those for which the second is, in the order of the rows.
pub(super) fn by_id<'a>(
    evaluation: &'a Evaluation,
    first: &str,
    second: &str,
) -> Vec<(&'static str, Vec<&'a str>, Vec<&'a str>)> {
    let of = |mode: &str| -> Vec<&'a Row> { evaluation.rows.iter().filter(|row| row.mode == mode).collect() };
    let (own, other) = (of(first), of(second));
    let pairs: Vec<(&Row, &Row)> = pairs_of(&own, &other).iter().map(|(a, b)| (**a, **b)).collect();
    let mut out = Vec::new();
    for key in COMPARED {
        let Some(spec) = metrics::find(key).map(|column| column.spec()) else {
            continue;
        };
        let (mut better, mut worse) = (Vec::new(), Vec::new());
        for (row, other) in &pairs {
            let Some((a, b)) = row.value(key).zip(other.value(key)) else {
                continue;
            };
            let ahead = if spec.direction == Direction::Higher {
                a - b
            } else {
                b - a
            };
            if ahead > 0.0 {
                better.push(row.query_id.as_str());
            } else if ahead < 0.0 {
                worse.push(row.query_id.as_str());
            }
        }
        out.push((spec.title, better, worse));
    }
    out
}

fn ids(ids: &[&str]) -> String {
    match ids {
        [] => "none".to_owned(),
        _ => first_of(ids, MOST_IDS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Score;
    use crate::report::Provenance;

    #[test]
    fn winners_and_losers_are_named() {
        let row = |id: &str, mode: &str, recall: f64| {
            let mut row = Row {
                query_id: id.into(),
                mode: mode.into(),
                ..Row::default()
            };
            row.scores.insert("gold_recall_answer", Score::value(recall));
            row
        };
        let rows = vec![
            row("B", "x", 1.0),
            row("B", "y", 0.0),
            row("A", "x", 0.5),
            row("A", "y", 0.0),
            row("C", "x", 0.0),
            row("C", "y", 1.0),
            row("D", "x", 1.0),
            row("D", "y", 1.0),
        ];
        let text = section(&Evaluation::new("r", rows, Provenance::default()));
        assert!(
            text.contains("- Gold recall, answer: better in x for B, A; in y for C."),
            "{text}"
        );
        assert!(!text.contains("Correctness"), "no question differs: {text}");
    }
}
