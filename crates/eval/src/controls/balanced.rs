//! Balanced accuracy, paired.
//!
//! The plain accuracy of a system that always answers is the share of answerable questions, and a careful
//! system can stay below it. Here each kind of question weighs one half: such a system gets 0.5.

use crate::comparison::{Comparison, Pairs};
use crate::metric_summary::MetricSummary;
use crate::stats::{Observation, bootstrap_mean, paired_randomisation, wilson};

/// Balanced accuracy of the first and the second of each pair, and their difference. Without rows of both
/// kinds there is no number.
///
/// The intervals of the two are made of Wilson's for either share (Newcombe 1998, as for a difference); the
/// difference is tested by paired randomisation of the weighted differences.
pub(super) fn balanced(pairs: &Pairs<'_>, seed: u64) -> (MetricSummary, MetricSummary, Comparison) {
    let rows: Vec<Decided<'_>> = pairs
        .iter()
        .filter_map(|(_, (first, second))| {
            Some(Decided {
                cluster: first.cluster(),
                unanswerable: first.expected_no_evidence?,
                first: first.value(RIGHT)?,
                second: second.value(RIGHT)?,
            })
        })
        .collect();
    let first = share(&rows, |row| row.first);
    let second = share(&rows, |row| row.second);
    let mut difference = Comparison {
        n_pairs: rows.len(),
        wins: rows.iter().filter(|row| row.first > row.second).count(),
        losses: rows.iter().filter(|row| row.first < row.second).count(),
        test: "paired_randomisation_exact".to_owned(),
        ..Comparison::default()
    };
    let (Some(a), Some(b)) = (first.mean, second.mean) else {
        return (first, second, difference);
    };
    let of_kind = |kind: bool| rows.iter().filter(|row| row.unanswerable == kind).count() as f64;
    let (answerable, unanswerable) = (of_kind(false), of_kind(true));
    let weighted: Vec<Observation<'_>> = rows
        .iter()
        .map(|row| {
            let own = if row.unanswerable {
                unanswerable
            } else {
                answerable
            };
            Observation {
                cluster: row.cluster,
                value: (row.first - row.second) * rows.len() as f64 / (2.0 * own),
            }
        })
        .collect();
    let values: Vec<f64> = weighted.iter().map(|w| w.value).collect();
    let tested = paired_randomisation(&values, seed);
    if !tested.exact {
        "paired_randomisation_sampled".clone_into(&mut difference.test);
    }
    let interval = bootstrap_mean(&weighted, (-1.0, 1.0), seed);
    difference.delta = Some(a - b);
    difference.p = Some(tested.p);
    difference.ci_low = interval.map(|i| i.low);
    difference.ci_high = interval.map(|i| i.high);
    (first, second, difference)
}

/// The metric that says whether answering or refusing was right.
const RIGHT: &str = "no_evidence_accuracy";

/// One question, decided twice.
struct Decided<'a> {
    cluster: &'a str,
    unanswerable: bool,
    first: f64,
    second: f64,
}

fn share(rows: &[Decided<'_>], value: impl Fn(&Decided<'_>) -> f64) -> MetricSummary {
    let mut out = MetricSummary {
        n: rows.len(),
        ..MetricSummary::default()
    };
    let of_kind = |kind: bool| {
        let of_kind = || rows.iter().filter(|row| row.unanswerable == kind);
        let (right, n) = (
            of_kind().filter(|row| value(row) > 0.5).count(),
            of_kind().count(),
        );
        wilson(right, n).map(|interval| (right as f64 / n as f64, interval))
    };
    if let (Some((answered, a)), Some((refused, r))) = (of_kind(false), of_kind(true)) {
        let mean = f64::midpoint(answered, refused);
        let reach = |a: f64, r: f64| a.hypot(r) / 2.0;
        out.mean = Some(mean);
        out.ci_low = Some((mean - reach(answered - a.low, refused - r.low)).max(0.0));
        out.ci_high = Some((mean + reach(a.high - answered, r.high - refused)).min(1.0));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::pairs_of;
    use crate::{Ordered, Row, Score};

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
        let pairs = pairs_of(
            &first.iter().collect::<Vec<_>>(),
            &second.iter().collect::<Vec<_>>(),
        );
        balanced(&pairs, 1)
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
