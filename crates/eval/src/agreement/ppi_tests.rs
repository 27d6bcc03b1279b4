//! Corrected means against ppi_py, and how often their intervals contain the truth.

use super::*;
use crate::stats::Draws;

fn rows(labelled: &[(f64, u8)], others: &[f64]) -> Vec<PpiRow> {
    let row =
        |prediction: f64, label: Option<u8>| PpiRow { prediction, label: label.map(|label| label == 1) };
    let labelled = labelled.iter().map(|(p, y)| row(*p, Some(*y)));
    labelled.chain(others.iter().map(|p| row(*p, None))).collect()
}

const OTHERS: [f64; 15] = [0.9, 0.9, 0.1, 0.7, 0.8, 0.6, 0.95, 0.85, 0.2, 0.5, 0.7, 0.9, 0.8, 0.6, 0.3];

#[test]
fn as_ppi_py_computes_it() {
    let labelled =
        [(0.9, 1), (0.7, 1), (0.2, 0), (0.6, 1), (0.4, 0), (0.8, 1), (0.5, 1), (0.3, 0), (0.9, 1), (0.4, 1)];
    let found = correct(&rows(&labelled, &OTHERS)).expect("labels");
    // numpy: cov(y, f)[0, 1] / var(f, ddof=1) = 1.443850; ppi_py 0.2.3: ppi_mean_pointestimate(y, f, others, lam=1.443850 ×
    // 15/25), as its sum runs over the rows without a label.
    assert!((found.lambda - 1.443_850_267).abs() < 1e-8, "{found:?}");
    let expect = 0.772_192_513_368_983_8;
    assert!((found.corrected.value.expect("a value") - expect).abs() < 1e-9, "{found:?}");
    // v = mean(y)(1 - mean(y))/25 + (1 - 10/25) var(y - 1.44385 f, ddof=1)/10; effective n = mean(y)(1 - mean(y))/v ×
    // (1.96/t.ppf(.975, 9))², as mean(y) is nearer to ½ than θ; then Wilson's formula.
    assert!((found.corrected.low.expect("low") - 0.474_317_812_982_705_4).abs() < 1e-6, "{found:?}");
    assert!((found.corrected.high.expect("high") - 0.927_188_648_623_812).abs() < 1e-6, "{found:?}");
    // statsmodels 0.15.0: proportion_confint(7, 10, method="wilson")
    assert!((found.labels_alone.low.expect("low") - 0.396_778_147).abs() < 1e-8, "{found:?}");
    assert!((found.labels_alone.high.expect("high") - 0.892_208_733).abs() < 1e-8, "{found:?}");
}

#[test]
fn the_low_end_does_not_fall_as_the_mean_goes_to_1() {
    let labelled = [
        (0.9, 1),
        (0.8, 1),
        (0.95, 1),
        (0.7, 1),
        (0.6, 0),
        (0.85, 1),
        (0.3, 0),
        (0.9, 1),
        (0.75, 1),
        (0.8, 1),
    ];
    let (mut before, mut value) = (0.0, 0.0);
    for step in 0..=50 {
        let others = [0.5 + 0.01 * f64::from(step); 40];
        let found = correct(&rows(&labelled, &others)).expect("labels").corrected;
        let low = found.low.expect("low");
        assert!(low >= before - 1e-12, "{before} before {found:?}");
        before = low;
        value = found.value.expect("a value");
    }
    assert!((value - 1.0).abs() < 1e-12, "{value}");
}

#[test]
fn predictions_that_point_the_wrong_way_are_ignored() {
    let labelled = [(0.9, 0), (0.8, 0), (0.2, 1), (0.1, 1), (0.3, 1)];
    let found = correct(&rows(&labelled, &OTHERS)).expect("labels");
    assert!(found.lambda.abs() < 1e-12, "{found:?}");
    assert_eq!(found.corrected.value, found.labels_alone.value);
}

#[test]
fn a_judge_without_an_error_among_the_labels_is_not_taken_for_perfect() {
    let labelled: Vec<(f64, u8)> = (0..20).map(|n| if n % 4 == 0 { (0.0, 0) } else { (1.0, 1) }).collect();
    let others: Vec<f64> = (0..980).map(|n| if n % 4 == 0 { 0.0 } else { 1.0 }).collect();
    let found = correct(&rows(&labelled, &others)).expect("labels");
    let width = |of: Estimate| of.high.expect("high") - of.low.expect("low");
    // One error among 20 labels is ±0.10.
    assert!(width(found.corrected) > 0.15, "{found:?}");
    assert!(width(found.corrected) < width(found.labels_alone), "{found:?}");
}

#[test]
fn too_few_labels() {
    assert_eq!(correct(&rows(&[(0.5, 1)], &OTHERS)), None);
    assert_eq!(correct(&[]), None);
}

/// A number in 0..1.
fn uniform(draws: &mut Draws) -> f64 {
    draws.below(1 << 30) as f64 / f64::from(1 << 30)
}

/// Rows whose labels are 1 with probability `share`; `signal` is the share of the rows on which the judge knows the label.
/// What the judge does not know it guesses, too high.
fn simulated(count: usize, share: f64, signal: f64, draws: &mut Draws) -> Vec<(f64, bool)> {
    (0..count)
        .map(|_| {
            let label = uniform(draws) < share;
            let score = if uniform(draws) < signal {
                f64::from(u8::from(label)) * 0.8 + 0.2 * uniform(draws)
            } else {
                uniform(draws).sqrt()
            };
            (score, label)
        })
        .collect()
}

/// Share of 600 simulated runs whose intervals contain the true share, and mean widths: corrected and labels alone.
fn coverage(share: f64, signal: f64) -> (f64, f64, f64, f64) {
    const RUNS: u64 = 600;
    let (mut held, mut held_alone, mut width, mut width_alone) = (0.0, 0.0, 0.0, 0.0);
    for run in 0..RUNS {
        let all = simulated(400, share, signal, &mut Draws::new(run));
        // The rows are drawn independently: the first ones are a random sample.
        let row = |(at, (prediction, label)): (usize, &(f64, bool))| PpiRow {
            prediction: *prediction,
            label: (at < 50).then_some(*label),
        };
        let sample: Vec<PpiRow> = all.iter().enumerate().map(row).collect();
        let found = correct(&sample).expect("labels");
        let ends = |of: Estimate| (of.low.expect("low"), of.high.expect("high"));
        let (low, high) = ends(found.corrected);
        held += f64::from(u8::from(low <= share && share <= high));
        width += high - low;
        let (low, high) = ends(found.labels_alone);
        held_alone += f64::from(u8::from(low <= share && share <= high));
        width_alone += high - low;
    }
    let runs = RUNS as f64;
    (held / runs, held_alone / runs, width / runs, width_alone / runs)
}

#[test]
fn intervals_contain_the_truth_and_a_good_judge_makes_them_shorter() {
    for (share, signal, shorter) in [(0.5, 0.8, 0.75), (0.8, 0.8, 0.8), (0.9, 0.6, 0.95), (0.7, 0.0, 1.06)] {
        let (held, held_alone, width, width_alone) = coverage(share, signal);
        let said = format!(
            "share {share}, signal {signal}: coverage {held:.3} and {held_alone:.3}, width {width:.3} and {width_alone:.3}"
        );
        eprintln!("{said}");
        // Three standard errors of 600 runs below 0.95, and not needlessly wide.
        assert!((0.923..=0.99).contains(&held), "{said}");
        assert!(width < shorter * width_alone, "{said}");
    }
}
