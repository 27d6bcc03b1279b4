//! Two modes on the same queries: the difference of one metric, and the paired test of that difference.

use crate::hash::seed_of;
use crate::metrics::{self, Column, Kind};
use crate::stats::{Observation, bootstrap_mean, holm, mcnemar_exact, paired_randomisation};
use crate::{Ordered, Row};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A p below this separates.
pub const ALPHA: f64 = 0.05;

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
    /// p after Holm's correction over the family; `None` outside of it.
    #[serde(skip)]
    pub p_holm: Option<f64>,
    /// Whether the metric can differ and is of the final answer, so that it is in the family of tests.
    #[serde(skip)]
    pub in_family: bool,
    /// How many more questions of this kind would separate a difference of this size; `None` where that is not known.
    #[serde(skip)]
    pub questions_needed: Option<usize>,
}

impl Comparison {
    /// Whether the test separates the two, after the correction where there is a family of tests.
    pub fn separates(&self) -> bool {
        self.p_holm.or(self.p).is_some_and(|p| p < ALPHA)
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

pub(crate) fn compare_rows(first: &[&Row], second: &[&Row], seed: u64) -> Ordered<Comparison> {
    let pairs = pairs_of(first, second);
    let mut all: Vec<(String, Comparison)> = metrics::columns()
        .map(|column| {
            let mut found = comparison(&pairs, column, seed);
            found.in_family = !column.is_raw() && found.wins + found.losses > 0;
            (column.key(), found)
        })
        .collect();
    let tested: Vec<f64> = all
        .iter()
        .filter(|(_, c)| c.in_family)
        .filter_map(|(_, c)| c.p)
        .collect();
    let mut corrected = holm(&tested).into_iter();
    for (_, found) in all.iter_mut().filter(|(_, c)| c.in_family) {
        found.p_holm = found.p.and_then(|_| corrected.next());
    }
    all.into_iter().collect()
}

/// One metric, first of each pair minus second.
pub(crate) fn comparison(pairs: &Pairs<'_>, column: Column, seed: u64) -> Comparison {
    let (key, spec) = (column.key(), column.spec());
    let differences: Vec<Observation<'_>> = pairs
        .iter()
        .filter_map(|(_, (a, b))| {
            Some(Observation {
                cluster: a.cluster(),
                value: a.value(&key)? - b.value(&key)?,
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
    let seed = seed_of(seed, &key);
    let p;
    (p, out.test) = if spec.kind == Kind::Rate {
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
    let interval = bootstrap_mean(&differences, spec.range.difference(), seed);
    out.ci_low = interval.map(|i| i.low);
    out.ci_high = interval.map(|i| i.high);
    out
}
