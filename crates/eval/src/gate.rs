//! Gates: `METRIC=VALUE`, the least value that a run must reach.
//!
//! Every number of `eval.json` that says how good a mode is can be a gate: the mean of each metric of `modes`, and
//! the shares of `abstention`.

use crate::metrics::{self, Direction, Range};
use crate::{Abstention, EvalError, MetricSummary, Ordered, Summary};
use std::fmt;
use std::str::FromStr;

/// Reads a share out of the abstention counts.
type ShareOf = fn(&Abstention) -> Option<f64>;

/// The shares of `abstention` that say how good a mode is, by their keys.
const SHARES: [(&str, ShareOf); 4] = [
    ("accuracy", |table| table.accuracy),
    ("balanced_accuracy", |table| table.balanced_accuracy),
    ("refusal_precision", |table| table.refusal_precision),
    ("refusal_recall", |table| table.refusal_recall),
];

/// A demand on a metric: it must be at least `min` in every mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// A key of [`Gate::keys`].
    pub metric: String,
    /// The least value, 0 to 1.
    pub min: f64,
}

/// What a gate found in one mode.
#[derive(Clone, Debug, PartialEq)]
pub struct GateResult {
    /// The gate's metric.
    pub metric: String,
    /// The mode.
    pub mode: String,
    /// Its value; `None` when no row has one, which never passes.
    pub mean: Option<f64>,
    /// The least value asked for.
    pub min: f64,
    /// Whether it passed.
    pub passed: bool,
}

impl Gate {
    /// Every key that can be a gate: of a metric that is better when lower, a least value demands nothing.
    pub fn keys() -> Vec<String> {
        let shares = SHARES.iter().map(|(key, _)| (*key).to_owned());
        let high_is_good = metrics::columns().filter(|column| column.spec().direction == Direction::Higher);
        high_is_good.map(|column| column.key()).chain(shares).collect()
    }

    /// The value of the gate's metric in one mode.
    fn value(&self, summary: &Summary, mode: &str) -> Option<f64> {
        if let Some((_, share)) = SHARES.iter().find(|(key, _)| *key == self.metric) {
            return share(summary.abstention.get(mode)?);
        }
        summary.modes.get(mode)?.get(&self.metric)?.mean
    }

    /// Looks at every mode. Without any mode there is one failed result: nothing measured passes nothing.
    pub fn check(&self, summary: &Summary) -> Vec<GateResult> {
        let results: Vec<GateResult> = summary
            .modes
            .iter()
            .map(|(mode, _)| self.result(mode, self.value(summary, mode)))
            .collect();
        if results.is_empty() {
            vec![self.result("none", None)]
        } else {
            results
        }
    }

    /// The gate against the mean of its metric in one mode.
    pub(crate) fn result(&self, mode: &str, mean: Option<f64>) -> GateResult {
        GateResult {
            metric: self.metric.clone(),
            mode: mode.to_owned(),
            mean,
            min: self.min,
            // Sums of the same scores in another order may differ in the last bits.
            passed: mean.is_some_and(|mean| mean >= self.min - 1e-12),
        }
    }

    /// Reads `KEY=VALUE`, a key of `keys` and a value in its range. `example` is for the message.
    pub(crate) fn read(
        gate: &str,
        keys: &[String],
        range: impl Fn(&str) -> Range,
        example: &'static str,
    ) -> Result<Self, EvalError> {
        let wrong = |reason: String| EvalError::Gate {
            gate: gate.to_owned(),
            reason,
            example,
        };
        let (metric, value) = gate
            .split_once('=')
            .ok_or_else(|| wrong("it has no =".to_owned()))?;
        let metric = metric.trim();
        if !keys.iter().any(|key| key == metric) {
            return Err(wrong(format!(
                "there is no metric {metric:?}; the metrics are {}",
                keys.join(", ")
            )));
        }
        let min: f64 = value
            .trim()
            .parse()
            .map_err(|_| wrong(format!("{value:?} is not a number")))?;
        let range = range(metric);
        if !range.contains(min) {
            return Err(wrong(format!("{value} is not between {range}")));
        }
        Ok(Self {
            metric: metric.to_owned(),
            min,
        })
    }
}

/// The gates against the means of one system, which messages call `mode`.
pub fn check_means(gates: &[Gate], mode: &str, summary: &Ordered<MetricSummary>) -> Vec<GateResult> {
    let value = |gate: &Gate| summary.get(&gate.metric).and_then(|measure| measure.mean);
    gates.iter().map(|gate| gate.result(mode, value(gate))).collect()
}

impl fmt::Display for GateResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            metric, mode, min, ..
        } = self;
        match self.mean {
            Some(mean) if self.passed => {
                write!(
                    f,
                    "{metric} in mode {mode} is {mean:.3}, at least {min:.3} as required"
                )
            }
            Some(mean) => write!(
                f,
                "{metric} in mode {mode} is {mean:.3}, below the required {min:.3}"
            ),
            None => write!(
                f,
                "{metric} in mode {mode} has no value, but {min:.3} is required"
            ),
        }
    }
}

impl FromStr for Gate {
    type Err = EvalError;

    fn from_str(gate: &str) -> Result<Self, Self::Err> {
        let key = gate.split_once('=').map_or(gate, |(key, _)| key).trim();
        if metrics::find(key).is_some_and(|column| column.spec().direction == Direction::Lower) {
            return Err(EvalError::Gate {
                gate: gate.to_owned(),
                reason: format!("{key} is better when lower, so a minimum demands nothing of it"),
                example: "faithful=0.9",
            });
        }
        let range = |key: &str| metrics::find(key).map_or(Range::UNIT, |column| column.spec().range);
        Self::read(gate, &Self::keys(), range, "faithful=0.9")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Row, Score, summarise};

    #[test]
    fn gates_are_read_strictly() {
        let check = |gate: &str, expect: Option<f64>| {
            let got = gate.parse::<Gate>();
            assert_eq!(got.as_ref().ok().map(|g| g.min), expect, "{gate}: {got:?}");
        };
        check("faithful=0.9", Some(0.9));
        check(" faithful_raw = 1 ", Some(1.0));
        check("faithful", None);
        check("faithfull=0.9", None);
        check("faithful=high", None);
        check("faithful=1.2", None);
        check("faithful=NaN", None);
        check("balanced_accuracy=0.7", Some(0.7));
        let lower = "hallucinated_numbers=0.1"
            .parse::<Gate>()
            .expect_err("lower is better")
            .to_string();
        assert!(lower.contains("better when lower"), "{lower}");
        let unknown = "speed=0.5".parse::<Gate>().expect_err("unknown").to_string();
        for key in ["balanced_accuracy", "gold_recall_context", "faithful_raw"] {
            assert!(unknown.contains(key), "{unknown}");
        }
    }

    #[test]
    fn every_metric_of_the_summary_is_a_gate() {
        let row = |id: &str, mode: &str, refused: bool, expected: bool| {
            let mut row = Row {
                query_id: id.into(),
                mode: mode.into(),
                no_evidence: Some(refused),
                expected_no_evidence: Some(expected),
                ..Row::default()
            };
            for column in metrics::columns() {
                let (low, high) = column.spec().range.bounds();
                let value = if refused == expected { high } else { low };
                row.scores.insert(column.key(), Score::value(value));
            }
            row
        };
        // Three of four answerable questions answered, one of two others refused: (3/4 + 1/2) / 2 = 0.625.
        let rows = [
            row("1", "hybrid", false, false),
            row("2", "hybrid", false, false),
            row("3", "hybrid", false, false),
            row("4", "hybrid", true, false),
            row("5", "hybrid", true, true),
            row("6", "hybrid", false, true),
        ];
        let summary = summarise("r", &rows, 1);
        for key in Gate::keys() {
            let low = metrics::find(&key).map_or(0.0, |column| column.spec().range.low);
            let gate: Gate = format!("{key}={}", low + 0.1).parse().expect("a gate");
            let results = gate.check(&summary);
            assert!(
                results.iter().all(|r| r.passed && r.mean.is_some()),
                "{results:?}"
            );
        }
        let passes = |min: &str| {
            let gate: Gate = format!("balanced_accuracy={min}").parse().expect("a gate");
            gate.check(&summary)[0].passed
        };
        assert!(passes("0.625") && !passes("0.63"));
    }

    #[test]
    fn nothing_measured_passes_nothing() {
        let row = |mode: &str, score: Score| {
            let mut row = Row {
                query_id: "1".into(),
                mode: mode.into(),
                ..Row::default()
            };
            row.scores.insert("faithful", score);
            row
        };
        let gate: Gate = "faithful=0.5".parse().expect("a gate");
        let rows = [
            row("a", Score::flag(true)),
            row("b", Score::flag(false)),
            row("c", Score::n_a("refusal")),
        ];
        let passed: Vec<bool> = gate
            .check(&summarise("r", &rows, 1))
            .iter()
            .map(|r| r.passed)
            .collect();
        assert_eq!(passed, [true, false, false]);
        assert!(!gate.check(&summarise("r", &[], 1))[0].passed);
    }
}
