//! Scores of queries, their means with intervals, and paired tests between two systems.

use super::{Grades, Measure, Ranking};
use crate::hash::seed_of;
use crate::stats::{Observation, bootstrap_mean, paired_randomisation};
use crate::{Comparison, MetricSummary, Ordered};
use std::collections::BTreeMap;

/// Every measure of one query.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredQuery {
    /// The query.
    pub query_id: String,
    /// By measure, in the order of [`Measure::ALL`].
    values: [f64; Measure::ALL.len()],
    /// Documents returned.
    pub documents: usize,
    /// Documents judged relevant, returned or not.
    pub relevant: usize,
}

impl ScoredQuery {
    /// Scores one ranking.
    pub fn new(query_id: &str, ranking: &Ranking, grades: &Grades) -> Self {
        Self {
            query_id: query_id.to_owned(),
            values: Measure::ALL.map(|measure| measure.value(ranking, grades)),
            documents: ranking.len(),
            relevant: grades.values().filter(|grade| **grade > 0).count(),
        }
    }

    /// The value of a measure, 0 to 1.
    pub fn value(&self, measure: Measure) -> f64 {
        self.values[measure as usize]
    }
}

/// The mean of each measure with its 95 % interval, a seeded bootstrap over queries. `left_out` queries could not be
/// scored and are counted as not applicable.
pub fn summarise(queries: &[ScoredQuery], left_out: usize, seed: u64) -> Ordered<MetricSummary> {
    let summary = |measure: Measure| {
        let observed = observations(queries, |query| Some(query.value(measure)));
        let interval = bootstrap_mean(&observed, (0.0, 1.0), seed_of(seed, measure.key()));
        let count = observed.len();
        MetricSummary {
            mean: (count > 0).then(|| observed.iter().map(|o| o.value).sum::<f64>() / count as f64),
            ci_low: interval.map(|i| i.low),
            ci_high: interval.map(|i| i.high),
            n: count,
            n_a: left_out,
            errors: 0,
            interval: interval.map(|i| i.method),
        }
    };
    Measure::ALL
        .into_iter()
        .map(|measure| (measure.key().to_owned(), summary(measure)))
        .collect()
}

/// Each measure, first system minus second, over the queries that both have: mean difference, its interval, and a
/// paired randomisation test.
pub fn compare(first: &[ScoredQuery], second: &[ScoredQuery], seed: u64) -> Ordered<Comparison> {
    let others: BTreeMap<&str, &ScoredQuery> = second
        .iter()
        .map(|query| (query.query_id.as_str(), query))
        .collect();
    let comparison = |measure: Measure| {
        let differences = observations(first, |query| {
            let other = others.get(query.query_id.as_str())?;
            Some(query.value(measure) - other.value(measure))
        });
        let values: Vec<f64> = differences.iter().map(|d| d.value).collect();
        let seed = seed_of(seed, measure.key());
        let tested = paired_randomisation(&values, seed);
        let how = if tested.exact { "exact" } else { "sampled" };
        let interval = bootstrap_mean(&differences, (-1.0, 1.0), seed);
        let count = values.len();
        Comparison {
            delta: (count > 0).then(|| values.iter().sum::<f64>() / count as f64),
            p: (count > 0).then_some(tested.p),
            test: format!("paired_randomisation_{how}"),
            n_pairs: count,
            wins: values.iter().filter(|d| **d > 0.0).count(),
            losses: values.iter().filter(|d| **d < 0.0).count(),
            ci_low: interval.map(|i| i.low),
            ci_high: interval.map(|i| i.high),
        }
    };
    Measure::ALL
        .into_iter()
        .map(|measure| (measure.key().to_owned(), comparison(measure)))
        .collect()
}

fn observations(
    queries: &[ScoredQuery],
    value: impl Fn(&ScoredQuery) -> Option<f64>,
) -> Vec<Observation<'_>> {
    let each = queries.iter().filter_map(|query| {
        Some(Observation {
            cluster: &query.query_id,
            value: value(query)?,
        })
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A query whose only relevant document is at this rank; 0 where it was not found.
    fn found_at(id: usize, rank: usize) -> ScoredQuery {
        let ids = (1..=10).map(|at| {
            if at == rank {
                "r".to_owned()
            } else {
                format!("d{at}")
            }
        });
        let ranking = Ranking::in_order(ids.collect(), 100).expect("a ranking");
        let grades = Grades::from([("r".to_owned(), 1)]);
        ScoredQuery::new(&format!("q{id}"), &ranking, &grades)
    }

    #[test]
    fn measures_are_their_own_index() {
        for (at, measure) in Measure::ALL.into_iter().enumerate() {
            assert_eq!(measure as usize, at);
        }
    }

    #[test]
    fn means_count_every_query_and_have_an_interval() {
        let ranks = [1, 2, 0, 4, 1, 0, 10, 1];
        let queries: Vec<ScoredQuery> = (0..).zip(ranks).map(|(id, rank)| found_at(id, rank)).collect();
        let summary = summarise(&queries, 3, 1);
        let mrr = summary.get("mrr@10").expect("a mean");
        let want = (1.0 + 0.5 + 0.0 + 0.25 + 1.0 + 0.0 + 0.1 + 1.0) / 8.0;
        assert!((mrr.mean.expect("a mean") - want).abs() < 1e-12, "{mrr:?}");
        assert_eq!((mrr.n, mrr.n_a, mrr.errors), (8, 3, 0));
        assert!(mrr.ci_low < mrr.mean && mrr.mean < mrr.ci_high, "{mrr:?}");
        assert_eq!(summarise(&queries, 3, 1), summary, "seeded");
        // All equal: still no zero width.
        let same: Vec<ScoredQuery> = (0..5).map(|id| found_at(id, 1)).collect();
        let same = summarise(&same, 0, 1);
        assert!(
            same.get("map").is_some_and(|map| map.ci_low < map.ci_high),
            "{same:?}"
        );
        assert_eq!(
            summarise(&[], 2, 1).get("map").map(|map| (map.mean, map.n)),
            Some((None, 0))
        );
    }

    #[test]
    fn systems_are_compared_by_query() {
        let first: Vec<ScoredQuery> = (0..6).map(|id| found_at(id, 1)).collect();
        // Another order, and one query less.
        let second: Vec<ScoredQuery> = (1..6).rev().map(|id| found_at(id, 2)).collect();
        let compared = compare(&first, &second, 1);
        let mrr = compared.get("mrr@10").expect("compared");
        assert_eq!(
            (mrr.n_pairs, mrr.wins, mrr.losses, mrr.delta),
            (5, 5, 0, Some(0.5))
        );
        // Both signs of five equal differences: 2 of 32 assignments.
        assert_eq!(mrr.p, Some(0.0625));
        assert_eq!(compared.get("recall@10").and_then(|r| r.p), Some(1.0));
    }
}
