//! The table of the systems that are bad on purpose.

use super::results::{NONE, difference, mean, p_text};
use super::{Grid, escape};
use crate::controls::{Control, Controls};
use std::fmt::Write;

/// One line for each check.
pub fn controls_table(controls: &Controls) -> Grid {
    let mut grid = Grid::new([
        "Bad system",
        "Metric",
        "Default mean [95 % CI]",
        "Bad mean [95 % CI]",
        "Default − bad [95 % CI]",
        "p",
        "p (Holm)",
        "n",
        "Told apart",
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
        return "Every bad system scores significantly lower: the query set tells good from bad.".to_owned();
    }
    format!(
        "Not told apart: {}. The query set is too small or too easy to see this fault, or the system under test \
         has it, too.",
        missed.join(", ")
    )
}

/// Section 4.5.
pub(super) fn section(controls: &Controls) -> String {
    let mut out = format!(
        "\n### 4.5 Does the query set tell good from bad?\n\nSystems that are bad on purpose, asked the same \
         questions in mode {}, each with the metric that should see its fault, chosen beforehand. Means are over \
         the queries that have a value in both systems; p is paired and two-sided, and corrected for all lines \
         together (Holm). Balanced accuracy is the mean of the shares of answerable questions answered and of \
         unanswerable ones refused.\n\n{}\n{}\n\n",
        escape(&controls.mode),
        controls_table(controls).markdown(),
        escape(&controls_verdict(controls))
    );
    for control in Control::ALL {
        let reasons: Vec<&str> = control.sees().iter().map(|(_, reason)| *reason).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "- {}: {}. Seen because {}.",
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
                scores.insert("faithful", Score::value(value));
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
        check(10, "yes", "tells good from bad.");
        check(4, "NO", "Not told apart: Shuffled citations.");
        check(0, "NO", "Not told apart");
    }
}
