//! Balanced accuracy, paired.
//!
//! The plain accuracy of a system that always answers is the share of answerable questions, and a careful
//! system can stay below it. Here each kind of question weighs one half: such a system gets 0.5.

use crate::estimate::{Observation, Pair, Statistic, compare};
use crate::metrics::Range;
use crate::{Comparison, MetricSummary, Row};

/// The metric that says whether answering or refusing was right.
const RIGHT: &str = "no_evidence_accuracy";

/// Balanced accuracy of the first and the second of each pair, and their difference. Without rows of both
/// kinds there is no number.
pub(super) fn balanced(pairs: &[(&Row, &Row)], seed: u64) -> (MetricSummary, MetricSummary, Comparison) {
    let decided = pairs.iter().filter_map(|(first, second)| {
        Some(Pair {
            cluster: first.cluster(),
            unanswerable: first.expected_no_evidence?,
            first: first.value(RIGHT)?,
            second: second.value(RIGHT)?,
        })
    });
    let decided: Vec<Pair<'_>> = decided.collect();
    let of_kind = |kind: bool| decided.iter().any(|pair| pair.unanswerable == kind);
    if !of_kind(false) || !of_kind(true) {
        let n = decided.len();
        let none = MetricSummary {
            n,
            ..MetricSummary::default()
        };
        let untested = Comparison {
            n_pairs: n,
            ..Comparison::default()
        };
        return (none.clone(), none, untested);
    }
    let summary = |value: fn(&Pair<'_>) -> f64| {
        let observed = decided.iter().map(|pair| Observation {
            cluster: pair.cluster,
            unanswerable: pair.unanswerable,
            value: value(pair),
        });
        MetricSummary::of(
            &observed.collect::<Vec<_>>(),
            Statistic::Balanced,
            Range::UNIT,
            seed,
        )
    };
    (
        summary(|pair| pair.first),
        summary(|pair| pair.second),
        compare(&decided, Statistic::Balanced, Range::UNIT, seed),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paired::pairs_of;
    use crate::{Ordered, Score};

    fn rows(right: &[(bool, bool)]) -> Vec<Row> {
        right
            .iter()
            .enumerate()
            .map(|(at, (unanswerable, right))| {
                let mut scores = Ordered::default();
                scores.insert(RIGHT, Score::flag(*right));
                Row {
                    query_id: at.to_string(),
                    expected_no_evidence: Some(*unanswerable),
                    scores,
                    ..Row::default()
                }
            })
            .collect()
    }

    fn compared(
        first: &[(bool, bool)],
        second: &[(bool, bool)],
    ) -> (MetricSummary, MetricSummary, Comparison) {
        let (first, second) = (rows(first), rows(second));
        balanced(&pairs_of(&first, &second), 1)
    }

    #[test]
    fn each_kind_weighs_one_half() {
        // 8 answerable of which 6 are answered, 2 unanswerable, both refused: (0.75 + 1) / 2.
        let mut ours = vec![(false, true); 6];
        ours.extend([(false, false), (false, false), (true, true), (true, true)]);
        let mut always = vec![(false, true); 8];
        always.extend([(true, false), (true, false)]);
        let (first, second, difference) = compared(&ours, &always);
        assert!((first.mean.expect("both kinds") - 0.875).abs() < 1e-12);
        assert!((second.mean.expect("both kinds") - 0.5).abs() < 1e-12);
        assert!((difference.delta.expect("both kinds") - 0.375).abs() < 1e-12);
        // Weighted differences: -0.625 twice, 2.5 twice; their sum is 3.75. Of the 16 sign assignments those
        // in which the two large ones agree reach it: 3.75, 5, 5 and 6.25 on either side.
        assert_eq!(difference.p, Some(8.0 / 16.0));
        assert_eq!((difference.wins, difference.losses), (2, 2));
        for summary in [first, second] {
            let (mean, low, high) = (summary.mean, summary.ci_low, summary.ci_high);
            assert!(low < mean && mean < high, "{low:?} {mean:?} {high:?}");
        }
    }

    #[test]
    fn one_kind_alone_has_no_balance() {
        let (first, _, difference) = compared(&[(false, true); 4], &[(false, false); 4]);
        assert_eq!((first.mean, difference.delta, difference.p), (None, None, None));
        assert_eq!(difference.n_pairs, 4);
    }
}
