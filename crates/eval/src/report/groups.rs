//! Metrics by tag and by language.

use super::results::{NONE, mean};
use super::{Grid, escape};
use crate::Ordered;
use crate::groups::{FEW, Groups};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The metrics that separate groups, with short names; all others are in the JSON.
const SHOWN: [(&str, &str); 6] = [
    ("no_evidence_accuracy", "No-evidence accuracy"),
    ("answerable_answered", "Answer rate"),
    ("unanswerable_refused", "Refusal rate"),
    ("gold_recall_context", "Gold recall, context"),
    ("gold_recall_answer", "Gold recall, answer"),
    ("token_f1", "Correctness"),
];
/// One line for each group and mode, of the groups of fewer than [`FEW`] queries if `few`, else of the others; `what` heads
/// the column of the groups' names.
pub(super) fn grid(by_mode: &Ordered<Groups>, what: &str, few: bool) -> Grid {
    let mut headers = vec![what.to_owned(), "Mode".to_owned(), "Queries".to_owned()];
    headers.extend(SHOWN.map(|(_, title)| title.to_owned()));
    let mut grid = Grid::new(headers);
    for name in names(by_mode) {
        for (mode, groups) in by_mode.iter() {
            let Some(group) = groups.get(name).filter(|group| group.few == few) else {
                continue;
            };
            let mut cells = vec![name.to_owned(), mode.to_owned(), group.queries.to_string()];
            cells.extend(SHOWN.map(|(key, _)| match group.metrics.get(key) {
                Some(metric) if metric.n > 0 => format!("{} ({})", mean(metric), metric.n),
                _ => NONE.to_owned(),
            }));
            grid.push(cells);
        }
    }
    grid
}

/// The groups of all modes, each once: the largest of the first mode first.
pub(super) fn names(by_mode: &Ordered<Groups>) -> Vec<&str> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let all = by_mode.iter().flat_map(|(_, groups)| groups.keys());
    all.filter(|name| seen.insert(name)).collect()
}

/// The groups that are too small to say anything, in one sentence; their numbers are in `eval.json`.
fn folded(by_mode: &Ordered<Groups>, what: &str) -> Option<String> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, groups) in by_mode.iter() {
        for (name, group) in groups.iter() {
            let size = sizes.entry(name).or_default();
            *size = group.queries.max(*size);
        }
    }
    sizes.retain(|_, size| *size < FEW);
    if sizes.is_empty() {
        return None;
    }
    let mut named: Vec<(&str, usize)> = sizes.into_iter().collect();
    named.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    let list: Vec<String> = named
        .iter()
        .map(|(name, size)| format!("{name} ({size})"))
        .collect();
    let noun = what.to_lowercase();
    Some(format!(
        "{} {noun}{} with fewer than {FEW} questions, in report.html and eval.json only: {}.",
        list.len(),
        if list.len() == 1 { "" } else { "s" },
        list.join(", ")
    ))
}

/// The metrics of [`section`], each wide enough for a page.
const SHORT: [(&str, &str); 5] = [
    ("answerable_answered", "Answer rate"),
    ("unanswerable_refused", "Refusal rate"),
    ("gold_recall_context", "Gold, context"),
    ("gold_recall_answer", "Gold, answer"),
    ("token_f1", "F1"),
];

/// Section 5: by type and by language; empty for a run without rows. Tags are in `report.html` and `eval.json`.
pub(super) fn section(summary: &crate::Summary) -> String {
    let mut out =
        "## 5. Groups of questions\n\nMean [95 % CI] (n). Groups were not tested against each other.\n"
            .to_owned();
    for (what, by_mode) in [("Type", &summary.types), ("Language", &summary.languages)] {
        if by_mode.iter().all(|(_, groups)| groups.is_empty()) {
            continue;
        }
        let names = names(by_mode);
        if names.len() == 1 {
            // The same numbers as those of all questions.
            let only: Vec<String> = names.iter().map(|name| escape(name)).collect();
            let _ = write!(out, "\n{what}: {} for every question.\n", only.join(""));
            continue;
        }
        let grid = short(by_mode, what);
        if !grid.rows.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(out, "\n{}", grid.markdown());
        }
        if let Some(line) = folded(by_mode, what) {
            let _ = write!(out, "\n{}\n", escape(&line));
        }
    }
    out
}

/// As [`grid`] without small groups, with fewer metrics and two decimals.
fn short(by_mode: &Ordered<Groups>, what: &str) -> Grid {
    let mut headers = vec![format!("{what} (queries)"), "Mode".to_owned()];
    headers.extend(SHORT.map(|(_, title)| title.to_owned()));
    let mut grid = Grid::new(headers);
    for name in names(by_mode) {
        for (mode, groups) in by_mode.iter() {
            let Some(group) = groups.get(name).filter(|group| !group.few) else {
                continue;
            };
            let cells = SHORT.map(|(key, _)| {
                let found = group.metrics.get(key);
                match found.and_then(|m| Some((m.mean?, m.ci_low?, m.ci_high?, m.n))) {
                    Some((mean, low, high, n)) => format!("{mean:.2} [{low:.2}, {high:.2}] ({n})"),
                    None => NONE.to_owned(),
                }
            });
            let heads = [format!("{name} ({})", group.queries), mode.to_owned()];
            grid.push(heads.into_iter().chain(cells));
        }
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Row, Score, metrics, summarise};

    #[test]
    fn small_groups_are_one_line_and_every_metric_is_known() {
        for (key, _) in SHOWN {
            assert!(metrics::find(key).is_some(), "{key}");
        }
        let row = |id: usize, mode: &str, tag: &str| {
            let mut scores = Ordered::default();
            scores.insert("token_f1", Score::value(0.5));
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
        let grid = grid(&summary.tags, "Tag", false);
        let heads: Vec<Vec<&str>> = grid
            .rows
            .iter()
            .map(|cells| cells[..3].iter().map(String::as_str).collect())
            .collect();
        assert_eq!(heads, [["a|b", "hybrid", "6"]]);
        assert!(grid.rows[0][8].starts_with("0.500 [") && grid.rows[0][8].ends_with(" (6)"));
        assert_eq!(grid.rows[0][6], NONE);
        let few = super::grid(&summary.tags, "Tag", true);
        assert_eq!(
            few.rows.iter().map(|cells| cells[0].as_str()).collect::<Vec<_>>(),
            ["a|b", "rare"]
        );
        let markdown = section(&summary);
        assert!(
            markdown.contains("Language: en for every question."),
            "{markdown}"
        );
        assert!(!markdown.contains("rare"), "tags are not in it: {markdown}");
        let mut other = rows.clone();
        other[1].tags.push("lang:de".into());
        other[0].kind = "edge".into();
        let markdown = section(&summarise("run", &other, 1));
        assert!(
            markdown.contains("| en (6) | hybrid | – | – | – | – | 0.50 \\[")
                && markdown.contains(
                    "\n1 language with fewer than 5 questions, in report.html and eval.json only: de (1).\n"
                ),
            "{markdown}"
        );
    }
}
