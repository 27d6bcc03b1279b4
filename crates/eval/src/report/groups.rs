//! Metrics by tag and by language.

use super::Grid;
use super::results::{NONE, mean};
use crate::Ordered;
use crate::groups::{FEW, Groups};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The metrics that separate groups, with short names; all others are in the JSON.
const SHOWN: [(&str, &str); 6] = [
    ("no_evidence_accuracy", "No-evidence accuracy"),
    ("answerable_answered", "Answerable answered"),
    ("unanswerable_refused", "Unanswerable refused"),
    ("gold_recall_context", "Gold recall, context"),
    ("gold_recall_answer", "Gold recall, answer"),
    ("correctness", "Correctness"),
];
/// Marks a group of fewer than [`FEW`] queries.
const MARK: &str = " †";

/// One line for each group and mode; `what` heads the column of the groups' names.
pub(super) fn grid(by_mode: &Ordered<Groups>, what: &str) -> Grid {
    let mut headers = vec![what.to_owned(), "Mode".to_owned(), "Queries".to_owned()];
    headers.extend(SHOWN.map(|(_, title)| title.to_owned()));
    let mut grid = Grid::new(headers);
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let names = by_mode.iter().flat_map(|(_, groups)| groups.keys());
    let names: Vec<&str> = names.filter(|name| seen.insert(name)).collect();
    for name in names {
        for (mode, groups) in by_mode.iter() {
            let Some(group) = groups.get(name) else { continue };
            let few = if group.few { MARK } else { "" };
            let mut cells = vec![
                name.to_owned(),
                mode.to_owned(),
                format!("{}{few}", group.queries),
            ];
            cells.extend(SHOWN.map(|(key, _)| match group.metrics.get(key) {
                Some(metric) if metric.n > 0 => format!("{} ({})", mean(metric), metric.n),
                _ => NONE.to_owned(),
            }));
            grid.push(cells);
        }
    }
    grid
}

/// Sections 4.3 and 4.4; empty for a run without rows.
pub(super) fn sections(summary: &crate::Summary) -> String {
    let mut out = String::new();
    for (number, what, by_mode) in [
        ("4.3", "Tag", &summary.tags),
        ("4.4", "Language", &summary.languages),
    ] {
        if by_mode.iter().all(|(_, groups)| groups.is_empty()) {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "\n### {number} By {}\n\nMean [95 % CI] (n). † marks fewer than {FEW} queries, which show next to \
             nothing. No test was made between groups.\n\n{}",
            what.to_lowercase(),
            grid(by_mode, what).markdown()
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Row, Score, metrics, summarise};

    #[test]
    fn small_groups_are_marked_and_every_metric_is_known() {
        for (key, _) in SHOWN {
            assert!(metrics::find(key).is_some(), "{key}");
        }
        let row = |id: usize, mode: &str, tag: &str| {
            let mut scores = Ordered::default();
            scores.insert("correctness", Score::value(0.5));
            Row {
                query_id: id.to_string(),
                mode: mode.into(),
                query: "What is the dose?".into(),
                tags: vec![tag.into()],
                scores,
                ..Row::default()
            }
        };
        let mut rows: Vec<Row> = (0..6).map(|at| row(at, "hybrid", "a|b")).collect();
        rows.push(row(6, "hybrid", "rare"));
        rows.push(row(0, "vector", "a|b"));
        let summary = summarise("run", &rows, 1);
        let grid = grid(&summary.tags, "Tag");
        let heads: Vec<Vec<&str>> = grid
            .rows
            .iter()
            .map(|cells| cells[..3].iter().map(String::as_str).collect())
            .collect();
        assert_eq!(
            heads,
            [
                ["a|b", "hybrid", "6"],
                ["a|b", "vector", "1 †"],
                ["rare", "hybrid", "1 †"]
            ]
        );
        assert!(grid.rows[0][8].starts_with("0.500 [") && grid.rows[0][8].ends_with(" (6)"));
        assert_eq!(grid.rows[0][6], NONE);
        let markdown = sections(&summary);
        assert!(markdown.contains("### 4.3 By tag") && markdown.contains("| en | hybrid | 7 |"));
        assert_eq!(sections(&summarise("run", &[], 1)), "");
    }
}
