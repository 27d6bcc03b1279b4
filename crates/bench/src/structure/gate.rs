//! Demands on a result, and an earlier result to compare with.

use super::paper::{METRICS, Metric};
use super::summary::Group;
use crate::error::BenchError;
use serde_json::Value;
use std::{fs, path::Path, str::FromStr};

/// A bound on a metric over all papers: a least value, or for a metric that should be low a largest one.
pub(super) struct Gate {
    metric: &'static Metric,
    bound: f64,
}

impl Gate {
    /// Why the gate fails, if it does. A metric without a value never passes.
    pub(super) fn fault(&self, all: &Group) -> Option<String> {
        let key = self.metric.key;
        let Some(value) = all.metrics.get(key).and_then(|m| m.micro) else {
            return Some(format!("{key} has no value, {:.3} was asked for", self.bound));
        };
        let (passed, limit) = if self.metric.low_is_good {
            (value <= self.bound + 1e-12, "at most")
        } else {
            (value >= self.bound - 1e-12, "at least")
        };
        (!passed).then(|| format!("{key} is {value:.4}, {limit} {:.4} was asked for", self.bound))
    }
}

impl FromStr for Gate {
    type Err = BenchError;

    fn from_str(gate: &str) -> Result<Self, Self::Err> {
        let wrong = |reason: String| BenchError::Gate {
            gate: gate.to_owned(),
            reason,
        };
        let (key, value) = gate
            .split_once('=')
            .ok_or_else(|| wrong("write METRIC=VALUE".to_owned()))?;
        let metric = METRICS.iter().find(|m| m.key == key.trim()).ok_or_else(|| {
            let known: Vec<&str> = METRICS.iter().map(|m| m.key).collect();
            wrong(format!("there is no metric {key:?}; known: {}", known.join(", ")))
        })?;
        let bound = value
            .trim()
            .parse::<f64>()
            .ok()
            .filter(|v| (0.0..=1.0).contains(v));
        let bound = bound.ok_or_else(|| wrong(format!("{value:?} is no number from 0 to 1")))?;
        Ok(Self { metric, bound })
    }
}

/// The metrics over all papers of an earlier run.
pub(super) struct Baseline(Value);

impl Baseline {
    pub(super) fn load(path: &Path) -> Result<Self, BenchError> {
        let wrong = |reason: String| BenchError::Baseline {
            path: path.to_owned(),
            reason,
        };
        let text = fs::read_to_string(path).map_err(BenchError::io("read", path))?;
        let json: Value = serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?;
        match json.pointer("/all/metrics") {
            Some(metrics) => Ok(Self(metrics.clone())),
            None => Err(wrong("it has no /all/metrics".to_owned())),
        }
    }

    /// The earlier value of a metric.
    pub(super) fn value(&self, key: &str) -> Option<f64> {
        self.0.get(key)?.get("micro")?.as_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_read_strictly() {
        let check = |gate: &str, good: bool| assert_eq!(gate.parse::<Gate>().is_ok(), good, "{gate}");
        check("soft_f1=0.9", true);
        check("reference_leak = 0", true);
        check("soft_f2=0.9", false);
        check("soft_f1", false);
        check("soft_f1=NaN", false);
        check("soft_f1=1.1", false);
    }
}
