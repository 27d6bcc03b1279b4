//! The measures of a ranking.

use super::{Grades, Ranking};
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
            Self::Mrr10 => relevant()
                .take(10)
                .position(|hit| hit)
                .map_or(0.0, |at| 1.0 / (at + 1) as f64),
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
    gains
        .enumerate()
        .map(|(at, gain)| gain / ((at + 2) as f64).log2())
        .sum()
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grades(pairs: &[(&str, i32)]) -> Grades {
        pairs
            .iter()
            .map(|(id, grade)| ((*id).to_owned(), *grade))
            .collect()
    }

    fn ranked(ids: &[&str]) -> Ranking {
        Ranking::in_order(ids.iter().map(|id| (*id).to_owned()).collect(), 1000).expect("a ranking")
    }

    #[track_caller]
    fn check(measure: Measure, ids: &[&str], judged: &[(&str, i32)], expect: f64) {
        let found = measure.value(&ranked(ids), &grades(judged));
        assert!(
            (found - expect).abs() < 1e-9,
            "{measure}: {found} instead of {expect}"
        );
    }

    #[test]
    fn values_worked_by_hand() {
        // Ranks 1 to 4: grade 0, 2, none, 1. DCG = 2/log2(3) + 1/log2(5) = 1.261860 + 0.430677 = 1.692536.
        // Ideal: 3, 2, 1 at ranks 1 to 3: 3 + 2/log2(3) + 1/log2(4) = 3 + 1.261860 + 0.5 = 4.761860.
        let judged = [("a", 0), ("b", 2), ("d", 1), ("e", 3), ("f", -2)];
        let ids = ["a", "b", "c", "d", "f"];
        check(
            Measure::Ndcg10,
            &ids,
            &judged,
            1.692_536_065_216 / 4.761_859_507_143,
        );
        check(Measure::Recall10, &ids, &judged, 2.0 / 3.0);
        check(Measure::Recall100, &ids, &judged, 2.0 / 3.0);
        // (1/2 + 2/4) / 3
        check(Measure::Map, &ids, &judged, 1.0 / 3.0);
        check(Measure::Mrr10, &ids, &judged, 0.5);
        check(Measure::Precision10, &ids, &judged, 0.2);
    }

    #[test]
    fn measures_stop_at_their_depth() {
        let ids: Vec<String> = (0..120).map(|at| format!("d{at:03}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let judged = [("d010", 1), ("d050", 1), ("d100", 1), ("d119", 1)];
        check(Measure::Ndcg10, &ids, &judged, 0.0);
        check(Measure::Recall10, &ids, &judged, 0.0);
        check(Measure::Mrr10, &ids, &judged, 0.0);
        check(Measure::Precision10, &ids, &judged, 0.0);
        check(Measure::Recall100, &ids, &judged, 0.5);
        let map = (1.0 / 11.0 + 2.0 / 51.0 + 3.0 / 101.0 + 4.0 / 120.0) / 4.0;
        check(Measure::Map, &ids, &judged, map);
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
}
