//! The report on a terminal: at most 100 columns.

use super::first_page::{asked, compared, outcomes};
use super::results::{NONE, lower_is_better, p_text, signed};
use super::{Evaluation, Grid};
use crate::{MetricSummary, metrics};

/// Columns of the text, at most, but for names of modes and metrics that are longer than ours.
pub const WIDTH: usize = 100;

/// What was asked and how it went, every metric, and what the paired tests say.
pub fn summary_text(evaluation: &Evaluation) -> String {
    let mut out = format!("{}\n\n", wrap(&asked(evaluation), WIDTH));
    out.push_str(&outcomes(evaluation).text());
    out.push('\n');
    out.push_str(&metrics(evaluation).text());
    out.push_str("n: rows with a value; p: paired, two-sided, not corrected for the number of metrics\n");
    out.push_str(&wrap(&lower_is_better(), WIDTH));
    out.push_str("\n\n");
    for sentence in compared(evaluation) {
        out.push_str(&wrap(&sentence, WIDTH));
        out.push('\n');
    }
    out
}

/// Every metric after guardrails, one line each.
pub(super) fn metrics(evaluation: &Evaluation) -> Grid {
    let summary = &evaluation.summary;
    let mut headers = vec!["Metric".to_owned()];
    for mode in summary.modes.keys() {
        headers.push(format!("{mode} [95 % CI]"));
        headers.push("n".to_owned());
    }
    if summary.compared.is_some() {
        headers.extend(["Difference".to_owned(), "p".to_owned()]);
    }
    let mut grid = Grid::new(headers);
    for metric in metrics::specs() {
        let mut cells = vec![metric.title.to_owned()];
        for (_, mode) in summary.modes.iter() {
            let found = mode.get(metric.key);
            cells.push(found.map_or_else(|| NONE.to_owned(), short));
            cells.push(found.map_or_else(|| NONE.to_owned(), counted));
        }
        if summary.compared.is_some() {
            let found = summary.comparison.get(metric.key);
            let or_none = |text: Option<String>| text.unwrap_or_else(|| NONE.to_owned());
            cells.push(or_none(found.and_then(|c| c.delta).map(signed)));
            cells.push(or_none(found.and_then(|c| c.p).map(p_text)));
        }
        grid.push(cells);
    }
    grid
}

/// The mean to three places, its interval to two.
fn short(metric: &MetricSummary) -> String {
    match (metric.mean, metric.ci_low, metric.ci_high) {
        (Some(mean), Some(low), Some(high)) => format!("{mean:.3} [{low:.2}, {high:.2}]"),
        _ => NONE.to_owned(),
    }
}

/// Rows with a value, and errors where there are any.
fn counted(metric: &MetricSummary) -> String {
    match metric.errors {
        0 => metric.n.to_string(),
        1 => format!("{} (1 error)", metric.n),
        errors => format!("{} ({errors} errors)", metric.n),
    }
}

/// Breaks a text at words.
pub fn wrap(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let chars = word.chars().count();
        if column > 0 && column + 1 + chars > width {
            out.push('\n');
            column = 0;
        }
        if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += chars;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Provenance;
    use crate::{Ordered, Row, Score};

    #[test]
    fn text_breaks_at_words() {
        let check = |text: &str, want: &str| assert_eq!(wrap(text, 9), want, "{text:?}");
        check("one two three", "one two\nthree");
        check("exactly 9", "exactly 9");
        check("muchlongerthanthat a", "muchlongerthanthat\na");
        check("", "");
    }

    #[test]
    fn no_line_is_wider_than_a_hundred_columns() {
        let row = |at: usize, mode: &str| {
            let keys = metrics::keys().into_iter();
            let scores: Ordered<Score> = keys
                .map(|key| (key, Score::value(if at.is_multiple_of(3) { 1.0 } else { 0.125 })))
                .collect();
            Row {
                query_id: at.to_string(),
                mode: mode.into(),
                no_evidence: Some(false),
                expected_no_evidence: Some(at.is_multiple_of(2)),
                candidates_key: "k".into(),
                scores,
                ..Row::default()
            }
        };
        let rows: Vec<Row> = (0..150)
            .flat_map(|at| [row(at, "hybrid"), row(at, "vector")])
            .collect();
        let text = summary_text(&Evaluation::new("r", rows, Provenance::default()));
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{}: {line}", line.chars().count());
        }
        assert!(
            text.contains("Answer rate") && text.contains("Refusal rate"),
            "{text}"
        );
    }
}
