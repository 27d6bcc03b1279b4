//! The ranking of documents, against expected ones with grades.

use super::{Direction, Metric, Need, Spec, View, documents};
use crate::Score;
use crate::ranking::{Measure, Ranking};

const SPEC: Spec = Spec { needs: &[Need::Expected, Need::Retrieved], ..Spec::SHARE };

/// Recall among the first ten.
pub(super) static RECALL_10: Metric =
    Metric::new(Spec { key: "recall@10", title: "Recall@10", ..SPEC }, |sample| {
        of_ranking(sample, Measure::Recall10)
    });

/// nDCG of the first ten.
pub(super) static NDCG_10: Metric =
    Metric::new(Spec { key: "ndcg@10", title: "nDCG@10", ..SPEC }, |sample| {
        of_ranking(sample, Measure::Ndcg10)
    });

/// Reciprocal rank within the first ten.
pub(super) static MRR_10: Metric =
    Metric::new(Spec { key: "mrr@10", title: "MRR@10", ..SPEC }, |sample| of_ranking(sample, Measure::Mrr10));

/// The recall of a perfect ranking.
pub(super) static RECALL_CEILING_10: Metric = Metric::new(
    Spec {
        key: "recall_ceiling@10",
        title: "Recall ceiling@10",
        direction: Direction::Neither,
        needs: &[Need::Expected],
        ..SPEC
    },
    |sample| {
        let relevant = sample.grades()?.len();
        Ok(relevant.min(10) as f64 / relevant as f64)
    },
);

fn of_ranking(sample: &View<'_>, measure: Measure) -> Result<f64, Score> {
    let grades = sample.grades()?;
    let retrieved: Vec<String> = sample.retrieved()?.into_iter().map(documents::key).collect();
    let count = retrieved.len();
    let ranking = Ranking::in_order(retrieved, count).map_err(|error| Score::Error(error.to_string()))?;
    // The gain of floating-point sums may exceed the ideal one by rounding.
    Ok(measure.value(&ranking, &grades).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::{check, check_n_a, expected, ranked};

    #[test]
    fn rankings_by_hand() {
        let row = ranked(&["x", "a.pdf", "b"], &["a", "b", "c"]);
        check(&RECALL_10, &row, 2.0 / 3.0);
        check(&MRR_10, &row, 0.5);
        let log = |rank: f64| 1.0 / (rank + 1.0_f64).log2();
        check(&NDCG_10, &row, (log(2.0) + log(3.0)) / (log(1.0) + log(2.0) + log(3.0)));
        for metric in [&RECALL_10, &MRR_10, &NDCG_10] {
            check(metric, &ranked(&[], &["a"]), 0.0);
            check_n_a(metric, &ranked(&["a"], &[]), "`expected`");
        }
    }

    #[test]
    fn the_ceiling_of_many_documents() {
        let ids: Vec<String> = (0..25).map(|at| format!("d{at}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        check(&RECALL_CEILING_10, &ranked(&[], &ids), 0.4);
        check(&RECALL_10, &ranked(&ids, &ids), 0.4);
        check(&RECALL_CEILING_10, &ranked(&[], &ids[..3]), 1.0);
    }

    #[test]
    fn grades_count() {
        let mut row = ranked(&["low", "high"], &[]);
        row.expected = Some(vec![expected("low", 1), expected("high", 2)]);
        let second = 1.0 / 3.0_f64.log2();
        check(&NDCG_10, &row, (1.0 + 2.0 * second) / (2.0 + second));
    }
}
