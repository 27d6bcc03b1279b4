//! Summaries worked by hand.

use super::*;
use crate::Score;

fn row(id: &str, mode: &str, scores: &[(&str, Score)]) -> Row {
    let mut all: Ordered<Score> = metrics::keys().into_iter().map(|k| (k, Score::n_a("not set"))).collect();
    for (key, score) in scores {
        all.insert(*key, score.clone());
    }
    Row {
        query_id: id.into(),
        mode: mode.into(),
        scores: all,
        no_evidence: Some(false),
        expected_no_evidence: Some(false),
        ..Row::default()
    }
}

fn value(v: f64) -> Score {
    Score::value(v)
}

fn near(got: Option<f64>, expect: f64) {
    let got = got.expect("a number");
    assert!((got - expect).abs() < 1e-9, "{got} instead of {expect}");
}

#[test]
fn every_row_is_counted_once() {
    let rows = [
        row("1", "hybrid", &[("faithful", value(1.0)), ("token_f1", value(0.5))]),
        row("2", "hybrid", &[("faithful", value(0.0)), ("token_f1", value(0.25))]),
        row("3", "hybrid", &[("faithful", Score::Error("judge".into()))]),
        row("4", "hybrid", &[]),
        Row { query_id: "5".into(), mode: "hybrid".into(), error: Some("down".into()), ..Row::default() },
    ];
    let summary = summarise("run", &rows, 1);
    let mode = summary.modes.get("hybrid").expect("a mode");
    for (key, metric) in mode.iter() {
        assert_eq!(metric.n + metric.n_a + metric.errors, rows.len(), "{key}");
        assert_eq!(metric.mean.is_some(), metric.n > 0, "{key}");
    }
    let faithful = mode.get("faithful").expect("listed");
    assert_eq!((faithful.n, faithful.n_a, faithful.errors), (2, 1, 2));
    near(faithful.mean, 0.5);
    // statsmodels 0.15.0: proportion_confint(1, 2, method="wilson")
    near(faithful.ci_low, 0.094_531_205_734);
    near(faithful.ci_high, 0.905_468_794_266);
    near(mode.get("token_f1").expect("listed").mean, 0.375);
    let table = summary.abstention.get("hybrid").expect("a mode");
    assert_eq!((table.n, table.errors), (4, 1));
    assert!(summary.comparison.is_empty() && summary.compared.is_none());
}

#[test]
fn modes_are_compared_by_pairs() {
    let mut rows = Vec::new();
    for at in 0..10 {
        let id = at.to_string();
        // Faithful: 6 wins, 1 loss, 3 ties. Correctness: always 0.1 better, but one pair lacks a value.
        let (a, b) = match at {
            0..6 => (1.0, 0.0),
            6 => (0.0, 1.0),
            _ => (1.0, 1.0),
        };
        let missing = if at == 9 { Score::n_a("refusal") } else { value(0.4) };
        rows.push(row(&id, "hybrid", &[("faithful", value(a)), ("token_f1", value(0.5))]));
        rows.push(row(&id, "vector", &[("faithful", value(b)), ("token_f1", missing)]));
    }
    let summary = summarise("run", &rows, 1);
    assert_eq!(summary.compared, Some(["hybrid".to_owned(), "vector".to_owned()]));
    let faithful = summary.comparison.get("faithful").expect("listed");
    assert_eq!((faithful.n_pairs, faithful.wins, faithful.losses), (10, 6, 1));
    near(faithful.delta, 0.5);
    // 2 × (1 + 7) / 2^7.
    near(faithful.p, 0.125);
    assert!(!faithful.separates());
    let correctness = summary.comparison.get("token_f1").expect("listed");
    assert_eq!((correctness.n_pairs, correctness.wins, correctness.losses), (9, 9, 0));
    near(correctness.delta, 0.1);
    // 2 / 2^9.
    near(correctness.p, 0.003_906_25);
    assert_eq!(correctness.test, "paired_randomisation_exact");
    assert!(correctness.separates());
    assert!(correctness.ci_low < correctness.ci_high, "equal differences keep a width");
    let unset = summary.comparison.get("quote_accuracy").expect("listed");
    assert_eq!((unset.n_pairs, unset.delta, unset.p), (0, None, None));
}

#[test]
fn only_the_same_query_is_a_pair() {
    let first = [row("1", "a", &[("faithful", value(1.0))]), row("2", "a", &[("faithful", value(1.0))])];
    let second = [row("2", "b", &[("faithful", value(0.0))]), row("3", "b", &[("faithful", value(0.0))])];
    let (first, second): (Vec<&Row>, Vec<&Row>) = first.iter().zip(&second).unzip();
    let found = compare_rows(&first, &second, 1);
    assert_eq!(found.get("faithful").map(|c| (c.n_pairs, c.wins)), Some((1, 1)));
}
