//! Rows of two systems, paired by question: the means of one, and every metric of both compared, by [`crate::estimate`].

use crate::estimate::{Observation, Pair, Statistic, compare as compare_pairs, estimate, holm};
use crate::metrics::{self, Direction, Range};
use crate::{Comparison, MetricSummary, Ordered, Row, seed_of};
use std::collections::BTreeMap;

/// A question with its values.
pub trait Paired {
    /// Its id, unique among the rows of one system.
    fn id(&self) -> &str;
    /// What it shares its chance with, such as the paper that it is about.
    fn cluster(&self) -> &str;
    /// The value of this name.
    fn value_of(&self, key: &str) -> Option<f64>;
}

impl<T: Paired> Paired for &T {
    fn id(&self) -> &str {
        (*self).id()
    }
    fn cluster(&self) -> &str {
        (*self).cluster()
    }
    fn value_of(&self, key: &str) -> Option<f64> {
        (*self).value_of(key)
    }
}

impl Paired for Row {
    fn id(&self) -> &str {
        &self.query_id
    }
    fn cluster(&self) -> &str {
        Row::cluster(self)
    }
    fn value_of(&self, key: &str) -> Option<f64> {
        self.value(key)
    }
}

/// The mean of each value, 0 to 1, with its 95 % interval. `left_out` rows could not be scored and are counted as not
/// applicable.
pub fn summarise(rows: &[impl Paired], keys: &[&str], left_out: usize, seed: u64) -> Ordered<MetricSummary> {
    let summary = |key: &&str| {
        let values = rows.iter().filter_map(|row| {
            let value = row.value_of(key)?;
            Some(Observation::new(row.cluster(), value))
        });
        let observed: Vec<Observation<'_>> = values.collect();
        let found = estimate(&observed, Statistic::Mean, Range::UNIT, seed_of(seed, key));
        let n_a = left_out;
        ((*key).to_owned(), MetricSummary { n_a, ..found })
    };
    keys.iter().map(summary).collect()
}

/// Each value of 0 to 1, first system minus second, over the rows that both have. All keys are one family ([`holm`]).
pub fn compare(
    first: &[impl Paired],
    second: &[impl Paired],
    keys: &[&str],
    seed: u64,
) -> Ordered<Comparison> {
    let keys = keys.iter().map(|key| ((*key).to_owned(), Range::UNIT));
    compared(&pairs_of(first, second), keys, seed, |_| true)
}

/// One metric over rows of one mode.
pub(crate) fn metric_summary(rows: &[&Row], column: metrics::Column, seed: u64) -> MetricSummary {
    let key = column.key();
    let scores = rows.iter().map(|row| (row.cluster(), row.scores.get(&key)));
    MetricSummary::of_scores(scores, &key, column.spec().range, seed)
}

/// Every metric of two sets of rows, each in one mode of one run: first minus second. The family is the metrics of the final
/// answer that have a better side; those before guardrails are shown beside it, and so is what a generator that copies sentences has by construction,
/// once [`leave_out_by_construction`] is told of it.
pub fn compare_rows(first: &[&Row], second: &[&Row], seed: u64) -> Ordered<Comparison> {
    let columns = metrics::columns().map(|column| (column.key(), column.spec().range));
    let judged = |column: metrics::Column| !column.is_raw() && column.spec().direction != Direction::Neither;
    let of_answer = |key: &str| metrics::find(key).is_some_and(judged);
    compared(&pairs_of(first, second), columns, seed, of_answer)
}

fn compared<A: Paired, B: Paired>(
    pairs: &[(&A, &B)],
    keys: impl Iterator<Item = (String, Range)>,
    seed: u64,
    in_family: impl Fn(&str) -> bool,
) -> Ordered<Comparison> {
    let each = keys.map(|(key, range)| {
        let found = comparison(pairs, &key, range, seed);
        (key, found)
    });
    let mut out: Ordered<Comparison> = each.collect();
    correct(&mut out, in_family);
    out
}

fn correct(comparisons: &mut Ordered<Comparison>, in_family: impl Fn(&str) -> bool) {
    let each = comparisons.iter_mut().map(|(key, found)| {
        found.in_family &= in_family(key);
        found
    });
    holm(each);
}

/// Takes the metrics that hold by construction for copied sentences out of the family.
pub fn leave_out_by_construction(comparisons: &mut Ordered<Comparison>) {
    correct(comparisons, |key| metrics::find(key).is_none_or(|column| !column.spec().by_construction));
}

/// The rows of the same question, in the order of the first; what only one of the two has is left out.
pub fn pairs_of<'a, A: Paired, B: Paired>(first: &'a [A], second: &'a [B]) -> Vec<(&'a A, &'a B)> {
    let others: BTreeMap<&str, &B> = second.iter().map(|row| (row.id(), row)).collect();
    first.iter().filter_map(|row| Some((row, *others.get(row.id())?))).collect()
}

/// The ids of the questions for which the first system is better, and of those for which the second is.
pub fn won_and_lost<A: Paired, B: Paired>(
    pairs: &[(&A, &B)],
    key: &str,
    direction: Direction,
) -> [Vec<String>; 2] {
    [1.0, -1.0].map(|sign| {
        let won = pairs.iter().filter(|(first, second)| {
            let values = first.value_of(key).zip(second.value_of(key));
            values.is_some_and(|(a, b)| direction.improves(sign * (a - b)))
        });
        won.map(|(first, _)| first.id().to_owned()).collect()
    })
}

/// One metric, first of each pair minus second, by the clusters of the first; without correction.
fn comparison<A: Paired, B: Paired>(pairs: &[(&A, &B)], key: &str, range: Range, seed: u64) -> Comparison {
    let values = pairs.iter().filter_map(|(first, second)| {
        Some(Pair {
            cluster: first.cluster(),
            unanswerable: false,
            first: first.value_of(key)?,
            second: second.value_of(key)?,
        })
    });
    let values: Vec<Pair<'_>> = values.collect();
    compare_pairs(&values, Statistic::Mean, range, seed_of(seed, key))
}
