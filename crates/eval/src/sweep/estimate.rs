//! Means with intervals, and a paired test of two lists of values, by the papers that questions share.
//!
//! Questions about one paper share their chance: they are resampled together, and the test exchanges the two lists for all of
//! them or for none. A question belongs to its first paper; one without a paper stands for itself.

use super::Asked;
use super::measure::{Measure, Totals};
use crate::stats::{Draws, EXACT_PAIRS, SAMPLED_FLIPS, percentile_interval};
use crate::{Comparison, MetricSummary, seed_of};
use std::collections::BTreeMap;

/// Resamples of an interval.
const RESAMPLES: usize = 2_000;

/// One value for each question; `None` where there is none.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    /// The questions.
    pub questions: &'a [Asked],
    /// Their values.
    pub values: &'a [Option<f64>],
}

impl<'a> Values<'a> {
    fn known(self) -> impl Iterator<Item = (&'a Asked, f64)> {
        let pairs = self.questions.iter().zip(self.values);
        pairs.filter_map(|(question, value)| Some((question, (*value)?)))
    }

    /// The mean over the questions for which `of` holds; `None` if none of them has a value.
    pub fn mean(self, measure: &Measure, of: impl Fn(usize) -> bool) -> Option<f64> {
        let mut totals = Totals::default();
        for (at, (question, value)) in self.questions.iter().zip(self.values).enumerate() {
            if let Some(value) = value.filter(|_| of(at)) {
                totals.add(question.unanswerable, value);
            }
        }
        measure.mean(&totals)
    }
}

/// The mean with its 95 % interval: a bootstrap over papers, with percentiles further out for few papers. `n_a` counts the
/// questions without a value.
pub fn summarise(values: Values<'_>, measure: &Measure, seed: u64) -> MetricSummary {
    let mut clusters: BTreeMap<(bool, &str), Totals> = BTreeMap::new();
    let mut n = 0;
    for (question, value) in values.known() {
        let totals = clusters.entry(question.cluster()).or_default();
        totals.add(question.unanswerable, value);
        n += 1;
    }
    let mut out = MetricSummary {
        n,
        n_a: values.questions.len() - n,
        ..MetricSummary::default()
    };
    let clusters: Vec<[Totals; 1]> = clusters.into_values().map(|totals| [totals]).collect();
    let Some(mean) = measure.mean(&sum(clusters.iter())[0]) else {
        return out;
    };
    let resampled = resampled(
        &clusters,
        measure,
        seed_of(seed, &measure.key()),
        |means: [f64; 1]| means[0],
    );
    let interval = percentile_interval(&resampled, mean, clusters.len(), measure.range().bounds());
    out.mean = Some(mean);
    out.ci_low = interval.map(|i| i.low);
    out.ci_high = interval.map(|i| i.high);
    out.interval = interval.map(|i| i.method);
    out
}

/// First minus second over the questions that have a value in both: difference of the means, its interval, and a two-sided
/// paired randomisation test.
pub fn compare(first: Values<'_>, second: &[Option<f64>], measure: &Measure, seed: u64) -> Comparison {
    let mut out = Comparison {
        test: "paired_randomisation_exact".to_owned(),
        ..Comparison::default()
    };
    for (a, b) in first.values.iter().zip(second) {
        let (Some(a), Some(b)) = (a, b) else { continue };
        out.n_pairs += 1;
        out.wins += usize::from(a > b);
        out.losses += usize::from(a < b);
    }
    let clusters = paired(first, second);
    let seed = seed_of(seed, &measure.key());
    let Some(tested) = tested(&clusters, measure, seed) else {
        return out;
    };
    if !tested.exact {
        "paired_randomisation_sampled".clone_into(&mut out.test);
    }
    let resampled = resampled(&clusters, measure, seed, |[a, b]: [f64; 2]| a - b);
    let bounds = measure.range().difference();
    let interval = percentile_interval(&resampled, tested.delta, clusters.len(), bounds);
    out.delta = Some(tested.delta);
    out.p = Some(tested.p);
    out.ci_low = interval.map(|i| i.low);
    out.ci_high = interval.map(|i| i.high);
    out
}

/// The totals of both lists by paper, over the questions that have a value in both.
pub(super) fn paired(first: Values<'_>, second: &[Option<f64>]) -> Vec<[Totals; 2]> {
    let mut clusters: BTreeMap<(bool, &str), [Totals; 2]> = BTreeMap::new();
    for ((question, a), b) in first.questions.iter().zip(first.values).zip(second) {
        let (Some(a), Some(b)) = (a, b) else { continue };
        let [own, other] = clusters.entry(question.cluster()).or_default();
        own.add(question.unanswerable, *a);
        other.add(question.unanswerable, *b);
    }
    clusters.into_values().collect()
}

/// The outcome of a paired randomisation test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tested {
    /// Difference of the means.
    pub(super) delta: f64,
    /// The share of exchanges of the two lists, cluster by cluster, that bring their means at least as far apart.
    pub(super) p: f64,
    /// Whether all exchanges were counted.
    exact: bool,
}

/// Tests whether exchanging the two lists would matter; `None` without pairs.
pub(super) fn tested(clusters: &[[Totals; 2]], measure: &Measure, seed: u64) -> Option<Tested> {
    let delta = difference(&sum(clusters.iter()), measure)?;
    let (moving, fixed): (Vec<_>, Vec<_>) = clusters.iter().partition(|[a, b]| {
        // Values that cancel out within a paper leave rounding behind, which is no difference.
        a.sum.iter().zip(b.sum).any(|(a, b)| (a - b).abs() > 1e-12)
    });
    let fixed = sum(fixed.into_iter());
    let reach = delta.abs() - 1e-9;
    let extreme = |totals: &[Totals; 2]| difference(totals, measure).is_some_and(|d| d.abs() >= reach);
    if moving.len() <= EXACT_PAIRS {
        let all = 1_u64 << moving.len();
        let p = count(&moving, fixed, &extreme) as f64 / all as f64;
        return Some(Tested {
            delta,
            p,
            exact: true,
        });
    }
    let mut draws = Draws::new(seed);
    let mut flipped = || {
        let (mut totals, mut bits) = (fixed, 0);
        for (at, cluster) in moving.iter().enumerate() {
            if at % 64 == 0 {
                bits = draws.random_bits();
            }
            exchange(&mut totals, cluster, bits & 1 == 1);
            bits >>= 1;
        }
        totals
    };
    let hits = (0..SAMPLED_FLIPS).filter(|_| extreme(&flipped())).count();
    let p = (hits + 1) as f64 / (SAMPLED_FLIPS + 1) as f64;
    Some(Tested {
        delta,
        p,
        exact: false,
    })
}

fn sum<'a, const N: usize>(clusters: impl Iterator<Item = &'a [Totals; N]>) -> [Totals; N] {
    let mut out = [Totals::default(); N];
    for cluster in clusters {
        for (total, own) in out.iter_mut().zip(cluster) {
            total.join(own);
        }
    }
    out
}

fn difference([a, b]: &[Totals; 2], measure: &Measure) -> Option<f64> {
    Some(measure.mean(a)? - measure.mean(b)?)
}

/// A number of the means on resamples of the clusters. A resample that lacks a kind of question which the whole has is
/// drawn again, a few times: its mean would be of something else.
fn resampled<const N: usize>(
    clusters: &[[Totals; N]],
    measure: &Measure,
    seed: u64,
    number: impl Fn([f64; N]) -> f64,
) -> Vec<f64> {
    const TRIES: usize = 20;
    let whole = sum(clusters.iter());
    let kinds = |totals: &[Totals; N]| totals.map(|totals| totals.n.map(|n| n > 0.0));
    let mut draws = Draws::new(seed);
    let mut one = || {
        let drawn = sum((0..clusters.len()).filter_map(|_| clusters.get(draws.below(clusters.len()))));
        if kinds(&drawn) != kinds(&whole) {
            return None;
        }
        let mut means = [0.0; N];
        for (mean, totals) in means.iter_mut().zip(&drawn) {
            *mean = measure.mean(totals)?;
        }
        Some(number(means))
    };
    (0..RESAMPLES)
        .filter_map(|_| (0..TRIES).find_map(|_| one()))
        .collect()
}

/// Assignments of the clusters that are extreme. Depth is bounded by [`EXACT_PAIRS`].
fn count(rest: &[&[Totals; 2]], so_far: [Totals; 2], extreme: &impl Fn(&[Totals; 2]) -> bool) -> u64 {
    let Some((cluster, rest)) = rest.split_first() else {
        return u64::from(extreme(&so_far));
    };
    [false, true]
        .into_iter()
        .map(|flip| {
            let mut totals = so_far;
            exchange(&mut totals, cluster, flip);
            count(rest, totals, extreme)
        })
        .sum()
}

fn exchange(totals: &mut [Totals; 2], [a, b]: &[Totals; 2], flip: bool) {
    let (first, second) = if flip { (b, a) } else { (a, b) };
    totals[0].join(first);
    totals[1].join(second);
}

#[cfg(test)]
mod tests {
    use super::super::folds::tests::asked;
    use super::*;
    use crate::stats::{IntervalMethod, paired_randomisation};
    use proptest::prelude::*;

    fn alone(values: &[f64]) -> (Vec<Asked>, Vec<Option<f64>>) {
        let questions = (0..values.len()).map(|id| asked(id, false, &[])).collect();
        (questions, values.iter().copied().map(Some).collect())
    }

    fn mean() -> Measure {
        Measure::find("gold_recall_answer").expect("known")
    }

    #[test]
    fn for_a_plain_mean_the_test_is_the_usual_one() {
        let first = [0.9, 0.4, 0.7, 0.2, 0.5, 0.8, 1.0, 0.3];
        let second = [0.5, 0.5, 0.5, 0.1, 0.5, 0.2, 0.9, 0.4];
        let (questions, a) = alone(&first);
        let (_, b) = alone(&second);
        let values = Values {
            questions: &questions,
            values: &a,
        };
        let found = compare(values, &b, &mean(), 1);
        let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
        let usual = paired_randomisation(&differences, 1);
        assert_eq!((found.p, found.wins, found.losses), (Some(usual.p), 5, 2));
        assert!((found.delta.expect("pairs") - 1.2 / 8.0).abs() < 1e-12);
        let (low, high) = (found.ci_low.expect("an end"), found.ci_high.expect("an end"));
        assert!(low < 0.15 && 0.15 < high, "{low} {high}");
    }

    #[test]
    fn questions_of_a_paper_are_exchanged_together() {
        let compared = |papers: &[&str]| {
            let questions: Vec<Asked> = (0..6).map(|id| asked(id, false, &[papers[id]])).collect();
            let values = Values {
                questions: &questions,
                values: &[Some(1.0); 6],
            };
            compare(values, &[Some(0.0); 6], &mean(), 1).p
        };
        assert_eq!(compared(&["a", "b", "c", "d", "e", "f"]), Some(2.0 / 64.0));
        assert_eq!(compared(&["a", "a", "a", "b", "b", "b"]), Some(0.5));
    }

    #[test]
    fn balanced_evidence_exchanges_both_kinds() {
        // Answerable: 1 against 0 twice; unanswerable: 1 and 1. Means 1 and 0; exchanging one of the two gives 2/3 and 2/3.
        let questions = [
            asked(0, false, &[]),
            asked(1, false, &[]),
            asked(2, true, &[]),
            asked(3, true, &[]),
        ];
        let values = Values {
            questions: &questions,
            values: &[Some(1.0); 4],
        };
        let second = [Some(0.0), Some(0.0), Some(1.0), Some(1.0)];
        let found = compare(values, &second, &Measure::BalancedEvidence, 1);
        assert_eq!((found.delta, found.p), (Some(1.0), Some(0.5)));
    }

    #[test]
    fn a_missing_value_is_counted_and_not_averaged() {
        let (questions, mut values) = alone(&[1.0, 0.0, 0.5]);
        values[2] = None;
        let found = summarise(
            Values {
                questions: &questions,
                values: &values,
            },
            &mean(),
            1,
        );
        assert_eq!((found.mean, found.n, found.n_a), (Some(0.5), 2, 1));
        let none = summarise(
            Values {
                questions: &questions,
                values: &[None; 3],
            },
            &mean(),
            1,
        );
        assert_eq!((none.mean, none.ci_low, none.n), (None, None, 0));
        let all = summarise(
            Values {
                questions: &questions,
                values: &[Some(1.0); 3],
            },
            &mean(),
            1,
        );
        assert_eq!(all.interval, Some(IntervalMethod::Constant));
        assert!(all.ci_low < Some(1.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn the_order_of_the_lists_changes_the_sign_alone(
            rows in prop::collection::vec((any::<bool>(), 0usize..8, 0.0f64..=1.0, 0.0f64..=1.0), 1..24),
            seed: u64,
        ) {
            let questions: Vec<Asked> = rows.iter().enumerate()
                .map(|(id, (unanswerable, paper, _, _))| asked(id, *unanswerable, &[&paper.to_string()])).collect();
            let a: Vec<_> = rows.iter().map(|row| Some(row.2)).collect();
            let b: Vec<_> = rows.iter().map(|row| Some(row.3)).collect();
            for measure in [mean(), Measure::BalancedAccuracy, Measure::BalancedEvidence] {
                let one = compare(Values { questions: &questions, values: &a }, &b, &measure, seed);
                let other = compare(Values { questions: &questions, values: &b }, &a, &measure, seed);
                let value = |v: Option<f64>| v.expect("pairs");
                prop_assert!((value(one.delta) + value(other.delta)).abs() < 1e-12);
                prop_assert!((value(one.p) - value(other.p)).abs() < 1e-12 && value(one.p) > 0.0 && value(one.p) <= 1.0);
                prop_assert!(value(one.ci_low) <= value(one.delta) && value(one.delta) <= value(one.ci_high));
            }
        }
    }
}
