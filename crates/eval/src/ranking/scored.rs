//! Scores of queries, their means with intervals, and paired tests between two systems.

use super::{Grades, Measure, Ranking};
use crate::paired::{self, Scored};
use crate::{Comparison, MetricSummary, Ordered};

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

impl Scored for ScoredQuery {
    fn id(&self) -> &str {
        &self.query_id
    }
    /// Queries of a benchmark share nothing.
    fn cluster(&self) -> &str {
        &self.query_id
    }
    fn value_of(&self, key: &str) -> Option<f64> {
        let measure = Measure::ALL.into_iter().find(|measure| measure.key() == key)?;
        Some(self.value(measure))
    }
}

/// The mean of each measure with its 95 % interval, a seeded bootstrap over queries. `left_out` queries could not be
/// scored and are counted as not applicable.
pub fn summarise(queries: &[ScoredQuery], left_out: usize, seed: u64) -> Ordered<MetricSummary> {
    paired::summarise(queries, &Measure::ALL.map(Measure::key), left_out, seed)
}

/// Each measure, first system minus second, over the queries that both have: mean difference, its interval, and a
/// paired randomisation test.
pub fn compare(first: &[ScoredQuery], second: &[impl Scored], seed: u64) -> Ordered<Comparison> {
    paired::compare(first, second, &Measure::ALL.map(Measure::key), seed)
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
    fn means_count_every_query() {
        let ranks = [1, 2, 0, 4, 1, 0, 10, 1];
        let queries: Vec<ScoredQuery> = (0..).zip(ranks).map(|(id, rank)| found_at(id, rank)).collect();
        let summary = summarise(&queries, 3, 1);
        let mrr = summary.get("mrr@10").expect("a mean");
        let want = (1.0 + 0.5 + 0.0 + 0.25 + 1.0 + 0.0 + 0.1 + 1.0) / 8.0;
        assert!((mrr.mean.expect("a mean") - want).abs() < 1e-12, "{mrr:?}");
        assert_eq!((mrr.n, mrr.n_a, mrr.errors), (8, 3, 0));
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
