//! Means with their intervals, and what the paired tests say of two modes.

use crate::groups::{Groups, by_language, by_tag};
use crate::hash::seed_of;
use crate::metrics::{self, Kind, abstention::Abstention};
use crate::stats::{
    IntervalMethod, Observation, bootstrap_mean, mcnemar_exact, paired_randomisation, wilson,
};
use crate::{Ordered, Row, Score};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A p below this separates.
pub const ALPHA: f64 = 0.05;

/// One metric in one mode. `mean` and interval are `None` when no row has a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricSummary {
    /// Mean over the rows with a value, 0 to 1.
    pub mean: Option<f64>,
    /// Lower end of the 95 % interval.
    pub ci_low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub ci_high: Option<f64>,
    /// Rows with a value.
    pub n: usize,
    /// Rows to which the metric does not apply.
    pub n_a: usize,
    /// Rows that should have a value and have none.
    pub errors: usize,
    /// How the interval was made.
    pub interval: Option<IntervalMethod>,
}

/// All metrics of one mode.
pub type ModeSummary = Ordered<MetricSummary>;

/// One metric, first mode minus second, over the queries that have a value in both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Mean difference, -1 to 1; `None` without pairs, as all numbers here.
    pub delta: Option<f64>,
    /// Two-sided p, not corrected for the number of metrics.
    pub p: Option<f64>,
    /// The test: `mcnemar_exact`, `paired_randomisation_exact` or `paired_randomisation_sampled`.
    pub test: String,
    /// Pairs.
    pub n_pairs: usize,
    /// Pairs in which the first mode is higher.
    pub wins: usize,
    /// Pairs in which it is lower.
    pub losses: usize,
    /// Lower end of the 95 % interval of the difference.
    pub ci_low: Option<f64>,
    /// Upper end of the 95 % interval of the difference.
    pub ci_high: Option<f64>,
}

impl Comparison {
    /// Whether the test separates the two.
    pub fn separates(&self) -> bool {
        self.p.is_some_and(|p| p < ALPHA)
    }
}

/// For how many questions the two compared modes had the same candidates: where they did, the modes can differ
/// only in the order of what they found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SameCandidates {
    /// Questions for which both modes had the same set of candidates.
    pub same: usize,
    /// Questions for which both modes had candidates.
    pub of: usize,
}

/// A whole run in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    let modes = by_mode
        .iter()
        .map(|(mode, rows)| (mode.to_owned(), mode_summary(rows, seed)))
        .collect();
    let abstention = by_mode
        .iter()
        .map(|(mode, rows)| (mode.to_owned(), abstention(rows)))
        .collect();
    let grouped = |by: fn(&[&Row], u64) -> Groups| {
        by_mode
            .iter()
            .map(|(mode, rows)| (mode.to_owned(), by(rows, seed)))
            .collect()
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
        tags: grouped(by_tag),
        languages: grouped(by_language),
    }
}

/// Compares two sets of rows, each in one mode, paired by query id: first minus second.
pub fn compare(first: &[Row], second: &[Row], seed: u64) -> Ordered<Comparison> {
    compare_rows(
        &first.iter().collect::<Vec<_>>(),
        &second.iter().collect::<Vec<_>>(),
        seed,
    )
}

/// `None` where no question has candidates in both modes, as in logs that do not hold them.
fn same_candidates(first: &[&Row], second: &[&Row]) -> Option<SameCandidates> {
    let pairs = pairs_of(first, second);
    let known = |row: &Row| !row.candidates_key.is_empty();
    let of = pairs.values().filter(|(a, b)| known(a) && known(b));
    let mut out = SameCandidates::default();
    for (a, b) in of {
        out.of += 1;
        out.same += usize::from(a.candidates_key == b.candidates_key);
    }
    (out.of > 0).then_some(out)
}

fn mode_summary(rows: &[&Row], seed: u64) -> ModeSummary {
    metrics::keys()
        .into_iter()
        .map(|key| (key.clone(), metric_summary(rows, &key, seed)))
        .collect()
}

/// One metric over rows of one mode.
pub(crate) fn metric_summary(rows: &[&Row], key: &str, seed: u64) -> MetricSummary {
    let mut out = MetricSummary::default();
    let mut observed: Vec<Observation<'_>> = Vec::new();
    for row in rows {
        match row.scores.get(key) {
            Some(Score::Value(value)) if value.is_finite() => {
                observed.push(Observation {
                    cluster: row.cluster(),
                    value: *value,
                });
            }
            Some(Score::NotApplicable(_)) => out.n_a += 1,
            // A row without the metric is a row that was not scored: never dropped from the count.
            _ => out.errors += 1,
        }
    }
    out.n = observed.len();
    if observed.is_empty() {
        return out;
    }
    observed.sort_by(|a, b| a.value.total_cmp(&b.value));
    out.mean = Some(observed.iter().map(|o| o.value).sum::<f64>() / out.n as f64);
    let interval = if is_rate(key) {
        wilson(observed.iter().filter(|o| o.value > 0.5).count(), out.n)
    } else {
        bootstrap_mean(&observed, (0.0, 1.0), seed_of(seed, key))
    };
    out.ci_low = interval.map(|i| i.low);
    out.ci_high = interval.map(|i| i.high);
    out.interval = interval.map(|i| i.method);
    out
}

fn is_rate(key: &str) -> bool {
    metrics::find(key).is_some_and(|(metric, _)| metric.kind == Kind::Rate)
}

fn abstention(rows: &[&Row]) -> Abstention {
    Abstention::count(rows.iter().map(|row| match row.no_evidence {
        Some(refused) if row.error.is_none() => Ok((refused, row.expected_no_evidence)),
        _ => Err(()),
    }))
}

/// Rows of the same query, by its id.
pub(crate) type Pairs<'a> = BTreeMap<&'a str, (&'a Row, &'a Row)>;

/// Pairs the rows of two modes by query; a query that only one of them has is left out.
pub(crate) fn pairs_of<'a>(first: &[&'a Row], second: &[&'a Row]) -> Pairs<'a> {
    let by_query: BTreeMap<&str, &Row> = second.iter().map(|row| (row.query_id.as_str(), *row)).collect();
    first
        .iter()
        .filter_map(|row| {
            by_query
                .get(row.query_id.as_str())
                .map(|other| (row.query_id.as_str(), (*row, *other)))
        })
        .collect()
}

fn compare_rows(first: &[&Row], second: &[&Row], seed: u64) -> Ordered<Comparison> {
    let pairs = pairs_of(first, second);
    metrics::keys()
        .into_iter()
        .map(|key| (key.clone(), comparison(&pairs, &key, seed)))
        .collect()
}

/// One metric, first of each pair minus second.
pub(crate) fn comparison(pairs: &Pairs<'_>, key: &str, seed: u64) -> Comparison {
    let differences: Vec<Observation<'_>> = pairs
        .iter()
        .filter_map(|(_, (a, b))| {
            Some(Observation {
                cluster: a.cluster(),
                value: a.value(key)? - b.value(key)?,
            })
        })
        .collect();
    let values: Vec<f64> = differences.iter().map(|d| d.value).collect();
    let mut out = Comparison {
        n_pairs: values.len(),
        wins: values.iter().filter(|d| **d > 0.0).count(),
        losses: values.iter().filter(|d| **d < 0.0).count(),
        ..Comparison::default()
    };
    let seed = seed_of(seed, key);
    let p;
    (p, out.test) = if is_rate(key) {
        (mcnemar_exact(out.wins, out.losses), "mcnemar_exact".to_owned())
    } else {
        let tested = paired_randomisation(&values, seed);
        let how = if tested.exact { "exact" } else { "sampled" };
        (tested.p, format!("paired_randomisation_{how}"))
    };
    if values.is_empty() {
        return out;
    }
    out.p = Some(p);
    out.delta = Some(values.iter().sum::<f64>() / values.len() as f64);
    let interval = bootstrap_mean(&differences, (-1.0, 1.0), seed);
    out.ci_low = interval.map(|i| i.low);
    out.ci_high = interval.map(|i| i.high);
    out
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
