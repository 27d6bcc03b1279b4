//! Statistics and intervals against scikit-learn and numpy.

use super::*;

const LABELS: [u8; 24] = [1, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0];
const SCORES: [f64; 24] = [
    0.9, 0.4, 0.6, 0.1, 0.3, 0.7, 0.8, 0.5, 0.2, 0.95, 0.85, 0.35, 0.55, 0.5, 0.15, 0.75, 0.45, 0.65, 0.05,
    0.9, 0.5, 0.6, 0.3, 0.25,
];
const OTHER: [f64; 24] = [
    0.6, 0.6, 0.4, 0.2, 0.6, 0.8, 0.3, 0.4, 0.1, 0.7, 0.9, 0.8, 0.6, 0.7, 0.3, 0.4, 0.55, 0.9, 0.1, 0.3, 0.6,
    0.7, 0.2, 0.1,
];

/// Eight clusters of three rows each; a score of 0.5 or more is the verdict "supported".
fn rows(scores: &[f64; 24]) -> Vec<JudgedRow> {
    let row = |at: usize| JudgedRow {
        label: LABELS[at] == 1,
        score: scores[at],
        verdict: scores[at] >= 0.5,
        cluster: at / 3,
    };
    (0..24).map(row).collect()
}

fn of(estimates: &[(Statistic, Estimate)], statistic: Statistic) -> Estimate {
    let found = estimates.iter().find(|(own, _)| *own == statistic);
    found.expect("measured").1
}

#[test]
fn statistics_as_scikit_learn_computes_them() {
    // scikit-learn 1.9.1, "unsupported" as class 1: balanced_accuracy_score, precision_score, recall_score, f1_score,
    // cohen_kappa_score; roc_auc_score and brier_score_loss of the labels and scores.
    let found = Replicates::new(&rows(&SCORES), 1);
    assert_eq!(found.clusters(), 8);
    let found = found.estimates();
    let check = |statistic: Statistic, expect: f64| {
        let value = of(&found, statistic).value.expect("defined");
        assert!((value - expect).abs() < 1e-12, "{}: {value}", statistic.key());
    };
    check(Statistic::BalancedAccuracy, 0.702_797_202_797_202_8);
    check(Statistic::Precision, 0.7);
    check(Statistic::Recall, 0.636_363_636_363_636_3);
    check(Statistic::F1, 0.666_666_666_666_666_6);
    check(Statistic::Auc, 0.793_706_293_706_293_8);
    check(Statistic::Kappa, 0.408_450_704_225_352_1);
    check(Statistic::Brier, 0.184_791_666_666_666_7);
}

#[test]
fn intervals_are_close_to_numpy() {
    // numpy: 100,000 resamples of the 8 clusters, percentiles at the level 2 norm.cdf(sqrt(n/(n-1)) t.ppf(.975, n-1)) - 1: for the
    // Brier score n = 8 (0.988525); for the others n = 7 (0.991782), as one cluster has no unsupported row. The tolerance is
    // the spread of an end between runs of 2,000 resamples of so few clusters.
    let found = Replicates::new(&rows(&SCORES), 7).estimates();
    let check = |estimate: Estimate, low: f64, high: f64| {
        let (own_low, own_high) = (estimate.low.expect("low"), estimate.high.expect("high"));
        assert!((own_low - low).abs() < 0.05 && (own_high - high).abs() < 0.05, "{estimate:?}");
    };
    check(of(&found, Statistic::BalancedAccuracy), 0.5, 0.8929);
    check(of(&found, Statistic::Auc), 0.5852, 0.9630);
    check(of(&found, Statistic::Brier), 0.1148, 0.2662);

    let paired: Vec<PairedRow> = (rows(&SCORES).into_iter().zip(rows(&OTHER)))
        .map(|(first, second)| PairedRow { first, second })
        .collect();
    let compared = compare(&paired, 7);
    let found = compared.estimates();
    let balanced = of(&found, Statistic::BalancedAccuracy);
    assert!((balanced.value.expect("defined") - -0.045_454_545_454_545).abs() < 1e-12);
    check(balanced, -0.4171, 0.3357);
    let auc = of(&found, Statistic::Auc);
    assert!((auc.value.expect("defined") - -0.062_937_062_937_063).abs() < 1e-12);
    check(auc, -0.3566, 0.2179);
    assert_eq!((compared.first_right, compared.second_right), (4, 5));
    assert!(compared.p > 0.5, "{compared:?}");
}

#[test]
fn the_macro_mean_weighs_sets_equally_and_leaves_out_what_is_not_defined() {
    let mut one_class = rows(&SCORES);
    one_class.retain(|row| row.label);
    let sets = [
        Replicates::new(&rows(&SCORES), 1),
        Replicates::new(&rows(&OTHER)[..9], 2),
        Replicates::new(&one_class, 3),
    ];
    let found = macro_estimates(sets.iter());
    let each: Vec<f64> =
        sets[..2].iter().map(|set| of(&set.estimates(), Statistic::Auc).value.expect("defined")).collect();
    let auc = of(&found, Statistic::Auc).value.expect("defined");
    assert!((auc - f64::midpoint(each[0], each[1])).abs() < 1e-12, "{auc} {each:?}");
    assert_eq!(of(&sets[2].estimates(), Statistic::BalancedAccuracy), Estimate::default());
}

#[test]
fn a_perfect_judge_has_an_interval() {
    let mut perfect = rows(&SCORES);
    for row in &mut perfect {
        row.verdict = row.label;
        row.score = f64::from(u8::from(row.label));
    }
    let found = Replicates::new(&perfect, 1).estimates();
    let balanced = of(&found, Statistic::BalancedAccuracy);
    assert_eq!((balanced.value, balanced.high), (Some(1.0), Some(1.0)));
    assert!(balanced.low.is_some_and(|low| low < 0.9), "{balanced:?}");
    assert!(of(&found, Statistic::Brier).high.is_some_and(|high| high > 0.1));
}

#[test]
fn rows_of_the_other_class_do_not_narrow_an_interval() {
    // 5 of 500 rows are unsupported; the judge finds all of them and rejects no other.
    let rows: Vec<JudgedRow> = (0..500)
        .map(|at| JudgedRow {
            label: at >= 5,
            score: if at >= 5 { 0.9 } else { 0.1 },
            verdict: at >= 5,
            cluster: at,
        })
        .collect();
    let all_of = |n: usize| crate::stats::wilson(n, n).expect("rows").low;
    let set = Replicates::new(&rows, 1);
    assert_eq!(set.clusters(), 500);
    let (one, two) = (set.estimates(), macro_estimates([set.clone(), set].iter()));
    for statistic in
        [Statistic::Recall, Statistic::Precision, Statistic::F1, Statistic::BalancedAccuracy, Statistic::Auc]
    {
        for (found, expect) in [(of(&one, statistic), all_of(5)), (of(&two, statistic), all_of(10))] {
            let low = found.low.expect("low");
            assert!(
                found.value == Some(1.0) && (low - expect).abs() < 1e-9,
                "{}: {found:?}",
                statistic.key()
            );
        }
    }
    assert!((all_of(5) - 0.565_518).abs() < 1e-6, "{}", all_of(5));
    let kappa = of(&one, Statistic::Kappa);
    assert!(kappa.low.is_some_and(|low| low < 0.2), "{kappa:?}");
    // All rows contribute to the Brier score.
    let brier = of(&one, Statistic::Brier);
    assert!(brier.high.is_some_and(|high| high < 0.02), "{brier:?}");

    let same: Vec<PairedRow> = rows.iter().map(|row| PairedRow { first: *row, second: *row }).collect();
    let difference = of(&compare(&same, 1).estimates(), Statistic::BalancedAccuracy);
    assert!((difference.low.expect("low") - (all_of(5) - 1.0)).abs() < 1e-9, "{difference:?}");
}
