//! A whole run in numbers: every metric of every mode, also by group, and the paired tests of two modes.

use crate::abstention::Abstention;
use crate::groups::{Groups, by_language, by_tag, by_type};
use crate::paired::{compare_rows, metric_summary, pairs_of};
use crate::reliability::{Reliability, Stated};
use crate::{Comparison, ModeSummary, Ordered, Row, metrics};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// For how many questions the two compared modes had the same candidates: where they did, the modes can differ
/// only in the order of what they found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SameCandidates {
    /// Questions for which both modes had the same set of candidates.
    pub same: usize,
    /// Questions for which both modes had candidates.
    pub of: usize,
}

/// A whole run in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The run.
    pub run_id: String,
    /// By mode, in the order of the rows' first appearance.
    pub modes: Ordered<ModeSummary>,
    /// By metric; empty unless there are at least two modes.
    pub comparison: Ordered<Comparison>,
    /// The two modes compared: first minus second. With more than two modes, the first two.
    pub compared: Option<[String; 2]>,
    /// How far the two compared modes chose from the same candidates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_candidates: Option<SameCandidates>,
    /// By mode.
    pub abstention: Ordered<Abstention>,
    /// By mode: how often answers of each stated confidence are right.
    #[serde(default)]
    pub confidence: Ordered<Reliability>,
    /// By mode, then by the type of the question.
    #[serde(default)]
    pub types: Ordered<Groups>,
    /// By mode, then by tag.
    #[serde(default)]
    pub tags: Ordered<Groups>,
    /// By mode, then by language.
    #[serde(default)]
    pub languages: Ordered<Groups>,
}

/// Summarises rows; the outcome depends on neither their order (but for the order of modes) nor on each
/// other's metrics.
pub fn summarise(run_id: &str, rows: &[Row], seed: u64) -> Summary {
    let mut by_mode: Ordered<Vec<&Row>> = Ordered::default();
    for row in rows {
        by_mode.entry(&row.mode).push(row);
    }
    let modes = by_mode.iter().map(|(mode, rows)| (mode.to_owned(), mode_summary(rows, seed))).collect();
    let abstention = by_mode.iter().map(|(mode, rows)| (mode.to_owned(), abstention(rows))).collect();
    let confidence = by_mode
        .iter()
        .map(|(mode, rows)| {
            let stated: Vec<Stated> = rows.iter().filter_map(|row| Stated::of_row(row)).collect();
            (mode.to_owned(), Reliability::new(&stated))
        })
        .collect();
    let grouped = |by: fn(&[&Row], u64) -> Groups| {
        by_mode.iter().map(|(mode, rows)| (mode.to_owned(), by(rows, seed))).collect()
    };
    let mut pair = by_mode.iter().take(2);
    let (comparison, compared, same_candidates) = match (pair.next(), pair.next()) {
        (Some((a, rows_a)), Some((b, rows_b))) => (
            compare_rows(rows_a, rows_b, seed),
            Some([a.to_owned(), b.to_owned()]),
            same_candidates(rows_a, rows_b),
        ),
        _ => (Ordered::default(), None, None),
    };
    Summary {
        run_id: run_id.to_owned(),
        modes,
        comparison,
        compared,
        same_candidates,
        abstention,
        confidence,
        types: grouped(by_type),
        tags: grouped(by_tag),
        languages: grouped(by_language),
    }
}

/// `None` where no question has candidates in both modes, as in logs that do not hold them.
fn same_candidates(first: &[&Row], second: &[&Row]) -> Option<SameCandidates> {
    let pairs = pairs_of(first, second);
    let known = |row: &Row| !row.candidates_key.is_empty();
    let of = pairs.into_iter().filter(|(a, b)| known(a) && known(b));
    let mut out = SameCandidates::default();
    for (a, b) in of {
        out.of += 1;
        out.same += usize::from(a.candidates_key == b.candidates_key);
    }
    (out.of > 0).then_some(out)
}

fn mode_summary(rows: &[&Row], seed: u64) -> ModeSummary {
    metrics::columns().map(|column| (column.key(), metric_summary(rows, column, seed))).collect()
}

fn abstention(rows: &[&Row]) -> Abstention {
    Abstention::count(rows.iter().map(|row| match row.no_evidence {
        Some(refused) if row.error.is_none() => Ok((refused, row.expected_no_evidence)),
        // An answer of which nobody knows whether it refuses: n/a, as without an expectation.
        None if row.error.is_none() => Ok((false, None)),
        _ => Err(()),
    }))
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
