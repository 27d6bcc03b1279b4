//! Gates: `METRIC=VALUE`, what a run must reach (`--min`) or must not exceed (`--max`).
//!
//! Every number of `eval.json` that says how good a mode is can be a gate: the mean of each metric of `modes` and both ends of
//! its interval, the shares of `abstention`, and the time of an answer.

mod known;

pub use known::Known;

use crate::metrics;
use crate::report::Evaluation;
use crate::{Abstention, EvalError, MetricSummary, Ordered};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reads a share out of the abstention counts.
type ShareOf = fn(&Abstention) -> Option<f64>;

/// The shares of `abstention` that say how good a mode is, by their keys.
const SHARES: [(&str, ShareOf); 4] = [
    ("accuracy", |table| table.accuracy),
    ("balanced_accuracy", |table| table.balanced_accuracy),
    ("refusal_precision", |table| table.refusal_precision),
    ("refusal_recall", |table| table.refusal_recall),
];

/// The median time of an answer and its 95th percentile, in milliseconds.
const LATENCY: [&str; 2] = ["latency", "latency_p95"];

/// Which side of its limit a value must be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The limit or more: `--min`.
    AtLeast,
    /// The limit or less: `--max`.
    AtMost,
}

/// What a gate reads of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Statistic {
    /// The mean.
    Mean,
    /// The lower end of the 95 % interval.
    CiLow,
    /// The upper end of the 95 % interval.
    CiHigh,
}

/// A demand on a metric, in every mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The metric.
    pub metric: String,
    /// What is read of it.
    statistic: Statistic,
    /// The side.
    side: Side,
    /// The limit, in the unit of the metric.
    limit: f64,
}

/// A condition of `--min` or `--max`, and whether it was met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Gate")]
pub struct GateResult {
    /// What was required and found.
    pub gate: String,
    /// Whether it passed; without a value it never does.
    pub passed: bool,
}

impl GateResult {
    /// The metric, and the mode if there is one: the same whatever was found.
    pub fn name(&self) -> &str {
        let ends = [" is ", " has no value"].map(|end| self.gate.find(end));
        &self.gate[..ends.into_iter().flatten().min().unwrap_or(self.gate.len())]
    }
}

impl Gate {
    /// Reads the conditions of `--min` and `--max`, each `KEY=VALUE`: a key of `known` and a value in its range. `examples` are
    /// for the messages.
    ///
    /// # Errors
    /// [`EvalError::Gate`] when one names no metric, its value is no number in the range of the metric, or the metric is better
    /// on the other side.
    pub fn all(
        min: &[String],
        max: &[String],
        known: &[Known],
        examples: [&'static str; 2],
    ) -> Result<Vec<Self>, EvalError> {
        let min = min.iter().map(|gate| known::read(gate, Side::AtLeast, known, examples[0]));
        let max = max.iter().map(|gate| known::read(gate, Side::AtMost, known, examples[1]));
        min.chain(max).collect()
    }

    /// [`Self::all`] on an evaluation of this pipeline.
    ///
    /// # Errors
    /// As [`Self::all`].
    pub fn of_evaluation(min: &[String], max: &[String]) -> Result<Vec<Self>, EvalError> {
        let columns = metrics::columns().map(|column| Known::metric(&column.key(), column.spec()));
        let shares = SHARES.iter().map(|(key, _)| Known::share(key));
        let times = LATENCY.iter().map(|key| Known::lower(key));
        let known: Vec<Known> = columns.chain(shares).chain(times).collect();
        Self::all(min, max, &known, ["faithful=0.9", "latency=2000"])
    }

    /// The value of the gate's metric in one mode.
    fn value(&self, evaluation: &Evaluation, mode: &str) -> Option<f64> {
        let summary = &evaluation.summary;
        if let Some((_, share)) = SHARES.iter().find(|(key, _)| *key == self.metric) {
            return share(summary.abstention.get(mode)?);
        }
        if LATENCY.contains(&self.metric.as_str()) {
            let total = evaluation.latency.get(mode)?.get("total")?;
            return Some(if self.metric == "latency" { total.median } else { total.p95 });
        }
        self.of(summary.modes.get(mode)?.get(&self.metric)?)
    }

    fn of(&self, summary: &MetricSummary) -> Option<f64> {
        match self.statistic {
            Statistic::Mean => summary.mean,
            Statistic::CiLow => summary.ci_low,
            Statistic::CiHigh => summary.ci_high,
        }
    }

    /// Looks at every mode. Without any mode there is one failed result: nothing measured passes nothing.
    pub fn check(&self, evaluation: &Evaluation) -> Vec<GateResult> {
        let modes = evaluation.summary.modes.keys();
        let results: Vec<GateResult> =
            modes.map(|mode| self.result(mode, self.value(evaluation, mode))).collect();
        if results.is_empty() { vec![self.result("", None)] } else { results }
    }

    /// The gate against a value in one mode, which has no name if there is only one.
    fn result(&self, mode: &str, value: Option<f64>) -> GateResult {
        let Self { metric, limit, side, .. } = self;
        let of = match self.statistic {
            Statistic::Mean => "",
            Statistic::CiLow => ".ci_low",
            Statistic::CiHigh => ".ci_high",
        };
        let name = if mode.is_empty() { String::new() } else { format!(" in mode {mode}") };
        // Sums of the same scores in another order may differ in the last bits.
        let passed = value.is_some_and(|value| match side {
            Side::AtLeast => value >= limit - 1e-12,
            Side::AtMost => value <= limit + 1e-12,
        });
        let found = match (value, side) {
            (Some(value), Side::AtLeast) if passed => {
                format!("is {value:.3}, at least {limit:.3} as required")
            }
            (Some(value), Side::AtLeast) => format!("is {value:.3}, below the required {limit:.3}"),
            (Some(value), Side::AtMost) if passed => format!("is {value:.3}, at most {limit:.3} as required"),
            (Some(value), Side::AtMost) => format!("is {value:.3}, above the limit {limit:.3}"),
            (None, Side::AtLeast) => format!("has no value, but {limit:.3} is required"),
            (None, Side::AtMost) => format!("has no value, but at most {limit:.3} is required"),
        };
        GateResult { gate: format!("{metric}{of}{name} {found}"), passed }
    }
}

/// The gates against the numbers of one system, which messages call `mode`.
pub fn check_means(gates: &[Gate], mode: &str, summary: &Ordered<MetricSummary>) -> Vec<GateResult> {
    let value = |gate: &Gate| summary.get(&gate.metric).and_then(|measure| gate.of(measure));
    gates.iter().map(|gate| gate.result(mode, value(gate))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Direction;
    use crate::{Row, Score};

    fn read(text: &str, side: Side) -> Result<Gate, EvalError> {
        let text = [text.to_owned()];
        let (min, max) = if side == Side::AtLeast { (&text[..], &[][..]) } else { (&[][..], &text[..]) };
        Ok(Gate::of_evaluation(min, max)?.remove(0))
    }

    fn gate(text: &str) -> Gate {
        read(text, Side::AtLeast).expect("a gate")
    }

    fn evaluation(rows: &[Row]) -> Evaluation {
        Evaluation::new("r", rows.to_vec(), crate::report::Provenance::default())
    }

    #[test]
    fn gates_are_read_strictly() {
        let check = |gate: &str, expect: Option<f64>| {
            let got = read(gate, Side::AtLeast);
            assert_eq!(got.as_ref().ok().map(|g| g.limit), expect, "{gate}: {got:?}");
        };
        check("faithful=0.9", Some(0.9));
        check(" faithful_raw = 1 ", Some(1.0));
        check("faithful", None);
        check("faithfull=0.9", None);
        check("faithful=high", None);
        check("faithful=1.2", None);
        check("faithful=NaN", None);
        check("balanced_accuracy=0.7", Some(0.7));
        check("faithful.ci_low=0.85", Some(0.85));
        check("faithful.median=0.85", None);
        check("accuracy.ci_low=0.85", None);
        let wrong = |text: &str, side| read(text, side).expect_err(text).to_string();
        let lower = wrong("hallucinated_numbers=0.1", Side::AtLeast);
        assert!(lower.contains("better when lower") && lower.contains("--max"), "{lower}");
        let higher = wrong("faithful=0.1", Side::AtMost);
        assert!(higher.contains("better when higher") && higher.contains("--min"), "{higher}");
        assert!(wrong("latency=-1", Side::AtMost).contains("-1 is less than 0"));
        assert!(read("latency=2500", Side::AtMost).is_ok());
        let unknown = wrong("speed=0.5", Side::AtLeast);
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
        let summary = evaluation(&rows);
        let shares = SHARES.iter().map(|(key, _)| (*key).to_owned());
        let shown = metrics::columns().filter(|column| column.spec().direction != Direction::Neither);
        for key in shown.map(|column| column.key()).chain(shares) {
            let spec = metrics::find(&key).map(|column| *column.spec());
            let lower = spec.is_some_and(|spec| spec.direction == Direction::Lower);
            let low = spec.map_or(0.0, |spec| spec.range.low);
            let gate = if lower {
                let high = spec.map_or(1.0, |spec| spec.range.high);
                read(&format!("{key}={}", high - 0.1), Side::AtMost)
            } else {
                read(&format!("{key}={}", low + 0.1), Side::AtLeast)
            };
            let gate = gate.expect("a gate");
            let results = gate.check(&summary);
            assert!(results.iter().all(|result| result.passed), "{results:?}");
        }
        let passes = |min: &str| {
            let gate = gate(&format!("balanced_accuracy={min}"));
            gate.check(&summary)[0].passed
        };
        assert!(passes("0.625") && !passes("0.63"));
    }

    #[test]
    fn nothing_measured_passes_nothing() {
        let row = |mode: &str, score: Score| {
            let mut row = Row { query_id: "1".into(), mode: mode.into(), ..Row::default() };
            row.scores.insert("faithful", score);
            row
        };
        let gate = gate("faithful=0.5");
        let rows =
            [row("a", Score::flag(true)), row("b", Score::flag(false)), row("c", Score::n_a("refusal"))];
        let passed: Vec<bool> = gate.check(&evaluation(&rows)).iter().map(|r| r.passed).collect();
        assert_eq!(passed, [true, false, false]);
        assert!(!gate.check(&evaluation(&[]))[0].passed);
    }
}
