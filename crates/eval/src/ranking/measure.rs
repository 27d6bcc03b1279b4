//! The measures of a ranking.

use super::{Grades, Ranking};
use crate::paired::Paired;
use strum::VariantArray as _;

/// A measure of one ranking, in `0..=1`, higher is better.
#[derive(strum::IntoStaticStr, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Normalised discounted cumulative gain of the first 10: gain is the grade, discount log2(rank + 1), the ideal
    /// that of all judged documents (trec_eval `ndcg_cut_10`; Järvelin and Kekäläinen 2002 with the later discount).
    #[strum(serialize = "ndcg@10")]
    Ndcg10,
    /// Share of the relevant documents among the first 10 (`recall_10`).
    #[strum(serialize = "recall@10")]
    Recall10,
    /// Share of the relevant documents among the first 100 (`recall_100`).
    #[strum(serialize = "recall@100")]
    Recall100,
    /// Average precision: the precision at each relevant document, summed and divided by the number of relevant
    /// documents (`map`). The ranking ends where the system ended it.
    Map,
    /// One over the rank of the first relevant document, 0 beyond rank 10 (`recip_rank` of the first 10).
    #[strum(serialize = "mrr@10")]
    Mrr10,
    /// Share of relevant documents among the first 10 places, empty places included (`P_10`).
    #[strum(serialize = "precision@10")]
    Precision10,
}

impl Measure {
    /// Every measure, in the order of tables.
    pub const ALL: [Self; Self::VARIANTS.len()] = types::words::all(Self::VARIANTS);

    /// Its name in JSON, gates and tables.
    pub fn key(self) -> &'static str {
        self.into()
    }

    /// Its value for a ranking; 0 where `grades` have no relevant document.
    pub fn value(self, ranking: &Ranking, grades: &Grades) -> f64 {
        let all = grades.values().filter(|grade| **grade > 0).count();
        if all == 0 {
            return 0.0;
        }
        let relevant = || ranking.ids().map(|id| grade(grades, id) > 0);
        let among = |depth: usize| relevant().take(depth).filter(|hit| *hit).count() as f64;
        match self {
            Self::Ndcg10 => ndcg(ranking, grades, 10),
            Self::Recall10 => among(10) / all as f64,
            Self::Recall100 => among(100) / all as f64,
            Self::Map => average_precision(relevant(), all),
            Self::Mrr10 => relevant().take(10).position(|hit| hit).map_or(0.0, |at| 1.0 / (at + 1) as f64),
            Self::Precision10 => among(10) / 10.0,
        }
    }
}

/// The grade of a document, 0 if it has none.
fn grade(grades: &Grades, id: &str) -> i32 {
    grades.get(id).copied().unwrap_or(0)
}

fn ndcg(ranking: &Ranking, grades: &Grades, depth: usize) -> f64 {
    let mut ideal: Vec<i32> = grades.values().copied().collect();
    ideal.sort_unstable_by(|left, right| right.cmp(left));
    let best = discounted_gain(ideal.into_iter().take(depth));
    discounted_gain(ranking.ids().take(depth).map(|id| grade(grades, id))) / best
}

/// The sum of gain / log2(rank + 1); a negative grade has no gain.
fn discounted_gain(grades: impl Iterator<Item = i32>) -> f64 {
    let gains = grades.map(|grade| f64::from(grade.max(0)));
    gains.enumerate().map(|(at, gain)| gain / ((at + 2) as f64).log2()).sum()
}

fn average_precision(relevant: impl Iterator<Item = bool>, all: usize) -> f64 {
    let (mut found, mut sum) = (0, 0.0);
    for (at, hit) in relevant.enumerate() {
        if hit {
            found += 1;
            sum += f64::from(found) / (at + 1) as f64;
        }
    }
    sum / all as f64
}

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

impl Paired for ScoredQuery {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paired::{compare, summarise};
    use proptest::prelude::*;

    const KEYS: [&str; 6] = ["ndcg@10", "recall@10", "recall@100", "map", "mrr@10", "precision@10"];

    fn grades(pairs: &[(&str, i32)]) -> Grades {
        pairs.iter().map(|(id, grade)| ((*id).to_owned(), *grade)).collect()
    }

    fn ranked(ids: &[&str]) -> Ranking {
        Ranking::in_order(ids.iter().map(|id| (*id).to_owned()).collect(), 1000).expect("a ranking")
    }

    #[track_caller]
    fn check(measure: Measure, ids: &[&str], judged: &[(&str, i32)], expect: f64) {
        let found = measure.value(&ranked(ids), &grades(judged));
        assert!((found - expect).abs() < 1e-9, "{measure}: {found} instead of {expect}");
    }

    #[test]
    fn nothing_returned_and_nothing_relevant_score_0() {
        for measure in Measure::ALL {
            check(measure, &[], &[("a", 1)], 0.0);
            check(measure, &["a"], &[("a", 0), ("b", -1)], 0.0);
            check(measure, &["a"], &[], 0.0);
        }
    }

    proptest! {
        #[test]
        fn every_value_is_a_share_and_the_ideal_order_is_best(
            judged in prop::collection::btree_map("[a-f]{1,2}", -1_i32..4, 1..40),
            returned in prop::collection::btree_set("[a-f]{1,2}", 0..40),
        ) {
            let ids: Vec<String> = returned.into_iter().collect();
            let ranking = Ranking::in_order(ids, 1000).expect("a ranking");
            let mut ideal: Vec<(String, i32)> = judged.clone().into_iter().collect();
            ideal.sort_by_key(|(_, grade)| std::cmp::Reverse(*grade));
            let any = ideal[0].1 > 0;
            let ideal = Ranking::in_order(ideal.into_iter().map(|(id, _)| id).collect(), 1000).expect("a ranking");
            for measure in Measure::ALL {
                let value = measure.value(&ranking, &judged);
                let best = measure.value(&ideal, &judged);
                prop_assert!((0.0..=1.0 + 1e-12).contains(&value), "{measure}: {value}");
                prop_assert!(value <= best + 1e-12, "{measure}: {value} above {best}");
            }
            let perfect = f64::from(u8::from(any));
            for measure in [Measure::Ndcg10, Measure::Map, Measure::Mrr10] {
                prop_assert!((measure.value(&ideal, &judged) - perfect).abs() < 1e-12, "{measure}");
            }
        }

        #[test]
        fn a_relevant_document_that_moves_up_costs_nothing(
            judged in prop::collection::btree_map("[a-f]{1,2}", 0_i32..3, 1..30),
            returned in prop::collection::btree_set("[a-f]{1,2}", 2..30),
        ) {
            let ids: Vec<String> = returned.into_iter().collect();
            let before = Ranking::in_order(ids.clone(), 1000).expect("a ranking");
            for at in 1..ids.len() {
                if grade(&judged, &ids[at]) <= grade(&judged, &ids[at - 1]) {
                    continue;
                }
                let mut ids = ids.clone();
                ids.swap(at - 1, at);
                let after = Ranking::in_order(ids, 1000).expect("a ranking");
                for measure in Measure::ALL {
                    let (old, new) = (measure.value(&before, &judged), measure.value(&after, &judged));
                    prop_assert!(new >= old - 1e-12, "{measure}: {new} below {old}");
                }
            }
        }
    }

    /// A query whose only relevant document is at this rank; 0 where it was not found.
    fn found_at(id: usize, rank: usize) -> ScoredQuery {
        let ids = (1..=10).map(|at| if at == rank { "r".to_owned() } else { format!("d{at}") });
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
        let summary = summarise(&queries, &KEYS, 3, 1);
        let mrr = summary.get("mrr@10").expect("a mean");
        let want = (1.0 + 0.5 + 0.0 + 0.25 + 1.0 + 0.0 + 0.1 + 1.0) / 8.0;
        assert!((mrr.mean.expect("a mean") - want).abs() < 1e-12, "{mrr:?}");
        assert_eq!((mrr.n, mrr.n_a, mrr.errors), (8, 3, 0));
        assert!(mrr.ci_low < mrr.mean && mrr.mean < mrr.ci_high, "{mrr:?}");
        assert_eq!(summarise(&queries, &KEYS, 3, 1), summary, "seeded");
        // All equal: still no zero width.
        let same: Vec<ScoredQuery> = (0..5).map(|id| found_at(id, 1)).collect();
        let equal = summarise(&same, &KEYS, 0, 1);
        assert!(equal.get("map").is_some_and(|map| map.ci_low < map.ci_high), "{equal:?}");
        assert_eq!(
            summarise(&same[..0], &KEYS, 2, 1).get("map").map(|map| (map.mean, map.n)),
            Some((None, 0))
        );
    }

    #[test]
    fn systems_are_compared_by_query() {
        let first: Vec<ScoredQuery> = (0..6).map(|id| found_at(id, 1)).collect();
        // Another order, and one query less.
        let second: Vec<ScoredQuery> = (1..6).rev().map(|id| found_at(id, 2)).collect();
        let compared = compare(&first, &second, &KEYS, 1);
        let mrr = compared.get("mrr@10").expect("compared");
        assert_eq!((mrr.n_pairs, mrr.wins, mrr.losses, mrr.delta), (5, 5, 0, Some(0.5)));
        // Both signs of five equal differences: 2 of 32 assignments.
        assert_eq!(mrr.p, Some(0.0625));
        assert_eq!(compared.get("recall@10").and_then(|r| r.p), Some(1.0));
    }
}
