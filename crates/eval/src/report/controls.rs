//! The table of the control systems.

use super::results::{NONE, difference, mean, p_text};
use super::{Grid, escape};
use crate::controls::{Control, Controls};
use std::fmt::Write;

/// One line for each check.
pub fn controls_table(controls: &Controls) -> Grid {
    let mut grid = Grid::new([
        "Control system",
        "Metric",
        "Mean [95 % CI]",
        "Control mean [95 % CI]",
        "Difference [95 % CI]",
        "p",
        "p (Holm)",
        "n",
        "Detected",
    ]);
    let p = |p: Option<f64>| p.map_or_else(|| NONE.to_owned(), p_text);
    for check in &controls.checks {
        grid.push([
            check.control.title().to_owned(),
            check.title().to_owned(),
            mean(&check.default),
            mean(&check.bad),
            difference(&check.difference),
            p(check.difference.p),
            p(check.p_holm),
            check.difference.n_pairs.to_string(),
            if check.told_apart { "yes" } else { "NO" }.to_owned(),
        ]);
    }
    grid
}

/// What the checks come to, one sentence.
pub fn controls_verdict(controls: &Controls) -> String {
    let missed: Vec<&str> = controls.missed().into_iter().map(Control::title).collect();
    if missed.is_empty() {
        return "Every control system scores significantly lower: the query set detects all six faults."
            .to_owned();
    }
    format!(
        "Not detected: {}. The query set is too small or too easy to show this fault, or the system under test has \
         it too.",
        missed.join(", ")
    )
}

/// The checks for a terminal, as columns of text: the table without its intervals.
pub fn controls_text(controls: &Controls) -> String {
    let mut grid = Grid::new([
        "Control system",
        "Metric",
        "Mean",
        "Control",
        "p (Holm)",
        "n",
        "Detected",
    ]);
    let number = |value: Option<f64>| value.map_or_else(|| NONE.to_owned(), |v| format!("{v:.3}"));
    for check in &controls.checks {
        grid.push([
            check.control.title().to_owned(),
            check.title().to_owned(),
            number(check.default.mean),
            number(check.bad.mean),
            check.p_holm.map_or_else(|| NONE.to_owned(), p_text),
            check.difference.n_pairs.to_string(),
            if check.told_apart { "yes" } else { "NO" }.to_owned(),
        ]);
    }
    format!(
        "{}\n{}\n",
        grid.text(),
        super::wrap(&controls_verdict(controls), super::WIDTH)
    )
}

/// The part of section 3 that has the control systems.
pub(super) fn section(controls: &Controls) -> String {
    let mut out = format!(
        "\n### Can the query set detect a bad system?\n\nControl systems with a built-in fault answered the same \
         questions in mode {}. For each, the metric that should show the fault was chosen beforehand. Means are over \
         the queries that have a value in both systems; p is paired, two-sided and corrected for all lines together \
         (Holm). Balanced accuracy is the mean of answer rate and refusal rate.\n\n{}\n{}\n\n",
        escape(&controls.mode),
        controls_table(controls).markdown(),
        escape(&controls_verdict(controls))
    );
    for control in Control::ALL {
        let reasons: Vec<&str> = control.sees().iter().map(|(_, reason)| *reason).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "- {}: {}. The metric shows it because {}.",
            control.title(),
            control.does(),
            reasons.join("; and ")
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controls::compare;
    use crate::{Ordered, Row, Score};

    fn rows(value: f64, n: usize) -> Vec<Row> {
        (0..n)
            .map(|at| {
                let mut scores = Ordered::default();
                scores.insert("fully_cited", Score::value(value));
                Row {
                    query_id: at.to_string(),
                    scores,
                    ..Row::default()
                }
            })
            .collect()
    }

    #[test]
    fn what_is_not_seen_is_said() {
        let check = |n: usize, told: &str, says: &str| {
            let runs = [(Control::ShuffledCitations, rows(0.0, n))];
            let controls = compare("hybrid", &rows(1.0, n), &runs, 1);
            let grid = controls_table(&controls);
            assert_eq!(grid.rows.len(), 1);
            assert_eq!(grid.rows[0].last().map(String::as_str), Some(told));
            let text = section(&controls);
            assert!(text.contains(says), "{text}");
        };
        check(10, "yes", "detects all six faults.");
        check(4, "NO", "Not detected: Shuffled citations.");
        check(0, "NO", "Not detected");
    }
}
