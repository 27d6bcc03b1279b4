//! Summaries by hand, and the worked figures of the reference systems.

use super::*;
use crate::Score;
use crate::metrics::REGISTRY;
use crate::stats::IntervalMethod;

fn row(id: usize, scores: &[(&str, f64)]) -> Scores {
    let mut out = Scores { cluster: format!("r{id}"), ..Scores::default() };
    for metric in REGISTRY {
        let key = metric.spec.key;
        let value = scores.iter().find(|(own, _)| *own == key);
        out.scores.insert(key, value.map_or(Score::n_a("not given"), |(_, value)| Score::value(*value)));
    }
    out
}

fn rows(count: usize, scores: impl Fn(usize) -> Vec<(&'static str, f64)>) -> Vec<Scores> {
    (0..count).map(|at| row(at, &scores(at))).collect()
}

fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

#[test]
fn every_row_is_counted() {
    let mut all = rows(3, |at| if at < 2 { vec![("faithfulness", 0.5 + 0.5 * at as f64)] } else { vec![] });
    all[2].scores.insert("relevance", Score::Error("broken".into()));
    let summary = summarise(&all, &Limits::default(), 1);
    let faithfulness = summary.metrics.get("faithfulness").expect("a metric");
    assert_eq!((faithfulness.n, faithfulness.n_a, faithfulness.errors), (2, 1, 0));
    assert_eq!((faithfulness.min, faithfulness.mean, faithfulness.max), (Some(0.5), Some(0.75), Some(1.0)));
    let relevance = summary.metrics.get("relevance").expect("a metric");
    assert_eq!((relevance.n, relevance.n_a, relevance.errors, relevance.mean), (0, 2, 1, None));
    assert_eq!(summary.metrics.len(), REGISTRY.len());
    assert_eq!(summarise(&[], &Limits::default(), 1).total_questions, 0);
}

/// 40 rows with the means .88, .93 and .89 that the service prints.
#[test]
fn the_summary_of_the_ragas_service() {
    let all = rows(40, |at| {
        let three = [("context_recall", 0.88), ("faithfulness", 0.93), ("answer_relevance", 0.89)];
        let score = 0.4 * 0.88 + 0.4 * 0.93 + 0.2 * 0.89;
        let rates = [("auto_fail", flag(at < 5)), ("hallucination", flag(at < 3)), ("rag_score", score)];
        three.into_iter().chain(rates).collect()
    });
    let summary = summarise(&all, &Limits::default(), 1);
    let rag_score = summary.rag_score.expect("a mean");
    assert!((rag_score - 0.902).abs() < 1e-9 && format!("{rag_score:.2}") == "0.90");
    assert_eq!((summary.rag_score_n, summary.band), (40, Some(Band::Green)));
    // Printed as .12 where halves are rounded to even, and as .13 elsewhere; .06 of 40 is no whole number of rows.
    assert_eq!(summary.failure_rate, Some(0.125));
    assert!((0..=40).all(|k| (f64::from(k) / 40.0 - 0.06_f64).abs() > 0.005), "hallucination_rate .06");
    let unattainable =
        |rate: f64, n: u32| (0..=n).all(|k| (f64::from(k) / f64::from(n) - rate).abs() > 0.005 + 1e-9);
    assert!(unattainable(0.06, 40) && !unattainable(0.12, 40));
    assert_eq!(summary.recommendations, Vec::<String>::new());
    let json = serde_json::to_value(&summary).expect("serialises");
    for key in ["total_questions", "avg_metrics", "failure_rate", "hallucination_rate", "rag_score"] {
        assert!(!json[key].is_null(), "{key}");
    }
    assert_eq!(json["band"], "green");
}

/// LitPath's ten cases: what its tables say of each, and the rates it prints for them.
#[test]
fn the_rates_of_litpath() {
    let cases = |at: usize| -> Vec<(&'static str, f64)> {
        match at {
            0..5 => {
                let grounded = flag(at == 3);
                let mut scores = vec![("relevance", 1.0), ("faithful", grounded), ("overall_pass", grounded)];
                // Case 5: n/a.
                scores.extend((at < 4).then_some(("retrieval_relevance_pass", 1.0)));
                scores
            }
            // Case 8 failed on relevance, and is in none of the printed rates.
            7 => vec![("relevance", 0.0)],
            _ => vec![],
        }
    };
    let printed = summarise(&rows(5, cases), &Limits::default(), 1);
    assert_eq!(printed.relevance_pass_rate, Some(1.0));
    assert_eq!(printed.groundedness_pass_rate, Some(0.2));
    assert_eq!(printed.overall_pass_rate, Some(0.2));
    // Printed: 3 of 4, 75 %. The cases say 4 of 4 and one n/a.
    assert_eq!(printed.retrieval_relevance_pass_rate, Some(1.0));
    let retrieval = printed.metrics.get("retrieval_relevance_pass").expect("a metric");
    assert_eq!((retrieval.n, retrieval.n_a), (4, 1));
    assert_eq!(printed.ratings.get("groundedness_pass_rate"), Some(&Rating::Poor));
    let all = summarise(&rows(10, cases), &Limits::default(), 1);
    let relevance = all.relevance_pass_rate.expect("a rate");
    assert!((relevance - 5.0 / 6.0).abs() < 1e-12, "with case 8: {relevance}");
    assert_eq!(all.metrics.get("relevance").map(|m| (m.n, m.n_a)), Some((6, 4)));
}

#[test]
fn missed_targets_are_named_with_advice() {
    let all = rows(4, |at| {
        vec![
            ("faithfulness", 0.9),
            ("auto_fail", flag(at < 1)),
            ("rag_score", 0.6),
            ("average_distance", 1.0),
        ]
    });
    let summary = summarise(&all, &Limits::default(), 1);
    let met: Vec<(&str, bool)> = summary.targets.iter().map(|t| (t.key.as_str(), t.met)).collect();
    assert_eq!(
        met,
        [("rag_score", false), ("faithfulness", true), ("failure_rate", false), ("average_distance", false)]
    );
    assert_eq!(summary.band, Some(Band::Red));
    assert_eq!(summary.recommendations.len(), 3);
    assert!(
        summary.recommendations[1]
            .starts_with("failure_rate 0.250 (target: below 0.15): read the failure reasons")
    );
}

#[test]
fn equal_counts_have_no_interval() {
    let equal = summarise(&rows(5, |_| vec![("documents_per_query", 4.0)]), &Limits::default(), 1);
    let counts = equal.metrics.get("documents_per_query").expect("a metric");
    assert_eq!((counts.mean, counts.ci_low, counts.interval), (Some(4.0), None, None));
    let varied = summarise(&rows(5, |at| vec![("documents_per_query", at as f64)]), &Limits::default(), 1);
    let counts = varied.metrics.get("documents_per_query").expect("a metric");
    assert!(counts.interval.is_some_and(|m| m != IntervalMethod::Constant), "{counts:?}");
}
