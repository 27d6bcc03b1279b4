//! Gates: `METRIC=VALUE`, the least mean that a run must reach.

use crate::{EvalError, Summary, metrics};
use std::fmt;
use std::str::FromStr;

/// A demand on a metric: its mean must be at least `min` in every mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// A key of [`metrics::keys`].
    pub metric: String,
    /// The least mean, 0 to 1.
    pub min: f64,
}

/// What a gate found in one mode.
#[derive(Clone, Debug, PartialEq)]
pub struct GateResult {
    /// The gate's metric.
    pub metric: String,
    /// The mode.
    pub mode: String,
    /// The mean; `None` when no row has a value, which never passes.
    pub mean: Option<f64>,
    /// The least mean asked for.
    pub min: f64,
    /// Whether it passed.
    pub passed: bool,
}

impl Gate {
    /// Looks at every mode. Without any mode there is one failed result: nothing measured passes nothing.
    pub fn check(&self, summary: &Summary) -> Vec<GateResult> {
        let result = |mode: &str, mean: Option<f64>| GateResult {
            metric: self.metric.clone(),
            mode: mode.to_owned(),
            mean,
            min: self.min,
            // Sums of the same scores in another order may differ in the last bits.
            passed: mean.is_some_and(|mean| mean >= self.min - 1e-12),
        };
        let results: Vec<GateResult> = summary
            .modes
            .iter()
            .map(|(mode, metrics)| result(mode, metrics.get(&self.metric).and_then(|m| m.mean)))
            .collect();
        if results.is_empty() {
            vec![result("none", None)]
        } else {
            results
        }
    }
}

impl fmt::Display for GateResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            metric, mode, min, ..
        } = self;
        let relation = if self.passed { "reaches" } else { "misses" };
        match self.mean {
            Some(mean) => write!(f, "{metric} in {mode}: {mean:.3} {relation} {min:.3}"),
            None => write!(
                f,
                "{metric} in {mode}: no row has a value, {min:.3} was asked for"
            ),
        }
    }
}

impl FromStr for Gate {
    type Err = EvalError;

    fn from_str(gate: &str) -> Result<Self, Self::Err> {
        let wrong = |reason: String| EvalError::Gate {
            gate: gate.to_owned(),
            reason,
        };
        let (metric, value) = gate
            .split_once('=')
            .ok_or_else(|| wrong("it has no =".to_owned()))?;
        let metric = metric.trim();
        if metrics::find(metric).is_none() {
            return Err(wrong(format!(
                "there is no metric {metric:?}; known: {}",
                metrics::keys().join(", ")
            )));
        }
        let min: f64 = value
            .trim()
            .parse()
            .map_err(|_| wrong(format!("{value:?} is no number")))?;
        if !(0.0..=1.0).contains(&min) {
            return Err(wrong(format!("{value} lies outside 0 to 1")));
        }
        Ok(Self {
            metric: metric.to_owned(),
            min,
        })
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
