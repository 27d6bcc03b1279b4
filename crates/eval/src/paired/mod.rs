//! Means with intervals, and paired tests, of any rows that have an id, a cluster and values by name.
//!
//! A *cluster* is what rows share their chance with, such as the paper that several questions are about. Intervals
//! are bootstrap intervals over clusters, and the test gives all differences of one cluster the same sign: questions
//! about one paper are no independent observations. Rows with clusters of their own give the ordinary bootstrap and
//! the ordinary paired randomisation test.

mod earlier;

pub use earlier::{EarlierRow, load_earlier};

use crate::hash::seed_of;
use crate::stats::{Observation, bootstrap_mean, paired_randomisation};
use crate::{Comparison, MetricSummary, Ordered};
use std::collections::BTreeMap;

/// A question or query with its values.
pub trait Scored {
    /// Its id, unique among the rows of one system.
    fn id(&self) -> &str;
    /// What it shares its chance with.
    fn cluster(&self) -> &str;
    /// The value of this name, 0 to 1.
    fn value_of(&self, key: &str) -> Option<f64>;
}

/// The mean of each value with its 95 % interval. `left_out` rows could not be scored and are counted as not
/// applicable.
pub fn summarise(rows: &[impl Scored], keys: &[&str], left_out: usize, seed: u64) -> Ordered<MetricSummary> {
    let summary = |key: &str| {
        let observed = observations(rows, |row| row.value_of(key));
        let interval = bootstrap_mean(&observed, (0.0, 1.0), seed_of(seed, key));
        let count = observed.len();
        MetricSummary {
            mean: (count > 0).then(|| observed.iter().map(|o| o.value).sum::<f64>() / count as f64),
            ci_low: interval.map(|i| i.low),
            ci_high: interval.map(|i| i.high),
            n: count,
            n_a: left_out,
            errors: 0,
            interval: interval.map(|i| i.method),
        }
    };
    keys.iter().map(|key| ((*key).to_owned(), summary(key))).collect()
}

/// Each value, first system minus second, over the rows that both have: mean difference, its interval, and a paired
/// randomisation test, both by the clusters of the first.
pub fn compare(
    first: &[impl Scored],
    second: &[impl Scored],
    keys: &[&str],
    seed: u64,
) -> Ordered<Comparison> {
    let others: BTreeMap<&str, usize> = second.iter().map(Scored::id).zip(0..).collect();
    let comparison = |key: &str| {
        let differences = observations(first, |row| {
            let other = second.get(*others.get(row.id())?)?;
            Some(row.value_of(key)? - other.value_of(key)?)
        });
        let values = || differences.iter().map(|d| d.value);
        let seed = seed_of(seed, key);
        let tested = paired_randomisation(&by_cluster(&differences), seed);
        let how = if tested.exact { "exact" } else { "sampled" };
        let interval = bootstrap_mean(&differences, (-1.0, 1.0), seed);
        let count = differences.len();
        Comparison {
            delta: (count > 0).then(|| values().sum::<f64>() / count as f64),
            p: (count > 0).then_some(tested.p),
            test: format!("paired_randomisation_{how}"),
            n_pairs: count,
            wins: values().filter(|d| *d > 0.0).count(),
            losses: values().filter(|d| *d < 0.0).count(),
            ci_low: interval.map(|i| i.low),
            ci_high: interval.map(|i| i.high),
            ..Comparison::default()
        }
    };
    keys.iter()
        .map(|key| ((*key).to_owned(), comparison(key)))
        .collect()
}

fn observations<'a, R: Scored>(rows: &'a [R], value: impl Fn(&'a R) -> Option<f64>) -> Vec<Observation<'a>> {
    let each = rows.iter().filter_map(|row| {
        Some(Observation {
            cluster: row.cluster(),
            value: value(row)?,
        })
    });
    each.collect()
}

/// The sum of the differences of each cluster: what keeps or changes its sign as a whole.
fn by_cluster(differences: &[Observation<'_>]) -> Vec<f64> {
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for difference in differences {
        *sums.entry(difference.cluster).or_default() += difference.value;
    }
    // Sums that cancel out leave rounding behind, which is no difference.
    let sums = sums.into_values();
    sums.map(|sum| if sum.abs() < 1e-12 { 0.0 } else { sum })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Row(String, String, f64);

    impl Scored for Row {
        fn id(&self) -> &str {
            &self.0
        }
        fn cluster(&self) -> &str {
            &self.1
        }
        fn value_of(&self, key: &str) -> Option<f64> {
            (key == "v").then_some(self.2)
        }
    }

    fn rows(values: &[(&str, f64)]) -> Vec<Row> {
        let row = |(at, (cluster, value)): (usize, &(&str, f64))| {
            Row(format!("q{at}"), (*cluster).to_owned(), *value)
        };
        values.iter().enumerate().map(row).collect()
    }

    #[test]
    fn the_test_counts_papers_not_questions() {
        // Six questions of two papers: as questions p = 2/64, as papers both signs of two sums, 2/4.
        let papers = |value| {
            rows(&[
                ("a", value),
                ("a", value),
                ("a", value),
                ("b", value),
                ("b", value),
                ("b", value),
            ])
        };
        let tested = compare(&papers(1.0), &papers(0.0), &["v"], 1);
        let tested = tested.get("v").expect("compared");
        assert_eq!((tested.p, tested.delta), (Some(0.5), Some(1.0)));
        assert_eq!((tested.n_pairs, tested.wins, tested.losses), (6, 6, 0));
        let alone = |value| {
            rows(&[
                ("a", value),
                ("b", value),
                ("c", value),
                ("d", value),
                ("e", value),
                ("f", value),
            ])
        };
        let tested = compare(&alone(1.0), &alone(0.0), &["v"], 1);
        assert_eq!(tested.get("v").and_then(|t| t.p), Some(2.0 / 64.0));
    }

    #[test]
    fn differences_that_cancel_within_a_paper_are_none() {
        let first = rows(&[("a", 0.1), ("a", 0.2), ("a", 0.6), ("b", 0.5)]);
        let second = rows(&[("a", 0.3), ("a", 0.3), ("a", 0.3), ("b", 0.5)]);
        let tested = compare(&first, &second, &["v", "other"], 1);
        assert_eq!(tested.get("v").and_then(|t| t.p), Some(1.0));
        assert_eq!(tested.get("other").map(|t| (t.p, t.n_pairs)), Some((None, 0)));
    }

    #[test]
    fn intervals_are_over_papers() {
        let values = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5];
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        let own: Vec<(&str, f64)> = names.into_iter().zip(values).collect();
        let shared: Vec<(&str, f64)> = ["a", "b", "c"]
            .into_iter()
            .flat_map(|c| [c; 4])
            .zip(values)
            .collect();
        let width = |of: &[(&str, f64)]| {
            let summary = summarise(&rows(of), &["v"], 0, 1);
            let v = summary.get("v").expect("a mean");
            assert_eq!((v.mean, v.n), (Some(0.5), 12));
            v.ci_high.expect("an end") - v.ci_low.expect("an end")
        };
        assert!(width(&shared) > 1.3 * width(&own));
    }
}
