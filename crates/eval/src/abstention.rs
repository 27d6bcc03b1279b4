//! Refusing and answering against what the questions deserved, counted over the rows of a mode.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The 2×2 table of one mode, with what trivial systems reach on the same rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Abstention {
    /// Answerable and answered (rightly or not).
    pub answered_answerable: usize,
    /// Answerable, but refused: evidence was missed.
    pub refused_answerable: usize,
    /// Unanswerable, but answered: the refusal was missed.
    pub answered_unanswerable: usize,
    /// Unanswerable and refused.
    pub refused_unanswerable: usize,
    /// Rows in the table.
    pub n: usize,
    /// Rows without an expectation.
    pub n_a: usize,
    /// Rows without an answer.
    pub errors: usize,
    /// Share of rows on the diagonal; `None` without rows, as all shares here.
    pub accuracy: Option<f64>,
    /// Mean of the shares of answerable questions answered and of unanswerable ones refused: 0.5 for a system
    /// that decides without looking. `None` unless there are both kinds.
    #[serde(default)]
    pub balanced_accuracy: Option<f64>,
    /// Right refusals over all refusals.
    pub refusal_precision: Option<f64>,
    /// Right refusals over all unanswerable questions.
    pub refusal_recall: Option<f64>,
    /// The accuracy of a system that always answers.
    pub always_answer: Option<f64>,
    /// The accuracy of a system that always refuses.
    pub always_refuse: Option<f64>,
}

impl Abstention {
    /// Counts rows given as (refused, refusal expected); `Err` is a row without an answer, a missing
    /// expectation a row that is n/a.
    pub fn count(rows: impl IntoIterator<Item = Result<(bool, Option<bool>), ()>>) -> Self {
        let mut table = Self::default();
        for row in rows {
            match row {
                Err(()) => table.errors += 1,
                Ok((_, None)) => table.n_a += 1,
                Ok((false, Some(false))) => table.answered_answerable += 1,
                Ok((true, Some(false))) => table.refused_answerable += 1,
                Ok((false, Some(true))) => table.answered_unanswerable += 1,
                Ok((true, Some(true))) => table.refused_unanswerable += 1,
            }
        }
        let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        let answerable = table.answered_answerable + table.refused_answerable;
        let unanswerable = table.answered_unanswerable + table.refused_unanswerable;
        table.n = answerable + unanswerable;
        table.accuracy = share(table.answered_answerable + table.refused_unanswerable, table.n);
        table.balanced_accuracy = share(table.answered_answerable, answerable)
            .zip(share(table.refused_unanswerable, unanswerable))
            .map(|(answered, refused)| f64::midpoint(answered, refused));
        table.refusal_precision =
            share(table.refused_unanswerable, table.refused_unanswerable + table.refused_answerable);
        table.refusal_recall = share(table.refused_unanswerable, unanswerable);
        table.always_answer = share(answerable, table.n);
        table.always_refuse = share(unanswerable, table.n);
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_table_by_hand() {
        let rows = [
            Ok((false, Some(false))),
            Ok((false, Some(false))),
            Ok((false, Some(false))),
            Ok((true, Some(false))),
            Ok((false, Some(true))),
            Ok((true, Some(true))),
            Ok((true, None)),
            Err(()),
        ];
        let table = Abstention::count(rows);
        let counts = (
            table.answered_answerable,
            table.refused_answerable,
            table.answered_unanswerable,
            table.refused_unanswerable,
        );
        assert_eq!(counts, (3, 1, 1, 1));
        assert_eq!((table.n, table.n_a, table.errors), (6, 1, 1));
        let near = |got: Option<f64>, expect: f64| assert!((got.expect("has rows") - expect).abs() < 1e-12);
        near(table.accuracy, 4.0 / 6.0);
        // (3/4 + 1/2) / 2
        near(table.balanced_accuracy, 0.625);
        near(table.refusal_precision, 0.5);
        near(table.refusal_recall, 0.5);
        near(table.always_answer, 4.0 / 6.0);
        near(table.always_refuse, 2.0 / 6.0);
        assert_eq!(Abstention::count([]).accuracy, None);
    }

    proptest! {
        #[test]
        fn trivial_systems_sum_to_one(rows in prop::collection::vec((any::<bool>(), any::<bool>()), 1..40)) {
            let table = Abstention::count(rows.iter().map(|(refused, expected)| Ok((*refused, Some(*expected)))));
            let (answer, refuse) = (table.always_answer.expect("rows"), table.always_refuse.expect("rows"));
            prop_assert!((answer + refuse - 1.0).abs() < 1e-12);
            prop_assert_eq!(table.n, rows.len());
        }
    }
}
