//! The choice among combinations of settings, and what it is worth on questions that took no part in it.
//!
//! The best of forty combinations looks better than it is: part of its lead is chance. So the questions are divided into two
//! halves that share no paper, the combination is chosen on each half, and its values on the other half are kept. These
//! held-out values are compared with the start, question by question ([`crate::estimate::compare`]).
//!
//! This module is pure: it runs nothing and reads no clock.

use crate::estimate::{Observation, Pair, Statistic, Totals, compare, estimate, holm};
use crate::linked::linked;
use crate::metrics::{self, Direction, Range};
use crate::{Comparison, MetricSummary, Query, Row, seed_of};
use std::cmp::Reverse;

/// The harmonic mean of the gold evidence that answers to answerable questions show, and the share of unanswerable questions
/// that were refused. A system that always refuses and one that always answers both score 0.
pub const BALANCED_EVIDENCE: &str = "balanced_evidence";

/// What combinations are compared by: the mean of a metric, or [`BALANCED_EVIDENCE`].
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    key: String,
    range: Range,
    direction: Direction,
}

impl Measure {
    /// The measure with this key; `None` if there is no such metric.
    pub fn find(key: &str) -> Option<Self> {
        if key == BALANCED_EVIDENCE {
            return Some(Self { key: key.to_owned(), range: Range::UNIT, direction: Direction::Higher });
        }
        let column = metrics::find(key)?;
        let (key, spec) = (column.key(), column.spec());
        Some(Self { key, range: spec.range, direction: spec.direction })
    }

    /// The value of a row; `None` if it has none, or failed.
    pub fn value(&self, row: &Row) -> Option<f64> {
        let key = match (self.statistic(), row.expected_no_evidence) {
            _ if row.error.is_some() => return None,
            (Statistic::Harmonic, None) => return None,
            (Statistic::Harmonic, Some(true)) => "unanswerable_accuracy",
            (Statistic::Harmonic, Some(false)) => "gold_recall_answer",
            _ => &self.key,
        };
        row.value(key)
    }

    fn statistic(&self) -> Statistic {
        if self.key == BALANCED_EVIDENCE { Statistic::Harmonic } else { Statistic::Mean }
    }

    /// The mean with its 95 % interval. `n_a` counts the questions without a value.
    pub fn summarise(&self, questions: &[&Query], values: &[Option<f64>], seed: u64) -> MetricSummary {
        let clusters: Vec<String> = questions.iter().map(|query| query.cluster()).collect();
        let observed = questions.iter().zip(&clusters).zip(values).filter_map(|((query, cluster), value)| {
            Some(Observation { cluster, unanswerable: query.expected_no_evidence, value: (*value)? })
        });
        let observed: Vec<Observation<'_>> = observed.collect();
        MetricSummary {
            n_a: questions.len() - observed.len(),
            ..estimate(&observed, self.statistic(), self.range, seed_of(seed, &self.key))
        }
    }

    /// First minus second over the questions that have a value in both: a family of one.
    fn compare(
        &self,
        questions: &[&Query],
        first: &[Option<f64>],
        second: &[Option<f64>],
        seed: u64,
    ) -> Comparison {
        let clusters: Vec<String> = questions.iter().map(|query| query.cluster()).collect();
        let pairs = questions.iter().zip(&clusters).zip(first.iter().zip(second));
        let pairs = pairs.filter_map(|((query, cluster), (first, second))| {
            let unanswerable = query.expected_no_evidence;
            Some(Pair { cluster, unanswerable, first: (*first)?, second: (*second)? })
        });
        let pairs: Vec<Pair<'_>> = pairs.collect();
        let mut found = compare(&pairs, self.statistic(), self.range, seed_of(seed, &self.key));
        holm(std::iter::once(&mut found));
        found
    }
}

/// The choice among the combinations. The first combination is the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The place of the combination that is best on all questions; `None` if none has a value.
    pub best: Option<usize>,
    /// The combination chosen on each half.
    pub chosen: [Option<usize>; 2],
    /// The mean of the held-out values: for each question, that of the combination chosen on the other half.
    pub held_out: MetricSummary,
    /// Held-out values minus those of the start.
    pub against_start: Comparison,
}

impl Choice {
    /// Whether the choice is significantly better than the start on questions that it was not made on.
    pub fn is_better(&self, measure: &Measure) -> bool {
        let improves = self.against_start.delta.is_some_and(|delta| measure.direction.improves(delta));
        improves && self.against_start.separates()
    }
}

/// Chooses on all questions and on each half. `values`: by combination, one value for each question.
pub fn choose(measure: &Measure, questions: &[&Query], values: &[Vec<Option<f64>>], seed: u64) -> Choice {
    let half = halves(questions, seed_of(seed, "halves"));
    let chosen = [0, 1].map(|own| best(measure, questions, values, |at| half[at] == own));
    let value = |at: usize| values[chosen[1 - half[at]]?][at];
    let held_out: Vec<Option<f64>> = (0..questions.len()).map(value).collect();
    let start = values.first().map_or(&[][..], Vec::as_slice);
    Choice {
        best: best(measure, questions, values, |_| true),
        chosen,
        held_out: measure.summarise(questions, &held_out, seed),
        against_start: measure.compare(questions, &held_out, start, seed),
    }
}

/// The best combination on the questions for which `of` holds; among equals, the first.
fn best(
    measure: &Measure,
    questions: &[&Query],
    values: &[Vec<Option<f64>>],
    of: impl Fn(usize) -> bool,
) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (place, own) in values.iter().enumerate() {
        let mut totals = Totals::default();
        for (at, value) in own.iter().enumerate() {
            if let Some(value) = value.filter(|_| of(at)) {
                totals.add(questions[at].expected_no_evidence, value);
            }
        }
        let Some(mean) = measure.statistic().of(&totals) else { continue };
        let leads = |best: f64| (mean - best).abs() > 1e-12 && measure.direction.improves(mean - best);
        if best.is_none_or(|(_, best)| leads(best)) {
            best = Some((place, mean));
        }
    }
    best.map(|(place, _)| place)
}

/// The half of each question, 0 or 1. Questions that share a paper, directly or through others, are in one half; the largest
/// groups are dealt first, each to the half with fewer questions of its kind.
fn halves(questions: &[&Query], seed: u64) -> Vec<usize> {
    let group = linked(questions.len(), |at| questions[at].target_papers.iter());
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); group.iter().max().map_or(0, |last| last + 1)];
    for (at, group) in group.into_iter().enumerate() {
        groups[group].push(at);
    }
    groups.sort_by_cached_key(|group| (Reverse(group.len()), seed_of(seed, &questions[group[0]].id)));
    let mut held = [[0; 2]; 2];
    let mut out = vec![0; questions.len()];
    for group in groups {
        let kind = usize::from(questions[group[0]].expected_no_evidence);
        let half = usize::from(held[kind][1] < held[kind][0]);
        held[kind][half] += group.len();
        for at in group {
            out[at] = half;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Draws;

    fn asked(id: usize, unanswerable: bool, papers: &[&str]) -> Query {
        let query = serde_json::json!({"id": format!("q{id}"), "type": "direct", "query": "q",
            "target_papers": papers, "expected_no_evidence": unanswerable});
        serde_json::from_value(query).expect("a query")
    }

    /// A choice among values that are right with a probability of its own for each combination.
    fn chosen(key: &str, rates: &[f64], count: usize, seed: u64) -> (Choice, bool) {
        let mut draws = Draws::new(seed);
        let mut one = |rate: f64| Some(f64::from(u8::from((draws.below(1_000_000) as f64) < rate * 1e6)));
        let values: Vec<Vec<Option<f64>>> =
            rates.iter().map(|rate| (0..count).map(|_| one(*rate)).collect()).collect();
        let questions: Vec<Query> = (0..count).map(|id| asked(id, id % 4 == 0, &[])).collect();
        let questions: Vec<&Query> = questions.iter().collect();
        let measure = Measure::find(key).expect("known");
        let choice = choose(&measure, &questions, &values, seed);
        let better = choice.is_better(&measure);
        (choice, better)
    }

    #[test]
    fn a_combination_that_is_better_is_found() {
        for seed in 0..20 {
            let mut rates = [0.5; 12];
            rates[7] = 0.9;
            let (choice, better) = chosen(BALANCED_EVIDENCE, &rates, 120, seed);
            assert_eq!((choice.best, better), (Some(7), true), "seed {seed}");
            assert_eq!(choice.chosen, [Some(7); 2]);
        }
        let (choice, better) = chosen("hallucinated_numbers", &[0.6, 0.1, 0.5], 60, 3);
        assert_eq!((choice.best, better), (Some(1), true), "lower is better");
    }

    #[test]
    fn noise_is_seldom_called_better() {
        let better = (0..200).filter(|seed| chosen(BALANCED_EVIDENCE, &[0.5; 12], 60, *seed).1).count();
        assert!(better <= 13, "{better} of 200");
    }

    #[test]
    fn among_equals_the_start_stays_and_one_group_cannot_be_held_out() {
        let measure = Measure::find(BALANCED_EVIDENCE).expect("known");
        let questions: Vec<Query> = (0..10).map(|id| asked(id, false, &["a"])).collect();
        let questions: Vec<&Query> = questions.iter().collect();
        let choice = choose(&measure, &questions, &vec![vec![Some(0.5); 10]; 4], 1);
        assert_eq!((choice.best, choice.held_out.n, choice.against_start.delta), (Some(0), 0, None));
        assert!(!choice.is_better(&measure));
    }

    #[test]
    fn halves_split_no_paper_and_hold_both_kinds() {
        let mut questions: Vec<Query> = (0..40).map(|n| asked(n, n % 4 == 0, &[])).collect();
        questions.extend([asked(40, false, &["a"]), asked(41, false, &["a", "b"]), asked(42, false, &["b"])]);
        let questions: Vec<&Query> = questions.iter().collect();
        let half = halves(&questions, 7);
        assert!(half[40] == half[41] && half[41] == half[42]);
        let of = |own: usize, unanswerable: bool| {
            let same = |at: &usize| half[*at] == own && questions[*at].expected_no_evidence == unanswerable;
            (0..questions.len()).filter(same).count()
        };
        assert_eq!([of(0, true), of(1, true), of(0, false).abs_diff(of(1, false))], [5, 5, 1]);
    }
}
