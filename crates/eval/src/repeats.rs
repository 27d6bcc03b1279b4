//! The same evaluation several times: how far results differ when nothing was changed.

use crate::metrics;
use crate::{Ordered, Row};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// One metric over repeats of an evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "RepeatedMetric")]
pub struct Repeated {
    /// The metric.
    pub metric: String,
    /// Its title.
    pub title: &'static str,
    /// Mean over the repeats of the mean over rows; null if no row has a value, as the three below.
    pub mean: Option<f64>,
    /// Standard deviation of these means, with n - 1; null for one repeat too.
    pub sd: Option<f64>,
    /// The lowest of these means.
    pub min: Option<f64>,
    /// The highest of these means.
    pub max: Option<f64>,
    /// Rows with a value in at least one repeat.
    pub n: usize,
    /// Rows whose value is not the same in all repeats; one that is missing in some counts.
    pub changed: usize,
}

/// One mode over repeats of an evaluation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RepeatedMode {
    /// The mode.
    pub mode: String,
    /// Rows of each repeat.
    pub rows: usize,
    /// Queries whose answer or refusal is not the same in all repeats, in the order of the first.
    pub changed: Vec<String>,
    /// The metrics of the final answer, in the order of the report.
    pub metrics: Vec<Repeated>,
}

/// Compares the rows of repeats, by mode. Every repeat has the same queries and modes.
pub fn repeats(runs: &[Vec<Row>]) -> Vec<RepeatedMode> {
    let mut modes: Ordered<Vec<Vec<&Row>>> = Ordered::default();
    for row in runs.iter().flatten() {
        modes.entry(&row.mode);
    }
    let names: Vec<String> = modes.keys().map(str::to_owned).collect();
    names
        .into_iter()
        .map(|mode| {
            let own: Vec<Vec<&Row>> = runs
                .iter()
                .map(|rows| rows.iter().filter(|row| row.mode == mode).collect())
                .collect();
            of_mode(mode, &own)
        })
        .collect()
}

fn of_mode(mode: String, runs: &[Vec<&Row>]) -> RepeatedMode {
    let mut by_query: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in runs.iter().flatten() {
        by_query.entry(&row.query_id).or_default().push(row);
    }
    let differs = |id: &str| {
        let rows = by_query.get(id).map(Vec::as_slice).unwrap_or_default();
        let same = |row: &&Row| {
            rows.first().is_some_and(|first| {
                row.answer == first.answer
                    && row.no_evidence == first.no_evidence
                    && row.error.is_some() == first.error.is_some()
            })
        };
        rows.len() != runs.len() || !rows.iter().all(same)
    };
    let order = runs.first().map(Vec::as_slice).unwrap_or_default();
    let ids = order.iter().map(|row| &row.query_id).filter(|id| differs(id));
    let metric = |column: metrics::Column| {
        let key = column.key();
        let means: Vec<f64> = runs.iter().filter_map(|rows| mean(rows, &key)).collect();
        let values = |rows: &[&Row]| -> Vec<Option<u64>> {
            let each = rows.iter().map(|row| row.value(&key));
            each.map(|value| value.map(f64::to_bits)).collect()
        };
        let with_value = by_query
            .values()
            .filter(|rows| values(rows).iter().any(Option::is_some));
        let changed = by_query.values().filter(|rows| {
            let values = values(rows);
            values.iter().any(|value| *value != values[0])
        });
        let count = means.len();
        let all = (count > 0).then(|| means.iter().sum::<f64>() / count as f64);
        Repeated {
            title: column.spec().title,
            mean: all,
            sd: all.filter(|_| count > 1).map(|all| {
                let squares: f64 = means.iter().map(|mean| (mean - all).powi(2)).sum();
                (squares / (count - 1) as f64).sqrt()
            }),
            min: means.iter().copied().reduce(f64::min),
            max: means.iter().copied().reduce(f64::max),
            n: with_value.count(),
            changed: changed.count(),
            metric: key.clone(),
        }
    };
    RepeatedMode {
        mode,
        rows: order.len(),
        changed: ids.cloned().collect(),
        metrics: metrics::stage(false).map(metric).collect(),
    }
}

fn mean(rows: &[&Row], key: &str) -> Option<f64> {
    let values: Vec<f64> = rows.iter().filter_map(|row| row.value(key)).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Score;

    fn run(values: &[(&str, Option<f64>)]) -> Vec<Row> {
        let row = |(at, (answer, value)): (usize, &(&str, Option<f64>))| {
            let mut row = Row {
                query_id: at.to_string(),
                mode: "hybrid".to_owned(),
                answer: (*answer).to_owned(),
                ..Row::default()
            };
            if let Some(value) = value {
                row.scores.insert("faithful", Score::value(*value));
            }
            row
        };
        values.iter().enumerate().map(row).collect()
    }

    #[test]
    fn spreads_worked_by_hand() {
        let runs = [
            run(&[("a", Some(1.0)), ("b", Some(0.0)), ("c", None)]),
            run(&[("a", Some(1.0)), ("x", Some(1.0)), ("c", None)]),
            run(&[("a", Some(1.0)), ("b", None), ("c", None)]),
        ];
        let found = repeats(&runs);
        let [mode] = found.as_slice() else {
            panic!("{found:?}")
        };
        let metric = |key: &str| {
            mode.metrics
                .iter()
                .find(|own| own.metric == key)
                .expect("a metric")
        };
        assert_eq!((mode.rows, mode.changed.as_slice()), (3, &["1".to_owned()][..]));
        let faithful = metric("faithful");
        // Means 0.5, 1 and 1; mean 5/6, variance (1/9 + 1/36 + 1/36) / 2 = 1/12.
        let near = |value: Option<f64>, want: f64| value.is_some_and(|value| (value - want).abs() < 1e-12);
        assert!(near(faithful.mean, 5.0 / 6.0) && near(faithful.sd, (1.0_f64 / 12.0).sqrt()));
        assert!(near(faithful.min, 0.5) && near(faithful.max, 1.0));
        assert_eq!((faithful.n, faithful.changed), (2, 1));
        let grade = metric("grade");
        assert_eq!((grade.mean, grade.sd, grade.n, grade.changed), (None, None, 0, 0));
    }

    #[test]
    fn equal_runs_have_no_spread() {
        let one = run(&[("a", Some(1.0)), ("b", Some(0.25))]);
        let found = repeats(&[one.clone(), one]);
        let [mode] = found.as_slice() else {
            panic!("{found:?}")
        };
        let metric = |key: &str| {
            mode.metrics
                .iter()
                .find(|own| own.metric == key)
                .expect("a metric")
        };
        let faithful = metric("faithful");
        assert!(mode.changed.is_empty());
        assert_eq!(
            (faithful.sd, faithful.min, faithful.changed),
            (Some(0.0), faithful.max, 0)
        );
    }
}
