//! Values from scipy and statsmodels, values by hand, and what must hold for any input.

use super::*;
use crate::stats::{Draws, Z95, student_975};
use proptest::prelude::*;

fn names(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("{at:03}")).collect()
}

/// An estimate of a mean; `cluster` names the cluster of each place.
fn mean(values: &[f64], cluster: impl Fn(usize) -> usize, seed: u64) -> MetricSummary {
    let names = names(values.len());
    let observed: Vec<Observation<'_>> = (values.iter().enumerate())
        .map(|(at, value)| Observation::new(&names[cluster(at)], *value))
        .collect();
    estimate(&observed, Statistic::Mean, Range::UNIT, seed)
}

fn ends(of: &MetricSummary) -> (f64, f64) {
    (of.ci_low.expect("bounded"), of.ci_high.expect("bounded"))
}

/// A comparison of values with those of a system without any, by the sign of each difference.
fn compared(differences: &[f64], cluster: impl Fn(usize) -> usize, seed: u64) -> Comparison {
    let names = names(differences.len());
    let pairs: Vec<Pair<'_>> = (differences.iter().enumerate())
        .map(|(at, difference)| Pair {
            cluster: &names[cluster(at)],
            unanswerable: false,
            first: difference.max(0.0),
            second: (-difference).max(0.0),
        })
        .collect();
    compare(&pairs, Statistic::Mean, Range::UNIT, seed)
}

fn discordant(wins: usize, losses: usize, ties: usize) -> Vec<f64> {
    [vec![1.0; wins], vec![-1.0; losses], vec![0.0; ties]].concat()
}

#[track_caller]
fn near(found: f64, expect: f64, tolerance: f64) {
    assert!((found - expect).abs() <= tolerance, "{found} instead of {expect}");
}

#[test]
fn the_bootstrap_is_close_to_scipy() {
    // scipy 1.17.1, n = len(x): bootstrap((x,), np.mean, method="BCa", n_resamples=400_000, random_state=1,
    // confidence_level=2 * norm.cdf(sqrt(n / (n - 1)) * t.ppf(0.975, n - 1)) - 1). The tolerance is 2.5 times the spread of an
    // end between runs of 10,000 resamples.
    let mut skewed = vec![1.0; 17];
    skewed.extend([0.5, 0.0, 0.25]);
    for (values, low, high) in [
        (vec![0.0, 0.5, 1.0, 1.0, 0.75, 0.25, 1.0, 0.5, 0.6, 0.9], 0.3600, 0.8600),
        (skewed, 0.6750, 0.9750),
        (
            vec![0.12, 0.18, 0.22, 0.05, 0.31, 0.27, 0.44, 0.08, 0.15, 0.2, 0.9, 0.13, 0.17, 0.29, 0.33],
            0.1800,
            0.4460,
        ),
    ] {
        let found = mean(&values, |at| at, 7);
        assert_eq!(found.interval, Some(IntervalMethod::BootstrapBca));
        near(ends(&found).0, low, 0.025);
        near(ends(&found).1, high, 0.025);
    }
}

#[test]
fn percentiles_by_hand() {
    // 1,001 values 0, 0.001, … 1: with very many clusters the ends are the 2.5 % and 97.5 % points.
    let values: Vec<f64> = (0..=1000).rev().map(|n| f64::from(n) / 1000.0).collect();
    let found = percentile_interval(&values, 0.5, 1_000_000, (0.0, 1.0)).expect("values");
    near(found.low, 0.025, 1e-4);
    near(found.high, 0.975, 1e-4);
    // scipy 1.17.1: norm.cdf(sqrt(9 / 8) * t.ppf(0.025, 8)) = 0.007226.
    let found = percentile_interval(&values, 0.5, 9, (0.0, 1.0)).expect("values");
    near(found.low, 0.007_226, 1e-5);
    let beside = percentile_interval(&[0.2, 0.3, 0.4], 0.6, 10, (0.0, 1.0)).expect("values");
    near(beside.high, 0.6, 1e-12);
    assert_eq!(percentile_interval(&[], 0.5, 3, (0.0, 1.0)), None);
}

#[test]
fn rates_have_wilsons_interval_and_clusters_widen_it() {
    let rate = |cluster: fn(usize) -> usize| {
        let values: Vec<f64> = (0..40).map(|at| f64::from(u8::from(at < 30))).collect();
        let found = mean(&values, cluster, 1);
        (ends(&found).0, ends(&found).1, found.interval.expect("bounded"))
    };
    // statsmodels 0.15.0: proportion_confint(30, 40, method="wilson")
    let (low, high, method) = rate(|at| at);
    near(low, 0.598_060_386, 1e-6);
    near(high, 0.858_128_814, 1e-6);
    assert_eq!(method, IntervalMethod::Wilson);
    // Ten papers of four questions, of which two have no and the others nearly all right answers.
    let (wide_low, wide_high, method) = rate(|at| at / 4);
    assert_eq!(method, IntervalMethod::WilsonClustered);
    assert!(wide_high - wide_low > 1.5 * (high - low), "{wide_low} {wide_high}");
    // Without a design effect: 40 questions of ten papers, evenly right, are worth 40 × (1.96 / 2.262)² = 30.03.
    let even: Vec<f64> = (0..40).map(|at| f64::from(u8::from(at % 4 != 0))).collect();
    let found = mean(&even, |at| at / 4, 1);
    let expect = wilson_of(0.75, 40.0 * (Z95 / student_975(9)).powi(2));
    near(ends(&found).0, expect.0, 1e-9);
    // One paper is one observation.
    near(ends(&mean(&[1.0; 50], |_| 0, 1)).0, 0.206_549, 1e-6);
}

#[test]
fn equal_values_keep_a_width_over_clusters() {
    let found = mean(&[0.5; 12], |at| at / 4, 1);
    let q = Z95 * Z95 / (3.0 + Z95 * Z95);
    near(ends(&found).0, 0.5 - q * 0.5, 1e-12);
    assert_eq!((found.n, found.clusters), (12, 3));
    assert_eq!(found.interval, Some(IntervalMethod::Constant));
    let unbounded = Range { low: 0.0, high: f64::INFINITY };
    let found = estimate(&[Observation::new("a", 7.0)], Statistic::Mean, unbounded, 1);
    assert_eq!((found.mean, found.ci_high, found.interval), (Some(7.0), None, None));
    let none = estimate(&[], Statistic::Mean, Range::UNIT, 1);
    assert_eq!(none, MetricSummary::default());
}

#[test]
fn the_test_of_independent_rates_is_mcnemars() {
    // statsmodels 0.15.0: mcnemar([[0, b], [c, 0]], exact=True).pvalue
    for (wins, losses, expect) in [
        (0, 0, 1.0),
        (0, 1, 1.0),
        (5, 0, 0.062_500_000_000),
        (0, 6, 0.031_250_000_000),
        (1, 8, 0.039_062_500_000),
        (3, 9, 0.145_996_093_750),
        (10, 10, 1.0),
        (12, 30, 0.007_915_897_335),
        (600, 520, 0.018_207_019_279),
        (2, 1500, 0.0),
    ] {
        let found = compared(&discordant(wins, losses, 1), |at| at, 0);
        let p = found.p.expect("pairs");
        assert_eq!((found.test.as_str(), found.wins, found.losses), ("mcnemar_exact", wins, losses));
        near(p, expect, 1e-9 * expect.max(1e-3));
        assert!(p > 0.0);
    }
}

#[test]
fn the_interval_of_independent_rates_by_hand() {
    // Agresti and Min 2005: (b - c) / (n + 2) ± 1.96 √((b + c + 1) - (b - c)² / (n + 2)) / (n + 2); The
    // first has p = 0.125 and would exclude 0: its end is 0.5 (1 - 1.96 / 1.534).
    for (wins, losses, ties, low, high) in [
        (6, 1, 3, -0.138_790_736, 0.813_954_620),
        (12, 3, 121, 0.009_458_619, 0.120_976_164),
        (0, 0, 20, -0.089_089_272, 0.089_089_272),
    ] {
        let found = compared(&discordant(wins, losses, ties), |at| at, 1);
        near(found.ci_low.expect("pairs"), low, 1e-8);
        near(found.ci_high.expect("pairs"), high, 1e-8);
    }
}

#[test]
fn the_exact_test_is_scipys() {
    // scipy 1.17.1: permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf,
    // alternative="two-sided").pvalue
    for (differences, expect) in [
        (vec![0.5, 0.5], 0.5),
        (vec![0.2, -0.1, 0.3, 0.4], 0.25),
        (vec![0.1, 0.1, -0.1, 0.2, -0.3, 0.25, 0.4], 0.375),
        (vec![0.05, 0.1, -0.02, 0.3, 0.12, 0.2, 0.07, -0.15, 0.4, 0.33, 0.01, -0.06], 0.043_945_312_500),
        (vec![0.5], 1.0),
        (vec![0.5, 0.0], 1.0),
    ] {
        let found = compared(&differences, |at| at, 0);
        assert_eq!(found.test, "paired_randomisation_exact");
        near(found.p.expect("pairs"), expect, 1e-12);
    }
    // Over all 2^24 exchanges of d[i] = (37 i mod 23 - 9) / 23, i from 0 to 23.
    let d: Vec<f64> = (0..24).map(|i| f64::from((i * 37) % 23 - 9) / 23.0).collect();
    let found = compared(&d, |at| at, 11);
    assert_eq!(found.test, "paired_randomisation_sampled");
    near(found.p.expect("pairs"), 0.29412, 0.01);
}

#[test]
fn the_test_counts_papers_not_questions() {
    // Six questions of two papers: as questions p = 2 / 64, as papers both signs of two sums, 2 / 4.
    assert_eq!(compared(&[0.5; 6], |at| at, 1).p, Some(2.0 / 64.0));
    let found = compared(&[0.5; 6], |at| at / 3, 1);
    assert_eq!((found.p, found.delta), (Some(0.5), Some(0.5)));
    assert_eq!((found.n_pairs, found.wins, found.losses), (6, 6, 0));
    // Rates of papers too: McNemar's test would take them for six questions.
    let found = compared(&[1.0; 6], |at| at / 3, 1);
    assert_eq!((found.p, found.test.as_str()), (Some(0.5), "paired_randomisation_exact"));
    // What cancels out within a paper is no difference.
    let found = compared(&[-0.2, -0.1, 0.3, 0.0], |at| at / 3, 1);
    assert_eq!((found.p, found.questions_needed), (Some(1.0), None));
}

#[test]
fn balanced_statistics_exchange_both_kinds() {
    // Answerable: 1 against 0 twice; unanswerable: 1 and 1. Exchanging one of the two gives the same mean on both sides.
    let names = names(4);
    let pairs: Vec<Pair<'_>> = (0..4)
        .map(|at| Pair {
            cluster: &names[at],
            unanswerable: at > 1,
            first: 1.0,
            second: f64::from(u8::from(at > 1)),
        })
        .collect();
    for (statistic, delta) in [(Statistic::Harmonic, 1.0), (Statistic::Balanced, 0.5)] {
        let found = compare(&pairs, statistic, Range::UNIT, 1);
        assert_eq!((found.delta, found.p), (Some(delta), Some(0.5)));
    }
    assert_eq!(compare(&[], Statistic::Mean, Range::UNIT, 1).p, None);
}

#[test]
fn holm_as_statsmodels_computes_it() {
    // statsmodels 0.15.0: multipletests(p, method="holm")[1]; the first by hand: 4 × 0.005, 3 × 0.01, 2 × 0.03 = 0.06, and 0.04
    // is raised to 0.06.
    for (p, expect) in [
        (vec![0.01, 0.04, 0.03, 0.005], vec![0.03, 0.06, 0.06, 0.02]),
        (vec![0.6, 0.7], vec![1.0, 1.0]),
        (vec![0.02], vec![0.02]),
        (vec![], vec![]),
    ] {
        let tested = |p: &f64| Comparison { p: Some(*p), in_family: true, ..Comparison::default() };
        let mut family: Vec<Comparison> = p.iter().map(tested).collect();
        // What cannot differ, is left out, or has no pairs changes nothing.
        let mut others =
            [compared(&[0.0; 9], |at| at, 1), compared(&[1.0; 9], |at| at, 1), compared(&[], |at| at, 1)];
        others[1].in_family = false;
        holm(family.iter_mut().chain(&mut others));
        for (found, expect) in family.iter().zip(&expect) {
            near(found.p_holm.expect("tested"), *expect, 1e-12);
            assert_eq!(found.separates(), *expect < ALPHA);
        }
        for found in others {
            assert!(!found.in_family && found.p_holm.is_none() && !found.separates(), "{found:?}");
        }
    }
}

#[test]
fn the_planner_by_hand() {
    // ((1.959964 √ψ + 0.841621 √(ψ - d²)) / d)², and at least 6 / ψ.
    for (difference, share, expect) in [
        (0.1, 0.2, Some(155)),
        (0.1, 0.3, Some(234)),
        (0.05, 0.15, Some(469)),
        (0.2, 0.2, Some(37)),
        (1.0, 1.0, Some(6)),
        (0.3, 0.2, None),
        (0.0, 0.2, None),
        (f64::NAN, 0.2, None),
    ] {
        assert_eq!(questions_to_separate(difference, share), expect, "{difference} {share}");
    }
    for share in [0.1, 0.4, 1.0] {
        let found = detectable_difference(136, share).expect("some difference");
        let needed = |difference: f64| questions_to_separate(difference, share);
        assert!(needed(found) <= Some(136) && needed(found - 0.001) > Some(136));
    }
    assert_eq!(detectable_difference(5, 1.0), None);
    // Twelve of 136 against three: p is 0.035. Twelve against five: 17 of 136 differ, by 7.
    assert_eq!(compared(&discordant(12, 3, 121), |at| at, 1).questions_needed, Some(0));
    let found = compared(&discordant(12, 5, 119), |at| at, 1);
    let all = questions_to_separate(7.0 / 136.0, 17.0 / 136.0).expect("possible");
    near(found.questions_needed.expect("a difference") as f64, all as f64 - 136.0, 4.0);
    // Five wins of five have no variance, and p = 0.0625: one more.
    let found = compared(&discordant(5, 0, 0), |at| at, 1);
    assert_eq!(found.questions_needed, Some(1));
}

/// Whether each of `questions` is right for two systems. Those of a paper share an outcome with a probability of one half.
fn outcomes(draws: &mut Draws, papers: usize, rates: [f64; 2]) -> Vec<(usize, [f64; 2])> {
    let mut chance = |rate: f64| (draws.below(1_000_000) as f64) < rate * 1e6;
    let mut out = Vec::new();
    for paper in 0..papers {
        let shared = rates.map(&mut chance);
        for _ in 0..=(paper % 6) {
            let own = rates.map(&mut chance);
            let value = |at: usize, same: bool| f64::from(u8::from(if same { shared[at] } else { own[at] }));
            let same = chance(0.5);
            out.push((paper, [value(0, same), value(1, same)]));
        }
    }
    out
}

#[test]
fn intervals_hold_and_the_test_keeps_its_level_where_questions_share_papers() {
    let (runs, papers, rate) = (200, 24, 0.7);
    let names = names(papers);
    let mut draws = Draws::new(5);
    let (mut held, mut naive, mut rejected, mut separated) = (0, 0, 0, 0);
    for run in 0..runs {
        let mut pairs = |rates: [f64; 2]| -> Vec<Pair<'_>> {
            let each = outcomes(&mut draws, papers, rates).into_iter();
            each.map(|(paper, [first, second])| Pair {
                cluster: &names[paper],
                unanswerable: false,
                first,
                second,
            })
            .collect()
        };
        let equal = pairs([rate, rate]);
        let observed: Vec<Observation<'_>> =
            equal.iter().map(|pair| Observation::new(pair.cluster, pair.first)).collect();
        let found = estimate(&observed, Statistic::Mean, Range::UNIT, run);
        let holds = |(low, high): (f64, f64)| usize::from(low <= rate && rate <= high);
        held += holds(ends(&found));
        naive += holds(wilson_of(found.mean.expect("values"), found.n as f64));
        let p = |pairs: &[Pair<'_>]| compare(pairs, Statistic::Mean, Range::UNIT, run).p.expect("pairs");
        rejected += usize::from(p(&equal) < ALPHA);
        separated += usize::from(p(&pairs([0.9, 0.5])) < ALPHA);
    }
    let runs = runs as usize;
    assert!(held * 100 >= 92 * runs && naive * 100 < 92 * runs, "{held} {naive} of {runs}");
    assert!(rejected * 100 <= 7 * runs && separated * 100 > 60 * runs, "{rejected} {separated} of {runs}");
}

fn statistic() -> impl Strategy<Value = Statistic> {
    prop::sample::select(vec![Statistic::Mean, Statistic::Balanced, Statistic::Harmonic])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn interval_and_test_agree(
        rows in prop::collection::vec((any::<bool>(), 0usize..14, 0.0f64..=1.0, 0.0f64..=1.0), 1..40),
        (binary, lean, apart, statistic) in (any::<bool>(), 0.0f64..1.5, any::<bool>(), statistic()),
        seed: u64,
    ) {
        let names = names(40);
        let value = |v: f64, lean: f64| {
            let v = v.powf(lean.exp2());
            if binary { v.round() } else { v }
        };
        let mut pairs: Vec<Pair<'_>> = rows.iter().enumerate().map(|(at, (unanswerable, cluster, a, b))| Pair {
            cluster: &names[if apart { at } else { *cluster }],
            unanswerable: *unanswerable,
            first: value(*a, 0.0),
            second: value(*b, lean),
        }).collect();
        let found = compare(&pairs, statistic, Range::UNIT, seed);
        let (delta, p) = (found.delta.expect("pairs"), found.p.expect("pairs"));
        let (low, high) = (found.ci_low.expect("pairs"), found.ci_high.expect("pairs"));
        prop_assert!(p > 0.0 && p <= 1.0);
        prop_assert!(-1.0 <= low && low <= delta && delta <= high && high <= 1.0 && low < high, "{found:?}");
        prop_assert_eq!(low > 0.0 || high < 0.0, p < ALPHA, "{:?}", found);
        prop_assert_eq!(found.questions_needed == Some(0), p < ALPHA);
        pairs.reverse();
        prop_assert_eq!(&compare(&pairs, statistic, Range::UNIT, seed), &found);
        let exchanged: Vec<Pair<'_>> =
            pairs.iter().map(|pair| Pair { first: pair.second, second: pair.first, ..*pair }).collect();
        let other = compare(&exchanged, statistic, Range::UNIT, seed);
        prop_assert!((other.delta.expect("pairs") + delta).abs() < 1e-12);
        prop_assert!((other.p.expect("pairs") - p).abs() < 1e-12);
    }

    #[test]
    fn any_order_same_interval_that_holds_the_mean(
        values in prop::collection::vec((any::<bool>(), 0.0f64..=1.0, 0usize..6), 1..30),
        statistic in statistic(),
        seed: u64,
    ) {
        let names = names(6);
        let mut observed: Vec<Observation<'_>> = values.iter().map(|(unanswerable, value, cluster)| Observation {
            cluster: &names[*cluster],
            unanswerable: *unanswerable,
            value: *value,
        }).collect();
        let found = estimate(&observed, statistic, Range::UNIT, seed);
        observed.reverse();
        prop_assert_eq!(&estimate(&observed, statistic, Range::UNIT, seed), &found);
        let mean = found.mean.expect("values");
        let (low, high) = ends(&found);
        prop_assert!(0.0 <= low && low <= mean + 1e-12 && mean <= high + 1e-12 && high <= 1.0 && low < high);
    }
}
