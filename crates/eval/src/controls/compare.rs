//! The system under test against each control.

use super::{Control, Measure};
use crate::estimate::{self, Observation, Pair, Statistic, estimate, holm};
use crate::metrics::{self, Direction, Range};
use crate::paired::pairs_of;
use crate::{Comparison, MetricSummary, Row, seed_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::words::distinct;

/// One control on one measure, over the queries that have a value in both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Check {
    /// The bad system.
    pub control: Control,
    /// The metric's key, or `balanced_accuracy`.
    pub metric: String,
    /// The system under test.
    pub default: MetricSummary,
    /// The bad system.
    pub bad: MetricSummary,
    /// System under test minus bad system. All checks of the run are one family.
    pub difference: Comparison,
    /// Its p after Holm's correction; `None` without pairs.
    pub p_holm: Option<f64>,
    /// Whether the bad system is worse and the corrected p separates. Of a system that games the judge: whether it is not
    /// better, or the corrected p does not separate.
    pub told_apart: bool,
}

/// All checks of one mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Controls {
    /// The mode that was run.
    pub mode: String,
    /// In the order of [`Control::ALL`].
    pub checks: Vec<Check>,
}

impl Controls {
    /// Controls that the set does not tell apart from the system under test, each once.
    pub fn missed(&self) -> Vec<Control> {
        self.not_told_apart(false)
    }

    /// The answers that the judge prefers to the real ones, each once: it is unfit if there are any.
    pub fn preferred(&self) -> Vec<Control> {
        self.not_told_apart(true)
    }

    fn not_told_apart(&self, games: bool) -> Vec<Control> {
        let own = self.checks.iter().filter(|check| !check.told_apart && check.control.games() == games);
        distinct(own.map(|check| check.control))
    }
}

/// Compares the rows of the system under test with those of each control, paired by query. All rows are of
/// `mode`.
pub fn compare(mode: &str, default: &[Row], runs: &[(Control, Vec<Row>)], seed: u64) -> Controls {
    let mut checks: Vec<Check> = runs
        .iter()
        .flat_map(|(control, rows)| {
            let measured = |measure: &Measure| check(*control, *measure, default, rows, seed);
            control.sees().iter().map(measured).collect::<Vec<_>>()
        })
        .collect();
    // Without pairs there was no test: it neither counts among the tests nor passes.
    holm(checks.iter_mut().map(|check| &mut check.difference));
    for check in &mut checks {
        check.p_holm = check.difference.p_holm;
        let better = metrics::find(&check.metric).map_or(Direction::Higher, |column| column.spec().direction);
        let separates = check.difference.separates();
        let better_is = |wins: f64| check.difference.delta.is_some_and(|delta| better.improves(wins * delta));
        check.told_apart =
            if check.control.games() { !(better_is(-1.0) && separates) } else { better_is(1.0) && separates };
    }
    Controls { mode: mode.to_owned(), checks }
}

/// The metric that says whether answering or refusing was right.
const RIGHT: &str = "no_evidence_accuracy";

/// Balanced accuracy: the plain accuracy of a system that always answers is the share of answerable questions, and a careful
/// system can stay below it. Here each kind of question weighs one half, so that such a system gets 0.5. Without questions of
/// both kinds there is no number.
fn check(control: Control, measure: Measure, default: &[Row], bad: &[Row], seed: u64) -> Check {
    let (metric, key, statistic) = match measure {
        Measure::BalancedAccuracy => ("balanced_accuracy", RIGHT, Statistic::Balanced),
        Measure::Metric(key) => (key, key, Statistic::Mean),
    };
    let range = metrics::find(key).map_or(Range::UNIT, |column| column.spec().range);
    let paired = pairs_of(default, bad).into_iter().filter_map(|(default, bad)| {
        Some(Pair {
            cluster: default.cluster(),
            unanswerable: default.expected_no_evidence == Some(true),
            first: default.value(key)?,
            second: bad.value(key)?,
        })
    });
    let mut pairs: Vec<Pair<'_>> = paired.collect();
    let of_kind = |kind: bool| pairs.iter().any(|pair| pair.unanswerable == kind);
    if statistic == Statistic::Balanced && !(of_kind(false) && of_kind(true)) {
        pairs.clear();
    }
    let seed = seed_of(seed, metric);
    let summary = |value: fn(&Pair<'_>) -> f64| {
        let observed = pairs.iter().map(|pair| Observation {
            cluster: pair.cluster,
            unanswerable: pair.unanswerable,
            value: value(pair),
        });
        estimate(&observed.collect::<Vec<_>>(), statistic, range, seed)
    };
    Check {
        control,
        metric: metric.to_owned(),
        default: summary(|pair| pair.first),
        bad: summary(|pair| pair.second),
        difference: estimate::compare(&pairs, statistic, range, seed),
        p_holm: None,
        told_apart: false,
    }
}

impl Check {
    /// The measure's name in tables.
    pub fn title(&self) -> &str {
        metrics::find(&self.metric).map_or("Balanced accuracy", |column| column.spec().title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ordered, Score};

    /// Rows with `gold_recall_context` of each value given.
    fn rows(values: &[f64]) -> Vec<Row> {
        values
            .iter()
            .enumerate()
            .map(|(at, value)| {
                let mut scores = Ordered::default();
                scores.insert("gold_recall_context", Score::value(*value));
                Row { query_id: format!("{at:03}"), scores, ..Row::default() }
            })
            .collect()
    }

    #[test]
    fn a_lower_system_is_told_apart_only_with_enough_questions() {
        let check = |n: usize, bad: f64, apart: bool| {
            let runs =
                [(Control::RandomRetrieval, rows(&vec![bad; n])), (Control::OneChunk, rows(&vec![bad; n]))];
            let found = compare("hybrid", &rows(&vec![0.8; n]), &runs, 1);
            assert_eq!(found.checks.len(), 2);
            for check in &found.checks {
                assert_eq!(check.told_apart, apart, "{n} {bad} {check:?}");
                assert_eq!(check.difference.n_pairs, n);
            }
            assert_eq!(found.missed().len(), if apart { 0 } else { 2 });
        };
        // 2 / 2^n, twice for Holm's smaller of two.
        check(12, 0.1, true);
        check(6, 0.1, false);
        check(7, 0.1, true);
        check(12, 0.8, false);
        // Higher is not worse.
        check(12, 0.9, false);
    }

    #[test]
    fn without_pairs_nothing_is_told_apart() {
        let runs =
            [(Control::RandomRetrieval, rows(&[0.1; 12])), (Control::ShuffledCitations, rows(&[0.1; 12]))];
        let found = compare("hybrid", &rows(&[0.8; 12]), &runs, 1);
        // The untested one does not count among the tests: p stays 2 / 2^12.
        assert_eq!(found.checks[0].p_holm, found.checks[0].difference.p);
        assert_eq!(found.checks[1].p_holm, None);
        assert_eq!(found.missed(), [Control::ShuffledCitations]);
    }

    #[test]
    fn balanced_accuracy_weighs_each_kind_one_half() {
        let rows = |right: &[(bool, bool)]| -> Vec<Row> {
            let row = |(at, (unanswerable, right)): (usize, &(bool, bool))| {
                let mut scores = Ordered::default();
                scores.insert(RIGHT, Score::flag(*right));
                Row {
                    query_id: at.to_string(),
                    expected_no_evidence: Some(*unanswerable),
                    scores,
                    ..Row::default()
                }
            };
            right.iter().enumerate().map(row).collect()
        };
        // 8 answerable of which 6 are answered, 2 unanswerable, both refused: (0.75 + 1) / 2.
        let mut ours = vec![(false, true); 6];
        ours.extend([(false, false), (false, false), (true, true), (true, true)]);
        let mut always = vec![(false, true); 8];
        always.extend([(true, false), (true, false)]);
        let of = |ours: &[(bool, bool)], always: &[(bool, bool)]| {
            check(Control::AlwaysAnswer, Measure::BalancedAccuracy, &rows(ours), &rows(always), 1)
        };
        let found = of(&ours, &always);
        let difference = &found.difference;
        assert_eq!(
            (found.default.mean, found.bad.mean, difference.delta),
            (Some(0.875), Some(0.5), Some(0.375))
        );
        // Weighted differences: -1/16 twice, 1/4 twice; their sum is 3/8. Of the 16 exchanges those in which the two large ones
        // agree reach it.
        assert_eq!(difference.p, Some(8.0 / 16.0));
        assert_eq!((difference.wins, difference.losses), (2, 2));
        // One kind alone has no balance.
        let found = of(&[(false, true); 4], &[(false, false); 4]);
        assert_eq!((found.default.mean, found.difference.p), (None, None));
    }

    #[test]
    fn a_judge_that_prefers_an_answer_that_games_it_is_unfit() {
        let of = |gamed: f64| {
            let keyed = |value: f64| {
                let mut all = rows(&[value; 12]);
                for row in &mut all {
                    row.scores.insert("faithful", Score::value(value));
                }
                all
            };
            let runs = [(Control::StuffedQuotes, keyed(gamed))];
            compare("hybrid", &keyed(0.0), &runs, 1)
        };
        assert_eq!(of(1.0).preferred(), [Control::StuffedQuotes]);
        assert!(of(0.0).preferred().is_empty() && of(1.0).missed().is_empty());
    }
}
