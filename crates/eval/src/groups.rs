//! The same metrics for parts of a query set: by tag, by language.

use crate::paired::metric_summary;
use crate::{ModeSummary, Ordered, Row, metrics};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Groups of fewer queries are listed but say little: their intervals cover most of the range.
pub const FEW: usize = 5;
/// A tag that begins so names the language of its question, as an ISO 639 code.
pub const LANGUAGE_TAG: &str = "lang:";

/// One group in one mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Group")]
pub struct GroupSummary {
    /// Rows of the group.
    pub queries: usize,
    /// Whether these are fewer than [`FEW`].
    pub few: bool,
    /// Metrics after guardrails, each with its own n and interval.
    pub metrics: ModeSummary,
}

/// Groups of one mode: the largest first, equals by name.
pub type Groups = Ordered<GroupSummary>;

/// By tag, language tags left out. A row stands in the group of each of its tags.
pub(crate) fn by_tag(rows: &[&Row], seed: u64) -> Groups {
    grouped(rows, seed, |row| {
        let tags: BTreeSet<&str> = row.tags.iter().map(String::as_str).collect();
        tags.into_iter().filter(|tag| !tag.starts_with(LANGUAGE_TAG)).map(str::to_owned).collect()
    })
}

/// By the type of the question.
pub(crate) fn by_type(rows: &[&Row], seed: u64) -> Groups {
    grouped(rows, seed, |row| vec![row.kind.clone()])
}

/// By the language of the question: its language tag, or else what its words look like; `other` where neither
/// says.
pub(crate) fn by_language(rows: &[&Row], seed: u64) -> Groups {
    grouped(rows, seed, |row| vec![language_of(row).to_owned()])
}

fn language_of(row: &Row) -> &str {
    let tagged = row.tags.iter().find_map(|tag| tag.strip_prefix(LANGUAGE_TAG));
    tagged.or_else(|| text::language(&row.query)).unwrap_or("other")
}

fn grouped(rows: &[&Row], seed: u64, groups_of: impl Fn(&Row) -> Vec<String>) -> Groups {
    let mut members: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        for group in groups_of(row) {
            members.entry(group).or_default().push(row);
        }
    }
    let mut members: Vec<(String, Vec<&Row>)> = members.into_iter().collect();
    members.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
    members
        .into_iter()
        .map(|(name, rows)| {
            let group = GroupSummary {
                queries: rows.len(),
                few: rows.len() < FEW,
                metrics: metrics::stage(false)
                    .map(|column| (column.key(), metric_summary(&rows, column, seed)))
                    .collect(),
            };
            (name, group)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Score;

    fn row(id: &str, query: &str, tags: &[&str], recall: f64) -> Row {
        let mut scores = Ordered::default();
        scores.insert("gold_recall_context", Score::value(recall));
        Row {
            query_id: id.into(),
            query: query.into(),
            tags: tags.iter().map(|t| (*t).to_owned()).collect(),
            scores,
            ..Row::default()
        }
    }

    fn shown(groups: &Groups) -> Vec<(&str, usize, bool, Option<f64>)> {
        let recall = |g: &GroupSummary| g.metrics.get("gold_recall_context").and_then(|m| m.mean);
        groups.iter().map(|(name, g)| (name, g.queries, g.few, recall(g))).collect()
    }

    #[test]
    fn each_row_counts_once_in_each_of_its_groups() {
        let mut rows: Vec<Row> =
            (0..5).map(|at| row(&at.to_string(), "What changed?", &["table"], 1.0)).collect();
        rows.push(row("5", "Was hat sich bei den Mäusen verändert?", &["units", "table", "units"], 0.0));
        rows.push(row("6", "BRISKLINE 2021", &["lang:es"], 0.5));
        rows.push(row("7", "Что изменилось?", &[], 0.0));
        let rows: Vec<&Row> = rows.iter().collect();
        let tags = by_tag(&rows, 1);
        assert_eq!(shown(&tags), [("table", 6, false, Some(5.0 / 6.0)), ("units", 1, true, Some(0.0))]);
        let languages = by_language(&rows, 1);
        assert_eq!(
            shown(&languages),
            [
                ("en", 5, false, Some(1.0)),
                ("de", 1, true, Some(0.0)),
                ("es", 1, true, Some(0.5)),
                ("other", 1, true, Some(0.0))
            ]
        );
        // What was not scored is counted, as in the whole.
        let missing = tags.get("units").and_then(|g| g.metrics.get("token_f1"));
        assert_eq!(missing.map(|m| (m.n, m.errors)), Some((0, 1)));
    }
}
