//! The values of combinations, in the terms of [`crate::estimate`].

use super::Asked;
use super::measure::Measure;
use crate::estimate::{Observation, Pair, Totals, compare as compare_pairs, estimate, holm};
use crate::{Comparison, MetricSummary, seed_of};

/// One value for each question; `None` where there is none.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    /// The questions.
    pub questions: &'a [Asked],
    /// Their values.
    pub values: &'a [Option<f64>],
}

impl Values<'_> {
    /// The mean over the questions for which `of` holds; `None` if none of them has a value.
    pub fn mean(self, measure: &Measure, of: impl Fn(usize) -> bool) -> Option<f64> {
        let mut totals = Totals::default();
        for (at, (question, value)) in self.questions.iter().zip(self.values).enumerate() {
            if let Some(value) = value.filter(|_| of(at)) {
                totals.add(question.unanswerable, value);
            }
        }
        measure.statistic().of(&totals)
    }
}

/// The mean with its 95 % interval. `n_a` counts the questions without a value.
pub fn summarise(values: Values<'_>, measure: &Measure, seed: u64) -> MetricSummary {
    let observed = values.questions.iter().zip(values.values);
    let observed: Vec<Observation<'_>> = observed
        .filter_map(|(question, value)| {
            Some(Observation {
                cluster: &question.cluster,
                unanswerable: question.unanswerable,
                value: (*value)?,
            })
        })
        .collect();
    let seed = seed_of(seed, &measure.key());
    MetricSummary {
        n_a: values.questions.len() - observed.len(),
        ..estimate(&observed, measure.statistic(), measure.range(), seed)
    }
}

/// First minus second over the questions that have a value in both: a family of one.
pub fn compare(first: Values<'_>, second: &[Option<f64>], measure: &Measure, seed: u64) -> Comparison {
    let pairs = first.questions.iter().zip(first.values).zip(second);
    let pairs: Vec<Pair<'_>> = pairs
        .filter_map(|((question, a), b)| {
            Some(Pair {
                cluster: &question.cluster,
                unanswerable: question.unanswerable,
                first: (*a)?,
                second: (*b)?,
            })
        })
        .collect();
    let (key, range) = (measure.key(), measure.range());
    let mut found = compare_pairs(&pairs, measure.statistic(), range, seed_of(seed, &key));
    holm(std::iter::once(&mut found));
    found
}

/// Each list of values minus that of the start: one family, without the start itself. In the order of `all`.
pub fn against_start(
    questions: &[Asked],
    all: &[Vec<Option<f64>>],
    start: usize,
    measure: &Measure,
    seed: u64,
) -> Vec<Comparison> {
    let of_start = all.get(start).map_or(&[][..], Vec::as_slice);
    let each = all.iter().enumerate().map(|(at, values)| {
        let mut found = compare(Values { questions, values }, of_start, measure, seed);
        found.in_family &= at != start;
        found
    });
    let mut out: Vec<Comparison> = each.collect();
    holm(out.iter_mut());
    out
}
